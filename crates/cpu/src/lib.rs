//! The CPU backend: kernels written once over a vector trait, for AVX-512, AVX2, SSE2, NEON and plain code, all with
//! the same bits; and the threads that share a long input.
//!
//! This is the only crate for CPUs with unsafe code. Nothing here decides a bit: kernels compute the integers that
//! `samebits-core` defines, faster, and hand them over.

mod arch;
mod dispatch;
mod dots;
mod enumerate;
mod group;
mod guard;
mod kernel;
mod norms;
mod pool;
mod reduce;
mod scan;
mod tuning;

pub use dispatch::{ISA_VARIABLE, Isa};
#[doc(hidden)]
pub use enumerate::{Difference, compare_forms};
pub use reduce::Cpu;
