//! `cargo xtask fuzz`: every fuzz target for a while.

use crate::process::{nightly_cargo, output, root, run as run_command, skipped};
use std::fs;

/// Longer inputs find nothing more in readers of headers, and make the others slow.
const LONGEST: &str = "-max_len=65536";

pub(crate) fn run(seconds: u32) -> bool {
    let Some(mut probe) = nightly_cargo() else {
        skipped("fuzzing", "no nightly toolchain");
        return true;
    };
    if output(probe.args(["fuzz", "--version"])).is_none() {
        skipped("fuzzing", "no cargo-fuzz: cargo install cargo-fuzz");
        return true;
    }
    let targets = targets();
    let failed: Vec<&str> = targets.iter().map(String::as_str).filter(|target| !run_target(target, seconds)).collect();
    println!("fuzz: {} targets for {seconds} s each, {} failed {}", targets.len(), failed.len(), failed.join(" "));
    failed.is_empty() && !targets.is_empty()
}

fn run_target(target: &str, seconds: u32) -> bool {
    // What the fuzzer finds goes into the first folder; the seeds, which are in the repository, are only read.
    let [corpus, seeds] = ["corpus", "seeds"].map(|folder| root().join("fuzz").join(folder).join(target));
    if let Err(error) = fs::create_dir_all(&corpus) {
        eprintln!("{}: {error}", corpus.display());
        return false;
    }
    let Some(mut command) = nightly_cargo() else { return false };
    command.args(["fuzz", "run", target]).arg(corpus);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    // A run of one input that takes longer than this is a finding.
    command.args(["--", &format!("-max_total_time={seconds}"), LONGEST, "-timeout=20", "-print_final_stats=1"]);
    run_command(&mut command)
}

/// The stems of `fuzz/fuzz_targets/*.rs`, sorted.
fn targets() -> Vec<String> {
    let Ok(entries) = fs::read_dir(root().join("fuzz/fuzz_targets")) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut stems: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    stems.sort();
    stems
}
