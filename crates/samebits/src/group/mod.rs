//! Sums of segments and of groups.

mod accumulator;
mod keyed;
mod segments;

pub use accumulator::{GroupAccumulator, group_sums};
pub use keyed::Grouped;
pub use segments::segment_sums;
