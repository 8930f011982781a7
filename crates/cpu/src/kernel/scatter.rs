//! Scatter-add: each value goes to the accumulator that its key names.
//!
//! The accumulators are slots (`core/binned/slot.rs`): K float lanes and a word with the window's limit and the number of
//! deposits. A deposit is the float form on one lane of each fold; deposits of different keys overlap in the pipeline.
//! What does not fit goes another way, row by row: a larger value raises its slot's window, a full slot is drained into the
//! array of integers, specials and values of the topmost bin are deposited there at once.

use super::Vector;
use core::ops::{Add, Sub};
use samebits_core::binned::{slot_capacity, slot_len, slot_raise};
use samebits_core::{BinnedArray, Float, Kind, bin_index};

/// Rows between a slot being asked for and used.
const AHEAD: usize = 12;
/// Below this size, slots are in a cache near enough.
const NEAR_BYTES: usize = 1 << 18;

/// Adds each value to the accumulator of its key.
///
/// # Safety
/// The machine has the room's instructions, the environment is the default one. There are as many keys as values, each
/// below the length of `array`, `slots` holds one slot for each accumulator, and the capacity was checked.
#[inline(always)]
pub(crate) unsafe fn scatter<V: Vector>(
    keys: &[u32],
    x: &[V::Elem],
    slots: &mut [V::Elem],
    array: &mut BinnedArray<'_, V::Elem>,
) where
    V::Elem: Add<Output = V::Elem> + Sub<Output = V::Elem>,
{
    // SAFETY: passed on from the caller.
    unsafe {
        match (array.folds(), array.kind()) {
            (2, Kind::Sum) => rows::<V, 2, false>(keys, x, slots, array),
            (3, Kind::Sum) => rows::<V, 3, false>(keys, x, slots, array),
            (4, Kind::Sum) => rows::<V, 4, false>(keys, x, slots, array),
            (_, Kind::Sum) => rows::<V, 0, false>(keys, x, slots, array),
            _ => rows::<V, 0, true>(keys, x, slots, array),
        }
    }
}

/// The loop; F is the number of folds, or 0 if that is not known here.
#[inline(always)]
unsafe fn rows<V: Vector, const F: usize, const ABS: bool>(
    keys: &[u32],
    x: &[V::Elem],
    slots: &mut [V::Elem],
    array: &mut BinnedArray<'_, V::Elem>,
) where
    V::Elem: Add<Output = V::Elem> + Sub<Output = V::Elem>,
{
    let folds = if F > 0 { F } else { array.folds() };
    let len = slot_len(folds);
    let full = slot_capacity::<V::Elem>();
    let magnitude = (1u64 << (V::Elem::BITS - 1)) - 1;
    let far = size_of_val(slots) > NEAR_BYTES;
    assert!(keys.len() == x.len() && slots.len() == array.len() * len);
    for (i, (&key, &value)) in keys.iter().zip(x).enumerate() {
        if far {
            let next = keys[(i + AHEAD).min(keys.len() - 1)];
            // SAFETY: a prefetch takes any place.
            unsafe { V::prefetch(slots.as_ptr().wrapping_add(next as usize * len)) };
        }
        let at = key as usize * len;
        // SAFETY: the caller vouches that the key is below the number of slots.
        let slot = unsafe { slots.get_unchecked_mut(at..at + len) };
        let word = slot[folds].bits();
        let bits = value.bits() & magnitude;
        // The limit is a multiple of `full + 1`: with the low bits set, a magnitude below it stays below it.
        if (bits | full) < word && word & full != full {
            let value = if ABS { V::Elem::from_bits(bits) } else { value };
            deposit::<V::Elem, F>(slot, folds, value);
        } else {
            slow(key as usize, value, slot, array);
        }
    }
}

/// Deposits a value that fits the window of a slot that is not full.
#[inline(always)]
fn deposit<T: Float + Add<Output = T> + Sub<Output = T>, const F: usize>(slot: &mut [T], folds: usize, value: T) {
    let folds = if F > 0 { F } else { folds };
    let mut rest = value;
    for (k, lane) in slot[..folds].iter_mut().enumerate() {
        let before = *lane;
        let after = before + T::from_bits(rest.bits() | 1);
        *lane = after;
        if k + 1 < folds {
            rest = (before - after) + rest;
        }
    }
    slot[folds] = T::from_bits(slot[folds].bits() + 1);
}

/// A value that its slot does not take as it is.
#[inline(never)]
fn slow<T: Float + Add<Output = T> + Sub<Output = T>>(
    key: usize,
    value: T,
    slot: &mut [T],
    array: &mut BinnedArray<'_, T>,
) {
    let value = array.kind().term(value);
    let index = bin_index(value);
    if index == 0 {
        // Specials too.
        array.deposit(key, value).expect("a capacity that was checked");
        return;
    }
    let folds = slot.len() - 1;
    if slot[folds].bits() & slot_capacity::<T>() == slot_capacity::<T>() {
        array.drain_slot(key, slot).expect("a capacity that was checked");
    }
    slot_raise(slot, index);
    deposit::<T, 0>(slot, folds, value);
}

/// The largest of the keys, 0 if there is none.
#[inline(always)]
pub(crate) fn largest(keys: &[u32]) -> u32 {
    let mut lanes = [0u32; 64];
    let (blocks, rest) = keys.as_chunks::<64>();
    for block in blocks {
        for (lane, &key) in lanes.iter_mut().zip(block) {
            *lane = (*lane).max(key);
        }
    }
    lanes.iter().chain(rest).fold(0, |most, &key| most.max(key))
}
