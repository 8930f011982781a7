//! The exact 2-norm: the exact sum of squares, and its root rounded once.

use crate::format::{Class, Float, classify};
use crate::state::{self, Counts, Kind};
use crate::{ExactDot, Result, integer};

/// A 2-norm in progress that loses nothing: the root of the mathematically exact sum of squares, rounded once, to
/// nearest, ties to even. As large as an [`ExactDot`].
///
/// ```
/// use samebits_core::ExactNorm2;
/// let mut acc = ExactNorm2::<f64>::new();
/// acc.extend(&[3e-320, -4e-320, 0.0])?;
/// assert_eq!(acc.value(), 5e-320);
/// # Ok::<(), samebits_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactNorm2<T: Float> {
    squares: ExactDot<T>,
}

impl<T: Float> Default for ExactNorm2<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Float> ExactNorm2<T> {
    /// An empty norm.
    pub fn new() -> Self {
        Self { squares: ExactDot::new() }
    }

    /// All counts; infinities count as positive.
    pub fn counts(&self) -> Counts {
        self.squares.counts()
    }
    /// Values, specials included.
    pub fn count(&self) -> u64 {
        self.counts().summands
    }
    /// NaNs among them.
    pub fn nan_count(&self) -> u64 {
        self.counts().nan
    }
    /// Infinities among them.
    pub fn inf_count(&self) -> u64 {
        self.counts().pos_inf
    }
    /// The exact sum of the squares.
    pub fn squares(&self) -> &ExactDot<T> {
        &self.squares
    }

    /// Adds one value.
    pub fn deposit(&mut self, x: T) -> Result<()> {
        self.squares.deposit(x, x)
    }

    /// Adds all values of `x`. After an error nothing was added.
    pub fn extend(&mut self, x: &[T]) -> Result<()> {
        self.squares.extend(x, x)
    }

    /// Would `n` more values fit? Only a count of `2^64` refuses.
    pub fn reserve(&self, n: u64) -> Result<()> {
        self.squares.reserve(n)
    }

    /// Adds what another one holds.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.squares.merge(&other.squares)
    }

    /// Adds a part that a backend computed: the exact products of values with themselves.
    pub fn absorb(&mut self, squares: &ExactDot<T>) -> Result<()> {
        self.squares.merge(squares)
    }

    /// The norm, rounded once: NaN if there was a NaN, else infinity if there was an infinity, +0 for an empty or all-zero
    /// multiset. It overflows only if the norm does.
    pub fn value(&self) -> T {
        self.squares.root()
    }

    /// A bound on `|value - exact norm|`: 0 if the norm is representable, else half a unit in the last place of the value.
    /// Infinite after overflow, 0 where infinities decide, NaN where the value is NaN.
    pub fn error_bound(&self) -> f64 {
        match (self.counts().special::<T>(), classify(self.value())) {
            (Some(special), _) if special.bits() == T::NAN.bits() => <f64 as Float>::NAN,
            (Some(_), _) => 0.0,
            (None, Class::Finite { m, q }) => {
                let mut rest = self.squares;
                rest.add_scaled(-(m as i128 * m as i128), 2 * q);
                integer::bound((self.value(), integer::is_zero(rest.words().as_ref())))
            }
            _ => f64::INFINITY,
        }
    }

    /// Length of the state bytes.
    pub fn byte_len() -> usize {
        state::len::<T>(Kind::Norm2, 0)
    }

    /// Writes the state bytes and returns their number.
    pub fn write_bytes(&self, out: &mut [u8]) -> Result<usize> {
        let body = |body: &mut [u8]| integer::write(self.squares.words().as_ref(), body);
        state::write::<T>(out, Kind::Norm2, 0, 0, &self.counts(), body)
    }

    /// Reads state bytes and checks that some multiset could have made them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, index, counts, body) = state::read::<T>(bytes, |_| u64::MAX)?;
        header.kind.expect(Kind::Norm2)?;
        if header.folds != 0 {
            return Err(crate::Error::Mismatch { what: "folds", left: 0, right: header.folds as u64 });
        }
        if index != 0 {
            return Err(state::impossible_index("an index in an exact state"));
        }
        let mut words = T::ZERO_PRODUCTS;
        integer::read(words.as_mut(), body);
        let impossible = |what| state::impossible(what, T::PRODUCT_WORDS - 1, 8);
        if integer::magnitude(&words).0 {
            return Err(impossible("a negative sum of squares"));
        }
        Ok(Self { squares: ExactDot::from_parts(counts, words).map_err(impossible)? })
    }
}
