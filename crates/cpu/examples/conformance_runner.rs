//! The suites of sums and norms as a plain program: for machines, real or emulated, where the test harness does not run.
//!
//! One thread, no pool. Prints a line for each instruction set and suite; ends with status 1 at the first difference.
//! `conformance_runner [ISA]..` runs only those named.

use samebits_conformance::suite;
use samebits_cpu::{Cpu, Isa};
use std::process::ExitCode;

fn main() -> ExitCode {
    let named: Vec<Isa> = match std::env::args().skip(1).map(|name| name.parse()).collect() {
        Ok(isas) => isas,
        Err(e) => {
            eprintln!("conformance_runner: {e}");
            return ExitCode::from(4);
        }
    };
    for isa in if named.is_empty() { Isa::available() } else { named } {
        let cpu = match Cpu::new() {
            Ok(cpu) => cpu.with_isa(isa).with_threads(1),
            Err(e) => {
                eprintln!("conformance_runner: {e}");
                return ExitCode::from(4);
            }
        };
        // A difference is a panic with the case and both bit patterns: the status is then 101.
        println!("{isa}: golden cases: {} equal", suite::golden(&cpu));
        println!("{isa}: faults of other systems: {} equal", suite::faults(&cpu));
        println!("{isa}: published result: {} equal", suite::published(&cpu));
        println!("{isa}: hard inputs, f64: {} equal", suite::hard_inputs::<f64>(&cpu, &[3, 6, 2, 4, 52]));
        println!("{isa}: hard inputs, f32: {} equal", suite::hard_inputs::<f32>(&cpu, &[3, 6, 2, 4, 21]));
        println!("{isa}: random inputs, f64: {} equal", suite::random_inputs::<f64>(&cpu, 3, 100, 5000));
        println!("{isa}: running sums, golden: {} equal", suite::scan::golden(&cpu));
        println!("{isa}: running sums, faults of other systems: {} equal", suite::scan::faults(&cpu));
        println!("{isa}: running sums, hard inputs, f64: {} equal", suite::scan::hard_inputs::<f64>(&cpu, &[3, 2, 4]));
        println!("{isa}: running sums, hard inputs, f32: {} equal", suite::scan::hard_inputs::<f32>(&cpu, &[3, 2, 4]));
        println!("{isa}: running sums, large totals: {} equal", suite::scan::large_totals::<f64>(&cpu));
        println!("{isa}: random inputs, f32: {} equal", suite::random_inputs::<f32>(&cpu, 4, 100, 9000));
        println!("{isa}: norms, golden cases: {} equal", suite::norm::golden(&cpu));
        println!("{isa}: norms, faults of other systems: {} equal", suite::norm::faults(&cpu));
        println!("{isa}: norms, hard inputs, f64: {} equal", suite::norm::hard_inputs::<f64>(&cpu, &[3, 6, 2, 4, 26]));
        println!("{isa}: norms, hard inputs, f32: {} equal", suite::norm::hard_inputs::<f32>(&cpu, &[3, 6, 2, 4, 11]));
        println!("{isa}: norms, random inputs, f64: {} equal", suite::norm::random_inputs::<f64>(&cpu, 5, 100, 5000));
        println!("{isa}: norms, random inputs, f32: {} equal", suite::norm::random_inputs::<f32>(&cpu, 6, 100, 9000));
        println!("{isa}: segments, f64: {} equal", suite::segments::<f64>(&cpu, &[3, 2, 6]));
        println!("{isa}: segments, f32: {} equal", suite::segments::<f32>(&cpu, &[3, 2, 6]));
        println!("{isa}: groups, f64: {} equal", suite::scattered::<f64>(&cpu, &[3, 6]));
        println!("{isa}: groups, f32: {} equal", suite::scattered::<f32>(&cpu, &[3, 6]));
        println!("{isa}: golden dots: {} equal", suite::dot::golden(&cpu));
        println!("{isa}: dots of other systems: {} equal", suite::dot::faults(&cpu));
        println!("{isa}: hard dots, f64: {} equal", suite::dot::hard_inputs::<f64>(&cpu, &[3, 6]));
        println!("{isa}: hard dots, f32: {} equal", suite::dot::hard_inputs::<f32>(&cpu, &[3, 6]));
        println!("{isa}: random dots, f64: {} equal", suite::dot::random_inputs::<f64>(&cpu, 5, 100, 5000));
        println!("{isa}: random dots, f32: {} equal", suite::dot::random_inputs::<f32>(&cpu, 6, 100, 9000));
    }
    println!("all equal");
    ExitCode::SUCCESS
}
