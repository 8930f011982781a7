//! From totals to a float, by integer operations: the additions below are IEEE additions in double precision, rounded
//! to nearest even, and their order is part of the bits.

use crate::format::{Class, Float, Round, classify, encode, round_nearest, shorten};

/// Bins from this one up are summed scaled by `2^-SCALE` in `f64`, where a partial sum could overflow.
const SCALED_BINS: usize = 3 * 53 / 40;
const SCALE: i32 = 2 * 53 - 40;

/// A finite double `m * 2^q` whose exponent knows no bounds, `|m| <= 2^53`. All that is added here are multiples of the
/// last bin's unit, so no sum is rounded at the lower end of the range; the upper end is seen to by the scaling.
#[derive(Clone, Copy)]
struct Double {
    m: i64,
    q: i32,
}

impl Double {
    /// `m * 2^q` for `|m| <= 2^53`, which is exact.
    fn exact(m: i128, q: i32) -> Double {
        debug_assert!(m.unsigned_abs() <= 1 << 53);
        Double { m: m as i64, q }
    }

    /// The sum, rounded to 53 bits, to nearest, ties to even.
    fn plus(self, other: Double) -> Double {
        if self.m == 0 {
            return other;
        }
        if other.m == 0 {
            return self;
        }
        let (high, low) = if self.q >= other.q { (self, other) } else { (other, self) };
        let gap = (high.q - low.q) as u32;
        let (sum, q) = if gap <= 64 {
            (((high.m as i128) << gap) + low.m as i128, low.q)
        } else {
            // The lower one lies below the 64 guard bits in part: what is cut off leaves a sticky bit.
            let cut = (gap - 64).min(62);
            let sticky = (low.m & ((1 << cut) - 1) != 0) as i128;
            ((((high.m as i128) << 64) + (low.m >> cut) as i128) | sticky, high.q - 64)
        };
        let (m, shift) = shorten(sum.unsigned_abs(), 53);
        Double { m: if sum < 0 { -(m as i64) } else { m as i64 }, q: q + shift }
    }

    fn scaled(self, power: i32) -> Double {
        Double { q: self.q + power, ..self }
    }

    fn rounded<T: Float>(self) -> T {
        round_nearest(self.m as i128, self.q)
    }
}

/// The value of finite totals whose window begins at `index`.
pub(crate) fn value<T: Float>(index: usize, totals: &[i128]) -> T {
    let folds = totals.len();
    // The two parts of fold k: the carry `S >> (p-3)` and the rest `S mod 2^(p-3)`, as doubles; both are exact.
    let carry_shift = T::PRECISION - 3;
    let carry = |k: usize, power: i32| {
        let unit = T::unit_exponent(index + k) + carry_shift as i32;
        Double::exact(totals[k] >> carry_shift, unit + power)
    };
    let rest = |k: usize, power: i32| {
        let rest = totals[k] & ((1 << carry_shift) - 1);
        Double::exact(rest, T::unit_exponent(index + k) + power)
    };
    // f32 never overflows a double, so it is never scaled.
    let scaled = T::BITS == 64 && index <= SCALED_BINS;
    let power = if scaled { -SCALE } else { 0 };

    let mut y = carry(0, power);
    let mut k = 1;
    if index == 0 {
        y = y.plus(carry(1, power)).plus(rest(0, power));
        k = 2;
    }
    if scaled {
        while k < folds.min(SCALED_BINS - index) {
            y = y.plus(carry(k, power)).plus(rest(k - 1, power));
            k += 1;
        }
        if k == folds {
            return y.plus(rest(folds - 1, power)).scaled(SCALE).rounded();
        }
        y = y.scaled(SCALE);
        let so_far: T = y.rounded();
        if !matches!(classify(so_far), Class::Finite { .. }) {
            return so_far;
        }
    }
    while k < folds {
        y = y.plus(carry(k, 0)).plus(rest(k - 1, 0));
        k += 1;
    }
    y.plus(rest(folds - 1, 0)).rounded()
}

/// The sum of two nonnegative doubles, rounded up.
pub(crate) fn add_away(a: f64, b: f64) -> f64 {
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
