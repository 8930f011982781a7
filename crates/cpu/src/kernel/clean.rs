//! Copies of a block for the cases that the fast loop must not see: specials, and the topmost window.

use super::{Terms, Vector};
use core::mem::MaybeUninit;
use core::ops::Mul;
use core::slice;
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

/// Copies whole vectors of terms with specials replaced by zeros and counted. Returns the largest finite magnitude.
///
/// # Safety
/// As for [`Terms`]; `to` holds as many elements as `from`.
#[inline(always)]
pub(super) unsafe fn copy_clean<V: Vector, T: Terms<V>>(
    from: T,
    to: *mut V::Elem,
    kind: Kind,
    counts: &mut Counts,
) -> V::Elem {
    // SAFETY: passed on from the caller.
    unsafe {
        let mut max = V::splat(V::Elem::default());
        for at in (0..from.len()).step_by(V::LANES) {
            let v = from.load(at);
            let lanes = v.special_lanes();
            if lanes != 0 {
                v.store(to.add(at));
                count_specials(slice::from_raw_parts(to.add(at), V::LANES), lanes, kind, counts);
            }
            let finite = v.finite_or_zero();
            max = finite.max_abs(max);
            finite.store(to.add(at));
        }
        max.max_lane()
    }
}

/// Counts the specials among `lanes` of `x`.
fn count_specials<T: Float>(x: &[T], mut lanes: u32, kind: Kind, counts: &mut Counts) {
    while lanes != 0 {
        count_special(kind.term(x[lanes.trailing_zeros() as usize]), counts);
        lanes &= lanes - 1;
    }
}

/// Counts a term if it is special.
pub(super) fn count_special<T: Float>(x: T, counts: &mut Counts) {
    match classify(x) {
        Class::Finite { .. } => {}
        Class::Nan => counts.nan += 1,
        Class::PosInf => counts.pos_inf += 1,
        Class::NegInf => counts.neg_inf += 1,
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
