//! Rules that another program knows.

use super::{Finding, Verdict};
use crate::process::{cargo, exists, here, output, root, run};
use std::process::Command;

/// Programs that write files of the tree, and can tell without writing whether they would change anything.
const GENERATED: &[Generated] =
    &[Generated { needs: "python3", file: "conformance/generate.py", command: &["conformance/generate.py"] }];

struct Generated {
    needs: &'static str,
    file: &'static str,
    command: &'static [&'static str],
}

pub(super) fn formatting() -> Verdict {
    if output(cargo().args(["fmt", "--version"])).is_none() {
        return Verdict::Skipped("no rustfmt: rustup component add rustfmt".into());
    }
    let mut verdict = tool(cargo().args(["fmt", "--all", "--", "--check"]), "Cargo.toml", "run `cargo fmt --all`");
    if root().join("fuzz/Cargo.toml").is_file() {
        let mut fuzz = cargo();
        fuzz.args(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--", "--check"]);
        let more = tool(&mut fuzz, "fuzz/Cargo.toml", "run `cargo fmt --manifest-path fuzz/Cargo.toml`");
        if let (Verdict::Findings(findings), Verdict::Findings(more)) = (&mut verdict, more) {
            findings.extend(more);
        }
    }
    verdict
}

pub(super) fn lints() -> Verdict {
    if output(cargo().args(["clippy", "--version"])).is_none() {
        return Verdict::Skipped("no clippy: rustup component add clippy".into());
    }
    let arguments = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    tool(cargo().args(arguments), "Cargo.toml", "mend what clippy says above")
}

pub(super) fn documentation() -> Verdict {
    // Programs are left out: the program and the library `samebits` would write the same pages.
    let arguments = ["doc", "--workspace", "--all-features", "--no-deps", "--lib"];
    let mut command = cargo();
    command.args(arguments).env("RUSTDOCFLAGS", "-D warnings");
    tool(&mut command, "Cargo.toml", "mend what rustdoc says above")
}

pub(super) fn generated() -> Verdict {
    let mut findings = Vec::new();
    for Generated { needs, file, command } in GENERATED {
        if !exists(needs) {
            return Verdict::Skipped(format!("no {needs}"));
        }
        let advice = format!("run `{needs} {}` and look at the difference", command.join(" "));
        if let Verdict::Findings(more) = tool(here(needs).args(*command).arg("--check"), file, &advice) {
            findings.extend(more);
        }
    }
    Verdict::Findings(findings)
}

/// Runs a program that prints its own findings.
fn tool(command: &mut Command, place: &str, advice: &str) -> Verdict {
    let finding = || Finding { place: place.into(), line: 1, what: advice.into() };
    Verdict::Findings(if run(command) { Vec::new() } else { vec![finding()] })
}
