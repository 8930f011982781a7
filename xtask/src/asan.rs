//! `cargo xtask asan`: the tests of the crates with SIMD and raw pointers, under AddressSanitizer.

use crate::process::{nightly_cargo, run as run_command, skipped, target_dir};
use std::process::Command;

/// The command, or why it cannot be run here.
pub(crate) fn command() -> Result<Command, &'static str> {
    if !cfg!(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64"))) {
        return Err("only on x86_64 and aarch64 Linux");
    }
    let mut command = nightly_cargo().ok_or("no nightly toolchain")?;
    // With --target, build scripts and procedural macros are built for the host without the sanitizer, and so can be run.
    command.args(["test", "--target", host(), "-p", "samebits-cpu", "-p", "samebits", "--lib", "--tests"]);
    command.arg("--target-dir").arg(target_dir().join("asan"));
    command.env("RUSTFLAGS", "-Zsanitizer=address");
    // A thread pool that lives as long as the process looks like a leak.
    command.env("ASAN_OPTIONS", "detect_leaks=0");
    Ok(command)
}

const fn host() -> &'static str {
    if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" }
}

pub(crate) fn run() -> bool {
    match command() {
        Ok(mut command) => run_command(&mut command),
        Err(why) => {
            skipped("AddressSanitizer", why);
            true
        }
    }
}
