//! Sums of 16-bit floats, converted exactly to a type with accumulators.

use super::total::{Total, in_parts};
use crate::{Element, Queue, Result, Sum};
use half::{bf16, f16};
use samebits_device::Backend;

/// Values that are converted before a kernel gets them.
const BLOCK: usize = 2048;

/// A 16-bit float, and its exact conversions.
pub trait HalfFloat<T>: Copy + Send + Sync {
    /// Converts `from`; `to` is as long.
    fn convert(from: &[Self], to: &mut [T]);
}

macro_rules! half_floats {
    ($half:ty, $elem:ty, $convert:ident) => {
        impl HalfFloat<$elem> for $half {
            fn convert(from: &[Self], to: &mut [$elem]) {
                use half::slice::HalfFloatSliceExt;
                from.$convert(to);
            }
        }
    };
}
half_floats!(f16, f32, convert_to_f32_slice);
half_floats!(f16, f64, convert_to_f64_slice);
half_floats!(bf16, f32, convert_to_f32_slice);
half_floats!(bf16, f64, convert_to_f64_slice);

impl Sum {
    /// The sum of `f16` or `bf16` values in an `f32` or `f64` accumulator: every value is converted, which is exact, and
    /// the bits are those of the converted values. One pass, a block on the stack. Feature `half`.
    ///
    /// ```
    /// use samebits::{Queue, Sum};
    /// use half::f16;
    /// let x = [f16::from_f32(1.5), f16::MAX, f16::MIN];
    /// let sum: f32 = Sum::new().run_half(&Queue::cpu()?, &x)?;
    /// assert_eq!(sum, 1.5);
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn run_half<T: Element, H: HalfFloat<T>>(&self, queue: &Queue, x: &[H]) -> Result<T> {
        Ok(self.half_total(queue, x)?.value())
    }

    /// The mean of `f16` or `bf16` values, see [`Sum::mean`]. Feature `half`.
    pub fn mean_half<T: Element, H: HalfFloat<T>>(&self, queue: &Queue, x: &[H]) -> Result<T> {
        Ok(self.half_total(queue, x)?.mean())
    }

    fn half_total<T: Element, H: HalfFloat<T>>(&self, queue: &Queue, x: &[H]) -> Result<Total<T>> {
        let backend: &dyn Backend = &*self.backend(queue)?;
        let empty = self.empty()?;
        let mut total = empty;
        in_parts(backend, &mut total, empty, x.len(), &|range, total| {
            let mut converted = [T::default(); BLOCK];
            x[range].chunks(BLOCK).try_for_each(|x| {
                let converted = &mut converted[..x.len()];
                H::convert(x, converted);
                total.add(backend, converted)
            })
        })?;
        Ok(total)
    }
}
