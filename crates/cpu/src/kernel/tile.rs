//! Tiles of a running sum: what a room offers beyond a deposit.

use super::Vector;

/// Consecutive elements that each lane of a tile walks. A tile is `STEPS * LANES` elements.
pub(crate) const STEPS: usize = 8;

/// A vector of `f64` whose lanes can walk through neighbouring elements, and integers that become floats.
///
/// # Safety
/// As for [`Vector`].
pub(crate) trait Tile: Vector<Elem = f64> {
    /// Transposes every square block of `LANES` vectors among the eight.
    unsafe fn transpose(m: &mut [Self; STEPS]);

    /// `self * b + c` where the product is exact: rounded once either way.
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: the caller vouches for the room.
        unsafe { self.times(b).add(c) }
    }

    unsafe fn int_splat(x: i64) -> Self::Int;
    /// The bit pattern.
    unsafe fn int_bits(self) -> Self::Int;
    unsafe fn from_int_bits(bits: Self::Int) -> Self;
    unsafe fn int_sub(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn int_and(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn int_or(a: Self::Int, b: Self::Int) -> Self::Int;
    unsafe fn int_shl(a: Self::Int, by: u32) -> Self::Int;
    /// Arithmetic shift to the right.
    unsafe fn int_sar(a: Self::Int, by: u32) -> Self::Int;
    /// All bits of a lane set where `a > b`.
    unsafe fn int_greater(a: Self::Int, b: Self::Int) -> Self::Int;
    /// Is any bit set?
    unsafe fn int_any(a: Self::Int) -> bool;
    /// Running sums over the lanes, each lane included in its own.
    unsafe fn int_running(a: Self::Int) -> Self::Int;
    unsafe fn int_last(a: Self::Int) -> i64;

    /// Any integers, rounded once, to nearest, ties to even.
    unsafe fn int_to_float(a: Self::Int) -> Self;
    /// Integers below `2^51` in magnitude.
    unsafe fn small_to_float(a: Self::Int) -> Self;
    /// The bits of `a` under `mask`, below `2^52`, in units of `magic`'s last place; `magic` is a power of two.
    unsafe fn low_bits(a: Self::Int, mask: Self::Int, magic: Self) -> Self;
}

/// An `f64` vector that can be stored as `E` elements, rounded once.
pub(crate) trait StoreTo<E>: Vector<Elem = f64> {
    unsafe fn store_to(self, p: *mut E);
}

impl<V: Vector<Elem = f64>> StoreTo<f64> for V {
    #[inline(always)]
    unsafe fn store_to(self, p: *mut f64) {
        // SAFETY: the caller vouches for room and pointer.
        unsafe { self.store(p) }
    }
}

/// `1.5 * 2^52`: adding a small integer to its bits adds the integer to the float. For rooms without a conversion of
/// 64-bit integers.
#[cfg(target_arch = "x86_64")]
pub(crate) const SIGNED_MAGIC: f64 = 6_755_399_441_055_744.0;
