//! Reductions: what users call.

mod accumulator;
#[cfg(feature = "ndarray")]
mod arrays;
mod dot;
mod dot_state;
#[cfg(feature = "half")]
mod half_floats;
mod iterators;
mod masked;
mod norm;
mod norm_state;
mod strided;
mod sum;
mod total;
mod variance;
mod view;

pub use accumulator::{Accumulator, AnyAccumulator};
pub use dot::{Dot, dot, weighted_sum};
pub use dot_state::DotAccumulator;
pub use masked::masked_sum;
pub use norm::{Norm, norm_inf, norm1, norm2};
pub use norm_state::{Norm2Accumulator, NormInfAccumulator};
pub use strided::Strided;
pub use sum::{Report, Sum, asum, mean, sum};
pub use variance::{Variance, VarianceAccumulator, std_dev, variance};
pub use view::{NdView, sum_axis};

#[cfg(feature = "ndarray")]
pub use arrays::ArraySum;
#[cfg(feature = "half")]
pub use half_floats::HalfFloat;
#[cfg(feature = "rayon")]
pub use iterators::ParallelSum;
pub use iterators::{IterSum, Summand};
#[cfg(feature = "complex")]
pub(crate) use total::{Merge, Total, parts_of, share};
