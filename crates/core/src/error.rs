//! What can go wrong in the number core. No variant needs an allocation.

use core::fmt;

/// An error of the number core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The fold count is outside what the format has.
    Folds {
        /// The count asked for.
        given: usize,
        /// The smallest count.
        min: usize,
        /// The largest count, the number of bins of the type.
        max: usize,
    },
    /// More summands than the accumulator promises to hold.
    Capacity {
        /// The most summands that one accumulator holds.
        limit: u64,
    },
    /// Two accumulators of different kinds were to be merged.
    Mismatch {
        /// What differs: `"folds"`, `"type"` or `"epoch"`, for example.
        what: &'static str,
        /// The left side's value, as a number.
        left: u64,
        /// The right side's value, as a number.
        right: u64,
    },
    /// A state of one kind was found where another was expected.
    Kinds {
        /// The expected kind, or that of the left side.
        left: crate::Kind,
        /// The kind found, or that of the right side.
        right: crate::Kind,
    },
    /// Something was subtracted that had not been added.
    NotHeld,
    /// A binned accumulator cannot subtract: its maximum cannot be taken back.
    CannotSubtract,
    /// The bytes are not a state of the expected kind.
    State {
        /// What is wrong with them.
        what: &'static str,
        /// Offset of the first offending byte.
        at: usize,
    },
    /// A buffer handed in has the wrong length.
    Length {
        /// What the buffer is for.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The length it must have.
        needed: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::Folds { given, min, max } => {
                write!(f, "{given} folds asked for: this type takes {min} to {max} (3 is the default)")
            }
            Error::Capacity { limit: u64::MAX } => write!(f, "more than {} summands cannot be counted", u64::MAX),
            Error::Capacity { limit } => {
                write!(f, "more than {limit} summands: the binned format holds no more of this type; use exact mode")
            }
            Error::Mismatch { what, left, right } => {
                write!(f, "cannot merge states of different {what}: {left} and {right}")
            }
            Error::Kinds { left, right } => {
                write!(f, "states of different kinds do not go together: {} and {}", left.name(), right.name())
            }
            Error::NotHeld => f.write_str("cannot subtract what was never added: a count would fall below zero"),
            Error::CannotSubtract => f.write_str(
                "a binned state cannot subtract, since the largest value cannot be taken back; use exact mode",
            ),
            Error::State { what, at } => write!(f, "not a valid state: {what} (at byte {at})"),
            Error::Length { what, given, needed } => {
                write!(f, "{what} has length {given}, and {needed} is needed")
            }
        }
    }
}

impl core::error::Error for Error {}
