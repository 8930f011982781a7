//! The exact sum: one integer that spans the whole exponent range.

use crate::format::{Class, Float, Round, classify, encode};
use crate::state::{self, Counts, Kind};
use crate::{Error, Result};

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
    pub fn with_kind(kind: Kind) -> Self {
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
        let mut carry = false;
        for (a, &b) in self.words.as_mut().iter_mut().zip(other.words.as_ref()) {
            (*a, carry) = carrying_add(*a, b, carry);
        }
        Ok(())
    }

    /// Takes back what another accumulator holds.
    pub fn subtract(&mut self, other: &Self) -> Result<()> {
        self.check_kind(other)?;
        self.counts = self.counts.subtract(&other.counts)?;
        // a - b = a + !b + 1
        let mut carry = true;
        for (a, &b) in self.words.as_mut().iter_mut().zip(other.words.as_ref()) {
            (*a, carry) = carrying_add(*a, !b, carry);
        }
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

    fn check_kind(&self, other: &Self) -> Result<()> {
        if self.kind == other.kind {
            Ok(())
        } else {
            Err(Error::Mismatch { what: "kind", left: self.kind as u64, right: other.kind as u64 })
        }
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
        let mut magnitude = magnitude;
        let mut position = exponent - T::QMIN;
        if position < 0 {
            debug_assert!(
                magnitude.trailing_zeros() as i32 >= -position || magnitude == 0,
                "below the smallest subnormal"
            );
            magnitude = magnitude.checked_shr(-position as u32).unwrap_or(0);
            position = 0;
        }
        let (word, bit) = (position as usize / 64, position as u32 % 64);
        let low = (magnitude as u64 as u128) << bit;
        let high = (magnitude >> 64) << bit;
        let middle = (low >> 64) + (high as u64 as u128);
        let parts = [low as u64, middle as u64, ((high >> 64) + (middle >> 64)) as u64];
        let words = &mut self.words.as_mut()[word..];
        let mut carry = negative;
        for (i, w) in words.iter_mut().enumerate() {
            let part = parts.get(i).copied().unwrap_or(0);
            (*w, carry) = carrying_add(*w, if negative { !part } else { part }, carry);
            // From here on the words only change while a carry (or, subtracting, a borrow) runs.
            if i >= 2 && carry == negative {
                break;
            }
        }
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
        let (value, exact) = self.rounded();
        match classify(value) {
            _ if exact => 0.0,
            // Just above a power of two the unit below it is smaller: the larger one still is a bound.
            Class::Finite { q, .. } => f64::from_bits(encode::<f64>(false, 1, q - 1, Round::Away).0),
            _ => f64::INFINITY,
        }
    }

    /// The exact sum over the number of summands, rounded once; a quotient that rounds to zero is +0. NaN for no summands.
    pub fn mean(&self) -> T {
        self.mean_of(&self.counts)
    }

    /// Magnitude words and sign.
    fn magnitude(&self) -> (bool, T::Words) {
        let mut words = self.words;
        let negative = words.as_ref()[T::WORDS - 1] >> 63 == 1;
        if negative {
            let mut carry = true;
            for w in words.as_mut() {
                (*w, carry) = carrying_add(!*w, 0, carry);
            }
        }
        (negative, words)
    }

    fn rounded(&self) -> (T, bool) {
        let (negative, words) = self.magnitude();
        round_words(negative, words.as_ref(), T::QMIN, false)
    }

    /// This integer over the number of summands of `counts`, whose specials decide first.
    pub(crate) fn mean_of(&self, counts: &Counts) -> T {
        if counts.summands == 0 {
            return T::NAN;
        }
        if let Some(special) = counts.special() {
            return special;
        }
        let (negative, words) = self.magnitude();
        // Long division, highest word first, with one more word of quotient below the smallest subnormal.
        let mut quotient = [0u64; <f64 as Float>::WORDS + 1];
        let quotient = &mut quotient[..T::WORDS + 1];
        let divisor = counts.summands as u128;
        let mut rest = 0u128;
        for (i, slot) in quotient.iter_mut().enumerate().rev() {
            let word = if i == 0 { 0 } else { words.as_ref()[i - 1] };
            let part = rest << 64 | word as u128;
            *slot = (part / divisor) as u64;
            rest = part % divisor;
        }
        let mean: T = round_words(negative, quotient, T::QMIN - 64, rest != 0).0;
        if matches!(classify(mean), Class::Finite { m: 0, .. }) { T::default() } else { mean }
    }

    /// Length of the state bytes.
    pub fn byte_len() -> usize {
        state::len::<T>(0)
    }

    /// Writes the state bytes and returns their number.
    pub fn write_bytes(&self, out: &mut [u8]) -> Result<usize> {
        state::write::<T>(out, self.kind, 0, 0, &self.counts, |body| {
            for (slot, w) in body.chunks_exact_mut(8).zip(self.words.as_ref()) {
                slot.copy_from_slice(&w.to_le_bytes());
            }
        })
    }

    /// Reads state bytes and checks that some multiset could have made them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, index, counts, body) = state::read::<T>(bytes, |_| u64::MAX)?;
        if header.folds != 0 {
            return Err(Error::Mismatch { what: "folds", left: 0, right: header.folds as u64 });
        }
        if index != 0 {
            return Err(state::impossible_index("an index in an exact state"));
        }
        let mut acc = Self::with_kind(header.kind);
        acc.counts = counts;
        for (slot, chunk) in acc.words.as_mut().iter_mut().zip(body.chunks_exact(8)) {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            *slot = u64::from_le_bytes(word);
        }
        let (negative, magnitude) = acc.magnitude();
        if counts.finite() == 0 && magnitude.as_ref().iter().any(|&w| w != 0) {
            return Err(state::impossible("a total without a finite summand", 0, 8));
        }
        if negative && header.kind == Kind::Asum {
            return Err(state::impossible("a negative sum of absolute values", T::WORDS - 1, 8));
        }
        // Every summand is below 2^EMAX (integers too: they are at most 2^127), so the sum is below finite * 2^EMAX.
        let top = &magnitude.as_ref()[T::WORDS - 2..];
        let multiple = ((top[1] as u128) << 64 | top[0] as u128) >> ((T::EMAX - T::QMIN) % 64);
        if multiple >= (counts.finite() as u128).max(1) {
            return Err(state::impossible("a total larger than its summands allow", T::WORDS - 1, 8));
        }
        Ok(acc)
    }
}

/// Rounds a magnitude of little-endian words in units of `2^unit`, with `more` nonzero digits below, once to `T`.
fn round_words<T: Float>(negative: bool, words: &[u64], unit: i32, more: bool) -> (T, bool) {
    let Some(top) = words.iter().rposition(|&w| w != 0) else {
        // What lies below the last word can only round to zero.
        return (T::default(), !more);
    };
    let low = top.saturating_sub(1);
    let kept = if top == 0 { words[0] as u128 } else { (words[top] as u128) << 64 | words[low] as u128 };
    // The bits below 65 or more kept ones only matter as a sticky bit. With fewer words nothing lies below but `more`.
    let below = more || words[..low].iter().any(|&w| w != 0);
    let (bits, exact) = if below {
        // One more bit makes room for the sticky bit without moving a tie.
        let spare = kept.leading_zeros();
        let (kept, exponent) =
            if spare > 0 { (kept << 1 | 1, unit + 64 * low as i32 - 1) } else { (kept | 1, unit + 64 * low as i32) };
        encode::<T>(negative, kept, exponent, Round::Nearest)
    } else {
        encode::<T>(negative, kept, unit + 64 * low as i32, Round::Nearest)
    };
    (T::from_bits(bits), exact && !below)
}

#[inline]
fn carrying_add(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (s, c1) = a.overflowing_add(b);
    let (s, c2) = s.overflowing_add(carry as u64);
    (s, c1 || c2)
}
