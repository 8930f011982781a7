//! The suites that every backend must pass, at bit level.
//!
//! A suite takes an opened backend and panics with the case, the input's name and both bit patterns at the first
//! difference. It returns how many comparisons it made, so that a test can see that there were any.

mod bytes;
pub mod dot;
mod group;
pub mod norm;
pub mod scan;
mod sum;

pub use group::{scattered, segments};
pub use sum::{every_fold, faults, golden, hard_inputs, published, random_inputs};
