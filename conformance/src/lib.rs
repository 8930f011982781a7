//! What the right bits are: inputs and expected results as data, for every implementation to be tested against.
//!
//! This crate holds no kernel: its suites are written against the traits of `samebits-device`. It gives:
//!
//! - [`cases`], [`faults`], [`dot_faults`] and [`norm_faults`]: inputs with the bits that must come out, read from `data/`;
//! - [`hard_f64`] and [`hard_f32`]: inputs without expected bits that are likely to break an implementation. Compare two
//!   implementations, or one with itself in another order, chunking or thread count;
//! - [`suite`]: what every backend runs as its integration test;
//! - [`oracle`]: exact results by big rational numbers, for inputs that no file lists;
//! - [`orders`]: those other orders and chunkings;
//! - [`seed_vector`]: a million doubles whose sum several independent programs have published;
//! - [`assert_biteq!`](crate::assert_biteq): the only comparison of floats that a test here should use.
//!
//! All of it is test code: data that cannot be read is a panic with a message that names the line.

#![forbid(unsafe_code)]

mod bits;
mod case;
mod fault;
mod field;
mod fnv;
mod generator;
mod hard;
mod mt19937;
pub mod oracle;
pub mod orders;
mod seed;
mod splitmix;
pub mod suite;

pub use bits::{Bits, report_mismatch};
pub use case::{Case, Prefixes, cases, dot_faults, norm_faults};
pub use fault::{Fault, faults};
pub use fnv::fnv1a64;
pub use hard::{hard, hard_f32, hard_f64};
pub use mt19937::Mt19937;
pub use seed::{SEED_SUM_BITS, seed_vector};
pub use splitmix::SplitMix64;

/// The operations that have data here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The sum of all values.
    Sum,
    /// The sum of all absolute values.
    Asum,
    /// The running sum: one result for each value.
    Cumsum,
    /// The sum of the products of two vectors.
    Dot,
    /// The Euclidean norm.
    Norm2,
}

impl Op {
    /// Every operation.
    pub const ALL: [Op; 5] = [Op::Sum, Op::Asum, Op::Cumsum, Op::Dot, Op::Norm2];
}

/// The element types that have data here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}
