//! What the bits are: the number core of Samebits.
//!
//! This crate decides every bit of a result and does nothing else: the binned format of Ahrens, Demmel and Nguyen
//! ([`Binned`]), the exact sum ([`Exact`]) and dot ([`ExactDot`]), exact moments ([`Moments`]), norms ([`Norm2`],
//! [`ExactNorm2`], [`NormInf`]), arrays of accumulators ([`BinnedArray`]), state bytes and reduction images, and error-free transformations
//! ([`eft`]). It holds no data loop for any machine, no threads and no files.
//!
//! Everything is done on integers, the conversion to a float included. So no rounding mode, flush-to-zero switch,
//! contraction or compiler can reach a result. It is `no_std`, allocates nothing, has no unsafe code and depends on nothing.
//!
//! The invariant: **a result is a function of the multiset of its terms**, and so are the bytes of a state.
//!
//! ```
//! use samebits_core::Binned;
//!
//! let mut a = Binned::<f64>::new(3)?;
//! a.extend(&[1e16, 1.0, -1e16])?;
//! let mut b = Binned::<f64>::new(3)?;
//! b.extend(&[-1e16, 1e16, 1.0])?;
//! assert_eq!(a.value().to_bits(), b.value().to_bits());
//! assert_eq!(a.value(), 1.0);
//! assert_eq!(a, b);
//! # Ok::<(), samebits_core::Error>(())
//! ```
//!
//! Sources: J. Demmel, P. Ahrens and H. D. Nguyen, *Efficient Reproducible Floating Point Summation and BLAS*,
//! UCB/EECS-2016-121; the integer form of the format is described in [`binned`].
#![no_std]
#![forbid(unsafe_code)]

pub mod binned;
pub mod eft;
mod error;
mod exact;
mod exact_dot;
mod exact_norm2;
mod format;
mod integer;
mod moments;
mod norm2;
mod norm_inf;
mod state;

pub use binned::{Binned, BinnedArray, Head, digits};
pub use error::Error;
pub use exact::Exact;
pub use exact_dot::ExactDot;
pub use exact_norm2::ExactNorm2;
pub use format::{Class, Float, bin_index, classify, round_nearest};
pub use moments::Moments;
pub use norm_inf::NormInf;
pub use norm2::Norm2;
pub use state::{Counts, Header, Kind, MAX_STATE_BYTES};

/// The bits epoch: it changes only when some result's bits change. It is written into every state, and states of
/// different epochs do not merge.
pub const EPOCH: u32 = 1;

/// Result with [`Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;
