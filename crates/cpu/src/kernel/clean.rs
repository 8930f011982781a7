//! Copies of a block for the cases that the fast loop must not see: specials, and the topmost window.

use super::Vector;
use core::mem::MaybeUninit;
use core::ops::Mul;
use samebits_core::{Class, Counts, Float, Kind, classify, round_nearest};

/// Exponent by which values are scaled down while the window begins at bin 0, whose reference is beyond the range.
/// This is the format's own factor, `2^(p - W + 1)`.
pub(super) const fn top_shift<T: Float>() -> i32 {
    T::PRECISION as i32 - T::WIDTH as i32 + 1
}

/// Does scaling leave all bits that `folds` folds from bin 0 can see? The bits it destroys lie at the bottom of the
/// exponent range, which only windows of nearly all bins reach.
pub(super) fn may_scale<T: Float>(folds: usize) -> bool {
    let smallest_normal = T::QMIN + T::PRECISION as i32 - 1;
    T::unit_exponent(folds - 1) - 2 > smallest_normal + top_shift::<T>()
}

/// Copies whole vectors with specials replaced by zeros and counted: `load` gives the vector at an element of `from`.
/// Returns the largest finite magnitude.
///
/// # Safety
/// As for [`Vector`]; `to` holds as many elements as `from`.
#[inline(always)]
pub(super) unsafe fn copy_clean<V: Vector, E: Float>(
    from: &[E],
    load: unsafe fn(*const E) -> V,
    to: *mut V::Elem,
    kind: Kind,
    counts: &mut Counts,
) -> V::Elem {
    // SAFETY: passed on from the caller.
    unsafe {
        let mut max = V::splat(V::Elem::default());
        for (i, part) in from.chunks_exact(V::LANES).enumerate() {
            let v = load(part.as_ptr());
            let lanes = v.special_lanes();
            if lanes != 0 {
                count_specials(part, lanes, kind, counts);
            }
            let finite = v.finite_or_zero();
            max = finite.max_abs(max);
            finite.store(to.add(i * V::LANES));
        }
        max.max_lane()
    }
}

/// Counts the specials among `lanes` of `x`.
fn count_specials<T: Float>(x: &[T], mut lanes: u32, kind: Kind, counts: &mut Counts) {
    while lanes != 0 {
        match classify(kind.term(x[lanes.trailing_zeros() as usize])) {
            Class::Finite { .. } => {}
            Class::Nan => counts.nan += 1,
            Class::PosInf => counts.pos_inf += 1,
            Class::NegInf => counts.neg_inf += 1,
        }
        lanes &= lanes - 1;
    }
}

/// Scales a written block down for the topmost window.
///
/// # Safety
/// All of `x` was written.
#[cold]
pub(super) unsafe fn scale_down<T: Float + Mul<Output = T>>(x: &mut [MaybeUninit<T>]) {
    let factor = round_nearest(1, -top_shift::<T>());
    for slot in x {
        // SAFETY: the caller vouches for it.
        slot.write(unsafe { slot.assume_init() } * factor);
    }
}
