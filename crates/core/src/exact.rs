//! The exact sum: one integer that spans the whole exponent range.

use crate::format::{Class, Float, classify};
use crate::state::{self, Counts, Kind};
use crate::{Error, Result, integer};

/// An accumulator that loses nothing: the mathematically exact sum, rounded once, to nearest, ties to even.
///
/// A two's-complement integer in units of the smallest subnormal, wide enough for `2^64` summands of any size (272 bytes
/// for `f64`, 48 for `f32`), and the counts. It merges, subtracts and serialises; no order, partition or history shows.
///
/// ```
/// use samebits_core::Exact;
/// let mut a = Exact::<f64>::new();
/// a.extend(&[f64::MAX, f64::MAX, 1e-300, -f64::MAX])?;
/// a.remove(f64::MAX)?;
/// assert_eq!(a.value(), 1e-300);
/// # Ok::<(), samebits_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact<T: Float> {
    kind: Kind,
    counts: Counts,
    words: T::Words,
}

impl<T: Float> Default for Exact<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Float> Exact<T> {
    /// An empty sum.
    pub fn new() -> Self {
        Self::with_kind(Kind::Sum)
    }

    /// An empty accumulator of the given kind.
    ///
    /// # Panics
    /// For a kind with an accumulator of its own ([`Kind::Dot`], [`Kind::Moments`], [`Kind::Norm2`]).
    pub fn with_kind(kind: Kind) -> Self {
        assert!(kind.check_terms().is_ok(), "an exact sum of kind {}", kind.name());
        Self { kind, counts: Counts::default(), words: T::ZERO_WORDS }
    }

    /// What is accumulated.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    /// All counts.
    pub fn counts(&self) -> Counts {
        self.counts
    }
    /// Summands, specials included.
    pub fn count(&self) -> u64 {
        self.counts.summands
    }
    /// NaNs among them.
    pub fn nan_count(&self) -> u64 {
        self.counts.nan
    }
    /// Positive infinities among them.
    pub fn pos_inf_count(&self) -> u64 {
        self.counts.pos_inf
    }
    /// Negative infinities among them.
    pub fn neg_inf_count(&self) -> u64 {
        self.counts.neg_inf
    }

    /// Adds one summand.
    pub fn deposit(&mut self, x: T) -> Result<()> {
        self.count_in(&self.counts_of(x))?;
        self.add_finite(x, 1);
        Ok(())
    }

    /// Adds all summands of `x`.
    pub fn extend(&mut self, x: &[T]) -> Result<()> {
        self.reserve(x.len() as u64)?;
        x.iter().try_for_each(|&v| self.deposit(v))
    }

    /// Would `n` more summands fit? Only a count of `2^64` refuses.
    pub fn reserve(&self, n: u64) -> Result<()> {
        self.counts.summands.checked_add(n).map(drop).ok_or(Error::Capacity { limit: u64::MAX })
    }

    /// Adds an integer of any size, in full, as one summand (its absolute value, if that is the kind).
    pub fn add_integer(&mut self, n: i128) -> Result<()> {
        self.count_in(&Counts { summands: 1, ..Counts::default() })?;
        let negative = n < 0 && self.kind == Kind::Sum;
        self.add_words(negative, n.unsigned_abs(), 0);
        Ok(())
    }

    /// Takes one summand back. What was never added is refused where a count shows it.
    pub fn remove(&mut self, x: T) -> Result<()> {
        self.counts = self.counts.subtract(&self.counts_of(x))?;
        self.add_finite(x, -1);
        Ok(())
    }

    /// Adds what another accumulator holds.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.check_kind(other)?;
        self.count_in(&other.counts)?;
        integer::add(self.words.as_mut(), other.words.as_ref());
        Ok(())
    }

    /// Takes back what another accumulator holds.
    pub fn subtract(&mut self, other: &Self) -> Result<()> {
        self.check_kind(other)?;
        self.counts = self.counts.subtract(&other.counts)?;
        integer::subtract(self.words.as_mut(), other.words.as_ref());
        Ok(())
    }

    /// Adds a part that a backend computed: counts, without the values that go with them (see [`Exact::add_scaled`]).
    pub fn count_in(&mut self, counts: &Counts) -> Result<()> {
        self.counts = self.counts.add(counts, u64::MAX)?;
        Ok(())
    }

    /// Adds `v * 2^exponent` to the integer and counts nothing. The product must be a multiple of the smallest
    /// subnormal, and the parts added in all no more than `2^64` summands could amount to.
    pub fn add_scaled(&mut self, v: i128, exponent: i32) {
        self.add_words(v < 0, v.unsigned_abs(), exponent);
    }

    /// The total so far in units of `2^exponent`, rounded down, and whether that loses nothing; `None` if it is beyond
    /// `2^120` of them. `exponent` must not lie below that of the smallest subnormal.
    pub fn scaled_total(&self, exponent: i32) -> Option<(i128, bool)> {
        let words = self.words.as_ref();
        let position = exponent.checked_sub(T::QMIN)? as usize;
        let (word, bit) = (position / 64, position % 64);
        let sign = if words[T::WORDS - 1] >> 63 == 1 { u64::MAX } else { 0 };
        let at = |i: usize| words.get(i).copied().unwrap_or(sign);
        let (low, middle, high) = (at(word), at(word + 1), at(word + 2));
        if words.iter().skip(word + 3).any(|&w| w != sign) {
            return None;
        }
        let both = (middle as u128) << 64 | low as u128;
        let total = if bit == 0 { both } else { both >> bit | (high as u128) << (128 - bit) } as i128;
        // What lies above must be nothing but the sign.
        let fits = (high as i64) >> bit == sign as i64 && total.unsigned_abs() < 1 << 120 && (total < 0) == (sign != 0);
        let exact = words[..word.min(T::WORDS)].iter().all(|&w| w == 0) && low & ((1 << bit) - 1) == 0;
        fits.then_some((total, exact))
    }

    /// The smallest `e` with the total so far below `2^e` in magnitude, or one more; the exponent of the smallest
    /// subnormal for zero.
    pub fn total_exponent(&self) -> i32 {
        let (_, magnitude) = integer::magnitude(&self.words);
        let words = magnitude.as_ref();
        let top = words.iter().rposition(|&w| w != 0);
        top.map_or(T::QMIN, |i| T::QMIN + 64 * i as i32 + (64 - words[i].leading_zeros()) as i32)
    }

    fn check_kind(&self, other: &Self) -> Result<()> {
        other.kind.expect(self.kind)
    }

    fn counts_of(&self, x: T) -> Counts {
        let one = Counts { summands: 1, ..Counts::default() };
        match classify(self.kind.term(x)) {
            Class::Finite { .. } => one,
            Class::Nan => Counts { nan: 1, ..one },
            Class::PosInf => Counts { pos_inf: 1, ..one },
            Class::NegInf => Counts { neg_inf: 1, ..one },
        }
    }

    fn add_finite(&mut self, x: T, sign: i64) {
        if let Class::Finite { m, q } = classify(self.kind.term(x)) {
            self.add_scaled((m * sign) as i128, q);
        }
    }

    fn add_words(&mut self, negative: bool, magnitude: u128, exponent: i32) {
        integer::add_shifted(self.words.as_mut(), negative, magnitude, exponent - T::QMIN);
    }

    /// The exact sum, rounded once. Specials as for [`crate::Binned`]; an exact zero is +0; overflow gives an infinity.
    pub fn value(&self) -> T {
        self.counts.special().unwrap_or_else(|| self.rounded().0)
    }

    /// A bound on `|value - exact sum|`: 0 if the sum is representable, else half a unit in the last place of the
    /// value. Infinite after overflow, 0 where infinities decide, NaN where the value is NaN.
    pub fn error_bound(&self) -> f64 {
        if let Some(special) = self.counts.special::<T>() {
            return if special.bits() == T::NAN.bits() { <f64 as Float>::NAN } else { 0.0 };
        }
        integer::bound(self.rounded())
    }

    /// The exact sum over the number of summands, rounded once; a quotient that rounds to zero is +0. NaN for no summands.
    pub fn mean(&self) -> T {
        self.mean_of(&self.counts)
    }

    /// The integer, in units of the smallest subnormal.
    pub(crate) fn words(&self) -> &T::Words {
        &self.words
    }

    fn rounded(&self) -> (T, bool) {
        let (negative, words) = integer::magnitude(&self.words);
        integer::round(negative, words.as_ref(), T::QMIN, false)
    }

    /// This integer over the number of summands of `counts`, whose specials decide first.
    pub(crate) fn mean_of(&self, counts: &Counts) -> T {
        if counts.summands == 0 {
            return T::NAN;
        }
        if let Some(special) = counts.special() {
            return special;
        }
        let (negative, words) = integer::magnitude(&self.words);
        // One more word of quotient below the smallest subnormal.
        let mut quotient = [0u64; <f64 as Float>::WORDS + 1];
        let quotient = &mut quotient[..T::WORDS + 1];
        quotient[1..].copy_from_slice(words.as_ref());
        let rest = integer::divide(quotient, counts.summands);
        integer::without_minus_zero(integer::round(negative, quotient, T::QMIN - 64, rest != 0).0)
    }

    /// Length of the state bytes.
    pub fn byte_len() -> usize {
        state::len::<T>(Kind::Sum, 0)
    }

    /// Writes the state bytes and returns their number.
    pub fn write_bytes(&self, out: &mut [u8]) -> Result<usize> {
        let body = |body: &mut [u8]| integer::write(self.words.as_ref(), body);
        state::write::<T>(out, self.kind, 0, 0, &self.counts, body)
    }

    /// Reads state bytes and checks that some multiset could have made them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, index, counts, body) = state::read::<T>(bytes, |_| u64::MAX)?;
        header.kind.check_terms()?;
        if header.folds != 0 {
            return Err(Error::Mismatch { what: "folds", left: 0, right: header.folds as u64 });
        }
        if index != 0 {
            return Err(state::impossible_index("an index in an exact state"));
        }
        let mut acc = Self::with_kind(header.kind);
        acc.counts = counts;
        integer::read(acc.words.as_mut(), body);
        acc.check().map_err(|what| state::impossible(what, T::WORDS - 1, 8))?;
        Ok(acc)
    }

    /// An accumulator of values from counts and integer, as they stand in the bytes of a state.
    pub(crate) fn from_parts(counts: Counts, words: T::Words) -> Result<Self, &'static str> {
        let acc = Self { kind: Kind::Sum, counts, words };
        acc.check().map(|()| acc)
    }

    /// Could some multiset have led to this integer? Counts are checked before.
    fn check(&self) -> Result<(), &'static str> {
        let (negative, magnitude) = integer::magnitude(&self.words);
        if negative && self.kind == Kind::Asum {
            return Err("a negative sum of absolute values");
        }
        // Every summand is below 2^EMAX (integers too: they are at most 2^127), so the sum is below finite * 2^EMAX.
        state::check_total(magnitude.as_ref(), T::EMAX - T::QMIN, &self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_in_units_are_those_of_the_integer() {
        let mut acc = Exact::<f64>::new();
        assert_eq!((acc.scaled_total(0), acc.total_exponent()), (Some((0, true)), f64::QMIN));
        for x in [-3.0, 0.25, 1e300, -1e300, -5e-324] {
            acc.deposit(x).unwrap();
        }
        assert_eq!(acc.scaled_total(-2), Some((-12, false)));
        assert_eq!(acc.scaled_total(1), Some((-2, false)));
        assert_eq!(acc.scaled_total(900), Some((-1, false)));
        assert_eq!(acc.scaled_total(-1074), None);
        assert_eq!(acc.total_exponent(), 2);
        acc.deposit(5e-324).unwrap();
        for e in -100..3 {
            let exact = e <= -2;
            let expected = if exact { -11i128 << (-2 - e) } else { -11i128 >> (e + 2) };
            assert_eq!(acc.scaled_total(e), Some((expected, exact)), "2^{e}");
        }
        let mut large = Exact::<f32>::new();
        large.deposit(f32::MAX).unwrap();
        assert_eq!(large.scaled_total(127), Some((1, false)));
        assert_eq!(large.total_exponent(), 128);
        large.remove(f32::MAX).unwrap();
        large.deposit(-f32::MAX).unwrap();
        assert_eq!(large.scaled_total(127), Some((-2, false)));
        assert_eq!(large.scaled_total(200), Some((-1, false)));
    }
}
