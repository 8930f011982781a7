//! Floats as bit patterns, and the assertion that compares those.

use crate::Dtype;
use std::fmt;

/// A float type, seen as its bit patterns.
pub trait Bits: Copy + PartialOrd + fmt::Debug + Send + Sync + 'static {
    /// Which type this is.
    const DTYPE: Dtype;
    /// Bits in all.
    const WIDTH: u32;
    /// Bits of the mantissa field, the hidden bit not counted.
    const MANTISSA: u32;
    /// What the exponent field adds to the exponent.
    const BIAS: i32;
    /// The bit pattern, in the low bits.
    fn pattern(self) -> u64;
    /// The value that has this pattern. Bits beyond the width are dropped.
    fn from_pattern(pattern: u64) -> Self;
    /// The nearest value of this type.
    fn nearest(x: f64) -> Self;
}

impl Bits for f64 {
    const DTYPE: Dtype = Dtype::F64;
    const WIDTH: u32 = 64;
    const MANTISSA: u32 = 52;
    const BIAS: i32 = 1023;
    fn pattern(self) -> u64 {
        self.to_bits()
    }
    fn from_pattern(pattern: u64) -> Self {
        f64::from_bits(pattern)
    }
    fn nearest(x: f64) -> Self {
        x
    }
}

impl Bits for f32 {
    const DTYPE: Dtype = Dtype::F32;
    const WIDTH: u32 = 32;
    const MANTISSA: u32 = 23;
    const BIAS: i32 = 127;
    fn pattern(self) -> u64 {
        u64::from(self.to_bits())
    }
    fn from_pattern(pattern: u64) -> Self {
        f32::from_bits(pattern as u32)
    }
    fn nearest(x: f64) -> Self {
        x as f32
    }
}

/// Asserts that two floats of one type have the same bit pattern.
///
/// Unlike `assert_eq!`, it tells `0.0` from `-0.0` and one NaN from another, and finds a NaN equal to itself.
///
/// ```
/// # use samebits_conformance::assert_biteq;
/// assert_biteq!(f64::NAN, f64::NAN);
/// assert_biteq!(1.0_f32 + 2.0, 3.0, "with {} threads", 4);
/// ```
#[macro_export]
macro_rules! assert_biteq {
    ($left:expr, $right:expr $(,)?) => {
        $crate::assert_biteq!($left, $right, "bits differ")
    };
    ($left:expr, $right:expr, $($context:tt)+) => {
        match ($left, $right) {
            (left, right) => {
                if $crate::Bits::pattern(left) != $crate::Bits::pattern(right) {
                    $crate::report_mismatch(left, right, format_args!($($context)+))
                }
            }
        }
    };
}

/// What [`assert_biteq!`](crate::assert_biteq) does when the bits differ: panics with both values in hex and decimal.
#[track_caller]
pub fn report_mismatch<T: Bits>(left: T, right: T, context: fmt::Arguments<'_>) -> ! {
    let digits = T::WIDTH as usize / 4;
    panic!(
        "{context}\n  left: {:0digits$x}  {left:?}\n right: {:0digits$x}  {right:?}",
        left.pattern(),
        right.pattern()
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn equal_bits_pass() {
        assert_biteq!(f64::NAN, f64::NAN);
        assert_biteq!(-0.0_f32, -0.0_f32, "context {}", 1);
    }

    #[test]
    #[should_panic(expected = "left: 80000000  -0.0")]
    fn zeros_of_either_sign_differ() {
        assert_biteq!(-0.0_f32, 0.0_f32, "zero");
    }

    #[test]
    #[should_panic(
        expected = "three folds\n  left: 3ff0000000000000  1.0\n right: 3ff0000000000001  1.0000000000000002"
    )]
    fn both_sides_are_shown() {
        assert_biteq!(1.0, 1.0 + f64::EPSILON, "{} folds", "three"); // tolerance: none, the nearest neighbour of 1 is wanted
    }
}
