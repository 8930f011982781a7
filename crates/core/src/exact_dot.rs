//! The exact dot product: one integer that spans the exponents of all products.

use crate::eft::{exact_prod, prod};
use crate::format::{Class, Float, classify};
use crate::state::{self, Counts, Kind};
use crate::{Error, Result, integer};

/// An accumulator of products that loses nothing: the mathematically exact sum of `a * b`, rounded once, to nearest,
/// ties to even.
///
/// Products of two `f64` reach from `2^-2148` to `2^2048`, so this integer is twice as wide as that of
/// [`crate::Exact`] (536 bytes; 80 for `f32`). No product and no partial sum is rounded, overflows or underflows: only
/// the result can. It merges, subtracts and serialises; no order, partition or history shows.
///
/// A product is NaN if an operand is or if it is `0 * inf`; a product of an infinity is an infinity. Both are counted.
///
/// ```
/// use samebits_core::ExactDot;
/// let mut a = ExactDot::<f64>::new();
/// a.extend(&[1e200, 1e-200, -1e200], &[1e200, 1e-200, 1e200])?;
/// assert_eq!(a.value(), 0.0); // 1e-400
/// a.deposit(1e-200, 0.5)?;
/// assert_eq!(a.value(), 5e-201);
/// # Ok::<(), samebits_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactDot<T: Float> {
    counts: Counts,
    words: T::Products,
}

impl<T: Float> Default for ExactDot<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Float> ExactDot<T> {
    /// An empty sum of products.
    pub fn new() -> Self {
        Self { counts: Counts::default(), words: T::ZERO_PRODUCTS }
    }

    /// All counts: of products.
    pub fn counts(&self) -> Counts {
        self.counts
    }
    /// Products, special ones included.
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

    /// Adds one product.
    pub fn deposit(&mut self, a: T, b: T) -> Result<()> {
        self.count_in(&counts_of(a, b))?;
        if let Some((m, q)) = exact_prod(a, b) {
            self.add_scaled(m, q);
        }
        Ok(())
    }

    /// Adds the products of `x` and `y`, element by element. An error, and nothing added, if their lengths differ.
    pub fn extend(&mut self, x: &[T], y: &[T]) -> Result<()> {
        if x.len() != y.len() {
            return Err(Error::Length { what: "the second vector of a dot", given: y.len(), needed: x.len() });
        }
        self.reserve(x.len() as u64)?;
        x.iter().zip(y).try_for_each(|(&a, &b)| self.deposit(a, b))
    }

    /// Would `n` more products fit? Only a count of `2^64` refuses.
    pub fn reserve(&self, n: u64) -> Result<()> {
        self.counts.summands.checked_add(n).map(drop).ok_or(Error::Capacity { limit: u64::MAX })
    }

    /// Takes one product back. What was never added is refused where a count shows it.
    pub fn remove(&mut self, a: T, b: T) -> Result<()> {
        self.counts = self.counts.subtract(&counts_of(a, b))?;
        if let Some((m, q)) = exact_prod(a, b) {
            self.add_scaled(-m, q);
        }
        Ok(())
    }

    /// Adds what another accumulator holds.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.count_in(&other.counts)?;
        integer::add(self.words.as_mut(), other.words.as_ref());
        Ok(())
    }

    /// Takes back what another accumulator holds.
    pub fn subtract(&mut self, other: &Self) -> Result<()> {
        self.counts = self.counts.subtract(&other.counts)?;
        integer::subtract(self.words.as_mut(), other.words.as_ref());
        Ok(())
    }

    /// Adds a part that a backend computed: counts, without the values that go with them (see [`ExactDot::add_scaled`]).
    pub fn count_in(&mut self, counts: &Counts) -> Result<()> {
        self.counts = self.counts.add(counts, u64::MAX)?;
        Ok(())
    }

    /// Adds `v * 2^exponent` to the integer and counts nothing. It must be a multiple of the unit, `2^(2 QMIN)`, and the
    /// parts added in all no more than `2^64` products could amount to.
    #[inline]
    pub fn add_scaled(&mut self, v: i128, exponent: i32) {
        integer::add_shifted(self.words.as_mut(), v < 0, v.unsigned_abs(), exponent - 2 * T::QMIN);
    }

    /// The exact sum of the products, rounded once. NaN if there was one, or infinities of both signs; infinities of one
    /// sign win; a sum that rounds to zero is +0; overflow of the total gives an infinity.
    pub fn value(&self) -> T {
        self.counts.special().unwrap_or_else(|| integer::without_minus_zero(self.rounded().0))
    }

    /// The square root of the exact sum, rounded once; NaN if the sum is negative. Of a sum of squares: their norm.
    ///
    /// ```
    /// use samebits_core::ExactDot;
    /// let mut squares = ExactDot::<f64>::new();
    /// squares.extend(&[3e300, 4e300], &[3e300, 4e300])?;
    /// assert_eq!(squares.root(), 5e300);
    /// # Ok::<(), samebits_core::Error>(())
    /// ```
    pub fn root(&self) -> T {
        let (negative, words) = integer::magnitude(&self.words);
        match self.counts.special::<T>() {
            Some(special) if special.bits() == T::INFINITY.bits() => special,
            None if !negative => integer::square_root(words.as_ref(), 2 * T::QMIN, false),
            _ => T::NAN,
        }
    }

    /// A bound on `|value - exact sum|`: 0 if the sum is representable, else half a unit in the last place of the
    /// value. Infinite after overflow, 0 where infinities decide, NaN where the value is NaN.
    pub fn error_bound(&self) -> f64 {
        match self.counts.special::<T>() {
            Some(special) if special.bits() == T::NAN.bits() => <f64 as Float>::NAN,
            Some(_) => 0.0,
            None => integer::bound(self.rounded()),
        }
    }

    fn rounded(&self) -> (T, bool) {
        let (negative, words) = integer::magnitude(&self.words);
        integer::round(negative, words.as_ref(), 2 * T::QMIN, false)
    }

    /// The integer, in units of the square of the smallest subnormal.
    pub(crate) fn words(&self) -> &T::Products {
        &self.words
    }

    /// Length of the state bytes.
    pub fn byte_len() -> usize {
        state::len::<T>(Kind::Dot, 0)
    }

    /// Writes the state bytes and returns their number.
    pub fn write_bytes(&self, out: &mut [u8]) -> Result<usize> {
        let body = |body: &mut [u8]| integer::write(self.words.as_ref(), body);
        state::write::<T>(out, Kind::Dot, 0, 0, &self.counts, body)
    }

    /// Reads state bytes and checks that some multiset could have made them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, index, counts, body) = state::read::<T>(bytes, |_| u64::MAX)?;
        header.kind.expect(Kind::Dot)?;
        if index != 0 {
            return Err(state::impossible_index("an index in an exact state"));
        }
        let mut words = T::ZERO_PRODUCTS;
        integer::read(words.as_mut(), body);
        Self::from_parts(counts, words).map_err(|what| state::impossible(what, T::PRODUCT_WORDS - 1, 8))
    }

    /// An accumulator from counts and integer, if some multiset could have led to them. Counts are checked before.
    pub(crate) fn from_parts(counts: Counts, words: T::Products) -> Result<Self, &'static str> {
        // Every product is below 2^(2 EMAX).
        state::check_total(integer::magnitude(&words).1.as_ref(), 2 * (T::EMAX - T::QMIN), &counts)?;
        Ok(Self { counts, words })
    }
}

fn counts_of<T: Float>(a: T, b: T) -> Counts {
    let one = Counts { summands: 1, ..Counts::default() };
    if exact_prod(a, b).is_some() {
        return one;
    }
    match classify(prod(a, b)) {
        Class::Nan => Counts { nan: 1, ..one },
        Class::PosInf => Counts { pos_inf: 1, ..one },
        Class::NegInf => Counts { neg_inf: 1, ..one },
        Class::Finite { .. } => one,
    }
}
