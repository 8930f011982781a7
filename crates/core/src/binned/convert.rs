//! From totals to a float, by integer operations: the additions below are IEEE additions in double precision, rounded
//! to nearest even, and their order is part of the bits.

use crate::format::{Class, Float, Round, add, classify, encode, round_nearest, scale};

/// Bins from this one up are summed scaled by `2^-SCALE` in `f64`, where a partial sum could overflow.
const SCALED_BINS: usize = 3 * 53 / 40;
const SCALE: i32 = 2 * 53 - 40;

/// The two parts of fold k: the carry `S >> (p-3)` and the rest `S mod 2^(p-3)`, as doubles; both are exact.
struct Parts<'a, T> {
    index: usize,
    totals: &'a [i128],
    float: core::marker::PhantomData<T>,
}

impl<T: Float> Parts<'_, T> {
    const CARRY_SHIFT: u32 = T::PRECISION - 3;

    fn carry(&self, k: usize, power: i32) -> f64 {
        let unit = T::unit_exponent(self.index + k) + Self::CARRY_SHIFT as i32;
        round_nearest(self.totals[k] >> Self::CARRY_SHIFT, unit + power)
    }

    fn rest(&self, k: usize, power: i32) -> f64 {
        let rest = self.totals[k] & ((1 << Self::CARRY_SHIFT) - 1);
        round_nearest(rest, T::unit_exponent(self.index + k) + power)
    }
}

/// The value of finite totals whose window begins at `index`.
pub(super) fn value<T: Float>(index: usize, totals: &[i128]) -> T {
    let folds = totals.len();
    let parts = Parts::<T> { index, totals, float: core::marker::PhantomData };
    // f32 never overflows a double, so it is never scaled.
    let scaled_bins = if T::BITS == 64 { SCALED_BINS } else { 0 };
    let scaled = T::BITS == 64 && index <= scaled_bins;
    let power = if scaled { -SCALE } else { 0 };

    let mut y = parts.carry(0, power);
    let mut k = 1;
    if index == 0 {
        y = add(y, parts.carry(1, power));
        y = add(y, parts.rest(0, power));
        k = 2;
    }
    if scaled {
        let last_scaled = folds.min(scaled_bins - index);
        while k < last_scaled {
            y = add(y, parts.carry(k, power));
            y = add(y, parts.rest(k - 1, power));
            k += 1;
        }
        if k == folds {
            y = add(y, parts.rest(folds - 1, power));
            return T::from_bits(scale(y, SCALE).bits());
        }
        y = scale(y, SCALE);
        if matches!(classify(y), Class::PosInf | Class::NegInf) {
            return T::from_bits(y.bits());
        }
    }
    while k < folds {
        y = add(y, parts.carry(k, 0));
        y = add(y, parts.rest(k - 1, 0));
        k += 1;
    }
    y = add(y, parts.rest(folds - 1, 0));
    match classify(y) {
        Class::Finite { m, q } => round_nearest(m as i128, q),
        Class::PosInf => T::INFINITY,
        _ => T::from_bits(T::INFINITY.bits() | 1 << (T::BITS - 1)),
    }
}

/// The sum of two nonnegative doubles, rounded up.
pub(super) fn add_away(a: f64, b: f64) -> f64 {
    let (Class::Finite { m: ma, q: qa }, Class::Finite { m: mb, q: qb }) = (classify(a), classify(b)) else {
        return f64::INFINITY;
    };
    let ((ma, qa), (mb, qb)) = if qa >= qb { ((ma, qa), (mb, qb)) } else { ((mb, qb), (ma, qa)) };
    let (gap, ma, mb) = ((qa - qb) as u32, ma as u128, mb as u128);
    let (sum, unit) = if gap <= 64 {
        ((ma << gap) + mb, qb)
    } else if ma == 0 {
        (mb, qb)
    } else {
        // Whatever the smaller one is, it is less than one unit here.
        ((ma << 64) + (mb != 0) as u128, qa - 64)
    };
    f64::from_bits(encode::<f64>(false, sum, unit, Round::Away).0)
}
