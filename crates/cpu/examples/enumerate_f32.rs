//! Proof by enumeration: the float form of a deposit equals its definition for all 2^32 values of `f32`, in every window.
//!
//! `enumerate_f32 [ISA] [STEP]`: with STEP, only every STEP-th value. Minutes on all cores.

use rayon::prelude::*;
use samebits_cpu::{Isa, compare_forms};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let isa = args.next().map_or_else(Isa::chosen, |name| name.parse());
    let step = args.next().map_or(Ok(1), |step| step.parse::<usize>());
    let (Ok(isa), Ok(step @ 1..)) = (isa, step) else {
        eprintln!("usage: enumerate_f32 [ISA] [STEP]");
        return ExitCode::from(2);
    };
    let start = Instant::now();
    const PARTS: u32 = 1 << 12;
    let part = |i: u32| {
        let first = u64::from(i) << 20;
        compare_forms(isa, (first..first + (1 << 20)).step_by(step).map(|bits| bits as u32)).map_err(|e| e.to_string())
    };
    let counts: Result<Vec<u64>, String> = (0..PARTS)
        .into_par_iter()
        .map(|i| part(i)?.map_err(|difference| format!("the forms differ: {difference:?}")))
        .collect();
    match counts {
        Ok(counts) => {
            let values = (1u64 << 20).div_ceil(step as u64) * u64::from(PARTS);
            let digits: u64 = counts.iter().sum();
            println!("{isa}: {values} values in every window: {digits} digits equal, in {:.0?}", start.elapsed());
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("enumerate_f32: {what}");
            ExitCode::FAILURE
        }
    }
}
