//! Where the terms of a sum come from: the values of a slice, or the products of two.

use super::vector::{Load, Vector, prefetch_after};
use core::mem::MaybeUninit;
use samebits_core::Float;

/// The longest round, in elements: the longest vector (16 lanes) times the most vectors a round (4).
pub(super) const LONGEST_STEP: usize = 64;

/// Room for the last elements of one or two slices, with zeros after them.
pub(super) type Padding<E> = [[MaybeUninit<E>; LONGEST_STEP]; 2];

/// Nothing in it yet.
#[inline(always)]
pub(super) fn no_padding<E: Float>() -> Padding<E> {
    [[MaybeUninit::uninit(); LONGEST_STEP]; 2]
}

/// The terms of a sum, as many as the slices behind them have elements. Slices are kept as pointers, so that what is
/// copied to a buffer is of the same type as what it was copied from.
///
/// # Safety
/// Vectors are loaded only where the slices, still alive, have a whole one; and as [`Vector`] says.
pub(crate) trait Terms<V: Vector>: Copy {
    /// The elements of the slices.
    type Elem: Float;

    /// The number of terms.
    fn len(self) -> usize;
    /// The terms from `start` up to `end`.
    fn part(self, start: usize, end: usize) -> Self;
    /// The vector of terms at `at`. Products are rounded as the vector's elements are.
    unsafe fn load(self, at: usize) -> V;
    /// Asks for what will be read `PREFETCH_BYTES` later, see [`prefetch_after`].
    unsafe fn prefetch(self, at: usize, u: usize);
    /// The terms, fewer than a round of `step`, followed by zeros up to a whole one.
    fn padded(self, step: usize, padding: &mut Padding<Self::Elem>) -> Self;

    /// Blocks of at most `block` terms, all of whole rounds; the last round is padded, since zeros change nothing.
    #[inline(always)]
    fn blocks(self, step: usize, block: usize, padding: &mut Padding<Self::Elem>) -> impl Iterator<Item = Self> {
        let whole = self.len() / step * step;
        let tail = self.part(whole, self.len());
        let tail = (tail.len() > 0).then(|| tail.padded(step, padding));
        (0..whole).step_by(block).map(move |at| self.part(at, (at + block).min(whole))).chain(tail)
    }
}

/// The values of a slice.
#[derive(Clone, Copy)]
pub(crate) struct Values<E> {
    p: *const E,
    len: usize,
}

impl<E> Values<E> {
    #[inline(always)]
    pub(super) fn of(x: &[E]) -> Self {
        Values { p: x.as_ptr(), len: x.len() }
    }

    /// `len` values from `p`.
    #[inline(always)]
    pub(super) fn at(p: *const E, len: usize) -> Self {
        Values { p, len }
    }

    /// The slice again.
    ///
    /// # Safety
    /// It is still there, and written.
    #[inline(always)]
    pub(super) unsafe fn slice<'a>(self) -> &'a [E] {
        // SAFETY: passed on from the caller.
        unsafe { core::slice::from_raw_parts(self.p, self.len) }
    }
}

impl<E: Float> Values<E> {
    /// A copy with zeros after it, `step` in all.
    #[inline(always)]
    fn followed_by_zeros(self, step: usize, room: &mut [MaybeUninit<E>; LONGEST_STEP]) -> Self {
        let room = &mut room[..step];
        // SAFETY: the slice is there, and it is not longer than a round.
        unsafe { room[..self.len].as_mut_ptr().cast::<E>().copy_from_nonoverlapping(self.p, self.len) };
        room[self.len..].fill(MaybeUninit::new(E::default()));
        Values::at(room.as_ptr().cast(), step)
    }
}

impl<V: Load<E>, E: Float> Terms<V> for Values<E> {
    type Elem = E;

    #[inline(always)]
    fn len(self) -> usize {
        self.len
    }
    #[inline(always)]
    fn part(self, start: usize, end: usize) -> Self {
        debug_assert!(start <= end && end <= self.len);
        Values { p: self.p.wrapping_add(start), len: end - start }
    }
    #[inline(always)]
    unsafe fn load(self, at: usize) -> V {
        // SAFETY: passed on from the caller.
        unsafe { V::load_from(self.p.add(at)) }
    }
    #[inline(always)]
    unsafe fn prefetch(self, at: usize, u: usize) {
        // SAFETY: passed on from the caller.
        unsafe { prefetch_after::<V, E>(self.p.wrapping_add(at), u) }
    }
    #[inline(always)]
    fn padded(self, step: usize, [room, _]: &mut Padding<E>) -> Self {
        self.followed_by_zeros(step, room)
    }
}

/// The products of two slices of one length, element by element.
#[derive(Clone, Copy)]
pub(crate) struct Products<E> {
    pub(super) x: Values<E>,
    pub(super) y: Values<E>,
}

impl<E> Products<E> {
    #[inline(always)]
    pub(super) fn of(x: &[E], y: &[E]) -> Self {
        debug_assert_eq!(x.len(), y.len());
        Products { x: Values::of(x), y: Values::of(y) }
    }
}

impl<V: Load<E>, E: Float> Terms<V> for Products<E> {
    type Elem = E;

    #[inline(always)]
    fn len(self) -> usize {
        self.x.len
    }
    #[inline(always)]
    fn part(self, start: usize, end: usize) -> Self {
        Products { x: Terms::<V>::part(self.x, start, end), y: Terms::<V>::part(self.y, start, end) }
    }
    #[inline(always)]
    unsafe fn load(self, at: usize) -> V {
        // SAFETY: passed on from the caller.
        unsafe { Terms::<V>::load(self.x, at).times(self.y.load(at)) }
    }
    #[inline(always)]
    unsafe fn prefetch(self, at: usize, u: usize) {
        // SAFETY: passed on from the caller.
        unsafe {
            Terms::<V>::prefetch(self.x, at, u);
            Terms::<V>::prefetch(self.y, at, u);
        }
    }
    #[inline(always)]
    fn padded(self, step: usize, [x, y]: &mut Padding<E>) -> Self {
        Products { x: self.x.followed_by_zeros(step, x), y: self.y.followed_by_zeros(step, y) }
    }
}
