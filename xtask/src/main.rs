//! The chores of this repository, as `cargo xtask NAME`. Standard library only, so that it builds in seconds.

#![forbid(unsafe_code)]

mod asan;
mod check;
mod cross;
mod fuzz;
mod guard;
mod process;
mod test;
mod totals;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask NAME [ARGUMENTS]

  test              every test of the workspace, doc tests included, and `asan`;
                    the last line is the totals: N passed, N failed[, N skipped]
  check             formatting, lints, docs, and the rules of the tree; says file and line of what breaks one
  bench [SUITE] ..  the benchmarks, in a release build; arguments go to the bench program
  enumerate ..      the CPU's f32 kernels on every f32 there is, in a release build
  cross [--install] the CPU kernels for aarch64 (NEON) under QEMU; --install fetches what is missing with apt
  asan              the tests of the crates with SIMD and of the readers under AddressSanitizer (needs a nightly
                    toolchain)
  fuzz [SECONDS]    every fuzz target, SECONDS each (60); needs a nightly toolchain and cargo-fuzz
  help              this text

What a machine lacks the tools for is not done, and said so in a line that begins with `skipped:`.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = arguments.split_first().map_or(("help", &[][..]), |(name, rest)| (name.as_str(), rest));
    let fine = match (name, rest) {
        ("test", []) => test::run(),
        ("check", []) => check::run(),
        ("bench", rest) => {
            process::run(process::cargo().args(["run", "--release", "-p", "samebits-bench", "--"]).args(rest))
        }
        ("enumerate", rest) => {
            let example = ["run", "--release", "-p", "samebits-cpu", "--example", "enumerate_f32", "--"];
            process::run(process::cargo().args(example).args(rest))
        }
        ("cross", rest) => cross::run(rest),
        ("asan", []) => asan::run(),
        ("fuzz", []) => fuzz::run(60),
        ("fuzz", [seconds]) if seconds.parse::<u32>().is_ok() => fuzz::run(seconds.parse().unwrap_or(60)),
        ("help" | "--help" | "-h", _) => {
            println!("{HELP}");
            true
        }
        _ => {
            eprintln!("cargo xtask: not understood: {}\n\n{HELP}", arguments.join(" "));
            return ExitCode::from(2);
        }
    };
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
