//! The operations that a room must offer: a vector of floats and what a deposit needs.

use crate::tuning::PREFETCH_BYTES;
use samebits_core::Float;

/// A vector of `LANES` floats. All operations are IEEE operations in the default environment.
///
/// # Safety
/// Every method may use the instructions of its room: call them only where the machine has these, and only from code
/// that is compiled for them (all are inlined into the entry points of the room). Pointers must be valid for `LANES`
/// elements; they need no alignment beyond that of the element.
pub(crate) trait Vector: Copy {
    /// The element.
    type Elem: Float;
    /// Running integer totals: one integer of the element's size a lane.
    type Int: Copy;
    /// Elements in a vector.
    const LANES: usize;
    /// Does `max_abs` keep NaNs (as something at least as large as infinity)? If not, `has_nan` finds them in a sum.
    const MAX_SEES_NAN: bool;

    unsafe fn splat(x: Self::Elem) -> Self;
    unsafe fn load(p: *const Self::Elem) -> Self;
    /// The first `n` elements, fewer than a vector has, and zeros after them; only these `n` are read.
    #[inline(always)]
    unsafe fn load_first(p: *const Self::Elem, n: usize) -> Self {
        // SAFETY: the caller vouches for the room and the first elements.
        unsafe { Self::load(padded(p, n, Self::LANES).as_ptr()) }
    }
    unsafe fn store(self, p: *mut Self::Elem);
    /// Asks for the cache line of `p`, which may lie anywhere.
    #[inline(always)]
    unsafe fn prefetch<E>(_p: *const E) {}

    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    /// `self + b`, if possible as `b * one + self` on the multiplier's ports: the product is exact, so the rounding is
    /// that of the addition. `one` must be opaque to the compiler.
    #[inline(always)]
    unsafe fn add_by_fma(self, b: Self, _one: Self) -> Self {
        // SAFETY: the caller vouches for the room.
        unsafe { self.add(b) }
    }
    /// `self - b`, likewise.
    #[inline(always)]
    unsafe fn sub_by_fma(self, b: Self, _one: Self) -> Self {
        // SAFETY: the caller vouches for the room.
        unsafe { self.sub(b) }
    }
    unsafe fn times(self, b: Self) -> Self;
    unsafe fn or(self, b: Self) -> Self;
    unsafe fn abs(self) -> Self;

    /// Lane by lane the larger of `max` and `|self|`. Only what decides the exponent must be right: a room may leave
    /// the low half of an `f64` undefined.
    unsafe fn max_abs(self, max: Self) -> Self;
    /// Lane by lane the larger of `max` and `|self|`, every bit of it; a NaN stays one. `max` is not negative.
    unsafe fn max_magnitude(self, max: Self) -> Self;
    /// Is any lane not below `limit`, a power of two? NaN is not below anything.
    unsafe fn reaches(self, limit: Self) -> bool;
    /// The largest lane of the result of `max_abs` calls.
    unsafe fn max_lane(self) -> Self::Elem;
    /// Is any lane NaN?
    unsafe fn has_nan(self) -> bool;
    /// The vector with NaN and infinities replaced by +0.
    unsafe fn finite_or_zero(self) -> Self;
    /// A bit for each lane that is NaN or infinite.
    unsafe fn special_lanes(self) -> u32;
    /// Is any bit but a sign set?
    unsafe fn is_nonzero(self) -> bool;

    unsafe fn int_zero() -> Self::Int;
    /// `total + (bits of a - bits of b)`.
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int;
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int;
    /// The sum of all lanes.
    unsafe fn int_sum(total: Self::Int) -> i64;
}

/// Asks for what the loop over `U` vectors of `bytes` bytes reads `PREFETCH_BYTES` after vector `u` of the round at `p`,
/// once for each cache line.
///
/// # Safety
/// As for [`Vector`], but `p` is only a place, not read.
#[inline(always)]
pub(crate) unsafe fn prefetch_after<V: Vector, E>(p: *const E, u: usize) {
    let bytes = V::LANES * size_of::<E>();
    if (u * bytes).is_multiple_of(CACHE_LINE) {
        // SAFETY: passed on from the caller.
        unsafe { V::prefetch(p.wrapping_byte_add(PREFETCH_BYTES)) }
    }
}

const CACHE_LINE: usize = 64;

/// A vector that can be loaded from `E` elements, its own or smaller ones, each converted exactly.
pub(crate) trait Load<E>: Vector {
    unsafe fn load_from(p: *const E) -> Self;
    /// As [`Vector::load_first`].
    #[inline(always)]
    unsafe fn load_first_from(p: *const E, n: usize) -> Self
    where
        E: Float,
    {
        // SAFETY: the caller vouches for the room and the first elements.
        unsafe { Self::load_from(padded(p, n, Self::LANES).as_ptr()) }
    }
}

/// The longest vector, in elements.
const LONGEST: usize = 16;

/// A copy of the first `n` elements of a vector of `lanes`, and zeros.
///
/// # Safety
/// The first `n` elements can be read.
#[inline(always)]
unsafe fn padded<E: Float>(p: *const E, n: usize, lanes: usize) -> [E; LONGEST] {
    let mut all = [E::default(); LONGEST];
    // Element by element: a copy of unknown length would be a call.
    for (i, slot) in all[..lanes].iter_mut().enumerate() {
        if i < n {
            // SAFETY: the caller vouches for it.
            *slot = unsafe { *p.add(i) };
        }
    }
    all
}

impl<V: Vector> Load<V::Elem> for V {
    #[inline(always)]
    unsafe fn load_from(p: *const V::Elem) -> Self {
        // SAFETY: the caller vouches for room and pointer.
        unsafe { V::load(p) }
    }
    #[inline(always)]
    unsafe fn load_first_from(p: *const V::Elem, n: usize) -> Self {
        // SAFETY: the caller vouches for room and pointer.
        unsafe { V::load_first(p, n) }
    }
}

/// An `f64` vector that can be loaded from `E` elements, `f64` or `f32`.
pub(crate) trait LoadFrom<E>: Load<E> + Vector<Elem = f64> {}

impl<V: Load<E> + Vector<Elem = f64>, E> LoadFrom<E> for V {}

/// An `f64` vector with what exact products need.
pub(crate) trait ProductError: Vector<Elem = f64> {
    /// Lane by lane the smaller of `min` and `|self|`; either, if one is NaN.
    unsafe fn min_abs(self, min: Self) -> Self;

    /// `a * b - p` for the rounded product `p`, which is exact where `|p|` is at least `2^-969`; where that or `p`
    /// overflows it may be NaN. Without a fused multiply-add by the ways of Veltkamp and Dekker.
    #[inline(always)]
    unsafe fn product_error(a: Self, b: Self, p: Self) -> Self {
        // SAFETY: the caller vouches for the room.
        unsafe {
            let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
            a1.times(b1).sub(p).add(a1.times(b2)).add(a2.times(b1)).add(a2.times(b2))
        }
    }
}

/// Splits each lane into two parts of 26 bits.
#[inline(always)]
unsafe fn halves<V: Vector<Elem = f64>>(x: V) -> (V, V) {
    // SAFETY: the caller vouches for the room.
    unsafe {
        let scaled = x.times(V::splat(((1 << 27) + 1) as f64));
        let high = scaled.sub(scaled.sub(x));
        (high, x.sub(high))
    }
}
