//! The one public error type. `samebits` re-exports it.

use std::io;
use std::path::PathBuf;

/// Everything that can go wrong, with the facts a user can act on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The number core refused: folds, capacity, a state that does not merge.
    #[error(transparent)]
    Core(#[from] samebits_core::Error),

    /// A device name that means nothing.
    #[error("unknown device '{name}': use cpu, reference, cuda:N or opencl:N")]
    DeviceName {
        /// The name given.
        name: String,
    },
    /// The device exists in name only: no driver, no hardware, or not in this build.
    #[error("device {device} is not available: {why}")]
    DeviceUnavailable {
        /// The device asked for.
        device: String,
        /// Why it cannot be used, and what would help.
        why: String,
    },
    /// The machine lacks the instruction set asked for.
    #[error("instruction set '{name}' is not available here: this machine has {available}")]
    Isa {
        /// The name given.
        name: String,
        /// The names that would work, best first, separated by commas.
        available: String,
    },
    /// An argument outside its range.
    #[error("{what}: {why}")]
    Argument {
        /// The argument.
        what: &'static str,
        /// What is wrong with it and what would be right.
        why: String,
    },

    /// The operating system refused to open, read or write a file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file's structure is broken or not supported.
    #[error("{}: {what}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the numbers, and what to do.
        what: String,
    },
    /// A text file has something unreadable at a known place.
    #[error("{}:{line}{}: {what}", path.display(), column.as_deref().map(|c| format!(": column {c}")).unwrap_or_default())]
    Text {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// The column's name or number.
        column: Option<String>,
        /// What is wrong, with the offending text.
        what: String,
    },
    /// An integer that the result's type cannot hold exactly.
    #[error("{}: integer {value} is beyond ±2^{limit_bits}, where {dtype} no longer holds every integer; use --exact (exact mode), which counts integers in full", path.display())]
    Integer {
        /// The file.
        path: PathBuf,
        /// The value.
        value: i128,
        /// 53 for f64, 24 for f32.
        limit_bits: u32,
        /// The type's name.
        dtype: &'static str,
    },
    /// Memory ran out.
    #[error("out of memory: {bytes} bytes for {what} could not be had")]
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// How much was asked for.
        bytes: usize,
    },
}

/// Result with [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
