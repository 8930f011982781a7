//! Arguments that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use samebits::io::Dtype;
use samebits::{Device, Mode};
use samebits_cli::read::ReadOptions;

use crate::failure::Failure;

/// What sums, means, norms and states take.
#[derive(Debug, Args)]
pub(crate) struct Summing {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) method: Method,
    #[command(flatten)]
    pub(crate) places: Places,
}

/// Where to compute.
#[derive(Debug, Args)]
pub(crate) struct Places {
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
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// How to read files.
#[derive(Debug, Args)]
pub(crate) struct Reading {
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
}

impl Reading {
    /// How to read what an operation is to be computed of. Integers beyond the type are read in full where they count
    /// in full, and where they never do, so that the message need not promise what `--exact` does not keep.
    pub(crate) fn options(&self, op: Op, mode: Mode) -> ReadOptions {
        ReadOptions {
            dtype: self.dtype.map(|dtype| match dtype {
                DtypeName::F32 => Dtype::F32,
                DtypeName::F64 => Dtype::F64,
            }),
            exact: mode.is_exact() || !op.counts_integers(),
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
    /// A variance has one mode, and an option for another one would be silently left out.
    pub(crate) fn check_none(&self) -> Result<(), Failure> {
        if self.exact || self.folds.is_some() {
            return Err(Failure::usage("--op var is always exact: it takes neither --folds nor --exact"));
        }
        Ok(())
    }

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

/// The norms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NormKind {
    /// The sum of absolute values
    #[value(name = "1")]
    One,
    /// The square root of the sum of squares
    #[value(name = "2")]
    Two,
    /// The largest absolute value
    #[value(name = "inf")]
    Inf,
}

impl NormKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            NormKind::One => "1",
            NormKind::Two => "2",
            NormKind::Inf => "inf",
        }
    }
}

/// Which variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub(crate) struct Spread {
    /// Divide by n less this: 1 for a sample, 0 for a whole population
    #[arg(long, value_name = "0|1", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    pub(crate) ddof: u8,
    /// The standard deviation: the square root, rounded once
    #[arg(long)]
    pub(crate) std: bool,
}

/// Which variance of states that may hold one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub(crate) struct SpreadOfStates {
    /// Of states of a variance: divide by n less this; 1 if not given
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    ddof: Option<u8>,
    /// Of states of a variance: the standard deviation
    #[arg(long)]
    std: bool,
}

impl SpreadOfStates {
    /// What was asked for.
    pub(crate) fn spread(self) -> Spread {
        Spread { ddof: self.ddof.unwrap_or(Spread::SAMPLE.ddof), std: self.std }
    }

    /// Whether anything was.
    pub(crate) fn is_given(self) -> bool {
        self.ddof.is_some() || self.std
    }
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Sum,
    Mean,
    Norm(NormKind),
    Var(Spread),
    Dot,
    Cumsum,
}

impl Spread {
    /// The variance of a sample.
    pub(crate) const SAMPLE: Spread = Spread { ddof: 1, std: false };
}

impl Op {
    /// Whether its exact mode counts integers in full that the type cannot hold.
    pub(crate) fn counts_integers(self) -> bool {
        matches!(self, Op::Sum | Op::Mean | Op::Cumsum | Op::Norm(NormKind::One))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Op::Sum => "sum",
            Op::Mean => "mean",
            Op::Norm(_) => "norm",
            Op::Var(Spread { std: false, .. }) => "var",
            Op::Var(Spread { std: true, .. }) => "std",
            Op::Dot => "dot",
            Op::Cumsum => "cumsum",
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
