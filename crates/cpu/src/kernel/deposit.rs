//! The floating-point form of a deposit, on one vector.
//!
//! An accumulator lane of bin j starts at 1.5 times a power of two whose last place is the bin's unit (its reference).
//! Adding a value whose lowest significand bit was set rounds it to the nearest multiple of the unit with ties away
//! from zero: the bit is far below half a unit, so it matters only in a tie. What the lane took is the difference of
//! its values before and after, an exact float, and so is what is left of the value.
//! The count of units in a lane is the difference of bit patterns to the reference, an exact integer.

use super::Vector;
use samebits_core::Float;

/// Iterations over a block of vectors: what a lane takes in must stay within its binade, which holds
/// `2^(p-2) / 2^(W-1)` deposits in each direction: 4096 for `f64`, 1024 for `f32`.
pub(crate) const ITERATIONS: usize = 64;

/// Reference of bin `index + k`, scaled by `2^-shift`: 1.5 times the power of two whose last place is the bin's unit.
pub(crate) fn reference<T: Float>(index: usize, k: usize, shift: i32) -> T {
    let unit = T::unit_exponent(index + k) - shift;
    let mantissa_bits = T::PRECISION - 1;
    let field = unit - T::QMIN + 1;
    debug_assert!(field > 0 && field < (1 << (T::BITS - T::PRECISION)) - 1, "no reference for this bin");
    T::from_bits((field as u64) << mantissa_bits | 1 << (mantissa_bits - 1))
}

/// One fold that passes on the rest of `v`. `swap` moves one of its three additions between the ports.
#[inline(always)]
pub(crate) unsafe fn fold<V: Vector>(acc: &mut V, v: V, sticky: V, one: V, swap: bool) -> V {
    // SAFETY: the caller vouches for the room.
    unsafe {
        let before = *acc;
        let after = before.add(v.or(sticky));
        *acc = after;
        let taken = before.sub_by_fma(after, one);
        if swap { v.add(taken) } else { taken.add_by_fma(v, one) }
    }
}

/// The last fold: what is left is dropped.
#[inline(always)]
pub(crate) unsafe fn last_fold<V: Vector>(acc: &mut V, v: V, sticky: V) {
    // SAFETY: the caller vouches for the room.
    unsafe { *acc = acc.add(v.or(sticky)) }
}
