//! Reductions: what users call.

mod accumulator;
mod sum;

pub use accumulator::{Accumulator, AnyAccumulator};
pub use sum::{Report, Sum, asum, mean, sum};
