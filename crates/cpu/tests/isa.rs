//! `SAMEBITS_ISA` forces an instruction set, and one that the machine lacks is an error.
//! The variable is read once in a process, so this test runs itself again as a child.

use samebits_cpu::{ISA_VARIABLE, Isa};
use std::process::Command;

const CHILD: &str = "SAMEBITS_TEST_CHILD";

#[test]
fn forced_by_variable() {
    if std::env::var_os(CHILD).is_some() {
        match Isa::chosen() {
            Ok(isa) => println!("chosen={isa}"),
            Err(e) => println!("error={e}"),
        }
        return;
    }
    let child = |name: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "forced_by_variable", "--nocapture"]).env(CHILD, "1").env(ISA_VARIABLE, name);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    for isa in Isa::available() {
        assert!(child(isa.name()).contains(&format!("chosen={isa}\n")), "{isa}");
    }
    assert!(child("").contains(&format!("chosen={}\n", Isa::available()[0])), "an empty value is no choice");
    let answer = child("sse9");
    assert!(answer.contains("error=instruction set 'sse9' is not available here: this machine has "), "{answer}");
}
