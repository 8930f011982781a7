//! The binned running sum: one pass that deposits a tile, adds up its lanes, and converts every prefix.
//!
//! In a tile each lane walks through `STEPS` neighbouring elements and keeps what it held after each of them. The
//! integer totals of the lanes, added up over the lanes and to the total before the tile, give the totals of every
//! prefix, which are converted side by side. All additions of the conversion are those of `samebits-core`, in their
//! order; the first three are one rounded conversion of an integer, since the first two of them are exact.
//!
//! A tile that the window does not hold, that has specials, or that comes after them, is done by the definition, up
//! to the element that raises the window. Memory: a tile on the stack.

use super::deposit::{fold, last_fold};
use super::tile::{STEPS, StoreTo, Tile};
use super::vector::{LoadFrom, prefetch_after};
use core::hint::black_box;
use core::slice;
use samebits_core::{Binned, Class, Counts, Float, bin_index, classify, round_nearest};

/// Tiles in one go: an element adds at most `2^(W-1)` units to a total and a tile has at most 64 elements, so totals
/// grow by less than `2^59` (`f32`: `2^32`).
const TILES: usize = 1 << 14;
/// The longest tile, in elements.
const LONGEST_TILE: usize = 64;
/// Elements whose outputs are all the same once there were specials, as a rule.
pub(super) const SPECIAL_BLOCK: usize = 1024;

/// A piece of input and the output of the same length: the same memory, or apart.
#[derive(Clone, Copy)]
pub(crate) struct Part<E> {
    pub(crate) x: *const E,
    pub(crate) y: *mut E,
    pub(crate) len: usize,
    /// Without the element itself.
    pub(crate) exclusive: bool,
}

impl<E> Part<E> {
    /// The elements `from .. from + len`.
    ///
    /// # Safety
    /// They must lie inside.
    pub(crate) unsafe fn piece(self, from: usize, len: usize) -> Self {
        // SAFETY: the caller vouches for the range.
        unsafe { Part { x: self.x.add(from), y: self.y.add(from), len, ..self } }
    }
}

/// Adds all inputs of `part` to `acc` and writes the value after (or before) each. `sum` is the room's sum.
///
/// # Safety
/// The machine has the room's instructions, the environment is the default one. The capacity was reserved. Inputs can
/// be read and outputs written, and they do not overlap unless they are the same.
#[inline(always)]
pub(crate) unsafe fn binned<V, E>(part: Part<E>, acc: &mut Binned<E>, sum: BinnedSum<E>)
where
    V: Tile + LoadFrom<E> + StoreTo<E>,
    E: Float,
{
    // SAFETY: passed on from the caller.
    unsafe {
        match (acc.folds(), part.exclusive) {
            (2, false) => run::<V, E, 2, false>(part, acc, sum),
            (3, false) => run::<V, E, 3, false>(part, acc, sum),
            (4, false) => run::<V, E, 4, false>(part, acc, sum),
            (2, true) => run::<V, E, 2, true>(part, acc, sum),
            (3, true) => run::<V, E, 3, true>(part, acc, sum),
            (4, true) => run::<V, E, 4, true>(part, acc, sum),
            _ => {
                let mut at = 0;
                while at < part.len {
                    at += slow(part.piece(at, (part.len - at).min(SPECIAL_BLOCK)), acc, sum);
                }
            }
        }
    }
}

/// A room's binned sum.
type BinnedSum<E> = unsafe fn(&[E], &mut Binned<E>);

#[inline(always)]
unsafe fn run<V, E, const K: usize, const EXCLUSIVE: bool>(part: Part<E>, acc: &mut Binned<E>, sum: BinnedSum<E>)
where
    V: Tile + LoadFrom<E> + StoreTo<E>,
    E: Float,
{
    let tile = STEPS * V::LANES;
    let mut at = 0;
    // SAFETY: passed on from the caller; pieces lie inside.
    unsafe {
        while at < part.len {
            let left = part.len - at;
            if let Some(base) = Base::<K>::of(acc) {
                let rest = part.piece(at, left);
                let mut pad = Pad::new();
                let whole = pad.fill(rest, tile);
                let done = if base.high == [0; K] {
                    tiles::<V, E, K, EXCLUSIVE, false>(whole, &base, acc, left)
                } else {
                    tiles::<V, E, K, EXCLUSIVE, true>(whole, &base, acc, left)
                };
                pad.empty(rest, tile, done);
                at += done;
                if done != 0 {
                    continue;
                }
            }
            let len = if special(acc) { SPECIAL_BLOCK } else { tile };
            at += slow(part.piece(at, len.min(left)), acc, sum);
        }
    }
}

/// A tile on the stack for what is shorter than one: zeros behind it change nothing.
pub(super) struct Pad<E> {
    x: [E; LONGEST_TILE],
    y: [E; LONGEST_TILE],
}

impl<E: Float> Pad<E> {
    pub(super) fn new() -> Self {
        Pad { x: [E::default(); LONGEST_TILE], y: [E::default(); LONGEST_TILE] }
    }

    /// The part itself, if it has a tile, else a padded copy.
    ///
    /// # Safety
    /// The inputs can be read.
    #[inline(always)]
    pub(super) unsafe fn fill(&mut self, part: Part<E>, tile: usize) -> Part<E> {
        if part.len >= tile {
            return part;
        }
        // SAFETY: the part is shorter than the array.
        unsafe { core::ptr::copy_nonoverlapping(part.x, self.x.as_mut_ptr(), part.len) };
        Part { x: self.x.as_ptr(), y: self.y.as_mut_ptr(), len: tile, ..part }
    }

    /// Copies the results of a padded part to where they belong.
    ///
    /// # Safety
    /// The outputs can be written, `done` of them.
    #[inline(always)]
    pub(super) unsafe fn empty(&self, part: Part<E>, tile: usize, done: usize) {
        if part.len < tile {
            // SAFETY: the caller vouches for the outputs, and there are fewer than the array has.
            unsafe { core::ptr::copy_nonoverlapping(self.y.as_ptr(), part.y, done) };
        }
    }
}

/// The totals before a tile, cut so that lanes of 64 bits hold what is added to them.
struct Base<const K: usize> {
    /// Carries that are kept apart: zero unless totals are large.
    high: [i64; K],
    low: [i64; K],
}

impl<const K: usize> Base<K> {
    /// The totals of `acc`, if its window is one for tiles: no special, no bin that is scaled or repeated.
    fn of<E: Float>(acc: &Binned<E>) -> Option<Self> {
        // The conversion of `f64` scales the bins near the top.
        const FIRST_PLAIN: usize = 4;
        let index = acc.index();
        if special(acc) || (E::BITS == 64 && index < FIRST_PLAIN) || index + K - 1 > E::MAX_INDEX {
            return None;
        }
        let carry_shift = E::PRECISION - 3;
        // With carries in it a total must stay an integer that the first steps of the conversion do not round.
        let small = if E::BITS == 64 { 1i128 << 60 } else { 1 << 50 };
        let largest = acc.totals().iter().map(|s| s.unsigned_abs()).max()?;
        let mut base = Base { high: [0; K], low: [0; K] };
        for (k, &s) in acc.totals().iter().enumerate() {
            if largest < small as u128 {
                base.low[k] = s as i64;
            } else {
                base.high[k] = (s >> carry_shift) as i64;
                base.low[k] = (s & ((1 << carry_shift) - 1)) as i64;
            }
        }
        // Carries become floats by way of small integers.
        (largest >> carry_shift < 1 << 50).then_some(base)
    }
}

/// The constants of a conversion.
struct Convert<V: Tile, const K: usize> {
    high: [V::Int; K],
    rest_mask: V::Int,
    rest_magic: [V; K],
    carry_unit: [V; K],
    unit: V,
}

impl<V: Tile, const K: usize> Convert<V, K> {
    #[inline(always)]
    unsafe fn new<E: Float>(index: usize, base: &Base<K>) -> Self {
        let power = |e: i32| round_nearest::<f64>(1, e);
        let shift = E::PRECISION as i32 - 3;
        let width = E::WIDTH as i32;
        // SAFETY: passed on from the caller.
        unsafe {
            let mut c = Convert {
                high: [V::int_splat(0); K],
                rest_mask: V::int_splat((1 << shift) - 1),
                rest_magic: [V::splat(0.0); K],
                carry_unit: [V::splat(0.0); K],
                unit: V::splat(power(E::unit_exponent(index))),
            };
            for k in 0..K {
                c.high[k] = V::int_splat(base.high[k]);
                c.rest_magic[k] = V::splat(power(52 - width * k as i32));
                c.carry_unit[k] = V::splat(power(shift - width * k as i32));
            }
            c
        }
    }

    /// The values of totals `s`, see `samebits_core::binned::convert`; in units of the first bin until the end.
    #[inline(always)]
    unsafe fn value<E: Float, const WIDE: bool>(&self, s: &[V::Int; K]) -> V {
        let shift = E::PRECISION - 3;
        // SAFETY: passed on from the caller.
        unsafe {
            let carry = |k: usize| {
                let carry = V::int_sar(s[k], shift);
                V::small_to_float(if WIDE { V::int_add(carry, self.high[k]) } else { carry })
            };
            let rest = |k: usize| V::low_bits(s[k], self.rest_mask, self.rest_magic[k]);
            let mut y = if WIDE {
                let y = carry(0).times(self.carry_unit[0]);
                carry(1).mul_add(self.carry_unit[1], y).add(rest(0))
            } else {
                // carry(0) and carry(1) add up without rounding, so that the integer sum is rounded once.
                let first = V::int_add(s[0], V::int_shl(V::int_sar(s[1], shift), shift - E::WIDTH));
                if E::BITS == 64 { V::int_to_float(first) } else { V::small_to_float(first) }
            };
            for k in 2..K {
                y = carry(k).mul_add(self.carry_unit[k], y).add(rest(k - 1));
            }
            y.add(rest(K - 1)).times(self.unit)
        }
    }
}

/// Does whole tiles while the window holds them, at most [`TILES`], and returns the number of elements done, of which no
/// more than `real` count.
#[inline(always)]
unsafe fn tiles<V, E, const K: usize, const EXCLUSIVE: bool, const WIDE: bool>(
    part: Part<E>,
    base: &Base<K>,
    acc: &mut Binned<E>,
    real: usize,
) -> usize
where
    V: Tile + LoadFrom<E> + StoreTo<E>,
    E: Float,
{
    let tile = STEPS * V::LANES;
    let index = acc.index();
    // SAFETY: passed on from the caller; tiles lie inside.
    unsafe {
        let convert = Convert::<V, K>::new::<E>(index, base);
        let limit = V::splat(round_nearest(1, E::unit_exponent(index) + E::WIDTH as i32 - 1));
        let one = V::splat(black_box(1.0));
        let sticky = V::splat(f64::from_bits(1));
        let mut references = [V::splat(0.0); K];
        let mut totals = [V::int_splat(0); K];
        for k in 0..K {
            references[k] = V::splat(round_nearest(3, E::unit_exponent(index + k) + 51));
            totals[k] = V::int_splat(base.low[k]);
        }
        let mut at = 0;
        for _ in 0..(part.len / tile).min(TILES) {
            let (x, y) = (part.x.add(at), part.y.add(at));
            let mut v = [V::splat(0.0); STEPS];
            let mut max = [V::splat(0.0); 2];
            for l in 0..V::LANES {
                for h in 0..STEPS / V::LANES {
                    let from = x.add(l * STEPS + h * V::LANES);
                    if h == 0 {
                        prefetch_after::<V, E>(from, 0);
                    }
                    let row = V::load_from(from);
                    max[l & 1] = row.max_abs(max[l & 1]);
                    v[h * V::LANES + l] = row;
                }
            }
            V::transpose(&mut v);
            let mut lanes = references;
            let mut held = [[V::splat(0.0); K]; STEPS];
            for s in 0..STEPS {
                if EXCLUSIVE {
                    held[s] = lanes;
                }
                let mut rest = v[s];
                for (k, lane) in lanes.iter_mut().enumerate() {
                    if k + 1 < K {
                        rest = fold(lane, rest, sticky, one, (s + k) & 1 == 1);
                    } else {
                        last_fold(lane, rest, sticky);
                    }
                }
                if !EXCLUSIVE {
                    held[s] = lanes;
                }
            }
            let max = max[0].max_abs(max[1]);
            if max.reaches(limit) || (!V::MAX_SEES_NAN && lanes[0].has_nan()) {
                break;
            }
            // What to add to the bits of a lane: the totals before it, less its reference.
            let mut before = totals;
            for k in 0..K {
                let own = V::int_sub(lanes[k].int_bits(), references[k].int_bits());
                let running = V::int_running(own);
                before[k] = V::int_sub(V::int_add(totals[k], running), lanes[k].int_bits());
                totals[k] = V::int_add(totals[k], V::int_splat(V::int_last(running)));
            }
            for s in 0..STEPS {
                let mut prefix = before;
                for k in 0..K {
                    prefix[k] = V::int_add(before[k], held[s][k].int_bits());
                }
                v[s] = convert.value::<E, WIDE>(&prefix);
            }
            V::transpose(&mut v);
            for l in 0..V::LANES {
                for h in 0..STEPS / V::LANES {
                    v[h * V::LANES + l].store_to(y.add(l * STEPS + h * V::LANES));
                }
            }
            at += tile;
        }
        let mut added = [0i128; K];
        for k in 0..K {
            added[k] = i128::from(V::int_last(totals[k])) - i128::from(base.low[k]);
        }
        let done = at.min(real);
        let counts = Counts { summands: done as u64, ..Counts::default() };
        acc.absorb(index, &added, counts).expect("the capacity was reserved");
        done
    }
}

fn special<E: Float>(acc: &Binned<E>) -> bool {
    Running::special(acc)
}

/// Elements one by one, up to the one that raises the window. Returns how many were done.
unsafe fn slow<E: Float>(part: Part<E>, acc: &mut Binned<E>, sum: BinnedSum<E>) -> usize {
    // SAFETY: passed on from the caller.
    unsafe {
        let raised = (0..part.len).map(|i| bin_or_last(*part.x.add(i))).min().unwrap_or(E::MAX_INDEX);
        let raises = raised < acc.index();
        by_definition(part, acc, sum, |acc| raises && acc.index() == raised)
    }
}

/// Bin of a finite value; specials are not deposited.
fn bin_or_last<E: Float>(x: E) -> usize {
    if matches!(classify(x), Class::Finite { .. }) { bin_index(x) } else { E::MAX_INDEX }
}

/// An accumulator that a running sum goes on from.
pub(super) trait Running<E: Float>: Copy {
    fn add(&mut self, x: E);
    fn value(&self) -> E;
    fn counts(&self) -> Counts;
    /// Were there NaNs or infinities?
    fn special(&self) -> bool {
        let Counts { nan, pos_inf, neg_inf, .. } = self.counts();
        nan + pos_inf + neg_inf != 0
    }
}

impl<E: Float> Running<E> for Binned<E> {
    fn add(&mut self, x: E) {
        self.deposit(x).expect("the capacity was reserved");
    }
    fn value(&self) -> E {
        Binned::value(self)
    }
    fn counts(&self) -> Counts {
        Binned::counts(self)
    }
}

/// Elements one by one, until `stop`; or all at once, if they do not change a special result. Returns how many were
/// done.
#[cold]
#[inline(never)]
pub(super) unsafe fn by_definition<E: Float, A: Running<E>>(
    part: Part<E>,
    acc: &mut A,
    sum: unsafe fn(&[E], &mut A),
    stop: impl Fn(&A) -> bool,
) -> usize {
    // SAFETY: passed on from the caller. The inputs are borrowed only while no output is written.
    unsafe {
        if acc.special() {
            let mut after = *acc;
            sum(slice::from_raw_parts(part.x, part.len), &mut after);
            let value = after.value();
            if value.bits() == acc.value().bits() {
                slice::from_raw_parts_mut(part.y, part.len).fill(value);
                *acc = after;
                return part.len;
            }
        }
        for i in 0..part.len {
            let x = *part.x.add(i);
            if part.exclusive {
                *part.y.add(i) = acc.value();
            }
            acc.add(x);
            if !part.exclusive {
                *part.y.add(i) = acc.value();
            }
            if stop(acc) {
                return i + 1;
            }
        }
        part.len
    }
}
