//! The 2-norm: one pass that scales, squares, deposits and watches the largest square.
//!
//! As the binned sum does, a block is deposited in the window found so far and done again, at a new scale, if a square
//! lies above it. The scale is a power of two, so scaling is exact, but for values so far below the largest that their
//! squares are below half a unit of the last bin. For the same reason squares that underflow do not matter: the windows
//! here begin at `HOME` or the bin after it and end far above the smallest normal number. The scale itself must be a
//! normal number; where that stops it from rising further, the window begins lower, but then all squares are multiples
//! of a unit that lies in range.

use super::clean::copy_clean;
use super::deposit::{ITERATIONS, fold, last_fold, reference};
use super::sum::{Bins, Few, LONGEST_STEP, MAX_BLOCK, Many, PANEL, Seen};
use super::vector::{Vector, prefetch_after};
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::ptr;
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

/// Bins that squares can be deposited in.
trait SquareBins<V: Vector>: Bins<V> {
    /// Deposits the squares of `rounds` rounds from `p`, each multiplied by `factor` before.
    unsafe fn deposit_squares(&mut self, p: *const V::Elem, rounds: usize, factor: V) -> (Self::Pending, Seen<V>);
}

impl<V: Vector, const U: usize, const F: usize> SquareBins<V> for Few<V, U, F, false> {
    #[inline(always)]
    unsafe fn deposit_squares(&mut self, p: *const V::Elem, rounds: usize, factor: V) -> (Self::Pending, Seen<V>) {
        // SAFETY: passed on from the caller.
        unsafe { squares::<V, U, F, false>(&self.references, p, rounds, factor, ptr::null_mut()) }
    }
}

impl<V: Vector, const U: usize> SquareBins<V> for Many<V, U, false> {
    #[inline(always)]
    unsafe fn deposit_squares(&mut self, p: *const V::Elem, rounds: usize, factor: V) -> (Self::Pending, Seen<V>) {
        // SAFETY: passed on from the caller; `rest` holds a whole block.
        unsafe {
            let rest = self.rest.as_mut_ptr().cast();
            squares::<V, U, PANEL, true>(&self.references[0], p, rounds, factor, rest)
        }
    }
}

/// Deposits the scaled squares of a block in F folds: the counts of the lanes and what was seen of the squares; the rests
/// to `rest` (if `REST`).
#[inline(always)]
unsafe fn squares<V: Vector, const U: usize, const F: usize, const REST: bool>(
    references: &[V::Elem; F],
    p: *const V::Elem,
    rounds: usize,
    factor: V,
    rest: *mut V::Elem,
) -> ([V::Int; F], Seen<V>) {
    // SAFETY: the caller vouches for the room; `p` (and `rest`) hold `rounds * U` vectors.
    unsafe {
        let sticky = V::splat(V::Elem::from_bits(1));
        let one = V::splat(black_box(round_nearest(1, 0)));
        let zero = V::splat(V::Elem::default());
        let mut acc = [[zero; U]; F];
        for (lanes, &r) in acc.iter_mut().zip(references) {
            *lanes = [V::splat(r); U];
        }
        let mut max = [zero; 2];
        for i in 0..rounds {
            for u in 0..U {
                let at = (i * U + u) * V::LANES;
                prefetch_after::<V, V::Elem>(p.wrapping_add(at), u);
                let scaled = V::load(p.add(at)).times(factor);
                let mut v = scaled.times(scaled);
                max[u & 1] = v.max_abs(max[u & 1]);
                for (k, lanes) in acc.iter_mut().enumerate() {
                    if k + 1 < F || REST {
                        v = fold(&mut lanes[u], v, sticky, one, (u + k) & 1 == 1);
                    } else {
                        last_fold(&mut lanes[u], v, sticky);
                    }
                }
                if REST {
                    v.store(rest.add(at));
                }
            }
        }
        let mut nan = false;
        if !V::MAX_SEES_NAN {
            // A NaN stays in its lane.
            let mut all = acc[0][0];
            for &lane in &acc[0][1..] {
                all = all.add(lane);
            }
            nan = all.has_nan();
        }
        let mut counts = [V::int_zero(); F];
        for ((count, lanes), &r) in counts.iter_mut().zip(&acc).zip(references) {
            for &lane in lanes {
                *count = V::int_add_difference(*count, lane, V::splat(r));
            }
        }
        (counts, Seen { max: max[0].max_abs(max[1]), nan })
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

impl<V: Vector, B: SquareBins<V>, const U: usize> Norm<V, B, U> {
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
            let (head, tail) = x.split_at(x.len() / Self::STEP * Self::STEP);
            let first = Self::first_max(&head[..head.len().min(Self::STEP * ITERATIONS)]);
            if first.bits() < V::Elem::INFINITY.bits() {
                self.index = Norm2::index_of(first);
            }
            self.open_window();
            // Zeros change nothing.
            let mut padded = [V::Elem::default(); LONGEST_STEP];
            padded[..tail.len()].copy_from_slice(tail);
            let padded = if tail.is_empty() { &[] } else { &padded[..Self::STEP] };
            for part in head.chunks(Self::STEP * ITERATIONS).chain(padded.chunks(Self::STEP)) {
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
    unsafe fn first_max(x: &[V::Elem]) -> V::Elem {
        // SAFETY: passed on from the caller; every chunk is a whole vector.
        unsafe {
            let mut max = V::splat(V::Elem::default());
            for part in x.chunks_exact(V::LANES) {
                max = V::load(part.as_ptr()).max_abs(max);
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
    unsafe fn block(&mut self, x: &[V::Elem]) {
        // SAFETY: passed on from the caller; `copy` has room for any block.
        unsafe {
            if !self.specials && self.finite_block(x.as_ptr(), x.len() / Self::STEP) {
                return;
            }
            let mut copy = [MaybeUninit::<V::Elem>::uninit(); MAX_BLOCK];
            let copy = &mut copy[..x.len()];
            let before = self.counts;
            let max = copy_clean::<V, V::Elem>(x, V::load, copy.as_mut_ptr().cast(), Kind::Norm2, &mut self.counts);
            self.specials = self.counts != before;
            self.raise(Norm2::index_of(max));
            let done = self.finite_block(copy.as_ptr().cast(), x.len() / Self::STEP);
            debug_assert!(done, "the scale of the largest value lets no square overflow");
        }
    }

    /// Adds `rounds` rounds from `p`, raising the scale as often as needed, unless it meets a special value or a square
    /// that overflows.
    #[inline(always)]
    unsafe fn finite_block(&mut self, p: *const V::Elem, rounds: usize) -> bool {
        // SAFETY: passed on from the caller.
        unsafe {
            loop {
                let factor = V::splat(round_nearest(1, -Self::WIDTH * self.z));
                let (pending, seen) = self.bins.deposit_squares(p, rounds, factor);
                if !(seen.nan || seen.max.reaches(V::splat(self.limit))) {
                    self.accept(pending, rounds);
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
