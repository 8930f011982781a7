//! Reductions: what users call.

mod accumulator;
mod masked;
mod norm;
mod norm_state;
mod strided;
mod sum;
mod total;
mod view;

pub use accumulator::{Accumulator, AnyAccumulator};
pub use masked::masked_sum;
pub use norm::{Norm, norm_inf, norm1, norm2};
pub use norm_state::{Norm2Accumulator, NormInfAccumulator};
pub use strided::Strided;
pub use sum::{Report, Sum, asum, mean, sum};
pub use view::{NdView, sum_axis};
