//! The 2-norm: one pass that scales, squares, deposits and watches the largest square.
//!
//! As the binned sum does, a block is deposited in the window found so far and done again, at a new scale, if a square
//! lies above it. The scale is a power of two, so scaling is exact, but for values so far below the largest that their
//! squares are below half a unit of the last bin. For the same reason squares that underflow do not matter: the windows
//! here begin at `HOME` or the bin after it and end far above the smallest normal number. The scale itself must be a
//! normal number; where that stops it from rising further, the window begins lower, but then all squares are multiples
//! of a unit that lies in range.

use super::clean::copy_clean;
use super::deposit::{ITERATIONS, reference};
use super::sum::{Bins, Few, MAX_BLOCK, Many};
use super::terms::{Padding, Terms, Values, no_padding};
use super::vector::Vector;
use core::mem::MaybeUninit;
use samebits_core::{Counts, Float, Kind, Norm2, bin_index, round_nearest};

/// Blocks after which the integer lanes are added up, as for a sum.
const BLOCKS_PER_DRAIN: usize = 1000;

/// Adds all of `x` to `acc`.
///
/// # Safety
/// The machine has the room's instructions, the environment is the default one. The capacity was reserved.
#[inline(always)]
pub(crate) unsafe fn norm2<V: Vector, const U: usize>(x: &[V::Elem], acc: &mut Norm2<V::Elem>) {
    // SAFETY: passed on from the caller.
    unsafe {
        match acc.folds() {
            2 => Norm::<V, Few<V, U, 2, false>, U>::new(acc).run(x, acc),
            3 => Norm::<V, Few<V, U, 3, false>, U>::new(acc).run(x, acc),
            4 => Norm::<V, Few<V, U, 4, false>, U>::new(acc).run(x, acc),
            _ => Norm::<V, Many<V, U, false>, U>::new(acc).run(x, acc),
        }
    }
}

/// The squares of values that are multiplied by a factor first.
#[derive(Clone, Copy)]
struct Squares<T, V> {
    values: T,
    factor: V,
}

impl<V: Vector, T: Terms<V>> Terms<V> for Squares<T, V> {
    type Elem = T::Elem;

    #[inline(always)]
    fn len(self) -> usize {
        self.values.len()
    }
    #[inline(always)]
    fn part(self, start: usize, end: usize) -> Self {
        Squares { values: self.values.part(start, end), ..self }
    }
    #[inline(always)]
    unsafe fn load(self, at: usize) -> V {
        // SAFETY: passed on from the caller.
        unsafe {
            let scaled = self.values.load(at).times(self.factor);
            scaled.times(scaled)
        }
    }
    #[inline(always)]
    unsafe fn prefetch(self, at: usize, u: usize) {
        // SAFETY: passed on from the caller.
        unsafe { self.values.prefetch(at, u) }
    }
    #[inline(always)]
    fn padded(self, step: usize, padding: &mut Padding<T::Elem>) -> Self {
        Squares { values: self.values.padded(step, padding), ..self }
    }
}

/// A norm in progress.
struct Norm<V: Vector, B, const U: usize> {
    bins: B,
    folds: usize,
    /// Bin of the largest square so far, in the numbering of [`Norm2`].
    index: usize,
    /// The scale: values are divided by `2^(WIDTH * z)`.
    z: i32,
    /// Squares below this fit the window.
    limit: V::Elem,
    totals: <V::Elem as Float>::Totals,
    counts: Counts,
    /// Had the last block specials? Then the next one is cleaned at once.
    specials: bool,
    /// Blocks since the lanes were last added up.
    blocks: usize,
}

impl<V: Vector, B: Bins<V>, const U: usize> Norm<V, B, U> {
    const STEP: usize = V::LANES * U;
    const WIDTH: i32 = V::Elem::WIDTH as i32;
    /// The bin, or the one before it, of the largest square: five (two) bins above that of 1, so that the last of all
    /// folds is normal, and far enough below the top that no deposit overflows.
    const HOME: usize = if V::Elem::BITS == 64 { 20 } else { 6 };

    #[inline(always)]
    fn new(acc: &Norm2<V::Elem>) -> Self {
        Norm {
            bins: B::new(acc.folds()),
            folds: acc.folds(),
            index: Norm2::<V::Elem>::MAX_INDEX,
            z: 0,
            limit: V::Elem::default(),
            totals: <V::Elem as Float>::ZERO_TOTALS,
            counts: Counts::default(),
            specials: false,
            blocks: 0,
        }
    }

    #[inline(always)]
    unsafe fn run(&mut self, x: &[V::Elem], acc: &mut Norm2<V::Elem>) {
        // SAFETY: passed on from the caller.
        unsafe {
            let values = Values::of(x);
            let whole = x.len() / Self::STEP * Self::STEP;
            let first = Self::first_max(Terms::<V>::part(values, 0, whole.min(Self::STEP * ITERATIONS)));
            if first.bits() < V::Elem::INFINITY.bits() {
                self.index = Norm2::index_of(first);
            }
            self.open_window();
            let mut padding = no_padding();
            for part in Terms::<V>::blocks(values, Self::STEP, Self::STEP * ITERATIONS, &mut padding) {
                self.block(part);
            }
            self.drain();
            self.counts.summands = x.len() as u64;
            let totals = &self.totals.as_ref()[..self.folds];
            acc.absorb(self.index, totals, self.counts).expect("the capacity was reserved");
        }
    }

    /// About the largest magnitude of whole rounds and nothing above it, so that the scale is right from the start on
    /// ordinary data.
    #[inline(always)]
    unsafe fn first_max(x: impl Terms<V>) -> V::Elem {
        // SAFETY: passed on from the caller.
        unsafe {
            let mut max = V::splat(V::Elem::default());
            for at in (0..x.len()).step_by(V::LANES) {
                max = x.load(at).max_abs(max);
            }
            max.max_lane()
        }
    }

    /// Sets scale, references and limit for the index.
    #[inline(always)]
    unsafe fn open_window(&mut self) {
        // The lowest scale whose factor is in range.
        let lowest = -((V::Elem::EMAX - 1) / Self::WIDTH);
        self.z = Norm2::<V::Elem>::scale_for(self.index, Self::HOME).0.max(lowest);
        let bin = (self.index as i32 - Norm2::<V::Elem>::index_at(self.z, 0)) as usize;
        // SAFETY: passed on from the caller.
        unsafe { self.bins.set_references(|k| reference(bin, k, 0)) };
        self.limit = round_nearest(1, V::Elem::unit_exponent(bin) + Self::WIDTH - 1);
    }

    /// Adds whole rounds, at most a block.
    #[inline(always)]
    unsafe fn block(&mut self, x: impl Terms<V>) {
        // SAFETY: passed on from the caller; `copy` has room for any block.
        unsafe {
            if !self.specials && self.finite_block(x) {
                return;
            }
            let mut copy = [MaybeUninit::<V::Elem>::uninit(); MAX_BLOCK];
            let copy = &mut copy[..x.len()];
            let before = self.counts;
            let max = copy_clean::<V, _>(x, copy.as_mut_ptr().cast(), Kind::Norm2, &mut self.counts);
            self.specials = self.counts != before;
            self.raise(Norm2::index_of(max));
            let done = self.finite_block(Values::at(copy.as_ptr().cast(), copy.len()));
            debug_assert!(done, "the scale of the largest value lets no square overflow");
        }
    }

    /// Adds whole rounds, raising the scale as often as needed, unless it meets a special value or a square
    /// that overflows.
    #[inline(always)]
    unsafe fn finite_block(&mut self, values: impl Terms<V>) -> bool {
        // SAFETY: passed on from the caller.
        unsafe {
            loop {
                let factor = V::splat(round_nearest(1, -Self::WIDTH * self.z));
                let (pending, seen) = self.bins.deposit(Squares { values, factor });
                if !(seen.nan || seen.max.reaches(V::splat(self.limit))) {
                    self.accept(pending, values.len() / Self::STEP);
                    return true;
                }
                let max = seen.max.max_lane();
                if seen.nan || max.bits() >= V::Elem::INFINITY.bits() {
                    return false;
                }
                self.raise(Norm2::<V::Elem>::index_at(self.z, bin_index(max)) as usize);
            }
        }
    }

    #[inline(always)]
    unsafe fn accept(&mut self, pending: B::Pending, rounds: usize) {
        // SAFETY: passed on from the caller.
        unsafe { self.bins.commit(pending, rounds) };
        self.blocks += 1;
        if self.blocks == BLOCKS_PER_DRAIN {
            // SAFETY: passed on from the caller.
            unsafe { self.drain() };
        }
    }

    /// Moves the counts of the lanes to the totals.
    #[inline(always)]
    unsafe fn drain(&mut self) {
        for k in 0..self.folds {
            // SAFETY: passed on from the caller.
            self.totals.as_mut()[k] += unsafe { self.bins.take(k) } as i128;
        }
        self.blocks = 0;
    }

    /// Raises the window to `index`, if that is above it.
    #[inline(always)]
    unsafe fn raise(&mut self, index: usize) {
        if index >= self.index {
            return;
        }
        // SAFETY: passed on from the caller.
        unsafe { self.drain() };
        let kept = self.folds.saturating_sub(self.index - index);
        let totals = &mut self.totals.as_mut()[..self.folds];
        totals.copy_within(..kept, self.folds - kept);
        totals[..self.folds - kept].fill(0);
        self.index = index;
        // SAFETY: passed on from the caller.
        unsafe { self.open_window() };
    }
}
