//! Sums of consecutive pieces of a slice.

use crate::{Element, Queue, Result, Sum};

/// The sums of segments, three folds, on all cores: `out[i]` becomes the sum of `x[offsets[i]..offsets[i + 1]]`, with the
/// bits of [`sum()`](crate::sum()) over that slice.
///
/// `offsets` has one element more than `out`, as the row pointers of a CSR matrix; the first need not be 0. An empty
/// segment gives +0. Offsets that decrease or lie beyond `x` are an error that names the place, and nothing is written.
/// Short segments of ordinary values cost a few vector instructions each; no memory. Reproducibility level: full.
///
/// ```
/// let mut sums = [0.0; 3];
/// samebits::segment_sums(&[1.0, 2.0, 4.0, 8.0], &[0, 2, 2, 4], &mut sums)?;
/// assert_eq!(sums, [3.0, 0.0, 12.0]);
/// assert!(samebits::segment_sums(&[1.0], &[0, 2, 1, 1], &mut sums).is_err());
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn segment_sums<T: Element>(x: &[T], offsets: &[usize], out: &mut [T]) -> Result<()> {
    Sum::new().run_segments(Queue::shared()?, x, offsets, out)
}

impl Sum {
    /// The sums of segments of `x`, see [`segment_sums`].
    ///
    /// ```
    /// # use samebits::{Queue, Sum};
    /// let mut sums = [0.0f32; 2];
    /// Sum::exact().run_segments(&Queue::cpu()?, &[1e30, 1.0, -1e30, 2.0], &[0, 3, 4], &mut sums)?;
    /// assert_eq!(sums, [1.0, 2.0]);
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn run_segments<T: Element>(&self, queue: &Queue, x: &[T], offsets: &[usize], out: &mut [T]) -> Result<()> {
        T::segments(self.backend(queue)?.group(), x, offsets, (self.kind(), self.fold_mode()), out)
    }
}
