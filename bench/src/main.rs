//! The benchmarks. `cargo xtask bench SUITE` builds and runs this; the binary also runs alone on another machine.
//!
//! Figures are ratios within one run: engines take turns, so that whatever else the machine does slows all alike. Every
//! sum of ours is compared with the reference device's bits before it is timed.

mod cases;
mod cli;
mod contest;
mod dot;
mod engines;
mod group;
mod machine;
mod measure;
mod norm;
mod number;
mod peers;
mod plain;
mod report;
mod scan;
mod suites;
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
    /// Running sums, against a scalar loop and NumPy
    #[command(after_help = suite_help(&scan::SUITE))]
    Scan(SuiteArgs),
    /// Sums of products, against plain loops and NumPy
    #[command(after_help = suite_help(&dot::SUITE))]
    Dot(SuiteArgs),
    /// Norms, against plain loops and NumPy
    #[command(after_help = suite_help(&norm::SUITE))]
    Norm(SuiteArgs),
    /// Sums for each key, against plain loops, NumPy and Polars
    #[command(after_help = suite_help(&group::SUITE))]
    Group(GroupArgs),
    /// `samebits sum FILE` against `cat FILE`
    Cli(CliArgs),
}

/// What all suites of arrays take.
#[derive(Debug, Args)]
struct SuiteArgs {
    /// Numbers of elements
    #[arg(long, value_delimiter = ',', value_parser = size, value_name = "N,..")]
    sizes: Option<Vec<usize>>,
    /// f64, f32
    #[arg(long, value_delimiter = ',', value_parser = ["f64", "f32"])]
    types: Option<Vec<String>>,
    /// Thread counts
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=4096), value_name = "N,..")]
    threads: Option<Vec<u16>>,
    /// Engines; the plain one is always among them
    #[arg(long, value_delimiter = ',', value_name = "NAME,..")]
    engines: Option<Vec<String>>,
    /// The instruction set, for ours and for the plain code
    #[arg(long)]
    isa: Option<String>,
    /// Small sizes and few repeats: to see that it runs, not how fast
    #[arg(long)]
    quick: bool,
    /// Seconds for each engine and case; the fewest samples are taken all the same
    #[arg(long, value_name = "S", value_parser = positive)]
    seconds_per_case: Option<f64>,
    /// Write bench/record/MACHINE/SUITE-DATE.json and .txt
    #[arg(long)]
    record: bool,
    /// The name in the record's path, instead of processor and instruction set
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
}

#[derive(Debug, Args)]
struct SumArgs {
    #[command(flatten)]
    suite: SuiteArgs,
    /// Kinds of data
    #[arg(long, value_delimiter = ',', value_name = "NAME,..")]
    data: Option<Vec<String>>,
    /// Without the calls with hardly any data
    #[arg(long)]
    no_calls: bool,
}

#[derive(Debug, Args)]
struct GroupArgs {
    #[command(flatten)]
    suite: SuiteArgs,
    /// Numbers of groups
    #[arg(long, value_delimiter = ',', value_parser = size, value_name = "N,..")]
    groups: Option<Vec<usize>>,
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
    let data = list(cases::DATA.iter().map(|data| (data.name, data.about)).collect());
    let engines = list(engines::ENGINES.iter().map(|engine| (engine.name, engine.about)).collect());
    format!(
        "Data:\n{data}\nEngines:\n{engines}\nExamples:\n  cargo xtask bench sum --quick\n  \
         cargo xtask bench sum --sizes 1e6,5e7 --types f64 --threads 1 --engines k3,exact --data uniform\n  \
         taskset -c 0 target/release/samebits-bench sum --threads 1 --record"
    )
}

fn suite_help(suite: &suites::Suite) -> String {
    let engines = list(suite.engines.iter().map(|engine| (engine.name, engine.about)).collect());
    let name = suite.name;
    format!(
        "Engines:\n{engines}\nExamples:\n  cargo xtask bench {name} --quick\n  \
         cargo xtask bench {name} --sizes 1e6 --types f64 --threads 1 --record"
    )
}

fn list(rows: Vec<(&str, &str)>) -> String {
    rows.into_iter().map(|(name, about)| format!("  {name:<18} {about}\n")).collect()
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

impl SuiteArgs {
    fn effort(&self) -> measure::Effort {
        let effort = if self.quick { measure::Effort::QUICK } else { measure::Effort::FULL };
        measure::Effort { seconds: self.seconds_per_case.unwrap_or(effort.seconds), ..effort }
    }

    /// Sizes, types and thread counts, where they are given, in place of a plan's own.
    fn choose(&self, sizes: &mut Vec<usize>, types: &mut Vec<&'static str>, threads: &mut Vec<usize>) {
        if let Some(asked) = &self.sizes {
            sizes.clone_from(asked);
        }
        if let Some(asked) = &self.types {
            types.retain(|kind| asked.iter().any(|asked| asked == kind));
        }
        if let Some(asked) = &self.threads {
            *threads = asked.iter().map(|&n| usize::from(n)).collect();
        }
    }

    fn plan(&self, suite: &'static suites::Suite) -> Result<suites::Plan, String> {
        let mut plan = suites::Plan::new(suite, self.isa.as_deref())?;
        plan.effort = self.effort();
        if self.quick {
            plan.sizes = suite.quick_sizes.to_vec();
        }
        self.choose(&mut plan.sizes, &mut plan.types, &mut plan.threads);
        if let Some(names) = &self.engines {
            let chosen = chosen(names, suite.engines, |engine| engine.name)?;
            let asked = |about: &&'static suites::About| chosen.iter().any(|chosen| chosen.name == about.name);
            plan.engines = suite.engines.iter().filter(|about| about.name == "plain" || asked(about)).collect();
        }
        Ok(plan)
    }

    fn run(&self, suite: &'static suites::Suite, groups: Option<&[usize]>) -> Result<bool, String> {
        let mut plan = self.plan(suite)?;
        if let Some(groups) = groups {
            plan.groups = groups.to_vec();
        }
        let mut report = report::Report::new(suite.name, plan.settings());
        let wrong = suites::run(suite, &plan, &mut report)?;
        self.finish(&report, &plan.isa)?;
        Ok(wrong == 0)
    }

    fn finish(&self, report: &report::Report, isa: &str) -> Result<(), String> {
        if self.record {
            let path = report.record(self.machine.as_deref(), isa)?;
            println!("recorded: {}.json and .txt", path.display());
        }
        Ok(())
    }
}

impl SumArgs {
    fn plan(&self) -> Result<sum::Plan, String> {
        let mut plan = sum::Plan::new(self.suite.isa.as_deref())?;
        plan.effort = self.suite.effort();
        if self.suite.quick {
            plan.sizes = cases::QUICK_SIZES.to_vec();
        }
        self.suite.choose(&mut plan.sizes, &mut plan.types, &mut plan.threads);
        if let Some(names) = &self.data {
            plan.data = chosen(names, cases::DATA, |data| data.name)?;
        }
        if let Some(names) = &self.suite.engines {
            plan.engines = chosen(names, engines::ENGINES, |engine| engine.name)?;
            plan.engines.retain(|engine| engine.work != engines::Work::Plain);
            plan.engines.insert(0, &engines::ENGINES[0]);
        }
        plan.calls = !self.no_calls;
        Ok(plan)
    }

    fn run(&self) -> Result<bool, String> {
        let plan = self.plan()?;
        let mut report = report::Report::new("sum", plan.settings());
        let wrong = sum::run(&plan, &mut report)?;
        self.suite.finish(&report, &plan.isa)?;
        Ok(wrong == 0)
    }
}

fn main() -> ExitCode {
    let done = match Bench::parse().suite {
        Suite::Sum(arguments) => arguments.run(),
        Suite::Scan(arguments) => arguments.run(&scan::SUITE, None),
        Suite::Dot(arguments) => arguments.run(&dot::SUITE, None),
        Suite::Norm(arguments) => arguments.run(&norm::SUITE, None),
        Suite::Group(arguments) => arguments.suite.run(&group::SUITE, arguments.groups.as_deref()),
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
            _ => Err("another suite".to_owned()),
        }
    }

    #[test]
    fn arguments_are_understood() {
        let all = ["--sizes", "1e3,20", "--types", "f32", "--threads", "2", "--data", "nan", "--engines", "exact"];
        let plan = plan(&all).expect("a plan");
        assert_eq!((&plan.sizes[..], &plan.types[..], &plan.threads[..]), (&[1000, 20][..], &["f32"][..], &[2][..]));
        assert_eq!(plan.engines.iter().map(|engine| engine.name).collect::<Vec<_>>(), ["plain", "exact"]);
    }

    /// Every suite, short, on every instruction set: all of ours are right.
    #[test]
    fn suites_run_and_ours_are_right() {
        let devices = samebits::devices().expect("devices");
        for isa in devices.into_iter().flat_map(|device| device.isas) {
            for suite in [&scan::SUITE, &dot::SUITE, &norm::SUITE, &group::SUITE] {
                let mut plan = suites::Plan::new(suite, Some(isa)).expect("a plan");
                (plan.sizes, plan.groups) = (vec![1001, 70_000], vec![7, 5000]);
                plan.engines.retain(|about| !about.name.starts_with("numpy") && about.name != "polars");
                plan.effort =
                    measure::Effort { sample_ns: 1.0, fewest_cached: 1, fewest_in_memory: 1, most: 1, seconds: 0.0 };
                let mut report = report::Report::new(suite.name, plan.settings());
                assert_eq!(suites::run(suite, &plan, &mut report), Ok(0), "{} {isa}", suite.name);
            }
        }
    }

    #[test]
    fn mistakes_are_told() {
        for wrong in [["--sizes", "1.5"], ["--isa", "mmx"], ["--data", "odd"], ["--engines", "k9"], ["--threads", "0"]]
        {
            assert!(plan(&wrong).is_err(), "{wrong:?}");
        }
    }
}
