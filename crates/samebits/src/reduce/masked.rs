//! Sums of the values that a mask selects.

use super::total::{Total, in_parts};
use crate::{Element, Error, Queue, Result, Sum};
use samebits_device::Backend;

/// Values that are moved together before a kernel gets them: a power of two, some KiB of stack.
const BLOCK: usize = 2048;

/// The sum of the `x[i]` with `mask[i]`, three folds, on all cores: the bits of [`sum()`](crate::sum()) over these values
/// alone. What is not selected has no influence, NaN and infinities included; nothing selected gives +0.
///
/// One pass, a block on the stack. Different lengths are an error. Reproducibility level: full.
///
/// ```
/// let x = [1.5, f64::NAN, 2.0];
/// assert_eq!(samebits::masked_sum(&x, &[true, false, true])?, 3.5);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn masked_sum<T: Element>(x: &[T], mask: &[bool]) -> Result<T> {
    Sum::new().run_masked(Queue::shared()?, x, mask)
}

impl Sum {
    /// The sum of the `x[i]` with `mask[i]`, see [`masked_sum`].
    ///
    /// ```
    /// # use samebits::{Queue, Sum};
    /// let sum = Sum::exact().run_masked(&Queue::cpu()?, &[1e100f64, 0.1, 0.2], &[false, true, true])?;
    /// assert_eq!(sum.to_bits(), (0.1f64 + 0.2).to_bits());
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn run_masked<T: Element>(&self, queue: &Queue, x: &[T], mask: &[bool]) -> Result<T> {
        if x.len() != mask.len() {
            let why = format!("{} for {} values: one for each is needed", mask.len(), x.len());
            return Err(Error::Argument { what: "mask", why });
        }
        let backend = &*self.backend(queue)?;
        let empty = self.empty()?;
        let mut total = empty;
        in_parts(backend, &mut total, empty, x.len(), &|range, total| {
            add_selected(backend, total, &x[range.clone()], &mask[range])
        })?;
        Ok(total.value())
    }
}

fn add_selected<T: Element>(backend: &dyn Backend, total: &mut Total<T>, x: &[T], mask: &[bool]) -> Result<()> {
    let mut selected = [T::default(); BLOCK];
    for (x, mask) in x.chunks(BLOCK).zip(mask.chunks(BLOCK)) {
        if mask.iter().all(|&m| m) {
            total.add(backend, x)?;
            continue;
        }
        let mut n = 0;
        for (&v, &m) in x.iter().zip(mask) {
            // Without a branch: written always, kept if selected. `n` is below the block's length here.
            selected[n % BLOCK] = v;
            n += m as usize;
        }
        total.add(backend, &selected[..n])?;
    }
    Ok(())
}
