//! Deposit, raise and merge on one accumulator's totals, wherever they lie: the only place that changes totals.

use crate::format::Float;
use core::marker::PhantomData;

/// The index and totals of one accumulator; totals lie `stride` apart.
pub(super) struct Window<'a, T> {
    index: &'a mut u8,
    totals: &'a mut [i128],
    stride: usize,
    float: PhantomData<T>,
}

impl<'a, T: Float> Window<'a, T> {
    /// `totals` begins at the first total and ends with the last.
    pub(super) fn new(index: &'a mut u8, totals: &'a mut [i128], stride: usize) -> Self {
        Window { index, totals, stride, float: PhantomData }
    }

    fn folds(&self) -> usize {
        self.totals.len().div_ceil(self.stride)
    }

    /// Moves the window up to bin `index`, if that is above it: totals move to finer folds, the finest fall off.
    #[inline]
    pub(super) fn raise(&mut self, index: usize) {
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
    ///
    /// With `r` the remainder in units of `2^q`, fold k takes the nearest multiple of its unit `2^u`, ties away from
    /// zero. All of it fits 64 bits: `|m| < 2^53`, and a digit is at most `2^(WIDTH - 1)`.
    #[inline]
    pub(super) fn deposit(&mut self, m: i64, q: i32) {
        let (negative, mut r) = (m < 0, m.unsigned_abs() as i64);
        // The remainder of |m * 2^q|: negative where the digit before it was rounded up.
        for k in 0..self.folds() {
            if r == 0 {
                break;
            }
            let shift = T::unit_exponent(*self.index as usize + k) - q;
            let digit = if shift > 62 {
                0 // far below half a unit
            } else if shift > 0 {
                let magnitude = (r.unsigned_abs() + (1 << (shift - 1))) >> shift;
                let digit = if r < 0 { -(magnitude as i64) } else { magnitude as i64 };
                r -= digit << shift;
                digit
            } else {
                let digit = r << -shift;
                r = 0;
                digit
            };
            self.totals[k * self.stride] += if negative { -digit } else { digit } as i128;
        }
    }

    /// Adds a part whose window begins at `index`.
    pub(super) fn merge(&mut self, index: usize, part: impl Iterator<Item = i128>) {
        self.raise(index);
        let offset = index - *self.index as usize;
        // The part's finest totals fall off when this window begins higher.
        for (k, s) in (offset..self.folds()).zip(part) {
            self.totals[k * self.stride] += s;
        }
    }
}
