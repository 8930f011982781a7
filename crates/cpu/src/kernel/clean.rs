//! Copies of a block for the cases that the fast loop must not see: specials, and the topmost window.

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

/// Copies `from` to `to` with specials replaced by zeros and counted. Returns the largest finite magnitude.
#[cold]
pub(super) fn copy_clean<T: Float>(from: &[T], to: &mut [MaybeUninit<T>], kind: Kind, counts: &mut Counts) -> T {
    let sign = 1u64 << (T::BITS - 1);
    let infinity = T::INFINITY.bits();
    let mut max = 0;
    let mut specials = 0;
    for (slot, &x) in to.iter_mut().zip(from) {
        let magnitude = x.bits() & !sign;
        let finite = magnitude < infinity;
        max = max.max(if finite { magnitude } else { 0 });
        specials += usize::from(!finite);
        slot.write(if finite { x } else { T::default() });
    }
    if specials > 0 {
        for &x in from {
            match classify(kind.term(x)) {
                Class::Finite { .. } => {}
                Class::Nan => counts.nan += 1,
                Class::PosInf => counts.pos_inf += 1,
                Class::NegInf => counts.neg_inf += 1,
            }
        }
    }
    T::from_bits(max)
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
