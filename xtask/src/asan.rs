//! `cargo xtask asan`: the tests of the crates with SIMD and raw pointers, and of the readers of files, under
//! AddressSanitizer.

use crate::process::{nightly_cargo, root, run_watched, skipped, target_dir};
use crate::totals::Totals;
use std::process::Command;
use std::time::Instant;

/// Left out: they go through the same loops as the other tests of their file, only with more inputs, and would take
/// most of the time.
const LEFT_OUT: [&str; 2] = ["every_fold_count", "random_inputs"];

/// How it went.
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// It cannot be run here; why was said.
    Skipped,
}

pub(crate) fn outcome() -> Outcome {
    let mut command = match command() {
        Ok(command) => command,
        Err(why) => {
            skipped("AddressSanitizer", why);
            return Outcome::Skipped;
        }
    };
    let begin = Instant::now();
    let mut totals = Totals::default();
    let fine = run_watched(&mut command, |line| totals.see(line)) && totals.failed == 0 && totals.passed > 0;
    println!(
        "asan: {}: {totals} under AddressSanitizer in {} s (the tests of samebits-cpu, samebits, and samebits-cli's \
         readers, without {})",
        if fine { "PASS" } else { "FAIL" },
        begin.elapsed().as_secs(),
        LEFT_OUT.join(", ")
    );
    if fine { Outcome::Passed } else { Outcome::Failed }
}

/// The command, or why it cannot be run here.
fn command() -> Result<Command, &'static str> {
    if !cfg!(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64"))) {
        return Err("only on x86_64 and aarch64 Linux");
    }
    let mut command = nightly_cargo().ok_or("no nightly toolchain")?;
    // With --target, build scripts and procedural macros are built for the host without the sanitizer, and so can be run.
    command.args(["test", "--no-fail-fast", "--target", host()]);
    command.args(["-p", "samebits-cpu", "-p", "samebits", "-p", "samebits-cli", "--lib"]);
    // Not --tests: those of the command start it as a process of its own.
    for name in ["crates/cpu/tests", "crates/samebits/tests"].into_iter().flat_map(tests_in) {
        command.args(["--test", &name]);
    }
    command.arg("--target-dir").arg(target_dir().join("asan"));
    command.arg("--");
    for name in LEFT_OUT {
        command.args(["--skip", name]);
    }
    command.env("RUSTFLAGS", "-Zsanitizer=address");
    // Enough for its reports, and much less to compile.
    command.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    // A thread pool that lives as long as the process looks like a leak.
    command.env("ASAN_OPTIONS", "detect_leaks=0");
    Ok(command)
}

/// The integration tests of a crate by name.
fn tests_in(folder: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root().join(folder)) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let tests = paths.filter(|path| path.extension().is_some_and(|e| e == "rs") || path.join("main.rs").is_file());
    let mut names: Vec<_> = tests.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}

const fn host() -> &'static str {
    if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" }
}

pub(crate) fn run() -> bool {
    !matches!(outcome(), Outcome::Failed)
}
