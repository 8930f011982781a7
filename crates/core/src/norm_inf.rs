//! The largest magnitude.

use crate::format::{Class, Float, classify, opaque_bits};

/// The infinity norm in progress: the largest magnitude so far, and whether there was a NaN.
///
/// ```
/// use samebits_core::NormInf;
/// let mut acc = NormInf::<f64>::new();
/// acc.extend(&[1.0, -2.5]);
/// let mut other = NormInf::new();
/// other.extend(&[0.5]);
/// acc.merge(&other);
/// assert_eq!(acc.value(), 2.5);
/// acc.extend(&[f64::NAN, f64::INFINITY]);
/// assert!(acc.value().is_nan());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct NormInf<T: Float> {
    max: T,
    nan: bool,
}

impl<T: Float> NormInf<T> {
    /// Of nothing: zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one value.
    #[inline]
    pub fn deposit(&mut self, x: T) {
        match classify(x) {
            Class::Nan => self.nan = true,
            // The bits of nonnegative floats are ordered as their values.
            _ => self.max = T::from_bits(opaque_bits(self.max).max(opaque_bits(x) & !(1 << (T::BITS - 1)))),
        }
    }

    /// Adds all values of `x`.
    pub fn extend(&mut self, x: &[T]) {
        x.iter().for_each(|&v| self.deposit(v));
    }

    /// Adds what another one holds.
    pub fn merge(&mut self, other: &Self) {
        self.deposit(other.max);
        self.nan |= other.nan;
    }

    /// The largest magnitude; the canonical NaN if there was any NaN, +0 for nothing.
    pub fn value(&self) -> T {
        if self.nan { T::NAN } else { self.max }
    }
}
