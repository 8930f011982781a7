//! Numerical kernels whose results are **the same bits** for any input order, thread count, vector width, device,
//! machine and partition.
//!
//! ```
//! let x = [1e16f64, 1.0, -1e16, 3.25];
//! let y = [3.25f64, -1e16, 1.0, 1e16];
//! assert_eq!(samebits::sum(&x)?.to_bits(), samebits::sum(&y)?.to_bits());
//!
//! // Correctly rounded, on all cores:
//! let queue = samebits::Queue::cpu()?;
//! assert_eq!(samebits::Sum::exact().run(&queue, &[0.1; 10])?, 1.0);
//! # Ok::<(), samebits::Error>(())
//! ```
//!
//! - [`sum`], [`asum`], [`mean`]: one call, three folds, all cores.
//! - [`Sum`]: the same with a choice of folds, exact mode, device, threads, and a report with an error bound.
//! - [`norm1`], [`norm2`], [`norm_inf`], [`Norm`], [`Norm2Accumulator`], [`NormInfAccumulator`]: the same for norms.
//! - [`cumsum()`], [`Cumsum`], [`Scan`]: running sums, every result bit for bit the sum of its prefix.
//! - [`dot`], [`weighted_sum`], [`Dot`], [`DotAccumulator`]: the same for dots; exact ones do not round a product either.
//! - [`variance`], [`std_dev`], [`Variance`], [`VarianceAccumulator`]: exact, rounded once.
//! - [`Accumulator`]: a sum to keep: fed in pieces, merged across threads, processes and machines, stored as bytes.
//! - [`masked_sum`], [`Strided`], [`NdView`] with [`sum_axis`], [`IterSum`]: the same bits of values that lie otherwise.
//! - [`segment_sums`], [`group_sums`], [`GroupAccumulator`], [`Grouped`]: many sums at once, by place or by key.
//! - Behind features: `ParallelSum` (`rayon`), `ArraySum` (`ndarray`), sums of `f16` and `bf16` (`half`), complex numbers (`complex`).
//! - [`Binned`], [`Exact`], [`ExactDot`], [`Moments`], [`BinnedArray`]: the definitions behind them, without allocation: one
//!   element at a time, reduction images for MPI and NCCL, arrays of accumulators for groups.
//! - `io` (feature `files`): sums of `.npy` and `.npz` files larger than memory.
//!
//! What is promised, and what is not, is said in `DETERMINISM.md`.
#![forbid(unsafe_code)]

#[cfg(feature = "complex")]
pub mod complex;
mod group;
mod queue;
mod reduce;
mod scan;

#[cfg(feature = "files")]
pub mod io;

pub use group::{GroupAccumulator, Grouped, group_sums, segment_sums};
pub use queue::{DeviceInfo, Queue, devices};
#[cfg(feature = "ndarray")]
pub use reduce::ArraySum;
#[cfg(feature = "half")]
pub use reduce::HalfFloat;
#[cfg(feature = "rayon")]
pub use reduce::ParallelSum;
pub use reduce::{
    Accumulator, AnyAccumulator, Dot, DotAccumulator, NdView, Norm, Norm2Accumulator, NormInfAccumulator, Report,
    Strided, Sum, Variance, VarianceAccumulator, asum, dot, masked_sum, mean, norm_inf, norm1, norm2, std_dev, sum,
    sum_axis, variance, weighted_sum,
};
pub use reduce::{IterSum, Summand};
pub use samebits_core::{
    Binned, BinnedArray, EPOCH, Exact, ExactDot, ExactNorm2, Float, Head, Header, Kind, MAX_STATE_BYTES, Moments,
    Norm2, NormInf,
};
pub use samebits_device::{Device, Element, Error, Mode, Result};
pub use scan::{Cumsum, Scan, cumsum, cumsum_in_place};
