//! Notes what the binary was built from, so that it can tell on a machine that has neither cargo nor the repository.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = said(Command::new(rustc).arg("-vV")).map(|text| text.trim().replace('\n', "; "));
    let git = said(Command::new("git").args(["describe", "--always", "--dirty", "--tags"]));
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ");
    let unknown = || "unknown".to_owned();
    println!("cargo::rustc-env=BENCH_RUSTC={}", version.unwrap_or_else(unknown));
    println!("cargo::rustc-env=BENCH_GIT={}", git.map(|text| text.trim().to_owned()).unwrap_or_else(unknown));
    println!("cargo::rustc-env=BENCH_RUSTFLAGS={flags}");
    println!("cargo::rerun-if-changed=build.rs");
    // The log grows with every commit. Where there is none, cargo runs this each time, which is right too.
    println!("cargo::rerun-if-changed=../.git/logs/HEAD");
}

fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}
