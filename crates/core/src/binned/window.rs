//! Deposit, raise and merge on one accumulator's totals, wherever they lie: the only place that changes totals.

use crate::format::{Class, Float, classify};
use core::marker::PhantomData;

/// The index and totals of one accumulator; totals lie `stride` apart.
pub(crate) struct Window<'a, T> {
    index: &'a mut u8,
    totals: &'a mut [i128],
    stride: usize,
    float: PhantomData<T>,
}

impl<'a, T: Float> Window<'a, T> {
    /// `totals` begins at the first total and ends with the last.
    pub(crate) fn new(index: &'a mut u8, totals: &'a mut [i128], stride: usize) -> Self {
        Window { index, totals, stride, float: PhantomData }
    }

    fn folds(&self) -> usize {
        self.totals.len().div_ceil(self.stride)
    }

    /// Moves the window up to bin `index`, if that is above it: totals move to finer folds, the finest fall off.
    #[inline]
    pub(crate) fn raise(&mut self, index: usize) {
        let shift = (*self.index as usize).saturating_sub(index);
        if shift == 0 {
            return;
        }
        for k in (0..self.folds()).rev() {
            self.totals[k * self.stride] = if k >= shift { self.totals[(k - shift) * self.stride] } else { 0 };
        }
        *self.index = index as u8;
    }

    /// Deposits `m * 2^q`, whose bin must not lie above the window.
    #[inline]
    pub(crate) fn deposit(&mut self, m: i64, q: i32) {
        let (index, folds, stride) = (*self.index as usize, self.folds(), self.stride);
        each_digit::<T>(m, q, index, folds, |k, digit| self.totals[k * stride] += digit as i128);
    }

    /// Adds a part whose window begins at `index`.
    pub(crate) fn merge(&mut self, index: usize, part: impl Iterator<Item = i128>) {
        self.raise(index);
        let offset = index - *self.index as usize;
        // The part's finest totals fall off when this window begins higher.
        for (k, s) in (offset..self.folds()).zip(part) {
            self.totals[k * self.stride] += s;
        }
    }
}

/// The digits of a finite value in the window of `folds` folds from bin `index`: the definition of a deposit. Calls
/// `each(k, digit)` for the folds whose digit may be other than zero. The value's bin must not lie above the window.
///
/// Fold k takes the multiple of its unit `2^u` nearest to the rest of the value, ties away from zero. All of it fits
/// 64 bits: the rest is below `2^53` units of `2^q` and a digit is at most `2^(WIDTH - 1)`.
///
/// ```
/// use samebits_core::{bin_index, digits};
/// let mut found = [0; 3];
/// digits(1.5f64, bin_index(1.5), 3, |k, digit| found[k] = digit);
/// assert_eq!(found, [3 << 14, 0, 0]); // bin 25 counts units of 2^-15
/// ```
#[inline]
pub fn digits<T: Float>(x: T, index: usize, folds: usize, each: impl FnMut(usize, i64)) {
    if let Class::Finite { m, q } = classify(x) {
        each_digit::<T>(m, q, index, folds, each);
    }
}

#[inline]
fn each_digit<T: Float>(m: i64, q: i32, index: usize, folds: usize, mut each: impl FnMut(usize, i64)) {
    let sign = if m < 0 { -1 } else { 1 };
    // The rest of |m * 2^q| in units of 2^q: negative where the digit before was rounded up.
    let mut rest = m.abs();
    for k in 0..folds {
        if rest == 0 {
            break;
        }
        let shift = T::unit_exponent(index + k) - q;
        if shift > 62 {
            continue; // far below half a unit
        }
        let digit = if shift > 0 {
            let magnitude = ((rest.unsigned_abs() + (1 << (shift - 1))) >> shift) as i64;
            rest.signum() * magnitude
        } else {
            rest << -shift
        };
        rest -= if shift > 0 { digit << shift } else { rest };
        each(k, sign * digit);
    }
}
