//! The exact running sum: tiles as in `scan`, in two wide folds that need no tie rule.
//!
//! The first fold counts units, the second one `2^-48` of them; what is left of any value after both must be zero, or
//! the tile is done by the definition. The total of a prefix is then `T + L * 2^-48` with integers `T` and
//! `0 <= L < 2^48`, both exact floats, and one addition rounds it, once. `f32` takes that sum rounded to odd, which a
//! second rounding to fewer bits does not notice.
//!
//! Bits of the total before a window that lie below its units make all its prefixes a little larger: one odd bit below
//! `L` stands for them, if the prefix is not so small that they count. Memory: a tile on the stack.

use super::scan::{Pad, Part, Running, SPECIAL_BLOCK, by_definition};
use super::tile::{STEPS, StoreTo, Tile};
use super::vector::{LoadFrom, prefetch_after};
use core::hint::black_box;
use samebits_core::{Class, Counts, Exact, Float, classify, round_nearest};

/// Bits of the second fold. Eight of its digits, `2^47` at most, fit a lane, which holds `2^51` in each direction.
const WIDTH: i32 = 48;
/// Values are below `2^ROOM` units.
const ROOM: i32 = 33;
/// Spare bits between a tile's largest magnitude and the top of the window opened for it.
const SPARE: i32 = 2;
/// The total before is below `2^TOTAL` units.
const TOTAL: i32 = 51;
/// Tiles in one go: they add less than `2^(6 + ROOM + 12)`, so totals stay below `2^53`.
const TILES: usize = 1 << 12;
/// A prefix of fewer units than this is too small for an odd bit.
const SMALL: i64 = 1 << 8;
/// The largest exponent with a reference.
const MAX_UNIT: i32 = 971;
/// The most tiles that are done one by one before a window is tried again.
const MAX_SKIP: usize = 63;

impl<E: Float> Running<E> for Exact<E> {
    fn add(&mut self, x: E) {
        self.deposit(x).expect("the count was reserved");
    }
    fn value(&self) -> E {
        Exact::value(self)
    }
    fn counts(&self) -> Counts {
        Exact::counts(self)
    }
}

/// Adds all inputs of `part` to `acc` and writes the value after (or before) each. `sum` is the room's exact sum.
///
/// # Safety
/// As for [`super::scan::binned`].
#[inline(always)]
pub(crate) unsafe fn exact<V, E>(part: Part<E>, acc: &mut Exact<E>, sum: unsafe fn(&[E], &mut Exact<E>))
where
    V: Tile + LoadFrom<E> + StoreTo<E>,
    E: Float + Into<f64>,
{
    let tile = STEPS * V::LANES;
    let (mut at, mut skip, mut next_skip) = (0, 0, 1);
    // SAFETY: passed on from the caller; pieces lie inside.
    unsafe {
        while at < part.len {
            let left = part.len - at;
            if skip == 0 {
                let rest = part.piece(at, left);
                let mut pad = Pad::new();
                let whole = pad.fill(rest, tile);
                let done = match (Window::open::<E>(rest, tile.min(left), acc), part.exclusive) {
                    (None, _) => 0,
                    (Some(w), false) if w.odd => w.tiles::<V, E, false, true>(whole, acc, left),
                    (Some(w), false) => w.tiles::<V, E, false, false>(whole, acc, left),
                    (Some(w), true) if w.odd => w.tiles::<V, E, true, true>(whole, acc, left),
                    (Some(w), true) => w.tiles::<V, E, true, false>(whole, acc, left),
                };
                pad.empty(rest, tile, done);
                at += done;
                if done != 0 {
                    next_skip = (next_skip / 2).max(1);
                    continue;
                }
                skip = next_skip;
                next_skip = (next_skip * 2 + 1).min(MAX_SKIP);
            }
            skip = skip.saturating_sub(1);
            let len = if acc.special() { SPECIAL_BLOCK } else { tile };
            at += by_definition(part.piece(at, len.min(left)), acc, sum, |_| false);
        }
    }
}

/// Units of the folds, and the total before in them.
struct Window {
    /// Exponent of the unit.
    unit: i32,
    high: i64,
    low: i64,
    /// Are there bits below?
    odd: bool,
}

impl Window {
    /// A window for the first `len` elements of `part` and the total before them. `None` after specials, and near the top of the
    /// range.
    unsafe fn open<E: Float + Into<f64>>(part: Part<E>, len: usize, acc: &Exact<E>) -> Option<Window> {
        if acc.special() {
            return None;
        }
        let mut max = 0u64;
        for i in 0..len {
            // SAFETY: the caller vouches for them.
            let x: f64 = unsafe { *part.x.add(i) }.into();
            max = max.max(x.to_bits() << 1 >> 1);
        }
        let Class::Finite { m, q } = classify(f64::from_bits(max)) else { return None };
        let top = q + (64 - m.leading_zeros()) as i32;
        let unit = (top + SPARE - ROOM).max(acc.total_exponent() - TOTAL).max(E::QMIN + WIDTH);
        if unit > MAX_UNIT {
            return None;
        }
        let (total, exact) = acc.scaled_total(unit - WIDTH)?;
        Some(Window { unit, high: (total >> WIDTH) as i64, low: (total & ((1 << WIDTH) - 1)) as i64, odd: !exact })
    }

    /// Does whole tiles while the window holds them, at most [`TILES`], and returns the number of elements done, of
    /// which no more than `real` count.
    #[inline(always)]
    unsafe fn tiles<V, E, const EXCLUSIVE: bool, const ODD: bool>(
        self,
        part: Part<E>,
        acc: &mut Exact<E>,
        real: usize,
    ) -> usize
    where
        V: Tile + LoadFrom<E> + StoreTo<E>,
        E: Float,
    {
        let tile = STEPS * V::LANES;
        let power = |e: i32| round_nearest::<f64>(1, e);
        // SAFETY: passed on from the caller; tiles lie inside.
        unsafe {
            let zero = V::splat(0.0);
            let one = V::splat(black_box(1.0));
            let limit = V::splat(power(self.unit + ROOM));
            let references = [self.unit, self.unit - WIDTH].map(|unit| V::splat(round_nearest(3, unit + 51)));
            let low_mask = V::int_splat((1 << WIDTH) - 1);
            // With an odd bit, prefixes are counted in halves of the second fold's unit.
            let below = WIDTH + ODD as i32;
            let magic = V::splat(power(52));
            let high_unit = V::splat(power(below));
            let scale = V::splat(power(self.unit - below));
            let odd_bit = V::int_splat(1);
            let mut totals = [V::int_splat(self.high), V::int_splat(self.low)];
            let mut at = 0;
            for _ in 0..(part.len / tile).min(TILES) {
                let (x, y) = (part.x.add(at), part.y.add(at));
                let mut v = [zero; STEPS];
                let mut max = [zero; 2];
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
                let mut held = [[zero; 2]; STEPS];
                let mut lost = zero;
                for s in 0..STEPS {
                    if EXCLUSIVE {
                        held[s] = lanes;
                    }
                    let mut rest = v[s];
                    for lane in &mut lanes {
                        let before = *lane;
                        *lane = before.add(rest);
                        rest = before.sub_by_fma(*lane, one).add_by_fma(rest, one);
                    }
                    lost = lost.or(rest);
                    if !EXCLUSIVE {
                        held[s] = lanes;
                    }
                }
                // A NaN leaves a NaN.
                if max[0].max_abs(max[1]).reaches(limit) || lost.is_nonzero() {
                    break;
                }
                let mut before = totals;
                let mut after = totals;
                for k in 0..2 {
                    let running = V::int_running(V::int_sub(lanes[k].int_bits(), references[k].int_bits()));
                    before[k] = V::int_sub(V::int_add(totals[k], running), lanes[k].int_bits());
                    after[k] = V::int_add(totals[k], V::int_splat(V::int_last(running)));
                }
                let mut small = V::int_splat(0);
                for s in 0..STEPS {
                    let fine = V::int_add(before[1], held[s][1].int_bits());
                    let coarse = V::int_add(before[0], held[s][0].int_bits());
                    let t = V::int_add(coarse, V::int_sar(fine, WIDTH as u32));
                    let low = if ODD {
                        let low = V::int_shl(V::int_and(fine, low_mask), 1);
                        let near = V::int_greater(V::int_splat(SMALL), t);
                        small = V::int_or(small, V::int_and(near, V::int_greater(t, V::int_splat(-SMALL))));
                        V::int_or(low, odd_bit)
                    } else {
                        V::int_and(fine, low_mask)
                    };
                    // Below 2^52, so all of it is kept.
                    let low = V::low_bits(low, V::int_splat((1 << 52) - 1), magic);
                    let high = V::int_to_float(t).times(high_unit);
                    let sum = if E::BITS == 64 { high.add(low) } else { odd_sum(high, low) };
                    v[s] = sum.times(scale);
                }
                if ODD && V::int_any(small) {
                    break;
                }
                totals = [V::int_add(after[0], V::int_sar(after[1], WIDTH as u32)), V::int_and(after[1], low_mask)];
                V::transpose(&mut v);
                for l in 0..V::LANES {
                    for h in 0..STEPS / V::LANES {
                        v[h * V::LANES + l].store_to(y.add(l * STEPS + h * V::LANES));
                    }
                }
                at += tile;
            }
            let added = [V::int_last(totals[0]) - self.high, V::int_last(totals[1]) - self.low];
            acc.add_scaled(i128::from(added[0]), self.unit);
            acc.add_scaled(i128::from(added[1]), self.unit - WIDTH);
            let done = at.min(real);
            acc.count_in(&Counts { summands: done as u64, ..Counts::default() }).expect("the count was reserved");
            done
        }
    }
}

/// `high + low` rounded to odd: if it is not exact, of the two neighbours the one whose last bit is set. `high` is zero
/// or the larger one.
#[inline(always)]
unsafe fn odd_sum<V: Tile>(high: V, low: V) -> V {
    // SAFETY: passed on from the caller.
    unsafe {
        let sum = high.add(low);
        let error = low.sub(sum.sub(high));
        let (sum_bits, error_bits) = (sum.int_bits(), error.int_bits());
        let inexact = V::int_greater(error.abs().int_bits(), V::int_splat(0));
        let even = V::int_sub(V::int_and(sum_bits, V::int_splat(1)), V::int_splat(1));
        // Away from zero if sum and error have one sign, else towards it.
        let signs = V::int_sub(V::int_or(sum_bits, error_bits), V::int_and(sum_bits, error_bits));
        let step = V::int_or(V::int_sar(signs, 63), V::int_splat(1));
        V::from_int_bits(V::int_add(sum_bits, V::int_and(step, V::int_and(even, inexact))))
    }
}
