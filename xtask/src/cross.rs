//! `cargo xtask cross`: the NEON kernels, run under QEMU.
//!
//! A plain program is run and not the test harness: user-mode QEMU can hang when a thread is created. The compiler is
//! Debian's, since Debian packages a standard library for aarch64 and no other download is needed.

use crate::process::{cargo, exists, here, output, run as run_command, skipped, target_dir};
use std::path::Path;
use std::process::Command;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const RUSTC: &str = "/usr/bin/rustc";
const EXAMPLE: &str = "conformance_runner";
const PACKAGES: [&str; 5] =
    ["rustc-web", "libstd-rust-web-dev:arm64", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"];

pub(crate) fn run(arguments: &[String]) -> bool {
    let (install, rest) = match arguments.split_first() {
        Some((first, rest)) if first == "--install" => (true, rest),
        _ => (false, arguments),
    };
    if install && !missing().is_empty() && !fetch() {
        eprintln!("cross: the installation failed; it needs Debian, its network and the right to install");
        return false;
    }
    let missing = missing();
    if !missing.is_empty() {
        skipped(
            "NEON under QEMU",
            &format!("missing: {}; `cargo xtask cross --install` fetches it", missing.join(", ")),
        );
        return true;
    }
    let target_dir = target_dir().join("cross");
    let mut build = cargo();
    build.args(["build", "--release", "--target", TARGET, "-p", "samebits-cpu", "--example", EXAMPLE]);
    build.arg("--target-dir").arg(&target_dir);
    build.env("RUSTC", RUSTC).env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");
    let program = target_dir.join(TARGET).join("release/examples").join(EXAMPLE);
    run_command(&mut build)
        && run_command(here("qemu-aarch64").args(["-L", "/usr/aarch64-linux-gnu"]).arg(program).args(rest))
}

/// What is not there, in words.
fn missing() -> Vec<&'static str> {
    let library = || {
        let asked = ["--print", "target-libdir", "--target", TARGET];
        let folder = output(Command::new(RUSTC).args(asked)).unwrap_or_default();
        !folder.is_empty() && Path::new(folder.trim()).is_dir()
    };
    let mut missing = Vec::new();
    for (there, what) in [
        (exists("qemu-aarch64"), "qemu-aarch64"),
        (exists("aarch64-linux-gnu-gcc"), "aarch64-linux-gnu-gcc"),
        (exists(RUSTC), "Debian's rustc"),
        (library(), "its standard library for aarch64"),
    ] {
        if !there {
            missing.push(what);
        }
    }
    missing
}

fn fetch() -> bool {
    run_command(here("dpkg").args(["--add-architecture", "arm64"]))
        && run_command(here("apt-get").arg("update"))
        && run_command(here("apt-get").args(["install", "-y", "--no-install-recommends"]).args(PACKAGES))
}
