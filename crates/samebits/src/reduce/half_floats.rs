//! Sums of 16-bit floats, converted exactly to a type with accumulators.

use super::total::{Total, in_parts, parts_of, share};
use crate::{Dot, DotAccumulator, Element, Error, Queue, Result, Sum};
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

impl Dot {
    /// The dot product of `f16` or `bf16` vectors in an `f32` or `f64` accumulator: that of the converted values. Products of
    /// `f16` are exact in either type, those of `bf16` in `f64`. Different lengths are an error. Feature `half`.
    ///
    /// ```
    /// use samebits::{Dot, Queue};
    /// use half::bf16;
    /// let x = [bf16::from_f32(1.5), bf16::from_f32(-2.0)];
    /// let dot: f32 = Dot::new().run_half(&Queue::cpu()?, &x, &x)?;
    /// assert_eq!(dot, 6.25);
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn run_half<T: Element, H: HalfFloat<T>>(&self, queue: &Queue, x: &[H], y: &[H]) -> Result<T> {
        if x.len() != y.len() {
            let why = format!("vectors of {} and {} elements: they must have the same length", x.len(), y.len());
            return Err(Error::Argument { what: "dot", why });
        }
        let backend: &dyn Backend = &*queue.backend(self.threads)?;
        let empty = DotAccumulator::<T>::new(self.mode)?;
        let mut sum = empty;
        share(backend, &mut sum, empty, (x.len(), parts_of(backend, 2 * size_of_val(x))), &|range, sum| {
            let (mut a, mut b) = ([T::default(); BLOCK], [T::default(); BLOCK]);
            x[range.clone()].chunks(BLOCK).zip(y[range].chunks(BLOCK)).try_for_each(|(x, y)| {
                let (a, b) = (&mut a[..x.len()], &mut b[..y.len()]);
                H::convert(x, a);
                H::convert(y, b);
                sum.extend_by(backend, a, b)
            })
        })?;
        Ok(sum.value())
    }
}
