//! The two number formats, their bins, and rounding an integer to a float by integer operations alone.

use core::fmt;
use core::hint::black_box;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A binary floating-point type with the constants of its binned format: `f32` or `f64`.
///
/// Bin `j` counts multiples of its unit, `2^(UNIT0 - WIDTH * j)`; `j` runs from 0 (the largest values) to `MAX_INDEX`.
/// A value belongs to the bin `j` with `2^(EMAX - WIDTH * (j + 1)) <= |x| < 2^(EMAX - WIDTH * j)`, and is at most
/// `2^(WIDTH - 1)` units of it.
pub trait Float:
    Copy
    + Default
    + PartialEq
    + PartialOrd
    + fmt::Debug
    + fmt::Display
    + fmt::LowerExp
    + Send
    + Sync
    + sealed::Sealed
    + 'static
{
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// Size in bits.
    const BITS: u32;
    /// Bits of the significand, the leading one included (p).
    const PRECISION: u32;
    /// Bits of a bin (W).
    const WIDTH: u32;
    /// The last bin.
    const MAX_INDEX: usize;
    /// The fewest folds.
    const MIN_FOLDS: usize = 2;
    /// The most folds: the number of bins.
    const MAX_FOLDS: usize = Self::MAX_INDEX + 1;
    /// The most summands that a binned accumulator holds: `2^(p-W-2) * (2^(p-1) - 1)`.
    const CAPACITY: u64;
    /// Every finite value is below `2^EMAX`.
    const EMAX: i32;
    /// Exponent of the unit of bin 0.
    const UNIT0: i32 = Self::EMAX + 1 - Self::WIDTH as i32;
    /// Exponent of the smallest positive value: every finite value is a multiple of `2^QMIN`.
    const QMIN: i32;
    /// The canonical NaN: quiet, positive, no payload.
    const NAN: Self;
    /// Positive infinity.
    const INFINITY: Self;

    /// One signed total for each of `MAX_FOLDS` bins.
    #[doc(hidden)]
    type Totals: Copy + fmt::Debug + Eq + AsRef<[i128]> + AsMut<[i128]> + Send + Sync;
    /// All totals zero.
    #[doc(hidden)]
    const ZERO_TOTALS: Self::Totals;
    /// A two's-complement integer in units of `2^QMIN` that holds the sum of `2^64` values of any size.
    #[doc(hidden)]
    type Words: Copy + fmt::Debug + Eq + AsRef<[u64]> + AsMut<[u64]> + Send + Sync;
    /// The integer zero.
    #[doc(hidden)]
    const ZERO_WORDS: Self::Words;
    /// Length of `Words`.
    #[doc(hidden)]
    const WORDS: usize;
    /// A two's-complement integer in units of `2^(2 QMIN)` that holds the sum of `2^64` products of any size.
    #[doc(hidden)]
    type Products: Copy + fmt::Debug + Eq + AsRef<[u64]> + AsMut<[u64]> + Send + Sync;
    /// The integer zero.
    #[doc(hidden)]
    const ZERO_PRODUCTS: Self::Products;
    /// Length of `Products`.
    #[doc(hidden)]
    const PRODUCT_WORDS: usize;

    /// The bit pattern, in the low bits.
    fn bits(self) -> u64;
    /// The value with this bit pattern (low bits).
    fn from_bits(bits: u64) -> Self;

    /// Exponent of the unit of bin `index`; bins past the last one repeat it.
    #[inline]
    fn unit_exponent(index: usize) -> i32 {
        Self::UNIT0 - Self::WIDTH as i32 * index.min(Self::MAX_INDEX) as i32
    }
}

impl Float for f64 {
    const NAME: &'static str = "f64";
    const BITS: u32 = 64;
    const PRECISION: u32 = 53;
    const WIDTH: u32 = 40;
    const MAX_INDEX: usize = 51;
    const CAPACITY: u64 = (1 << 11) * ((1 << 52) - 1);
    const EMAX: i32 = 1024;
    const QMIN: i32 = -1074;
    const NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0000);
    const INFINITY: f64 = f64::INFINITY;
    type Totals = [i128; 52];
    const ZERO_TOTALS: [i128; 52] = [0; 52];
    type Words = [u64; 34];
    const ZERO_WORDS: [u64; 34] = [0; 34];
    const WORDS: usize = 34;
    type Products = [u64; 67];
    const ZERO_PRODUCTS: [u64; 67] = [0; 67];
    const PRODUCT_WORDS: usize = 67;

    #[inline]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline]
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
}

impl Float for f32 {
    const NAME: &'static str = "f32";
    const BITS: u32 = 32;
    const PRECISION: u32 = 24;
    const WIDTH: u32 = 13;
    const MAX_INDEX: usize = 20;
    const CAPACITY: u64 = (1 << 9) * ((1 << 23) - 1);
    const EMAX: i32 = 128;
    const QMIN: i32 = -149;
    const NAN: f32 = f32::from_bits(0x7fc0_0000);
    const INFINITY: f32 = f32::INFINITY;
    type Totals = [i128; 21];
    const ZERO_TOTALS: [i128; 21] = [0; 21];
    type Words = [u64; 6];
    const ZERO_WORDS: [u64; 6] = [0; 6];
    const WORDS: usize = 6;
    type Products = [u64; 10];
    const ZERO_PRODUCTS: [u64; 10] = [0; 10];
    const PRODUCT_WORDS: usize = 10;

    #[inline]
    fn bits(self) -> u64 {
        self.to_bits() as u64
    }
    #[inline]
    fn from_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
}

/// What a bit pattern stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The value `m * 2^q`; zero of either sign has `m == 0`.
    Finite {
        /// Signed significand, below `2^p` in magnitude.
        m: i64,
        /// Exponent of its unit.
        q: i32,
    },
    /// Any NaN: sign, payload and signalling bit are dropped.
    Nan,
    /// Positive infinity.
    PosInf,
    /// Negative infinity.
    NegInf,
}

/// The bit pattern, hidden from the compiler: it would make float comparisons out of tests of these bits, and those see
/// the caller's denormals-are-zero switch, raise flags and trap.
#[inline]
pub(crate) fn opaque_bits<T: Float>(x: T) -> u64 {
    black_box(x.bits())
}

/// Splits a value into integer significand and exponent, or names the special it is.
#[inline]
pub fn classify<T: Float>(x: T) -> Class {
    let bits = opaque_bits(x);
    let mantissa_bits = T::PRECISION - 1;
    let negative = bits >> (T::BITS - 1) == 1;
    let mantissa = bits & ((1 << mantissa_bits) - 1);
    let max_field = (1u64 << (T::BITS - T::PRECISION)) - 1;
    let field = (bits >> mantissa_bits) & max_field;
    if field == max_field {
        return match (mantissa, negative) {
            (0, false) => Class::PosInf,
            (0, true) => Class::NegInf,
            _ => Class::Nan,
        };
    }
    let (m, q) = if field == 0 {
        (mantissa as i64, T::QMIN)
    } else {
        ((mantissa | 1 << mantissa_bits) as i64, T::QMIN + field as i32 - 1)
    };
    Class::Finite { m: if negative { -m } else { m }, q }
}

/// Bin of a finite value: the index of a window that begins with it. Zero belongs to the last bin.
///
/// ```
/// use samebits_core::bin_index;
/// assert_eq!((bin_index(f64::MAX), bin_index(1.0), bin_index(0.0)), (0, 25, 51));
/// ```
#[inline]
pub fn bin_index<T: Float>(x: T) -> usize {
    match classify(x) {
        Class::Finite { m, q } => index_of::<T>(m, q),
        _ => 0,
    }
}

/// Bin of the finite value `m * 2^q`; zero belongs to the last bin.
#[inline]
pub(crate) fn index_of<T: Float>(m: i64, q: i32) -> usize {
    if m == 0 {
        return T::MAX_INDEX;
    }
    let top = q + (64 - m.unsigned_abs().leading_zeros()) as i32;
    (((T::EMAX - top) as u32 / T::WIDTH) as usize).min(T::MAX_INDEX)
}

/// A magnitude rounded to at most `bits` bits, to nearest, ties to even, and the exponent that it gains: at most
/// `2^bits`, and the magnitude itself, with 0, if it is short enough.
pub(crate) fn shorten(magnitude: u128, bits: u32) -> (u128, i32) {
    let length = 128 - magnitude.leading_zeros();
    if length <= bits {
        return (magnitude, 0);
    }
    let shift = length - bits;
    let (kept, rest, half) = (magnitude >> shift, magnitude & ((1 << shift) - 1), 1 << (shift - 1));
    let up = rest > half || (rest == half && kept & 1 == 1);
    (kept + up as u128, shift as i32)
}

/// Rounding directions that the core needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// To nearest, ties to even.
    Nearest,
    /// Away from zero unless exact, for bounds.
    Away,
}

/// Bits of `±magnitude * 2^exponent` rounded to `T`, and whether nothing was lost. Zero gives +0, values beyond the
/// range give the infinity.
pub(crate) fn encode<T: Float>(negative: bool, magnitude: u128, exponent: i32, round: Round) -> (u64, bool) {
    if magnitude == 0 {
        return (0, true);
    }
    let length = (128 - magnitude.leading_zeros()) as i32;
    let unit = (exponent + length - T::PRECISION as i32).max(T::QMIN);
    let shift = unit - exponent;
    let (mut m, exact) = if shift <= 0 {
        ((magnitude << -shift) as u64, true)
    } else if shift > length {
        // Below half of the last place.
        (0, false)
    } else {
        let kept = magnitude.checked_shr(shift as u32).unwrap_or(0);
        let rest = magnitude - kept.checked_shl(shift as u32).unwrap_or(0);
        let half = 1u128 << (shift - 1);
        let up = round == Round::Nearest && (rest > half || (rest == half && kept & 1 == 1));
        (kept as u64 + up as u64, rest == 0)
    };
    if round == Round::Away && !exact {
        m += 1;
    }
    let mantissa_bits = T::PRECISION - 1;
    let infinity = ((1u64 << (T::BITS - T::PRECISION)) - 1) << mantissa_bits;
    let hidden = 1u64 << mantissa_bits;
    // A carry out of the significand moves into the exponent field by itself.
    let bits = if m < hidden { m } else { (((unit - T::QMIN) as u64 + 1) << mantissa_bits) + (m - hidden) };
    let overflow = bits >= infinity;
    let sign = (negative as u64) << (T::BITS - 1);
    (sign | bits.min(infinity), exact && !overflow)
}

/// `m * 2^exponent` rounded once to `T`, to nearest, ties to even; beyond the range it is the infinity.
///
/// ```
/// use samebits_core::round_nearest;
/// let x: f32 = round_nearest((1 << 24) + 1, 0); // a tie: down to even
/// assert_eq!(x, 16777216.0);
/// ```
pub fn round_nearest<T: Float>(m: i128, exponent: i32) -> T {
    T::from_bits(encode::<T>(m < 0, m.unsigned_abs(), exponent, Round::Nearest).0)
}
