//! Other programs: where they are, whether they are there, and how they end.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable at run time; the compiled-in path is that of the machine that built this.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let mut root = PathBuf::from(manifest);
    root.pop();
    root
}

/// Where builds go.
pub(crate) fn target_dir() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The cargo that runs this, in the root of the repository.
pub(crate) fn cargo() -> Command {
    here(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A program, run in the root of the repository.
pub(crate) fn here(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Cargo of a nightly toolchain that is already installed.
pub(crate) fn nightly_cargo() -> Option<Command> {
    let listed = output(Command::new("rustup").args(["toolchain", "list"]))?;
    let name = listed.split_whitespace().find(|name| name.starts_with("nightly"))?;
    // Not `cargo +nightly`: CARGO is the toolchain's own binary, which does not know the `+`.
    let mut command = here("rustup");
    command.args(["run", name, "cargo"]);
    Some(command)
}

/// What a program prints, if it ends well.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program is there and starts.
pub(crate) fn exists(program: &str) -> bool {
    output(Command::new(program).arg("--version")).is_some()
}

/// Runs a program to its end and tells whether it ended well.
pub(crate) fn run(command: &mut Command) -> bool {
    announce(command);
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => not_started(command, &error),
    }
}

/// Runs a program, shows its standard output as it comes and hands each line of it to `see`.
pub(crate) fn run_watched(command: &mut Command, mut see: impl FnMut(&str)) -> bool {
    announce(command);
    let mut child = match command.stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return not_started(command, &error),
    };
    if let Some(stdout) = child.stdout.take() {
        let mut lines = BufReader::new(stdout);
        let mut line = Vec::new();
        while matches!(lines.read_until(b'\n', &mut line), Ok(1..)) {
            let shown = std::io::stdout().write_all(&line).and_then(|()| std::io::stdout().flush());
            if shown.is_err() {
                break; // Nobody reads on; the exit status still counts.
            }
            see(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
    child.wait().is_ok_and(|status| status.success())
}

fn announce(command: &Command) {
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    eprintln!("$ {}", words.join(OsStr::new(" ")).to_string_lossy());
}

fn not_started(command: &Command, error: &std::io::Error) -> bool {
    eprintln!("cannot start {}: {error}", command.get_program().to_string_lossy());
    false
}

/// Says visibly that something was not done, and why.
pub(crate) fn skipped(what: &str, why: &str) {
    println!("skipped: {what} ({why})");
}
