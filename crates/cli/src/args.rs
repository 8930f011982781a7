//! The command line.

use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use samebits::io::Dtype;
use samebits::{Device, Kind, Mode};
use samebits_cli::read::ReadOptions;

use crate::failure::Failure;

/// Sums whose result is the same bits for any order of the data, thread count, vector width, device and partition.
#[derive(Debug, Parser)]
#[command(
    name = "samebits",
    version = version(),
    arg_required_else_help = true,
    after_help = "\
Examples:
  samebits demo                                   what this is about, on real data
  samebits sum data.npy more.npz --array x        a line a file: BITS  VALUE  FILE
  samebits sum table.csv --column price --exact   correctly rounded
  samebits verify data.npy                        every device, thread count and order: equal bits?

Exit codes: 0 fine, 1 a check failed, 2 bad usage, 3 bad input, 4 device unavailable, 5 out of memory or a defect.
SAMEBITS_ISA=scalar|sse2|avx2|avx512|neon chooses the instruction set; results do not depend on it."
)]
pub(crate) struct Cli {
    /// Print one JSON object a line instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| format!("{} (bits epoch {})", env!("CARGO_PKG_VERSION"), samebits::EPOCH))
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what reproducible means: plain sums of real data that disagree, and ours that do not
    #[command(after_help = "Examples:\n  samebits demo\n  samebits demo --json")]
    Demo,
    /// List the devices that can be used here
    #[command(after_help = "Examples:\n  samebits devices\n  samebits devices --json")]
    Devices,
    /// Sum the numbers of files
    #[command(after_help = SUM_EXAMPLES)]
    Sum {
        /// A sum for each key in this column of text or Parquet, by name or by number from 1
        #[arg(long, value_name = "COLUMN")]
        by: Option<String>,
        #[command(flatten)]
        summing: Summing,
    },
    /// The mean of the numbers of files: the state's exact total over their count, rounded once
    #[command(after_help = "\
Examples:
  samebits mean data.npy
  samebits mean table.csv --column price --exact
The mean of no numbers is NaN.")]
    Mean(Summing),
    /// Norms of the numbers of files
    #[command(after_help = "\
Examples:
  samebits norm --kind 1 data.npy         the sum of absolute values
  samebits norm --kind 1 data.f64 --json")]
    Norm {
        /// Which norm: 1 is the sum of absolute values
        #[arg(long, value_enum)]
        kind: NormKind,
        #[command(flatten)]
        summing: Summing,
    },
    /// Write the partial sum of files as a state that `merge` joins with others to the same bits
    #[command(after_help = "\
Examples:
  samebits state part1.npy part2.npy -o here.sb      on one machine
  samebits state part3.npy -o there.sb               on another
  samebits merge here.sb there.sb                    the bits of `sum` over all parts
All files go into one state. Nothing is printed, unless --json is given. An existing file is replaced, at the end and \
as a whole.")]
    State {
        /// What to accumulate
        #[arg(long, value_enum, default_value = "sum")]
        op: StateOp,
        /// The state file to write
        #[arg(short, long, value_name = "S.sb")]
        output: PathBuf,
        #[command(flatten)]
        summing: Summing,
    },
    /// Merge states and print the line of `sum`
    #[command(after_help = "\
Examples:
  samebits merge here.sb there.sb
  samebits merge here.sb there.sb -o both.sb
The FILE of the line is the state written with -o, the only input, or `merged`. A state does not tell how many blank \
cells were skipped on the way: `nulls` is 0.")]
    Merge {
        /// States written by `state` or `merge`, all of one operation, type and mode
        #[arg(required = true, value_name = "S.sb")]
        states: Vec<PathBuf>,
        /// Write the merged state here as well
        #[arg(short, long, value_name = "S.sb")]
        output: Option<PathBuf>,
    },
    /// Compute on every device, with several thread counts, orders and partitions, and compare the bits
    #[command(after_help = "\
Examples:
  samebits verify data.npy
  samebits verify --op mean --exact table.csv --column price
Each file is held in memory. `pieces` says how it was cut: each piece was summed alone, and partial sums were merged \
through state bytes. Expected is what the reference device gives. Exit code 1 if any row DIFFERS.")]
    Verify {
        /// What to compute
        #[arg(long, value_enum, default_value = "sum")]
        op: Op,
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        method: Method,
    },
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  samebits completions bash > ~/.local/share/bash-completion/completions/samebits
  samebits completions zsh > ~/.zfunc/_samebits")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

const SUM_EXAMPLES: &str = "\
Examples:
  samebits sum data.npy                            BITS  VALUE  FILE
  samebits sum data.npz --array weights
  samebits sum table.csv --column 3 --json
  samebits sum raw.bin --dtype f32 --folds 4
  seq 1 100 | samebits sum -                       text on standard input
  samebits sum data.npy --device all               a line a device
  samebits sum sales.csv --column price --by shop  BITS  VALUE  KEY, a line a group, sorted by key

Files: .npy, .npz, .csv, .tsv, .txt, .parquet, raw little-endian .f64 and .f32 (or .bin, .raw and no extension \
with --dtype). They may be larger than memory. Blank cells and NULLs are skipped, and their number is said.
Text: .txt and standard input are split at blanks unless --sep is given. The first line is a header only if the \
chosen column's cell in it is not a number. A blank line inside a file of one column counts as a blank cell.
NumPy files: bytes after an .npy's data are ignored, as NumPy does.
Groups: the lines of each file are sorted by key: by value if all its keys are integers, else by bytes. With several \
files FILE follows KEY. Keys of text are compared as they stand, blanks around them aside: 01 and 1 are two groups. In \
Parquet they can be text, integers or booleans. Rows whose key is blank or NULL are a group of their own, the first, \
with an empty KEY (null in JSON), and their number is said. A group without numbers is +0. With two columns the one \
that is not --by holds the numbers unless --column names it. Memory grows with the groups, not with the rows.";

/// What sums, means, norms and states take.
#[derive(Debug, Args)]
pub(crate) struct Summing {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) method: Method,
    /// Where to compute: cpu, reference, cuda:N, opencl:N, or all that there are; may be repeated
    #[arg(long, value_name = "DEVICE", value_delimiter = ',', value_parser = device_choice, default_value = "cpu")]
    pub(crate) device: Vec<DeviceChoice>,
    /// Threads to use; all that the process may use if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,
}

/// Files, and how to read them.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// Files to read; - is text on standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The type of raw and text input (f64 if not given for text), or a wider type for a typed file
    #[arg(long, value_name = "TYPE", value_enum)]
    dtype: Option<DtypeName>,
    /// The column of text or Parquet, by name or by number from 1
    #[arg(long, value_name = "C")]
    column: Option<String>,
    /// The array of an .npz file
    #[arg(long, value_name = "NAME")]
    array: Option<String>,
    /// The character between the cells of text, such as ';' or '\t'
    #[arg(long, value_name = "S", value_parser = separator)]
    sep: Option<u8>,
}

impl Input {
    /// The files, once it is clear that they can be read one after the other.
    pub(crate) fn checked(&self) -> Result<&[PathBuf], Failure> {
        if self.files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
            return Err(Failure::usage("'-' is given more than once, and standard input can be read only once"));
        }
        Ok(&self.files)
    }

    pub(crate) fn options(&self, mode: Mode) -> ReadOptions {
        ReadOptions {
            dtype: self.dtype.map(|dtype| match dtype {
                DtypeName::F32 => Dtype::F32,
                DtypeName::F64 => Dtype::F64,
            }),
            exact: mode.is_exact(),
            column: self.column.clone(),
            array: self.array.clone(),
            sep: self.sep,
        }
    }
}

/// How to accumulate.
#[derive(Debug, Args)]
pub(crate) struct Method {
    /// Folds of the binned sum: 2 to 52 (f64), 2 to 21 (f32); 3 if not given
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(2..=52), conflicts_with = "exact")]
    folds: Option<u8>,
    /// The exact sum, rounded once; counts integers in full
    #[arg(long)]
    exact: bool,
}

impl Method {
    pub(crate) fn mode(&self) -> Result<Mode, Failure> {
        match (self.exact, self.folds) {
            (true, _) => Ok(Mode::exact()),
            (false, None) => Ok(Mode::default()),
            (false, Some(folds)) => Mode::folds(folds.into()).map_err(|error| Failure::usage(error.to_string())),
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DtypeName {
    F32,
    F64,
}

/// The norms of this version.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NormKind {
    /// The sum of absolute values
    #[value(name = "1")]
    One,
}

/// What a state can hold.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum StateOp {
    /// The sum
    Sum,
    /// The sum of absolute values
    Norm,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Op {
    /// The sum
    Sum,
    /// The mean
    Mean,
    /// The sum of absolute values
    Norm,
}

impl Op {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Op::Sum => "sum",
            Op::Mean => "mean",
            Op::Norm => "norm",
        }
    }

    /// What is accumulated for it.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Op::Sum | Op::Mean => Kind::Sum,
            Op::Norm => Kind::Asum,
        }
    }
}

/// A device, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceChoice {
    All,
    One(Device),
}

fn device_choice(name: &str) -> Result<DeviceChoice, String> {
    match name {
        "all" => Ok(DeviceChoice::All),
        _ => name.parse().map(DeviceChoice::One).map_err(|error: samebits::Error| format!("{error}, or all")),
    }
}

fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        br"\t" => Ok(b'\t'),
        _ => Err(r"one ASCII character, or \t for a tab, can separate cells".to_owned()),
    }
}
