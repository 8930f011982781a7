//! `cargo xtask fuzz`: every fuzz target for a while.

use crate::process::{nightly_cargo, output, root, run as run_command, skipped};

pub(crate) fn run(seconds: u32) -> bool {
    let Some(mut probe) = nightly_cargo() else {
        skipped("fuzzing", "no nightly toolchain");
        return true;
    };
    if output(probe.args(["fuzz", "--version"])).is_none() {
        skipped("fuzzing", "no cargo-fuzz: cargo install cargo-fuzz");
        return true;
    }
    let mut failed = Vec::new();
    let targets = targets();
    for target in &targets {
        let Some(mut command) = nightly_cargo() else { return false };
        command.args(["fuzz", "run", target, "--"]);
        command.args([format!("-max_total_time={seconds}"), "-max_len=65536".into()]);
        if !run_command(&mut command) {
            failed.push(target.as_str());
        }
    }
    println!("fuzz: {} targets, {} failed {}", targets.len(), failed.len(), failed.join(" "));
    failed.is_empty()
}

/// The stems of `fuzz/fuzz_targets/*.rs`, sorted.
fn targets() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root().join("fuzz/fuzz_targets")) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut stems: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    stems.sort();
    stems
}
