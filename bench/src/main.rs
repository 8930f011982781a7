//! The benchmarks. `cargo xtask bench SUITE` builds and runs this; the binary also runs alone on another machine.
//!
//! Figures are ratios within one run: engines take turns, so that whatever else the machine does slows all alike. Every
//! sum of ours is compared with the reference device's bits before it is timed.

mod cases;
mod cli;
mod engines;
mod machine;
mod measure;
mod number;
mod peers;
mod plain;
mod report;
mod sum;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Times samebits against plain code and peers.
#[derive(Debug, Parser)]
#[command(name = "bench", arg_required_else_help = true)]
struct Bench {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(Debug, Subcommand)]
enum Suite {
    /// Sums of arrays in memory, against the plain sum and peers
    #[command(after_help = after_help())]
    Sum(SumArgs),
    /// `samebits sum FILE` against `cat FILE`
    Cli(CliArgs),
}

#[derive(Debug, Args)]
struct SumArgs {
    /// Numbers of elements
    #[arg(long, value_delimiter = ',', value_parser = size, value_name = "N,..")]
    sizes: Option<Vec<usize>>,
    /// f64, f32
    #[arg(long, value_delimiter = ',', value_parser = ["f64", "f32"])]
    types: Option<Vec<String>>,
    /// Thread counts
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=4096), value_name = "N,..")]
    threads: Option<Vec<u16>>,
    /// Kinds of data
    #[arg(long, value_delimiter = ',', value_name = "NAME,..")]
    data: Option<Vec<String>>,
    /// Engines; the plain sum is always among them
    #[arg(long, value_delimiter = ',', value_name = "NAME,..")]
    engines: Option<Vec<String>>,
    /// The instruction set, for ours and for the plain sum
    #[arg(long)]
    isa: Option<String>,
    /// Small sizes and few repeats: to see that it runs, not how fast
    #[arg(long)]
    quick: bool,
    /// Without the calls with hardly any data
    #[arg(long)]
    no_calls: bool,
    /// Seconds for each engine and case; the fewest samples are taken all the same
    #[arg(long, value_name = "S", value_parser = positive)]
    seconds_per_case: Option<f64>,
    /// Write bench/record/MACHINE/sum-DATE.json and .txt
    #[arg(long)]
    record: bool,
    /// The name in the record's path, instead of processor and instruction set
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
}

#[derive(Debug, Args)]
struct CliArgs {
    /// A file to sum; without one, a .npy file is made and removed
    file: Option<PathBuf>,
    /// How large a file to make, in 10^9 bytes
    #[arg(long, default_value = "4", value_parser = positive)]
    gb: f64,
    /// The program [default: the samebits next to this program]
    #[arg(long, value_name = "PATH")]
    bin: Option<PathBuf>,
    /// How often
    #[arg(long, default_value_t = 5)]
    repeats: usize,
}

fn after_help() -> String {
    let list = |rows: Vec<(&str, &str)>| -> String {
        rows.into_iter().map(|(name, about)| format!("  {name:<18} {about}\n")).collect()
    };
    let data = list(cases::DATA.iter().map(|data| (data.name, data.about)).collect());
    let engines = list(engines::ENGINES.iter().map(|engine| (engine.name, engine.about)).collect());
    format!(
        "Data:\n{data}\nEngines:\n{engines}\nExamples:\n  cargo xtask bench sum --quick\n  \
         cargo xtask bench sum --sizes 1e6,5e7 --types f64 --threads 1 --engines k3,exact --data uniform\n  \
         taskset -c 0 target/release/samebits-bench sum --threads 1 --record"
    )
}

/// `1e6` and `1000000` alike.
fn size(text: &str) -> Result<usize, String> {
    match text.parse::<f64>() {
        Ok(n) if n.fract() == 0.0 && (0.0..=1e12).contains(&n) => Ok(n as usize),
        _ => Err("a whole number such as 1000 or 1e6".to_owned()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|x| *x > 0.0 && x.is_finite()).ok_or_else(|| "a positive number".to_owned())
}

/// The entries of a table by name.
fn chosen<T>(names: &[String], table: &'static [T], name: fn(&T) -> &'static str) -> Result<Vec<&'static T>, String> {
    let find = |wanted: &String| {
        let all = || table.iter().map(name).collect::<Vec<_>>().join(", ");
        table.iter().find(|entry| name(entry) == wanted).ok_or_else(|| format!("no {wanted}: there are {}", all()))
    };
    names.iter().map(find).collect()
}

impl SumArgs {
    fn plan(&self) -> Result<sum::Plan, String> {
        let mut plan = sum::Plan::new(self.isa.as_deref())?;
        if self.quick {
            plan.sizes = cases::QUICK_SIZES.to_vec();
            plan.effort = measure::Effort::QUICK;
        }
        if let Some(sizes) = &self.sizes {
            plan.sizes.clone_from(sizes);
        }
        if let Some(types) = &self.types {
            plan.types.retain(|kind| types.iter().any(|asked| asked == kind));
        }
        if let Some(threads) = &self.threads {
            plan.threads = threads.iter().map(|&n| usize::from(n)).collect();
        }
        if let Some(names) = &self.data {
            plan.data = chosen(names, cases::DATA, |data| data.name)?;
        }
        if let Some(names) = &self.engines {
            plan.engines = chosen(names, engines::ENGINES, |engine| engine.name)?;
            plan.engines.retain(|engine| engine.work != engines::Work::Plain);
            plan.engines.insert(0, &engines::ENGINES[0]);
        }
        if let Some(seconds) = self.seconds_per_case {
            plan.effort.seconds = seconds;
        }
        plan.calls = !self.no_calls;
        Ok(plan)
    }

    fn run(&self) -> Result<bool, String> {
        let plan = self.plan()?;
        let mut report = report::Report::new("sum", plan.settings());
        let wrong = sum::run(&plan, &mut report)?;
        if self.record {
            let path = report.record(self.machine.as_deref(), &plan.isa)?;
            println!("recorded: {}.json and .txt", path.display());
        }
        Ok(wrong == 0)
    }
}

fn main() -> ExitCode {
    let done = match Bench::parse().suite {
        Suite::Sum(arguments) => arguments.run(),
        Suite::Cli(CliArgs { file, gb, bin, repeats }) => {
            cli::run(&cli::Plan { file, gb, bin, repeats }).map(|()| true)
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("bench: {why}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(arguments: &[&str]) -> Result<sum::Plan, String> {
        let all = ["bench", "sum"].iter().chain(arguments);
        match Bench::try_parse_from(all).map_err(|e| e.to_string())?.suite {
            Suite::Sum(arguments) => arguments.plan(),
            Suite::Cli(_) => Err("another suite".to_owned()),
        }
    }

    #[test]
    fn arguments_are_understood() {
        let all = ["--sizes", "1e3,20", "--types", "f32", "--threads", "2", "--data", "nan", "--engines", "exact"];
        let plan = plan(&all).expect("a plan");
        assert_eq!((&plan.sizes[..], &plan.types[..], &plan.threads[..]), (&[1000, 20][..], &["f32"][..], &[2][..]));
        assert_eq!(plan.engines.iter().map(|engine| engine.name).collect::<Vec<_>>(), ["plain", "exact"]);
    }

    #[test]
    fn mistakes_are_told() {
        for wrong in [["--sizes", "1.5"], ["--isa", "mmx"], ["--data", "odd"], ["--engines", "k9"], ["--threads", "0"]]
        {
            assert!(plan(&wrong).is_err(), "{wrong:?}");
        }
    }
}
