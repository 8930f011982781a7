//! The exact sum: two wide folds, and the proof that they lost nothing.
//!
//! A fold of 45 bits needs no tie rule: whichever way the addition rounds, the rest is exact. Two folds hold 90 bits
//! below the largest magnitude of a block, all that most data have. Whether that was enough is known afterwards: the
//! bitwise OR of what is left of every value is zero, or the block is not accepted. A block with specials is cleaned first. It is then done again with four
//! folds; if that fails too, its values go to a table with one counter for each sign and exponent. How many folds the
//! next block begins with follows from what the last ones needed, and while the table is in use, only now and then a
//! block is tried the fast way again.
//!
//! Cost grows linearly; memory: the table, 48 KiB of stack, touched only when needed.

use super::clean::copy_clean;
use super::table::Table;
use super::vector::{LoadFrom, Vector, prefetch_after};
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::slice;
use samebits_core::{Class, Counts, Exact, Float, Kind, classify, round_nearest};

/// Bits of a fold.
const WIDTH: i32 = 45;
/// Rounds of a block: a lane holds `2^51` units in each direction, and a value has at most `2^44`.
const ROUNDS: usize = 64;
/// A block adds at most `U * 2^50 <= 2^52` to a lane of the counts, and a sum of 8 lanes must fit 63 bits.
const BLOCKS_PER_DRAIN: usize = 100;
/// The largest exponent with a reference: `unit + 52` must be below `f64::EMAX`.
const MAX_UNIT: i32 = 971;
/// Spare bits between a block's largest magnitude and the top of the window opened for it.
const SPARE: i32 = 2;
/// Blocks that stay with four folds before two are tried again: at first, and at most.
const WIDE_BLOCKS: (u32, u32) = (8, 256);
/// The most blocks that go to the table before a window is tried again.
const MAX_SKIP: u32 = 63;
/// The longest round, in elements.
const LONGEST_STEP: usize = 32;

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
            Kind::Sum => Sum::<V, E, U, false>::new(acc).run(x, kind),
            _ => Sum::<V, E, U, true>::new(acc).run(x, kind),
        }
    }
}

/// What a block left and showed.
struct Seen<V> {
    max: V,
    rest: V,
    /// The sum of the lanes of the first fold, where a NaN stays.
    lanes: V,
}

/// Deposits a block in F folds whose unit begins at `2^unit`.
#[inline(always)]
unsafe fn block<V: LoadFrom<E>, E, const U: usize, const F: usize, const ABS: bool>(
    unit: i32,
    p: *const E,
    rounds: usize,
) -> ([V::Int; F], Seen<V>) {
    // SAFETY: the caller vouches for the room; `p` holds `rounds * U` vectors.
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
        for i in 0..rounds {
            for u in 0..U {
                let at = (i * U + u) * V::LANES;
                prefetch_after::<V, E>(p.wrapping_add(at), u);
                let mut v = V::load_from(p.add(at));
                max[u & 1] = v.max_abs(max[u & 1]);
                if ABS {
                    v = v.abs();
                }
                for (k, lanes) in acc.iter_mut().enumerate() {
                    // The three additions are shared out between the adder's and the multiplier's ports.
                    let before = lanes[u];
                    if (u + k) & 1 == 0 {
                        lanes[u] = before.add(v);
                        v = before.sub_by_fma(lanes[u], one).add_by_fma(v, one);
                    } else {
                        lanes[u] = before.add_by_fma(v, one);
                        v = before.sub(lanes[u]).add(v);
                    }
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
        (counts, Seen { max: max[0].max_abs(max[1]), rest: rest[0].or(rest[1]), lanes })
    }
}

/// 1.5 times the power of two whose last place is `2^unit`.
fn reference(unit: i32) -> f64 {
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

struct Sum<'a, V: Vector, E: Float, const U: usize, const ABS: bool> {
    acc: &'a mut Exact<E>,
    counts: Counts,
    /// Folds in use: 2 or 4.
    folds: usize,
    /// Blocks until two folds are tried again, and how many it will be the next time.
    wide: (u32, u32),
    /// Exponent of the unit of fold 0, and the power of two that values must stay below; 0 while there is no window.
    unit: i32,
    limit: f64,
    lanes: [V::Int; 4],
    /// Blocks in `lanes`.
    blocks: usize,
}

impl<'a, V: LoadFrom<E>, E: Float + Into<f64>, const U: usize, const ABS: bool> Sum<'a, V, E, U, ABS> {
    const STEP: usize = V::LANES * U;

    #[inline(always)]
    unsafe fn new(acc: &'a mut Exact<E>) -> Self {
        // SAFETY: passed on from the caller.
        let lanes = unsafe { [V::int_zero(); 4] };
        Sum {
            acc,
            counts: Counts::default(),
            folds: 2,
            wide: (0, WIDE_BLOCKS.0),
            unit: 0,
            limit: 0.0,
            lanes,
            blocks: 0,
        }
    }

    #[inline(always)]
    unsafe fn run(mut self, x: &[E], kind: Kind) {
        // SAFETY: passed on from the caller; blocks are whole rounds.
        unsafe {
            let (head, tail) = x.split_at(x.len() / Self::STEP * Self::STEP);
            let mut padded = [E::default(); LONGEST_STEP];
            padded[..tail.len()].copy_from_slice(tail);
            let padded = if tail.is_empty() { &[] } else { &padded[..Self::STEP] };
            let mut table = Table::new();
            let mut copy = [MaybeUninit::<f64>::uninit(); LONGEST_STEP * ROUNDS];
            let (mut skip, mut next_skip) = (0, 1);
            // Had the last block specials? Then the next one is cleaned at once.
            let mut specials = false;
            for part in head.chunks(Self::STEP * ROUNDS).chain(padded.chunks(Self::STEP)) {
                if skip > 0 {
                    skip -= 1;
                    table.add(part, kind, &mut self.counts);
                    continue;
                }
                let mut tried = if specials { Tried::Special } else { self.by_window(part) };
                if tried == Tried::Special {
                    let before = self.counts;
                    let to = copy.as_mut_ptr().cast();
                    copy_clean::<V, E>(part, V::load_from, to, kind, &mut self.counts);
                    specials = self.counts != before;
                    tried = self.by_window::<f64>(slice::from_raw_parts(to, part.len()));
                    if tried != Tried::Done {
                        // The specials are counted: the table must not meet them again.
                        table.add::<f64>(slice::from_raw_parts(to, part.len()), kind, &mut self.counts);
                    }
                } else if tried == Tried::Spread {
                    table.add(part, kind, &mut self.counts);
                }
                if tried == Tried::Done {
                    next_skip = (next_skip / 2).max(1);
                } else {
                    skip = next_skip;
                    next_skip = (next_skip * 2 + 1).min(MAX_SKIP);
                }
            }
            self.drain();
            table.drain(&mut *self.acc);
            self.counts.summands = x.len() as u64;
            self.acc.count_in(&self.counts).expect("the count was reserved");
        }
    }

    /// Adds a block by folds, or leaves it and says why.
    #[inline(always)]
    unsafe fn by_window<X>(&mut self, x: &[X]) -> Tried
    where
        V: LoadFrom<X>,
    {
        // SAFETY: passed on from the caller.
        unsafe {
            let rounds = x.len() / Self::STEP;
            if self.limit == 0.0 && !self.open(Self::max(x)) {
                return Tried::Special;
            }
            if self.folds == 4 {
                if self.wide.0 == 0 {
                    self.refold(2);
                } else {
                    self.wide.0 -= 1;
                }
            }
            loop {
                let seen = if self.folds == 2 {
                    let (counts, seen) = block::<V, X, U, 2, ABS>(self.unit, x.as_ptr(), rounds);
                    if self.accept(&counts, &seen) {
                        return Tried::Done;
                    }
                    seen
                } else {
                    let (counts, seen) = block::<V, X, U, 4, ABS>(self.unit, x.as_ptr(), rounds);
                    if self.accept(&counts, &seen) {
                        return Tried::Done;
                    }
                    seen
                };
                if seen.max.reaches(V::splat(self.limit)) {
                    // The window was too low, or the values are too large for any, or infinite.
                    if !self.open(seen.max.max_lane()) {
                        return Tried::Special;
                    }
                } else if seen.lanes.has_nan() {
                    return Tried::Special;
                } else if self.folds == 2 {
                    self.refold(4);
                    self.wide = (self.wide.1, (self.wide.1 * 2).min(WIDE_BLOCKS.1));
                } else {
                    return Tried::Spread;
                }
            }
        }
    }

    /// Takes the counts of a block if they are all of it. A NaN is never accepted: its rest is NaN.
    #[inline(always)]
    unsafe fn accept<const F: usize>(&mut self, counts: &[V::Int; F], seen: &Seen<V>) -> bool {
        // SAFETY: passed on from the caller.
        unsafe {
            if seen.max.reaches(V::splat(self.limit)) || seen.rest.is_nonzero() {
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
    unsafe fn max<X>(x: &[X]) -> f64
    where
        V: LoadFrom<X>,
    {
        // SAFETY: passed on from the caller; rounds are pairs of whole vectors.
        unsafe {
            let (mut a, mut b) = (V::splat(0.0), V::splat(0.0));
            for pair in x.chunks_exact(2 * V::LANES) {
                a = V::load_from(pair.as_ptr()).max_abs(a);
                b = V::load_from(pair.as_ptr().add(V::LANES)).max_abs(b);
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
            self.acc.add_scaled(sum as i128, self.unit - WIDTH * k as i32);
        }
        self.blocks = 0;
    }
}
