//! Slots: accumulators in the float form of a deposit, read and written as integers here.
//!
//! A slot of K folds is K lanes and one word. Lane k starts at the [`reference()`] of bin `index + k` and counts that
//! bin's unit in its last place; so a deposit is a few float additions, and what a lane counted is `bits(lane) -
//! bits(reference)`, an exact integer. The word is the bit pattern of the window's limit, a power of two that magnitudes
//! must stay below, plus the number of deposits. All zero is an empty slot; nothing fits into it.
//!
//! Windows at bin 0 have no slots: their references are beyond the range. Such values go to a [`Binned`] directly.

use super::{Binned, BinnedArray};
use crate::format::{Float, bin_index, round_nearest};
use crate::state::Counts;
use crate::{Error, Result};

/// Reference of bin `index + k`, scaled by `2^-shift`: 1.5 times the power of two whose last place is the bin's unit.
#[inline]
pub fn reference<T: Float>(index: usize, k: usize, shift: i32) -> T {
    let unit = T::unit_exponent(index + k) - shift;
    let mantissa_bits = T::PRECISION - 1;
    let field = unit - T::QMIN + 1;
    debug_assert!(field > 0 && field < (1 << (T::BITS - T::PRECISION)) - 1, "no reference for this bin");
    T::from_bits((field as u64) << mantissa_bits | 1 << (mantissa_bits - 1))
}

/// Floats of a slot of `folds` folds.
pub const fn slot_len(folds: usize) -> usize {
    folds + 1
}

/// The most deposits that a slot takes, and the bits of its word that count them. A lane stays in its binade while it
/// gains less than `2^(p-2)` units, and a deposit is at most `2^(WIDTH-1)`.
pub const fn slot_capacity<T: Float>() -> u64 {
    (1 << (T::PRECISION - T::WIDTH - 1)) - 1
}

/// The first bin of a slot's window, unless it is empty.
#[inline]
pub fn slot_index<T: Float>(slot: &[T]) -> Option<usize> {
    let word = slot.last()?.bits();
    let limit = word & !slot_capacity::<T>();
    // The limit is the smallest value of the bin above.
    (limit != 0).then(|| bin_index(T::from_bits(limit)) + 1)
}

/// Deposits in a slot.
#[inline]
pub fn slot_count<T: Float>(slot: &[T]) -> u64 {
    slot.last().map_or(0, |word| word.bits() & slot_capacity::<T>())
}

/// Opens an empty slot's window at bin `index` (not 0), or raises it to there: lanes move to finer folds unchanged.
#[inline]
pub fn slot_raise<T: Float>(slot: &mut [T], index: usize) {
    let folds = slot.len() - 1;
    let shift = match slot_index(slot) {
        None => folds,
        Some(old) => old.saturating_sub(index),
    };
    if shift == 0 {
        return;
    }
    for k in (0..folds).rev() {
        slot[k] = if k >= shift { slot[k - shift] } else { reference(index, k, 0) };
    }
    let limit: T = round_nearest(1, T::EMAX - (T::WIDTH as usize * index) as i32);
    slot[folds] = T::from_bits(limit.bits() | slot_count(slot));
}

/// What lane k counted.
#[inline]
fn count_of<T: Float>(slot: &[T], index: usize, k: usize) -> i128 {
    slot[k].bits() as i128 - reference::<T>(index, k, 0).bits() as i128
}

impl<T: Float> Binned<T> {
    /// Adds what a slot of as many folds holds.
    pub fn absorb_slot(&mut self, slot: &[T]) -> Result<()> {
        let folds = self.folds();
        if slot.len() != slot_len(folds) {
            return Err(Error::Length { what: "a slot", given: slot.len(), needed: slot_len(folds) });
        }
        let Some(index) = slot_index(slot) else { return Ok(()) };
        let counts = Counts { summands: slot_count(slot), ..Counts::default() };
        self.counts = self.counts.add(&counts, T::CAPACITY)?;
        self.window().merge(index, (0..folds).map(|k| count_of(slot, index, k)));
        Ok(())
    }
}

impl<T: Float> BinnedArray<'_, T> {
    /// Moves what a slot holds to accumulator `i` and leaves the slot empty.
    pub fn drain_slot(&mut self, i: usize, slot: &mut [T]) -> Result<()> {
        self.check(i)?;
        if slot.len() != slot_len(self.folds) {
            return Err(Error::Length { what: "a slot", given: slot.len(), needed: slot_len(self.folds) });
        }
        let Some(index) = slot_index(slot) else { return Ok(()) };
        let folds = self.folds;
        let counts = Counts { summands: slot_count(slot), ..Counts::default() };
        self.heads[i].counts = self.heads[i].counts.add(&counts, T::CAPACITY)?;
        self.window(i).merge(index, (0..folds).map(|k| count_of(slot, index, k)));
        slot.fill(T::default());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Head, Kind};

    /// A slot that counted `units` of the first bin of its window, in one deposit.
    fn slot<T: Float>(index: usize, units: u64) -> [T; 4] {
        let mut slot = [T::default(); 4];
        slot_raise(&mut slot, index);
        slot[0] = T::from_bits(slot[0].bits() + units);
        slot[3] = T::from_bits(slot[3].bits() + 1);
        slot
    }

    fn every_window<T: Float>() {
        for index in 1..=T::MAX_INDEX {
            for raised in 1..=index {
                let mut slot = slot::<T>(index, 5);
                slot_raise(&mut slot, raised);
                assert_eq!((slot_index(&slot), slot_count(&slot)), (Some(raised), 1));
                let mut sum = Binned::<T>::new(3).unwrap();
                sum.absorb_slot(&slot).unwrap();
                // Beyond the third fold the units fall off.
                let mut totals = [0; 3];
                if let Some(total) = totals.get_mut(index - raised) {
                    *total = 5;
                }
                assert_eq!((sum.index(), sum.totals(), sum.count()), (raised, &totals[..], 1));

                let (mut heads, mut totals) = ([Head::empty::<T>()], [0; 3]);
                let mut array = BinnedArray::<T>::resume(Kind::Sum, 3, &mut heads, &mut totals).unwrap();
                array.drain_slot(0, &mut slot).unwrap();
                assert_eq!(array.get(0), sum);
                assert!(slot.iter().all(|lane| lane.bits() == 0));
            }
        }
    }

    #[test]
    fn slots_read_back_what_they_counted() {
        every_window::<f64>();
        every_window::<f32>();
        assert_eq!(slot_index(&[0f64; 4]), None);
        assert!(Binned::<f64>::new(3).unwrap().absorb_slot(&[0.0; 3]).is_err());
    }
}
