//! The binned format of Ahrens, Demmel and Nguyen, kept as integers.
//!
//! # The state
//! The exponent range is cut into bins of `WIDTH` bits (see [`Float`]). An accumulator with K folds keeps
//! - the index `I` of the bin of the largest finite `|x|` seen (the last bin if there was none, or only zeros),
//! - K signed totals: `S_k` counts units of bin `I + k`; bins past the last one repeat it,
//! - how many summands there were, and how many were NaN, +Inf and -Inf. Specials are counted, never deposited.
//!
//! # Deposit
//! For k = 0..K the remainder of the summand is rounded to the nearest multiple of the bin's unit, **exact ties away
//! from zero**; the multiple goes to `S_k`, the rest to the next fold. What the last fold leaves is dropped.
//! Since a bin that is too coarse for a value takes exactly nothing from it, the digits of a value do not depend on
//! where the window began; so all totals, and every bit that follows from them, depend on the multiset alone.
//! (The published format keeps floats: a primary in `[1.5, 1.75)` of its binade and a count of quarter binades. With
//! `S_k` at hand they are `S_k mod 2^(p-3)` and `S_k >> (p-3)`, which is all that the conversion needs.)
//!
//! # Conversion
//! See [`Binned::value`]: the order of its float additions is part of the bits.
//!
//! # Error
//! `|value - exact| <= count * unit(last bin held) / 2 + 7 eps |value|`, see [`Binned::error_bound`]. In terms of the
//! largest summand the first part is at most `count * 2^(WIDTH * (1 - K)) * max|x|`, plus `count` halves of the last
//! bin's unit, which the classical bound leaves out.

mod array;
pub(crate) mod convert;
mod image;
mod slot;
pub(crate) mod window;

pub use array::{BinnedArray, Head};
pub use slot::{reference, slot_capacity, slot_count, slot_index, slot_len, slot_raise};
pub use window::digits;

use crate::exact::Exact;
use crate::format::{Class, Float, Round, classify, encode, index_of};
use crate::state::{self, Counts, Kind};
use crate::{Error, Result};
use window::Window;

/// A K-fold binned accumulator: a sum (or a sum of absolute values) that does not depend on the order of its terms.
///
/// Fixed size (880 bytes for `f64`), no allocation, integers only. For speed on arrays use the backends; this is the definition.
///
/// ```
/// use samebits_core::Binned;
/// let mut acc = Binned::<f32>::new(3)?;
/// acc.extend(&[0.1, 0.2, f32::INFINITY])?;
/// assert_eq!((acc.value(), acc.count(), acc.pos_inf_count()), (f32::INFINITY, 3, 1));
/// # Ok::<(), samebits_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binned<T: Float> {
    kind: Kind,
    folds: u8,
    index: u8,
    counts: Counts,
    totals: T::Totals,
}

/// Refuses a fold count that the type does not have.
pub(crate) fn check_folds<T: Float>(folds: usize) -> Result<()> {
    if (T::MIN_FOLDS..=T::MAX_FOLDS).contains(&folds) {
        Ok(())
    } else {
        Err(Error::Folds { given: folds, min: T::MIN_FOLDS, max: T::MAX_FOLDS })
    }
}

impl<T: Float> Binned<T> {
    /// An empty sum with `folds` folds: 2 to 52 for `f64`, 2 to 21 for `f32`. Three is the usual choice.
    pub fn new(folds: usize) -> Result<Self> {
        Self::with_kind(Kind::Sum, folds)
    }

    /// An empty accumulator of the given kind: [`Kind::Sum`] or [`Kind::Asum`].
    pub fn with_kind(kind: Kind, folds: usize) -> Result<Self> {
        check_folds::<T>(folds)?;
        kind.check_terms()?;
        Ok(Self {
            kind,
            folds: folds as u8,
            index: T::MAX_INDEX as u8,
            counts: Counts::default(),
            totals: T::ZERO_TOTALS,
        })
    }

    /// What is accumulated.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    /// The number of folds K.
    pub fn folds(&self) -> usize {
        self.folds as usize
    }
    /// Index of the bin of the largest finite magnitude seen.
    pub fn index(&self) -> usize {
        self.index as usize
    }
    /// The K totals, in units of bins `index .. index + K`.
    pub fn totals(&self) -> &[i128] {
        &self.totals.as_ref()[..self.folds as usize]
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

    fn window(&mut self) -> Window<'_, T> {
        Window::new(&mut self.index, &mut self.totals.as_mut()[..self.folds as usize], 1)
    }

    /// Adds one summand. Cost: a few integer operations a fold.
    #[inline]
    pub fn deposit(&mut self, x: T) -> Result<()> {
        self.reserve(1)?;
        self.deposit_reserved(x);
        Ok(())
    }

    /// Adds all summands of `x`. The capacity is checked before any is looked at; after an error nothing was added.
    pub fn extend(&mut self, x: &[T]) -> Result<()> {
        self.reserve(x.len() as u64)?;
        for &v in x {
            self.deposit_reserved(v);
        }
        Ok(())
    }

    /// Would `n` more summands fit? Streams ask before they touch data.
    pub fn reserve(&self, n: u64) -> Result<()> {
        match self.counts.summands.checked_add(n) {
            Some(total) if total <= T::CAPACITY => Ok(()),
            _ => Err(Error::Capacity { limit: T::CAPACITY }),
        }
    }

    #[inline]
    fn deposit_reserved(&mut self, x: T) {
        self.counts.summands += 1;
        match classify(self.kind.term(x)) {
            Class::Finite { m, q } => {
                let mut window = self.window();
                window.raise(index_of::<T>(m, q));
                window.deposit(m, q);
            }
            Class::Nan => self.counts.nan += 1,
            Class::PosInf => self.counts.pos_inf += 1,
            Class::NegInf => self.counts.neg_inf += 1,
        }
    }

    /// Adds what another accumulator holds. Associative and commutative: any tree gives the same state.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.folds != other.folds {
            return Err(Error::Mismatch { what: "folds", left: self.folds as u64, right: other.folds as u64 });
        }
        other.kind.expect(self.kind)?;
        self.absorb(other.index(), other.totals(), other.counts)
    }

    /// Adds a part that a backend computed: totals of this accumulator's folds, in a window that begins at the bin
    /// `index` of the largest finite magnitude of the part (the last bin if the part has no finite nonzero value).
    pub fn absorb(&mut self, index: usize, totals: &[i128], counts: Counts) -> Result<()> {
        if totals.len() != self.folds() {
            return Err(Error::Length { what: "the totals of a part", given: totals.len(), needed: self.folds() });
        }
        if index > T::MAX_INDEX {
            return Err(Error::State { what: "an index past the last bin", at: 0 });
        }
        self.counts = self.counts.add(&counts, T::CAPACITY)?;
        self.window().merge(index, totals.iter().copied());
        Ok(())
    }

    /// Refused: [`Error::CannotSubtract`]. The window cannot fall back when its largest value leaves. [`Exact`] can.
    pub fn subtract(&mut self, _other: &Self) -> Result<()> {
        Err(Error::CannotSubtract)
    }

    /// The result: NaN if there was a NaN or both infinities, an infinity if there was one, +0 for an empty or all-zero
    /// multiset, else the totals converted in the format's own order of float additions (done in integers here):
    /// the carry `S_k >> (p-3)` of fold k goes in before the rest `S_(k-1) mod 2^(p-3)` of the fold above it, largest
    /// exponents first, each addition rounded to nearest even; `f32` sums in double precision and rounds once at the
    /// end; `f64` sums scaled by 2^-66 while bins near the top are involved. Finite summands overflow only here.
    pub fn value(&self) -> T {
        self.counts.special().unwrap_or_else(|| convert::value(self.index(), self.totals()))
    }

    /// The state's exact total over the number of summands, rounded once. NaN for no summands.
    pub fn mean(&self) -> T {
        self.exact_total().mean_of(&self.counts)
    }

    /// The totals as one exact integer.
    fn exact_total(&self) -> Exact<T> {
        let mut exact = Exact::<T>::new();
        for (k, &s) in self.totals().iter().enumerate() {
            exact.add_scaled(s, T::unit_exponent(self.index() + k));
        }
        exact
    }

    /// A bound on `|value - exact sum|`, from the state alone: `count * unit(last bin held) / 2 + 7 eps |value|` with
    /// `eps = 2^(1-p)`, rounded up. Infinite after overflow, 0 where infinities decide, NaN where the value is NaN.
    pub fn error_bound(&self) -> f64 {
        if let Some(special) = self.counts.special::<T>() {
            return if special.bits() == T::NAN.bits() { <f64 as Float>::NAN } else { 0.0 };
        }
        let Class::Finite { m, q } = classify(self.value()) else { return f64::INFINITY };
        let last = T::unit_exponent(self.index() + self.folds() - 1);
        let dropped = encode::<f64>(false, self.counts.finite() as u128, last - 1, Round::Away).0;
        let rounding = encode::<f64>(false, 7 * m.unsigned_abs() as u128, q + 1 - T::PRECISION as i32, Round::Away).0;
        convert::add_away(f64::from_bits(dropped), f64::from_bits(rounding))
    }

    /// Length of the state bytes of `folds` folds.
    pub fn byte_len(folds: usize) -> usize {
        state::len::<T>(Kind::Sum, folds)
    }

    /// Writes the state bytes (layout: see the source of `state.rs`) and returns their number.
    pub fn write_bytes(&self, out: &mut [u8]) -> Result<usize> {
        state::write::<T>(out, self.kind, self.folds(), self.index(), &self.counts, |body| {
            for (slot, s) in body.chunks_exact_mut(16).zip(self.totals()) {
                slot.copy_from_slice(&s.to_le_bytes());
            }
        })
    }

    /// Reads state bytes and checks that some multiset could have made them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, index, counts, body) = state::read::<T>(bytes, |_| T::CAPACITY)?;
        if header.folds == 0 {
            return Err(Error::Mismatch { what: "folds", left: T::MIN_FOLDS as u64, right: 0 });
        }
        let mut acc = Self::with_kind(header.kind, header.folds)?;
        for (slot, chunk) in acc.totals.as_mut().iter_mut().zip(body.chunks_exact(16)) {
            let mut word = [0; 16];
            word.copy_from_slice(chunk);
            *slot = i128::from_le_bytes(word);
        }
        if index > T::MAX_INDEX as u64 {
            return Err(state::impossible_index("an index past the last bin"));
        }
        acc.index = index as u8;
        acc.counts = counts;
        acc.check().map_err(state::impossible_index)?;
        Ok(acc)
    }

    /// Could some multiset have led to this index and these totals? Counts are checked before.
    fn check(&self) -> Result<(), &'static str> {
        let finite = self.counts.finite();
        if finite == 0 && self.index() != T::MAX_INDEX {
            return Err("a window without a finite summand");
        }
        let largest = (finite as u128) << (T::WIDTH - 1);
        if self.totals().iter().any(|s| s.unsigned_abs() > largest) {
            return Err("a total larger than its summands allow");
        }
        Ok(())
    }
}
