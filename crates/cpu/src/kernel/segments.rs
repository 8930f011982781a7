//! Sums of many segments, most of them short: without a window that is looked for, kept and converted in full.
//!
//! A segment of at most a block is deposited once in a window that begins at its own largest magnitude. Its totals then
//! fit 64 bits, and their conversion is the one of the definition in float additions (in double precision, in the same
//! order). Segments with specials, in the topmost bins, among the smallest numbers, and long ones go the long way.

use super::deposit::{ITERATIONS, fold, last_fold, reference};
use super::exact;
use super::vector::{LoadFrom, Vector};
use core::hint::black_box;
use samebits_core::{Binned, Class, Exact, Float, Kind, bin_index, classify, round_nearest};
use samebits_device::Mode;

/// Exact segments up to this length that the short way refuses are added one value at a time.
const FEW: usize = 16;

/// An element whose sums are converted by way of a double.
pub(crate) trait FromDouble: Float {
    /// The double, rounded to nearest even.
    fn from_double(x: f64) -> Self;
}

impl FromDouble for f64 {
    #[inline(always)]
    fn from_double(x: f64) -> f64 {
        x
    }
}

impl FromDouble for f32 {
    #[inline(always)]
    fn from_double(x: f64) -> f32 {
        x as f32
    }
}

/// The room's entries for sums of any length.
pub(crate) struct Long<T: Float> {
    pub(crate) binned: unsafe fn(&[T], &mut Binned<T>),
    pub(crate) exact: unsafe fn(&[T], &mut Exact<T>),
}

impl<T: Float> Long<T> {
    #[inline(never)]
    unsafe fn sum(&self, x: &[T], kind: Kind, mode: Mode) -> T {
        // SAFETY: passed on from the caller.
        unsafe {
            match mode.fold_count() {
                Some(folds) => {
                    let mut sum = Binned::with_kind(kind, folds).expect("a fold count that was checked");
                    (self.binned)(x, &mut sum);
                    sum.value()
                }
                None => {
                    let mut sum = Exact::with_kind(kind);
                    match x.len() {
                        0..=FEW => sum.extend(x).expect("a few summands"),
                        _ => (self.exact)(x, &mut sum),
                    }
                    sum.value()
                }
            }
        }
    }
}

/// `out[i]` becomes the sum of segment i of `x`. `V` has vectors of the element, `D` of doubles.
///
/// # Safety
/// The machine has the room's instructions, the environment is the default one. The offsets were checked.
#[inline(always)]
pub(crate) unsafe fn segments<V: Vector, D: LoadFrom<V::Elem>>(
    x: &[V::Elem],
    offsets: &[usize],
    (kind, mode): (Kind, Mode),
    out: &mut [V::Elem],
    long: &Long<V::Elem>,
) where
    V::Elem: FromDouble,
{
    // A macro, since a closure might not be inlined, and then lacks the room's instructions.
    macro_rules! each {
        ($short:expr) => {
            for (pair, slot) in offsets.windows(2).zip(out) {
                let x = &x[pair[0]..pair[1]];
                // SAFETY: passed on from the caller.
                let short: Option<V::Elem> = unsafe { $short(x) };
                *slot = match short {
                    Some(sum) => sum,
                    // SAFETY: passed on from the caller.
                    None => unsafe { long.sum(x, kind, mode) },
                };
            }
        };
    }
    match (mode.fold_count(), kind) {
        (Some(2), Kind::Sum) => each!(short::<V, 2>),
        (Some(3), Kind::Sum) => each!(short::<V, 3>),
        (Some(4), Kind::Sum) => each!(short::<V, 4>),
        (None, Kind::Sum) => each!(short_exact::<D, V::Elem>),
        _ => each!(none),
    }
}

/// No short way.
#[inline(always)]
unsafe fn none<T>(_x: &[T]) -> Option<T> {
    None
}

/// Deposits a vector in all folds.
#[inline(always)]
unsafe fn deposit<V: Vector, const F: usize>(acc: &mut [V; F], mut v: V, sticky: V, one: V) {
    for (k, lane) in acc.iter_mut().enumerate() {
        // SAFETY: passed on from the caller.
        unsafe {
            if k + 1 < F {
                v = fold(lane, v, sticky, one, k & 1 == 1);
            } else {
                last_fold(lane, v, sticky);
            }
        }
    }
}

/// Deposits a vector in two wide folds without a tie rule; gives what is left.
#[inline(always)]
unsafe fn deposit_exactly<V: Vector>(acc: &mut [V; 2], mut v: V, one: V) -> V {
    for lane in acc {
        let before = *lane;
        // SAFETY: passed on from the caller.
        unsafe {
            *lane = before.add(v);
            v = before.sub_by_fma(*lane, one).add_by_fma(v, one);
        }
    }
    v
}

/// The binned sum of a segment of at most a block of ordinary values, or nothing.
#[inline(always)]
unsafe fn short<V: Vector, const F: usize>(x: &[V::Elem]) -> Option<V::Elem>
where
    V::Elem: FromDouble,
{
    // Every lane takes one deposit less than a block's.
    if x.len() >= V::LANES * (ITERATIONS - 1) {
        return None;
    }
    let (head, tail) = x.split_at(x.len() / V::LANES * V::LANES);
    // SAFETY: the caller vouches for the room; the tail is shorter than a vector.
    unsafe {
        let zero = V::splat(V::Elem::default());
        let tail = V::load_first(tail.as_ptr(), tail.len());
        let mut max = tail.max_abs(zero);
        for part in head.chunks_exact(V::LANES) {
            max = V::load(part.as_ptr()).max_abs(max);
        }
        let max = max.max_lane();
        if max.bits() >= V::Elem::INFINITY.bits() {
            return None;
        }
        let index = bin_index(max);
        if !converts::<V::Elem, F>(index) {
            return None;
        }
        let sticky = V::splat(V::Elem::from_bits(1));
        let one = V::splat(black_box(round_nearest(1, 0)));
        let mut references = [zero; F];
        for (k, r) in references.iter_mut().enumerate() {
            *r = V::splat(reference(index, k, 0));
        }
        let mut acc = references;
        for part in head.chunks_exact(V::LANES) {
            deposit(&mut acc, V::load(part.as_ptr()), sticky, one);
        }
        deposit(&mut acc, tail, sticky, one);
        // Where the maximum does not see a NaN, it stays in its lane.
        if !V::MAX_SEES_NAN && acc[0].has_nan() {
            return None;
        }
        let mut totals = [0i64; F];
        for (k, total) in totals.iter_mut().enumerate() {
            *total = V::int_sum(V::int_add_difference(V::int_zero(), acc[k], references[k]));
        }
        Some(value(index, &totals))
    }
}

/// Can the window from bin `index` be converted by plain float additions? Not where the definition scales, nor where a
/// unit has no normal double.
#[inline(always)]
fn converts<T: Float, const F: usize>(index: usize) -> bool {
    let scaled = if T::BITS == 64 { 3 } else { 0 };
    index > scaled && T::unit_exponent(index + F - 1) >= -1022
}

/// 2^exponent, a normal double.
#[inline(always)]
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The definition's conversion (`core/binned/convert.rs`), for windows that `converts` accepts.
#[inline(always)]
fn value<T: FromDouble, const F: usize>(index: usize, totals: &[i64; F]) -> T {
    let shift = T::PRECISION as i32 - 3;
    // Both products are exact.
    let carry = |k: usize| (totals[k] >> shift) as f64 * power(T::unit_exponent(index + k) + shift);
    let rest = |k: usize| (totals[k] & ((1 << shift) - 1)) as f64 * power(T::unit_exponent(index + k));
    let mut y = carry(0);
    for k in 1..F {
        y = y + carry(k) + rest(k - 1);
    }
    T::from_double(y + rest(F - 1))
}

/// Bits of a fold of the exact sum.
const WIDTH: i32 = 45;

/// The exact sum of a segment of at most a block of ordinary values that two wide folds hold, or nothing.
#[inline(always)]
unsafe fn short_exact<V: LoadFrom<E>, E: Float>(x: &[E]) -> Option<E> {
    if x.len() >= V::LANES * (ITERATIONS - 1) {
        return None;
    }
    let (head, tail) = x.split_at(x.len() / V::LANES * V::LANES);
    // SAFETY: the caller vouches for the room; the tail is shorter than a vector.
    unsafe {
        let zero = V::splat(0.0);
        let tail = V::load_first_from(tail.as_ptr(), tail.len());
        let mut max = tail.max_abs(zero);
        for part in head.chunks_exact(V::LANES) {
            max = V::load_from(part.as_ptr()).max_abs(max);
        }
        let Class::Finite { m, q } = classify(max.max_lane()) else { return None };
        let top = q + (64 - m.leading_zeros()) as i32;
        let unit = (top - (WIDTH - 1)).max(f64::QMIN + WIDTH);
        // Rooms may leave the low half of the maximum open, so it may be a little below; a bit is to spare.
        if unit + 1 > exact::MAX_UNIT {
            return None;
        }
        let unit = unit + 1;
        let one = V::splat(black_box(1.0));
        let references = [unit, unit - WIDTH].map(|unit| V::splat(exact::reference(unit)));
        let mut acc = references;
        let mut left = zero;
        for part in head.chunks_exact(V::LANES) {
            left = left.or(deposit_exactly(&mut acc, V::load_from(part.as_ptr()), one));
        }
        left = left.or(deposit_exactly(&mut acc, tail, one));
        // What is left of a NaN is NaN.
        if left.is_nonzero() {
            return None;
        }
        let count = |k: usize| V::int_sum(V::int_add_difference(V::int_zero(), acc[k], references[k])) as i128;
        Some(round_nearest((count(0) << WIDTH) + count(1), unit - WIDTH))
    }
}
