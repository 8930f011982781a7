//! The command line.

use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::failure::Failure;

mod given;

pub(crate) use given::{DeviceChoice, Input, Method, NormKind, Op, Places, Reading, Spread, SpreadOfStates, Summing};

/// Sums, running sums, dots and norms whose results are the same bits for any order of the data, thread count, vector
/// width, device and partition.
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
    /// The variance of the numbers of files, or their standard deviation: exact, rounded once
    #[command(after_help = "\
Examples:
  samebits var data.npy                     of a sample: divided by n - 1
  samebits var data.npy --ddof 0            of a population: divided by n
  samebits var table.csv --column price --std
NaN of fewer numbers than it takes. Integers beyond 2^53 are refused.")]
    Var {
        #[command(flatten)]
        spread: Spread,
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        places: Places,
    },
    /// The dot product of the numbers of two files, or of two columns of one
    #[command(after_help = "\
Examples:
  samebits dot x.npy y.npy                                    BITS  VALUE  X Y
  samebits dot prices.csv amounts.csv --column price --column-y amount --exact
  samebits dot table.parquet --column price --column-y amount BITS  VALUE  FILE
Both are read in step, and must be of one length and type (--dtype f64 widens f32). With folds each product is rounded \
and the products are summed; with --exact products and sum are exact and rounded once. Blank cells and NULLs are \
refused, since what belongs together would move apart; so are integers beyond 2^53. In a file of one column a blank \
line is a blank cell, except above a header and at the end of the file. Two .npy or .npz arrays must be of one shape, \
and of one order (C or Fortran) if that matters. With folds the `bound` in JSON is that of the sum of the rounded \
products; how far these were rounded is not in it.")]
    Dot(Dotting),
    /// Norms of the numbers of files
    #[command(after_help = "\
Examples:
  samebits norm --kind 1 data.npy           the sum of absolute values
  samebits norm --kind 2 data.npy --exact   the square root of the sum of squares, rounded once
  samebits norm --kind inf data.f64 --json  the largest absolute value: never rounded, with any folds
No sum of squares overflows or underflows on the way. With --kind 2, folds are at most 26 (f64) or 11 (f32), and \
integers beyond 2^53 are refused.")]
    Norm {
        /// Which norm
        #[arg(long, value_enum)]
        kind: NormKind,
        #[command(flatten)]
        summing: Summing,
    },
    /// Write the running sum of files as a .npy file
    #[command(after_help = "\
Examples:
  samebits cumsum data.npy -o sums.npy              element i is the sum of the first i + 1 numbers
  samebits cumsum data.npy -o sums.npy --exclusive  of the first i
  samebits cumsum 2024.csv 2025.csv --column rain -o sums.npy --json
Of several files the sums run on from one to the next; they must be of one type. The output is one array of that type, \
of one dimension. It is written beside its place and put there at the end, and as a whole; nothing is printed, unless \
--json is given: the count, and value and bits of the last sum. The files may be larger than memory. Blank cells and \
NULLs are refused: each number has its place in the output. In a file of one column a blank line is a blank cell, \
except above a header and at the end of the file. A multi-dimensional array is read as it lies in the file.")]
    Cumsum {
        /// The .npy file to write
        #[arg(short, long, value_name = "OUT.npy")]
        output: PathBuf,
        /// Each sum without its own number: the first is +0, and the last number is in none
        #[arg(long)]
        exclusive: bool,
        #[command(flatten)]
        summing: Summing,
    },
    /// Write the partial sum of files as a state that `merge` joins with others to the same bits
    #[command(after_help = "\
Examples:
  samebits state part1.npy part2.npy -o here.sb      on one machine
  samebits state part3.npy -o there.sb               on another
  samebits merge here.sb there.sb                    the bits of `sum` over all parts
  samebits state --op norm --kind 2 part.npy -o norm.sb
  samebits state --op dot x.npy y.npy -o dot.sb      exactly two files
All files go into one state. Nothing is printed, unless --json is given. An existing file is replaced, at the end and \
as a whole. A mean is that of a sum's state; the largest absolute value needs no state. A dot with folds is a sum of \
rounded products, and so is its state.")]
    State {
        /// What to accumulate
        #[arg(long, value_enum, default_value = "sum")]
        op: StateOp,
        /// Which norm, with --op norm; 1 if not given
        #[arg(long, value_enum)]
        kind: Option<NormKind>,
        #[command(flatten)]
        second: Second,
        /// The state file to write
        #[arg(short, long, value_name = "S.sb")]
        output: PathBuf,
        #[command(flatten)]
        summing: Summing,
    },
    /// Merge states and print the line of `sum`, or of what else they hold
    #[command(after_help = "\
Examples:
  samebits merge here.sb there.sb
  samebits merge here.sb there.sb -o both.sb
  samebits merge var1.sb var2.sb --ddof 0 --std      of states of a variance
The FILE of the line is the state written with -o, the only input, or `merged`. A state does not tell how many blank \
cells were skipped on the way: `nulls` is 0. The file of -o may not be one of the states.")]
    Merge {
        /// States written by `state` or `merge`, all of one operation, type and mode
        #[arg(required = true, value_name = "S.sb")]
        states: Vec<PathBuf>,
        /// Write the merged state here as well
        #[arg(short, long, value_name = "S.sb")]
        output: Option<PathBuf>,
        #[command(flatten)]
        spread: SpreadOfStates,
    },
    /// Compute on every device, with several thread counts, orders and partitions, and compare the bits
    #[command(after_help = "\
Examples:
  samebits verify data.npy
  samebits verify --op mean --exact table.csv --column price
  samebits verify --op dot x.npy y.npy
  samebits verify --op by --by shop sales.csv --column price
Each file is held in memory. Sums, means, norms, variances and dots (pairs keep together) are computed in several \
orders; `pieces` says how the data was cut: each piece was summed alone, and partial sums were merged through state \
bytes. A running sum has one order: it is cut into pieces that follow each other, written beside the data or in its \
place, and with --exclusive. Where there are many results, `bits` is a digest of them all. Expected is what the \
reference device gives. Exit code 1 if any row DIFFERS.")]
    Verify(Verifying),
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
chosen column's cell in it is not a number. A blank line in a file of one column counts as a blank cell, unless it \
stands above a header or at the end of the file. In .txt and standard input, lines that begin with # are skipped. \
Numbers may have exponents with e, E, d or D, and inf and nan are read; a decimal beyond the type's range becomes inf.
NumPy files: bytes after an .npy's data are ignored, as NumPy does.
Groups: the lines of each file are sorted by key: by value if all its keys are integers, else by bytes. With several \
files FILE follows KEY. Keys of text are compared as they stand, blanks around them aside: 01 and 1 are two groups. In \
Parquet they can be text (empty is blank), integers or booleans. Rows whose key is blank or NULL are a group of their \
own, the first, with an empty KEY (null in JSON), and their number is said. A group without numbers is +0. With two \
columns the one that is not --by holds the numbers unless --column names it. Memory grows with the groups, about 500 \
bytes each, not with the rows.";

/// What a dot product takes.
#[derive(Debug, Args)]
pub(crate) struct Dotting {
    /// The first file; - is text on standard input
    #[arg(value_name = "X")]
    pub(crate) x: PathBuf,
    /// The second file; the first one again if not given
    #[arg(value_name = "Y")]
    pub(crate) y: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) second: Second,
    #[command(flatten)]
    pub(crate) method: Method,
    #[command(flatten)]
    pub(crate) places: Places,
}

/// How the second file of a pair is read where that is otherwise than the first.
#[derive(Debug, Args)]
pub(crate) struct Second {
    /// The column of the second file, if it is another one
    #[arg(long, value_name = "C")]
    pub(crate) column_y: Option<String>,
    /// The array of the second file, if it is another one
    #[arg(long, value_name = "NAME")]
    pub(crate) array_y: Option<String>,
}

impl Second {
    /// Whether anything is said of a second file.
    pub(crate) fn is_given(&self) -> bool {
        self.column_y.is_some() || self.array_y.is_some()
    }
}

/// Refuses what an operation of `state` or `verify` would leave out: `--kind` without a norm, and options of a second
/// file without a dot.
pub(crate) fn check_used(op: Op, kind: Option<NormKind>, second: &Second) -> Result<(), Failure> {
    if kind.is_some() && !matches!(op, Op::Norm(_)) {
        return Err(Failure::usage("--kind goes with --op norm"));
    }
    if second.is_given() && op != Op::Dot {
        return Err(Failure::usage("--column-y and --array-y go with --op dot"));
    }
    Ok(())
}

/// What `verify` takes.
#[derive(Debug, Args)]
pub(crate) struct Verifying {
    /// What to compute
    #[arg(long, value_enum, default_value = "sum")]
    pub(crate) op: VerifyOp,
    /// Which norm, with --op norm; 1 if not given
    #[arg(long, value_enum)]
    pub(crate) kind: Option<NormKind>,
    /// The column of the keys, with --op by
    #[arg(long, value_name = "COLUMN", required_if_eq("op", "by"))]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) second: Second,
    #[command(flatten)]
    pub(crate) method: Method,
}

/// What can be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifyOp {
    /// The sum
    Sum,
    /// The mean
    Mean,
    /// A norm
    Norm,
    /// The sample variance
    Var,
    /// The dot product of two files
    Dot,
    /// The running sum
    Cumsum,
    /// The sums by key
    By,
}

/// What a state can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StateOp {
    /// The sum, also for the mean
    Sum,
    /// The 1-norm or the 2-norm
    Norm,
    /// What variance and standard deviation need
    Var,
    /// The dot product of two files
    Dot,
}
