//! Mean, variance and standard deviation from exact sums.

use crate::format::Float;
use crate::state::{self, Counts, Kind};
use crate::{Error, Exact, ExactDot, Result, integer};

/// The exact sum of values and the exact sum of their squares: what mean and variance need, mergeable.
///
/// The variance is computed from the definition, `(n S2 - S1^2) / (n (n - ddof))`, in integers, and rounded once. So
/// there is no cancellation to fear, it is never negative, and that of equal values is +0. The standard deviation is the
/// square root of the same fraction, rounded once (not the root of the rounded variance).
///
/// ```
/// use samebits_core::Moments;
/// let mut a = Moments::<f64>::new();
/// a.extend(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0])?;
/// assert_eq!((a.mean(), a.variance(1), a.variance(0)), (1e9 + 10.0, 30.0, 22.5));
/// assert_eq!(a.std_dev(1), 30f64.sqrt());
/// # Ok::<(), samebits_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments<T: Float> {
    sum: Exact<T>,
    squares: ExactDot<T>,
}

impl<T: Float> Default for Moments<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Float> Moments<T> {
    /// No values yet.
    pub fn new() -> Self {
        Self { sum: Exact::new(), squares: ExactDot::new() }
    }

    /// All counts: of values.
    pub fn counts(&self) -> Counts {
        self.sum.counts()
    }
    /// Values, special ones included.
    pub fn count(&self) -> u64 {
        self.sum.count()
    }
    /// NaNs among them.
    pub fn nan_count(&self) -> u64 {
        self.sum.nan_count()
    }
    /// Positive infinities among them.
    pub fn pos_inf_count(&self) -> u64 {
        self.sum.pos_inf_count()
    }
    /// Negative infinities among them.
    pub fn neg_inf_count(&self) -> u64 {
        self.sum.neg_inf_count()
    }

    /// Adds one value.
    pub fn deposit(&mut self, x: T) -> Result<()> {
        self.sum.deposit(x)?;
        self.squares.deposit(x, x)
    }

    /// Adds all values of `x`.
    pub fn extend(&mut self, x: &[T]) -> Result<()> {
        self.reserve(x.len() as u64)?;
        x.iter().try_for_each(|&v| self.deposit(v))
    }

    /// Would `n` more values fit? Only a count of `2^64` refuses.
    pub fn reserve(&self, n: u64) -> Result<()> {
        self.sum.reserve(n)
    }

    /// Adds what another accumulator holds.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.sum.merge(&other.sum)?;
        self.squares.merge(&other.squares)
    }

    /// Adds a part that a backend computed: the exact sum of values and that of their squares.
    pub fn absorb(&mut self, sum: &Exact<T>, squares: &ExactDot<T>) -> Result<()> {
        let different = |what, left, right| Err(Error::Mismatch { what, left, right });
        sum.kind().expect(Kind::Sum)?;
        if squares.counts() != of_squares(sum.counts()) {
            return different("counts", sum.count(), squares.count());
        }
        self.merge(&Self { sum: *sum, squares: *squares })
    }

    /// The exact sum.
    pub fn sum(&self) -> &Exact<T> {
        &self.sum
    }

    /// The exact sum of squares.
    pub fn squares(&self) -> &ExactDot<T> {
        &self.squares
    }

    /// The exact mean, rounded once: NaN for no values, infinities as for a sum.
    pub fn mean(&self) -> T {
        self.sum.mean()
    }

    /// The variance with `n - ddof` in the denominator (1 for a sample, 0 for a whole population), rounded once. NaN if
    /// there are no more than `ddof` values, or if one is NaN or infinite.
    pub fn variance(&self, ddof: u64) -> T {
        let Some(degrees) = self.degrees(ddof) else { return T::NAN };
        let mut words = self.spread();
        let more = divide_by_both(&mut words, self.count(), degrees);
        // A quotient below the unit of the squares is far below the smallest subnormal.
        integer::round(false, &words, 2 * T::QMIN, more).0
    }

    /// The standard deviation: the square root of the exact variance, rounded once. NaN as for [`Moments::variance`].
    pub fn std_dev(&self, ddof: u64) -> T {
        let Some(degrees) = self.degrees(ddof) else { return T::NAN };
        let mut words = self.spread();
        // Digits for the root: two words below the square of the smallest subnormal.
        words.copy_within(..integer::LONGEST - 2, 2);
        words[..2].fill(0);
        let more = divide_by_both(&mut words, self.count(), degrees);
        integer::square_root(&words, 2 * T::QMIN - 128, more)
    }

    fn degrees(&self, ddof: u64) -> Option<u64> {
        let finite = self.counts().finite() == self.count();
        self.count().checked_sub(ddof).filter(|&degrees| degrees > 0 && finite)
    }

    /// `n S2 - S1^2` in units of the squares: never negative, by the inequality of Cauchy and Schwarz.
    fn spread(&self) -> [u64; integer::LONGEST] {
        spread::<T>(self.counts().finite(), self.sum.words(), self.squares.words())
    }

    /// Length of the state bytes.
    pub fn byte_len() -> usize {
        state::len::<T>(Kind::Moments, 0)
    }

    /// Writes the state bytes and returns their number.
    pub fn write_bytes(&self, out: &mut [u8]) -> Result<usize> {
        state::write::<T>(out, Kind::Moments, 0, 0, &self.counts(), |body| {
            let (sum, squares) = body.split_at_mut(8 * T::WORDS);
            integer::write(self.sum.words().as_ref(), sum);
            integer::write(self.squares.words().as_ref(), squares);
        })
    }

    /// Reads state bytes and checks that some multiset could have made them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, index, counts, body) = state::read::<T>(bytes, |_| u64::MAX)?;
        header.kind.expect(Kind::Moments)?;
        if index != 0 {
            return Err(state::impossible_index("an index in an exact state"));
        }
        let (mut sum, mut squares) = (T::ZERO_WORDS, T::ZERO_PRODUCTS);
        integer::read(sum.as_mut(), &body[..8 * T::WORDS]);
        integer::read(squares.as_mut(), &body[8 * T::WORDS..]);
        Self::from_parts(counts, sum, squares).map_err(|what| state::impossible(what, 0, 8))
    }

    /// Moments of integers that some multiset could have led to.
    fn from_parts(counts: Counts, sum: T::Words, squares: T::Products) -> Result<Self, &'static str> {
        let moments =
            Self { sum: Exact::from_parts(counts, sum)?, squares: ExactDot::from_parts(of_squares(counts), squares)? };
        let (negative, _) = integer::magnitude(&squares);
        // A number and its square are both odd or both even, and so are the sums.
        if negative || (sum.as_ref()[0] ^ squares.as_ref()[0]) & 1 == 1 {
            return Err("a sum of squares that no numbers have");
        }
        // The highest bit shows the sign: the spread itself is far below it.
        if moments.spread()[integer::LONGEST - 1] >> 63 == 1 {
            return Err("a sum larger than its sum of squares allows");
        }
        Ok(moments)
    }
}

/// The counts of the squares of what was counted.
fn of_squares(counts: Counts) -> Counts {
    Counts { pos_inf: counts.pos_inf + counts.neg_inf, neg_inf: 0, ..counts }
}

fn spread<T: Float>(n: u64, sum: &T::Words, squares: &T::Products) -> [u64; integer::LONGEST] {
    let mut words = [0; integer::LONGEST];
    words[..T::PRODUCT_WORDS].copy_from_slice(squares.as_ref());
    integer::multiply(&mut words, n);
    integer::subtract_square(&mut words, integer::magnitude(sum).1.as_ref());
    words
}

/// Divides by `n * degrees`; was there a rest?
fn divide_by_both(words: &mut [u64], n: u64, degrees: u64) -> bool {
    let rest = integer::divide(words, n);
    integer::divide(words, degrees) != 0 || rest != 0
}
