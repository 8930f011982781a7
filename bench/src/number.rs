//! What the engines need to know of a type.

use crate::plain::Lanes;
use accurate::sum::{Neumaier, OnlineExactSum, Sum3};
use accurate::traits::SumWithAccumulator;
use samebits::Element;

/// `f64` or `f32`.
pub(crate) trait Number:
    Element + Lanes + std::iter::Sum<Self> + std::ops::Add<Output = Self> + bytemuck::Pod
{
    fn accurate_exact(x: &[Self]) -> Self;
    fn accurate_sum3(x: &[Self]) -> Self;
    fn accurate_neumaier(x: &[Self]) -> Self;
    /// Shewchuk's sum. The crate has it for `f64` alone.
    fn fsum(x: &[Self]) -> Option<Self>;
    fn sqrt(self) -> Self;
}

macro_rules! number {
    ($type:ty, $fsum:expr) => {
        impl Number for $type {
            fn accurate_exact(x: &[Self]) -> Self {
                x.iter().copied().sum_with_accumulator::<OnlineExactSum<$type>>()
            }
            fn accurate_sum3(x: &[Self]) -> Self {
                x.iter().copied().sum_with_accumulator::<Sum3<$type>>()
            }
            fn accurate_neumaier(x: &[Self]) -> Self {
                x.iter().copied().sum_with_accumulator::<Neumaier<$type>>()
            }
            fn fsum(x: &[Self]) -> Option<Self> {
                $fsum(x)
            }
            fn sqrt(self) -> Self {
                self.sqrt()
            }
        }
    };
}

number!(f64, |x: &[f64]| Some(fsum::FSum::with_all(x).value()));
number!(f32, |_: &[f32]| None);

/// The value with this sign, power of two and fraction (its high bits count).
pub(crate) fn compose<T: Number>(negative: bool, exponent: i32, fraction: u64) -> T {
    let fraction_bits = T::PRECISION - 1;
    let bias = (1 << (T::BITS - T::PRECISION - 1)) - 1;
    let sign = u64::from(negative) << (T::BITS - 1);
    T::from_bits(sign | (((exponent + bias) as u64) << fraction_bits) | (fraction >> (64 - fraction_bits)))
}

/// The bits as text, all digits.
pub(crate) fn hex<T: Number>(bits: u64) -> String {
    format!("{bits:0digits$x}", digits = T::BITS as usize / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_put_together() {
        assert_eq!(compose::<f64>(false, 0, 1 << 63).to_bits(), 1.5f64.to_bits());
        assert_eq!(compose::<f64>(true, -300, 0).to_bits(), (-(2f64.powi(-300))).to_bits());
        assert_eq!(compose::<f32>(true, 60, 1 << 62).to_bits(), (-1.25 * 2f32.powi(60)).to_bits());
    }
}
