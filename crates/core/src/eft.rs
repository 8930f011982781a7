//! Error-free transformations: a rounded result and the exact error beside it.
//!
//! Done by integers, so that no rounding mode, flushed subnormal or contraction can spoil the error term.

use crate::format::{Class, Float, Round, classify, encode, round_nearest};

/// `(s, e)` with `s` the rounded sum and `a + b == s + e` exactly. After overflow, or with a special operand, `e` is NaN.
///
/// ```
/// let (s, e) = samebits_core::eft::two_sum(1e16, 1.0);
/// assert_eq!((s, e), (1e16, 1.0));
/// ```
pub fn two_sum<T: Float>(a: T, b: T) -> (T, T) {
    let sum = add(a, b);
    if !matches!(classify(sum), Class::Finite { .. }) {
        return (sum, T::NAN);
    }
    // Knuth's six operations; each is exact IEEE arithmetic, and the error of a rounded sum is always representable.
    let b_part = add(sum, negate(a));
    let a_part = add(sum, negate(b_part));
    (sum, add(add(a, negate(a_part)), add(b, negate(b_part))))
}

/// The product of two finite values as an exact integer `m` and the exponent `q` of its unit: `a * b == m * 2^q`.
/// `None` if an operand is special.
///
/// ```
/// assert_eq!(samebits_core::eft::exact_prod(1.5f32, -2.0), Some((-3 << 45, -45)));
/// assert_eq!(samebits_core::eft::exact_prod(0.0, f64::INFINITY), None);
/// ```
#[inline]
pub fn exact_prod<T: Float>(a: T, b: T) -> Option<(i128, i32)> {
    match (classify(a), classify(b)) {
        (Class::Finite { m: ma, q: qa }, Class::Finite { m: mb, q: qb }) => Some((ma as i128 * mb as i128, qa + qb)),
        _ => None,
    }
}

/// The product rounded to nearest, ties to even: IEEE multiplication by integers alone. Any NaN is canonical.
///
/// ```
/// assert_eq!(samebits_core::eft::prod(0.1f64, 0.3), 0.1 * 0.3);
/// ```
pub fn prod<T: Float>(a: T, b: T) -> T {
    let negative = (a.bits() ^ b.bits()) >> (T::BITS - 1) == 1;
    let magnitude = match (exact_prod(a, b), classify(a), classify(b)) {
        (Some((m, q)), ..) => T::from_bits(encode::<T>(false, m.unsigned_abs(), q, Round::Nearest).0),
        (_, Class::Nan, _) | (_, _, Class::Nan) => return T::NAN,
        (_, Class::Finite { m: 0, .. }, _) | (_, _, Class::Finite { m: 0, .. }) => return T::NAN,
        _ => T::INFINITY,
    };
    if negative { negate(magnitude) } else { magnitude }
}

/// `(p, e)` with `p` the rounded product and, if it can be represented, the error `e = a * b - p`.
///
/// The error is lost (`None`) where the product overflows or an operand is special, and where bits of the product lie
/// below the smallest subnormal: for `f64` that can happen once the product is below `2^-969`, for `f32` below `2^-102`.
///
/// ```
/// use samebits_core::eft::two_prod;
/// let x = 1.0 + f64::EPSILON;
/// assert_eq!(two_prod(x, x), (1.0 + 2.0 * f64::EPSILON, Some(f64::EPSILON * f64::EPSILON)));
/// assert_eq!(two_prod(1e-200, 1e-120).1, None);
/// ```
pub fn two_prod<T: Float>(a: T, b: T) -> (T, Option<T>) {
    let product = prod(a, b);
    let (Some((exact, exponent)), Class::Finite { m, q }) = (exact_prod(a, b), classify(product)) else {
        return (product, None);
    };
    // The error in units of the exact product; if the product underflowed, its unit may be far above them.
    let error = if m == 0 {
        exact
    } else if q >= exponent {
        exact - ((m as i128) << (q - exponent))
    } else {
        // The product is exact and was normalised by a shift to the left.
        0
    };
    // No error keeps the sign of the product.
    let negative = if error == 0 { product.bits() >> (T::BITS - 1) == 1 } else { error < 0 };
    let (bits, lossless) = encode::<T>(negative, error.unsigned_abs(), exponent, Round::Nearest);
    (product, lossless.then(|| T::from_bits(bits)))
}

fn negate<T: Float>(x: T) -> T {
    T::from_bits(x.bits() ^ 1 << (T::BITS - 1))
}

/// The sum of two values, rounded to nearest, ties to even: IEEE addition by integers alone. Any NaN is canonical.
fn add<T: Float>(a: T, b: T) -> T {
    let ((ma, qa), (mb, qb)) = match (classify(a), classify(b)) {
        (Class::Finite { m: ma, q: qa }, Class::Finite { m: mb, q: qb }) => {
            if ma == 0 && mb == 0 {
                // -0 + -0 is -0; every other sum of zeros is +0.
                return T::from_bits(a.bits() & b.bits());
            }
            ((ma as i128, qa), (mb as i128, qb))
        }
        (Class::Nan, _) | (_, Class::Nan) => return T::NAN,
        (Class::PosInf, Class::NegInf) | (Class::NegInf, Class::PosInf) => return T::NAN,
        (Class::Finite { .. }, _) => return b,
        _ => return a,
    };
    let ((ma, qa), (mb, qb)) = if qa >= qb { ((ma, qa), (mb, qb)) } else { ((mb, qb), (ma, qa)) };
    let gap = qa - qb;
    if gap <= 64 {
        return round_nearest((ma << gap) + mb, qb);
    }
    if ma == 0 {
        return round_nearest(mb, qb);
    }
    // The smaller term lies below the 64 guard bits in part: what is cut off leaves a sticky bit.
    let cut = (gap - 64).min(100) as u32;
    let sticky = (mb & ((1 << cut) - 1) != 0) as i128;
    round_nearest(((ma << 64) + (mb >> cut)) | sticky, qa - 64)
}
