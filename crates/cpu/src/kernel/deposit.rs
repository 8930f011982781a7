//! The floating-point form of a deposit, on one vector.
//!
//! An accumulator lane of bin j starts at 1.5 times a power of two whose last place is the bin's unit (its reference).
//! Adding a value whose lowest significand bit was set rounds it to the nearest multiple of the unit with ties away
//! from zero: the bit is far below half a unit, so it matters only in a tie. What the lane took is the difference of
//! its values before and after, an exact float, and so is what is left of the value.
//! The count of units in a lane is the difference of bit patterns to the reference, an exact integer.

use super::Vector;
use super::clean::top_shift;
use core::hint::black_box;
use core::ops::Mul;
use samebits_core::{Float, round_nearest};

/// Iterations over a block of vectors: what a lane takes in must stay within its binade, which holds
/// `2^(p-2) / 2^(W-1)` deposits in each direction: 4096 for `f64`, 1024 for `f32`.
pub(crate) const ITERATIONS: usize = 64;

pub(crate) use samebits_core::binned::reference;

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

/// Scaling of values and references in the window that begins at bin `index`: only the topmost one needs it.
pub(crate) fn shift_of<T: Float>(index: usize) -> i32 {
    if index == 0 { top_shift::<T>() } else { 0 }
}

/// Deposits every value of `x` alone in the window from bin `index`, with the folds that `out` has room for, and gives
/// the lanes: `out[k * x.len() + i]` is fold k of value i.
///
/// # Safety
/// As for [`Vector`]; `x` is whole vectors and `out` a multiple of it.
#[inline(always)]
pub(crate) unsafe fn lanes<V: Vector>(index: usize, x: &[V::Elem], out: &mut [V::Elem])
where
    V::Elem: Mul<Output = V::Elem>,
{
    // SAFETY: the caller vouches for the room; all places are inside `x` and `out`.
    unsafe {
        let shift = shift_of::<V::Elem>(index);
        let scale: V::Elem = round_nearest(1, -shift);
        let sticky = V::splat(V::Elem::from_bits(1));
        let one = V::splat(black_box(round_nearest(1, 0)));
        for i in (0..x.len()).step_by(V::LANES) {
            let mut v = V::load(x.as_ptr().add(i));
            if shift != 0 {
                v.store(out.as_mut_ptr().add(i));
                for scaled in &mut out[i..i + V::LANES] {
                    *scaled = *scaled * scale;
                }
                v = V::load(out.as_ptr().add(i));
            }
            for k in 0..out.len() / x.len() {
                let mut acc = V::splat(reference(index, k, shift));
                v = fold(&mut acc, v, sticky, one, k & 1 == 1);
                acc.store(out.as_mut_ptr().add(k * x.len() + i));
            }
        }
    }
}
