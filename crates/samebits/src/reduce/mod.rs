//! Reductions: what users call.

mod accumulator;
mod masked;
mod strided;
mod sum;
mod total;
mod view;

pub use accumulator::{Accumulator, AnyAccumulator};
pub use masked::masked_sum;
pub use strided::Strided;
pub use sum::{Report, Sum, asum, mean, sum};
pub use view::{NdView, sum_axis};
