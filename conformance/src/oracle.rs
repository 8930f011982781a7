//! Exact results by arithmetic on big integers, rounded once at the end.
//!
//! It shares nothing with the code under test but the bit patterns: its integers, quotients and roots are those of a library.

use crate::Bits;
use num_bigint::{BigInt, BigUint, Sign};

/// A value: finite, `m * 2^q` with `q` the exponent of the smallest subnormal, or special.
enum Value {
    Finite(BigInt),
    Infinite { negative: bool },
    Nan,
}

fn lowest<T: Bits>() -> i64 {
    1 - i64::from(T::BIAS) - i64::from(T::MANTISSA)
}

fn infinity<T: Bits>() -> u64 {
    ((1 << (T::WIDTH - 1 - T::MANTISSA)) - 1) << T::MANTISSA
}

fn nan<T: Bits>() -> T {
    T::from_pattern(infinity::<T>() | 1 << (T::MANTISSA - 1))
}

fn decode<T: Bits>(x: T) -> Value {
    let sign = 1u64 << (T::WIDTH - 1);
    let (negative, magnitude) = (x.pattern() & sign != 0, x.pattern() & !sign);
    if magnitude >= infinity::<T>() {
        return if magnitude == infinity::<T>() { Value::Infinite { negative } } else { Value::Nan };
    }
    let (field, fraction) = (magnitude >> T::MANTISSA, magnitude & ((1 << T::MANTISSA) - 1));
    let m = if field == 0 { BigInt::from(fraction) } else { BigInt::from(fraction | 1 << T::MANTISSA) << (field - 1) };
    Value::Finite(if negative { -m } else { m })
}

/// What the specials among products or values decide.
#[derive(Default)]
struct Specials {
    nan: bool,
    positive: bool,
    negative: bool,
}

impl Specials {
    fn result<T: Bits>(&self) -> Option<T> {
        let sign = |negative: bool| u64::from(negative) << (T::WIDTH - 1);
        match (self.nan, self.positive, self.negative) {
            (false, false, false) => None,
            (false, positive, negative) if positive != negative => {
                Some(T::from_pattern(infinity::<T>() | sign(negative)))
            }
            _ => Some(nan()),
        }
    }

    fn infinite(&mut self, negative: bool) {
        *(if negative { &mut self.negative } else { &mut self.positive }) = true;
    }
}

/// The exact sum of the products, rounded once.
pub fn dot<T: Bits>(x: &[T], y: &[T]) -> T {
    assert_eq!(x.len(), y.len());
    let (mut total, mut specials) = (BigInt::ZERO, Specials::default());
    for (&a, &b) in x.iter().zip(y) {
        let is_zero = |m: &BigInt| m.sign() == Sign::NoSign;
        match (decode(a), decode(b)) {
            (Value::Finite(a), Value::Finite(b)) => total += a * b,
            (Value::Nan, _) | (_, Value::Nan) => specials.nan = true,
            (Value::Infinite { negative: a }, Value::Infinite { negative: b }) => specials.infinite(a != b),
            (Value::Finite(m), Value::Infinite { negative }) | (Value::Infinite { negative }, Value::Finite(m)) => {
                if is_zero(&m) {
                    specials.nan = true;
                } else {
                    specials.infinite(negative != (m.sign() == Sign::Minus));
                }
            }
        }
    }
    specials.result().unwrap_or_else(|| rounded(total, BigUint::from(1u32), 2 * lowest::<T>()))
}

/// The variance with `n - ddof` in its denominator, exact and rounded once.
pub fn variance<T: Bits>(x: &[T], ddof: u64) -> T {
    match spread(x, ddof) {
        Some((numerator, denominator)) => rounded(numerator.into(), denominator, 2 * lowest::<T>()),
        None => nan(),
    }
}

/// The square root of the exact variance, rounded once.
pub fn std_dev<T: Bits>(x: &[T], ddof: u64) -> T {
    let Some((numerator, denominator)) = spread(x, ddof) else { return nan() };
    // The root of a fraction to 200 more binary digits than the smallest subnormal; then where it really lies.
    let digits = 200u32;
    let root = ((&numerator << (2 * digits)) / &denominator).sqrt();
    let exact = &root * &root * &denominator == numerator << (2 * digits);
    let sticky = (root << 1u32) + u32::from(!exact);
    rounded(sticky.into(), BigUint::from(1u32), lowest::<T>() - i64::from(digits) - 1)
}

/// The square root of the exact sum of squares, rounded once; NaN wins over infinities.
pub fn norm2<T: Bits>(x: &[T]) -> T {
    let (mut squares, mut specials) = (BigInt::ZERO, Specials::default());
    for &v in x {
        match decode(v) {
            Value::Finite(m) => squares += &m * &m,
            Value::Infinite { .. } => specials.infinite(false),
            Value::Nan => specials.nan = true,
        }
    }
    if let Some(special) = specials.result() {
        return special;
    }
    let squares = squares.to_biguint().expect("squares add up to no negative number");
    // The root to 100 more binary digits than the smallest subnormal; then where it really lies.
    let digits = 100u32;
    let root = (&squares << (2 * digits)).sqrt();
    let exact = &root * &root == squares << (2 * digits);
    let sticky = (root << 1u32) + u32::from(!exact);
    rounded(sticky.into(), BigUint::from(1u32), lowest::<T>() - i64::from(digits) - 1)
}

/// Numerator and denominator of the variance, in units of the square of the smallest subnormal.
fn spread<T: Bits>(x: &[T], ddof: u64) -> Option<(BigUint, BigUint)> {
    let n = x.len() as u64;
    let degrees = n.checked_sub(ddof).filter(|&d| d > 0)?;
    let finite = |&v: &T| match decode(v) {
        Value::Finite(m) => Some(m),
        _ => None,
    };
    let values = x.iter().map(finite).collect::<Option<Vec<BigInt>>>()?;
    let sum: BigInt = values.iter().sum();
    // The sum of squares of deviations from the mean, each times n: another way than that of the code under test.
    let deviations: BigInt = values.iter().map(|v| (v * n - &sum).pow(2)).sum();
    let denominator = BigUint::from(n) * n * degrees;
    Some((deviations.to_biguint().expect("squares add up to no negative number"), denominator))
}

/// `numerator / denominator * 2^unit`, rounded to nearest, ties to even.
fn rounded<T: Bits>(numerator: BigInt, denominator: BigUint, unit: i64) -> T {
    let (sign, magnitude) = numerator.into_parts();
    let negative = sign == Sign::Minus;
    let precision = i64::from(T::MANTISSA) + 1;
    // The exponent of the last place, at first one too low at most.
    let mut place = (magnitude.bits() as i64 - denominator.bits() as i64 + unit - precision).max(lowest::<T>());
    let mantissa = loop {
        // twice the fraction in units of 2^place
        let shift = unit - place + 1;
        let (up, down) = if shift >= 0 {
            (&magnitude << shift as u64, denominator.clone())
        } else {
            (magnitude.clone(), &denominator << -shift as u64)
        };
        let twice = &up / &down;
        let exact = &twice * &down == up;
        let (mut m, half) = (&twice >> 1u32, twice.bit(0));
        if half && (!exact || m.bit(0)) {
            m += 1u32;
        }
        if m.bits() as i64 <= precision {
            break m;
        }
        place += 1;
    };
    let mantissa = u64::try_from(mantissa).expect("a significand");
    let hidden = 1u64 << T::MANTISSA;
    let bits = if mantissa < hidden {
        mantissa
    } else {
        ((((place - lowest::<T>()) as u64 + 1) << T::MANTISSA) + (mantissa - hidden)).min(infinity::<T>())
    };
    // Zero is +0, also where a negative number is rounded to it.
    T::from_pattern(u64::from(negative && bits != 0) << (T::WIDTH - 1) | bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Op, assert_biteq, cases};

    #[test]
    fn agrees_with_the_data() {
        for case in cases(Op::Dot) {
            let expected = case.exact_bits.expect("an exact dot");
            match case.dtype {
                crate::Dtype::F64 => {
                    assert_biteq!(dot(&case.inputs_f64(), &case.inputs_y()), f64::from_bits(expected), "{}", case.name)
                }
                crate::Dtype::F32 => {
                    assert_biteq!(
                        dot(&case.inputs_f32(), &case.inputs_y()),
                        f32::from_bits(expected as u32),
                        "{}",
                        case.name
                    )
                }
            }
        }
    }

    #[test]
    fn agrees_with_the_norms_of_the_data() {
        for case in cases(Op::Norm2) {
            let expected = case.exact_bits.expect("an exact norm");
            match case.dtype {
                crate::Dtype::F64 => {
                    assert_biteq!(norm2(&case.inputs_f64()), f64::from_bits(expected), "{}", case.name)
                }
                crate::Dtype::F32 => {
                    assert_biteq!(norm2(&case.inputs_f32()), f32::from_bits(expected as u32), "{}", case.name)
                }
            }
        }
    }

    #[test]
    fn rounds_like_the_processor() {
        let x = [1.5f64, -0.1, 3e-310, 7e300, 5e-324, 1.0 / 3.0, -9e307, 2.5e-8];
        for a in x {
            for b in x {
                let product = if a * b == 0.0 { 0.0 } else { a * b };
                assert_biteq!(dot(&[a], &[b]), product, "{a:e} * {b:e}");
            }
            assert_biteq!(std_dev(&[a, -a], 0), a.abs(), "{a:e}");
            assert_biteq!(variance(&[a, a, a], 1), 0.0, "{a:e}");
        }
        assert_biteq!(variance(&[4.0f32, 7.0, 13.0, 16.0], 1), 30.0);
        assert_biteq!(std_dev(&[1.0f32, 2.0], 1), 0.5f32.sqrt());
    }
}
