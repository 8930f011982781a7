//! The exact sum: two wide folds, and the proof that they lost nothing.
//!
//! A fold of 45 bits needs no tie rule: whichever way the addition rounds, the rest is exact. Two folds hold 90 bits
//! below the largest magnitude of a block, all that most data have. Whether that was enough is known afterwards: the
//! bitwise OR of what is left of every value is zero, or the block is not accepted. A block with specials is cleaned first. It is then done again with four
//! folds; if that fails too, its values go to a table with one counter for each sign and exponent. How many folds the
//! next block begins with follows from what the last ones needed, and while the table is in use, only now and then a
//! block is tried the fast way again.
//!
//! Products of `f32` are exact in `f64` and summed like values. A product of two `f64` is a rounded one and its error, an
//! `f64` too: both are deposited, in three folds at first. See [`Summands`] for where that is not exact.
//!
//! Cost grows linearly; memory: the table, 48 KiB of stack, touched only when needed.

use super::summands::{Summands, Total};
use super::terms::{Products, Values, no_padding};
use super::vector::{LoadFrom, ProductError, Vector};
use super::{Pair, PowerSums};
use core::hint::black_box;
use core::mem::MaybeUninit;
use samebits_core::{Class, Counts, Exact, ExactDot, Float, Kind, classify, round_nearest};

/// Bits of a fold.
const WIDTH: i32 = 45;
/// A block adds at most `U * 2^50 <= 2^52` to a lane of the counts, and a sum of 8 lanes must fit 63 bits.
const BLOCKS_PER_DRAIN: usize = 100;
/// The largest exponent with a reference: `unit + 52` must be below `f64::EMAX`.
pub(super) const MAX_UNIT: i32 = 971;
/// Spare bits between a block's largest magnitude and the top of the window opened for it.
const SPARE: i32 = 2;
/// Blocks that stay with four folds before two are tried again: at first, and at most.
const WIDE_BLOCKS: (u32, u32) = (8, 256);
/// The most blocks that go to the table before a window is tried again.
const MAX_SKIP: u32 = 63;
/// The most folds.
const MOST_FOLDS: usize = 5;
/// Elements that both sums of the moments get in turn: they stay in the cache.
const MOMENTS_BLOCK: usize = 1 << 14;

/// Adds all of `x` to `acc`.
///
/// # Safety
/// The machine has the room's instructions, the environment is the default one. The count was reserved.
#[inline(always)]
pub(crate) unsafe fn exact<V: LoadFrom<E>, E: Float + Into<f64>, const U: usize>(x: &[E], acc: &mut Exact<E>) {
    let kind = acc.kind();
    // SAFETY: passed on from the caller.
    unsafe {
        match kind {
            Kind::Sum => Sum::<V, Exact<E>, U, false>::new(acc).run(Values::of(x), kind),
            _ => Sum::<V, Exact<E>, U, true>::new(acc).run(Values::of(x), kind),
        }
    }
}

/// Adds the exact products of `x` and `y` to `acc`.
///
/// # Safety
/// As for [`exact`]; the slices have one length.
#[inline(always)]
pub(crate) unsafe fn exact_dot<V, E, const U: usize>((x, y): Pair<'_, E>, acc: &mut ExactDot<E>)
where
    V: LoadFrom<E> + ProductError,
    E: Float + Into<f64>,
    Products<E>: Summands<V, Elem = E>,
{
    // SAFETY: passed on from the caller.
    unsafe { Sum::<V, ExactDot<E>, U, false>::new(acc).run(Products::of(x, y), Kind::Sum) }
}

/// Adds the values of `x` to the one sum and their squares to the other, by the kernels of these.
///
/// # Safety
/// As for both kernels.
#[inline(always)]
pub(crate) unsafe fn moments<E: Float>(
    x: &[E],
    (sum, squares): &mut PowerSums<E>,
    exact: unsafe fn(&[E], &mut Exact<E>),
    exact_dot: unsafe fn(Pair<'_, E>, &mut ExactDot<E>),
) {
    for part in x.chunks(MOMENTS_BLOCK) {
        // SAFETY: passed on from the caller.
        unsafe {
            exact(part, sum);
            exact_dot((part, part), squares);
        }
    }
}

/// What a block left and showed.
struct Seen<V> {
    max: V,
    rest: V,
    /// The sum of the lanes of the first fold, where a NaN stays.
    lanes: V,
    /// The smallest magnitudes, where terms have errors.
    min: V,
}

/// Deposits a block in F folds whose unit begins at `2^unit`.
#[inline(always)]
unsafe fn block<V, T, const U: usize, const F: usize, const ABS: bool>(unit: i32, terms: T) -> ([V::Int; F], Seen<V>)
where
    V: Vector<Elem = f64>,
    T: Summands<V>,
{
    // SAFETY: the caller vouches for the room; `terms` are whole rounds.
    unsafe {
        let one = V::splat(black_box(1.0));
        let zero = V::splat(0.0);
        let mut references = [0.0; F];
        for (k, r) in references.iter_mut().enumerate() {
            *r = reference(unit - WIDTH * k as i32);
        }
        let mut acc = [[zero; U]; F];
        for (lanes, &r) in acc.iter_mut().zip(&references) {
            *lanes = [V::splat(r); U];
        }
        let mut max = [zero; 2];
        let mut rest = [zero; 2];
        let mut min = [V::splat(f64::INFINITY); 2];
        for i in 0..terms.len() / (U * V::LANES) {
            for u in 0..U {
                let at = (i * U + u) * V::LANES;
                terms.prefetch(at, u);
                let mut v = terms.load(at);
                max[u & 1] = v.max_abs(max[u & 1]);
                if T::ROUNDED {
                    min[u & 1] = terms.watch(v, min[u & 1]);
                    let mut error = terms.error(at, v);
                    // It is below 2^-53 of its term, so the first fold would take nothing from it.
                    for (k, lanes) in acc.iter_mut().enumerate().skip(1) {
                        error = fold(&mut lanes[u], error, one, (u + k) & 1 == 1);
                    }
                    rest[u & 1] = rest[u & 1].or(error);
                }
                if ABS {
                    v = v.abs();
                }
                for (k, lanes) in acc.iter_mut().enumerate() {
                    v = fold(&mut lanes[u], v, one, (u + k) & 1 == 0);
                }
                rest[u & 1] = rest[u & 1].or(v);
            }
        }
        let mut lanes = acc[0][0];
        for &lane in &acc[0][1..] {
            lanes = lanes.add(lane);
        }
        let mut counts = [V::int_zero(); F];
        for ((count, lanes), &r) in counts.iter_mut().zip(&acc).zip(&references) {
            for &lane in lanes {
                *count = V::int_add_difference(*count, lane, V::splat(r));
            }
        }
        let min = terms.watch(min[0], min[1]);
        (counts, Seen { max: max[0].max_abs(max[1]), rest: rest[0].or(rest[1]), lanes, min })
    }
}

/// Adds to a lane and gives what that did not take. The three additions are shared out between the adder's and the
/// multiplier's ports, in one of two ways.
#[inline(always)]
unsafe fn fold<V: Vector>(lane: &mut V, v: V, one: V, swap: bool) -> V {
    // SAFETY: the caller vouches for the room.
    unsafe {
        let before = *lane;
        if swap {
            *lane = before.add(v);
            before.sub_by_fma(*lane, one).add_by_fma(v, one)
        } else {
            *lane = before.add_by_fma(v, one);
            before.sub(*lane).add(v)
        }
    }
}

/// 1.5 times the power of two whose last place is `2^unit`.
pub(super) fn reference(unit: i32) -> f64 {
    f64::from_bits(((unit + 52 + 1023) as u64) << 52 | 1 << 51)
}

/// What became of a block.
#[derive(Clone, Copy, PartialEq)]
enum Tried {
    /// It is added.
    Done,
    /// Its values spread too far for a window.
    Spread,
    /// It may have specials, or values too large for a window.
    Special,
}

struct Sum<'a, V: Vector, A, const U: usize, const ABS: bool> {
    total: &'a mut A,
    counts: Counts,
    /// Folds in use.
    folds: usize,
    /// Blocks until fewer folds are tried again, and how many it will be the next time.
    wide: (u32, u32),
    /// Exponent of the unit of fold 0, and the power of two that values must stay below; 0 while there is no window.
    unit: i32,
    limit: f64,
    lanes: [V::Int; MOST_FOLDS],
    /// Blocks in `lanes`.
    blocks: usize,
}

impl<'a, V: Vector<Elem = f64>, A: Total, const U: usize, const ABS: bool> Sum<'a, V, A, U, ABS> {
    const STEP: usize = V::LANES * U;

    #[inline(always)]
    unsafe fn new(total: &'a mut A) -> Self {
        // SAFETY: passed on from the caller.
        let lanes = unsafe { [V::int_zero(); MOST_FOLDS] };
        Sum {
            total,
            counts: Counts::default(),
            folds: 0,
            wide: (0, WIDE_BLOCKS.0),
            unit: 0,
            limit: 0.0,
            lanes,
            blocks: 0,
        }
    }

    #[inline(always)]
    unsafe fn run<T: Summands<V>>(mut self, x: T, kind: Kind) {
        // SAFETY: passed on from the caller; blocks are whole rounds.
        unsafe {
            self.folds = T::FOLDS.0;
            let mut padding = no_padding();
            let mut scattered = T::none_scattered();
            let mut copy = MaybeUninit::<T::Copy>::uninit();
            let (mut skip, mut next_skip) = (0, 1);
            // Had the last block specials? Then the next one is cleaned at once.
            let mut specials = false;
            for part in x.blocks(Self::STEP, Self::STEP * T::ROUNDS, &mut padding) {
                if skip > 0 {
                    skip -= 1;
                    part.scatter(&mut scattered, self.total, kind, &mut self.counts);
                    continue;
                }
                let mut tried = if specials { Tried::Special } else { self.by_window(part) };
                if tried == Tried::Special {
                    let (clean, found) = part.clean(copy.as_mut_ptr(), self.total, kind, &mut self.counts);
                    specials = found;
                    tried = self.by_window(clean);
                    if tried != Tried::Done {
                        // The specials are counted: they must not be met again.
                        clean.scatter(&mut scattered, self.total, kind, &mut self.counts);
                    }
                } else if tried == Tried::Spread {
                    part.scatter(&mut scattered, self.total, kind, &mut self.counts);
                }
                if tried == Tried::Done {
                    next_skip = (next_skip / 2).max(1);
                } else {
                    skip = next_skip;
                    next_skip = (next_skip * 2 + 1).min(MAX_SKIP);
                }
            }
            self.drain();
            T::gather(&scattered, self.total);
            self.counts.summands = x.len() as u64;
            self.total.count_in(&self.counts);
        }
    }

    /// Adds a block by folds, or leaves it and says why.
    #[inline(always)]
    unsafe fn by_window<T: Summands<V>>(&mut self, x: T) -> Tried {
        // SAFETY: passed on from the caller.
        unsafe {
            let (narrow, wide) = T::FOLDS;
            if self.limit == 0.0 && !self.open(Self::max(x)) {
                return Tried::Special;
            }
            if self.folds == wide {
                if self.wide.0 == 0 {
                    self.refold(narrow);
                } else {
                    self.wide.0 -= 1;
                }
            }
            loop {
                let result = match (T::ROUNDED, self.folds == narrow) {
                    (false, true) => self.attempt::<T, 2>(x),
                    (false, false) => self.attempt::<T, 4>(x),
                    (true, true) => self.attempt::<T, 3>(x),
                    (true, false) => self.attempt::<T, 5>(x),
                };
                let Err(seen) = result else { return Tried::Done };
                if seen.max.reaches(V::splat(self.limit)) {
                    // The window was too low, or the values are too large for any, or infinite.
                    if !self.open(seen.max.max_lane()) {
                        return Tried::Special;
                    }
                } else if seen.lanes.has_nan() || !seen.rest.is_nonzero() {
                    // A NaN; or nothing is left, and still it is not all, since an error was lost.
                    return Tried::Special;
                } else if self.folds == narrow {
                    self.refold(wide);
                    self.wide = (self.wide.1, (self.wide.1 * 2).min(WIDE_BLOCKS.1));
                } else {
                    return Tried::Spread;
                }
            }
        }
    }

    /// Deposits a block in F folds and takes the counts, if they are all of it.
    #[inline(always)]
    unsafe fn attempt<T: Summands<V>, const F: usize>(&mut self, x: T) -> Result<(), Seen<V>> {
        // SAFETY: passed on from the caller.
        unsafe {
            let (counts, seen) = block::<V, T, U, F, ABS>(self.unit, x);
            if self.accept(&counts, &seen, x) { Ok(()) } else { Err(seen) }
        }
    }

    /// Takes the counts of a block if they are all of it. A NaN is never accepted: its rest is NaN.
    #[inline(always)]
    unsafe fn accept<const F: usize>(&mut self, counts: &[V::Int; F], seen: &Seen<V>, x: impl Summands<V>) -> bool {
        // SAFETY: passed on from the caller.
        unsafe {
            if seen.max.reaches(V::splat(self.limit)) || seen.rest.is_nonzero() || !x.errors_are_exact(seen.min) {
                return false;
            }
            for (total, &more) in self.lanes.iter_mut().zip(counts) {
                *total = V::int_add(*total, more);
            }
            self.blocks += 1;
            if self.blocks == BLOCKS_PER_DRAIN {
                self.drain();
            }
            true
        }
    }

    #[inline(always)]
    unsafe fn max(x: impl Summands<V>) -> f64 {
        // SAFETY: passed on from the caller; rounds are pairs of whole vectors.
        unsafe {
            let (mut a, mut b) = (V::splat(0.0), V::splat(0.0));
            for at in (0..x.len()).step_by(2 * V::LANES) {
                a = x.load(at).max_abs(a);
                b = x.load(at + V::LANES).max_abs(b);
            }
            a.max_abs(b).max_lane()
        }
    }

    /// Opens a window for values up to `max`, unless they are too large for one.
    #[inline(always)]
    unsafe fn open(&mut self, max: f64) -> bool {
        let Class::Finite { m, q } = classify(max) else { return false };
        let top = q + (64 - m.leading_zeros()) as i32 + SPARE;
        // SAFETY: passed on from the caller.
        unsafe { self.drain() };
        self.set_unit(top - (WIDTH - 1))
    }

    /// Changes the number of folds.
    #[inline(always)]
    unsafe fn refold(&mut self, folds: usize) {
        // SAFETY: passed on from the caller.
        unsafe { self.drain() };
        self.folds = folds;
        self.set_unit(self.unit);
    }

    fn set_unit(&mut self, unit: i32) -> bool {
        // The last fold needs a reference too.
        let unit = unit.max(f64::QMIN + WIDTH * (self.folds as i32 - 1));
        if unit > MAX_UNIT {
            return false;
        }
        self.unit = unit;
        self.limit = round_nearest(1, unit + WIDTH - 1);
        true
    }

    /// Moves the counts of the lanes to the accumulator.
    #[inline(always)]
    unsafe fn drain(&mut self) {
        if self.blocks == 0 {
            return;
        }
        for (k, total) in self.lanes.iter_mut().enumerate().take(self.folds) {
            // SAFETY: passed on from the caller.
            let sum = unsafe { V::int_sum(core::mem::replace(total, V::int_zero())) };
            self.total.add_scaled(sum as i128, self.unit - WIDTH * k as i32);
        }
        self.blocks = 0;
    }
}
