//! Arrays of accumulators: groups, scatter-add, many fields, matrix rows.

use super::{Binned, check_folds, window::Window};
use crate::format::{Class, Float, classify, index_of};
use crate::state::{Counts, Kind};
use crate::{Error, Result};

/// Index and counts of one accumulator of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Head {
    pub(super) index: u8,
    pub(super) counts: Counts,
}

impl Head {
    /// The head of an empty accumulator, for [`BinnedArray::resume`].
    pub fn empty<T: Float>() -> Head {
        Head { index: T::MAX_INDEX as u8, counts: Counts::default() }
    }

    /// Index of the bin of the largest finite magnitude seen.
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// The counts of the accumulator.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

/// An array of K-fold accumulators as a structure of arrays over the caller's memory: one [`Head`] each, and the totals
/// of fold k of all accumulators side by side. 40 + 16 K bytes an accumulator; nothing is allocated.
///
/// ```
/// use samebits_core::{Binned, BinnedArray, Head, Kind};
/// let (mut heads, mut totals) = ([Head::default(); 2], [0i128; 2 * 3]);
/// let mut groups = BinnedArray::<f64>::new(Kind::Sum, 3, &mut heads, &mut totals)?;
/// for (key, x) in [(0, 1.5), (1, 1e300), (0, -0.25), (1, -1e300)] {
///     groups.deposit(key, x)?;
/// }
/// assert_eq!((groups.value(0), groups.value(1)), (1.25, 0.0));
/// # Ok::<(), samebits_core::Error>(())
/// ```
#[derive(Debug)]
pub struct BinnedArray<'a, T: Float> {
    kind: Kind,
    pub(super) folds: usize,
    pub(super) heads: &'a mut [Head],
    totals: &'a mut [i128],
    float: core::marker::PhantomData<T>,
}

impl<'a, T: Float> BinnedArray<'a, T> {
    /// Makes empty accumulators, one for each of `heads`; `totals` must hold `folds` for each.
    pub fn new(kind: Kind, folds: usize, heads: &'a mut [Head], totals: &'a mut [i128]) -> Result<Self> {
        let array = Self::resume(kind, folds, heads, totals)?;
        array.heads.fill(Head::empty::<T>());
        array.totals.fill(0);
        Ok(array)
    }

    /// Goes on with what an array of the same kind and folds left in this memory, or with new memory: heads that are
    /// [`Head::empty`] and totals that are zero. Whether it is such memory is not looked at; other memory gives sums of
    /// no meaning.
    pub fn resume(kind: Kind, folds: usize, heads: &'a mut [Head], totals: &'a mut [i128]) -> Result<Self> {
        check_folds::<T>(folds)?;
        kind.check_terms()?;
        let needed = heads.len().saturating_mul(folds);
        if totals.len() != needed {
            return Err(Error::Length { what: "the totals of an array", given: totals.len(), needed });
        }
        Ok(Self { kind, folds, heads, totals, float: core::marker::PhantomData })
    }

    /// What is accumulated.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    /// The number of folds K.
    pub fn folds(&self) -> usize {
        self.folds
    }

    /// The number of accumulators.
    pub fn len(&self) -> usize {
        self.heads.len()
    }
    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub(super) fn check(&self, i: usize) -> Result<()> {
        if i < self.len() {
            Ok(())
        } else {
            Err(Error::Length { what: "the array of accumulators", given: self.len(), needed: i.saturating_add(1) })
        }
    }

    pub(super) fn window(&mut self, i: usize) -> Window<'_, T> {
        let stride = self.heads.len();
        let end = (self.folds - 1) * stride + i + 1;
        Window::new(&mut self.heads[i].index, &mut self.totals[i..end], stride)
    }

    /// Adds `x` to accumulator `i`.
    pub fn deposit(&mut self, i: usize, x: T) -> Result<()> {
        self.check(i)?;
        let counts = &mut self.heads[i].counts;
        if counts.summands >= T::CAPACITY {
            return Err(Error::Capacity { limit: T::CAPACITY });
        }
        counts.summands += 1;
        match classify(self.kind.term(x)) {
            Class::Finite { m, q } => {
                let mut window = self.window(i);
                window.raise(index_of::<T>(m, q));
                window.deposit(m, q);
            }
            Class::Nan => counts.nan += 1,
            Class::PosInf => counts.pos_inf += 1,
            Class::NegInf => counts.neg_inf += 1,
        }
        Ok(())
    }

    /// Adds what `other` holds to accumulator `i`.
    pub fn absorb(&mut self, i: usize, other: &Binned<T>) -> Result<()> {
        self.check(i)?;
        if self.folds != other.folds() {
            return Err(Error::Mismatch { what: "folds", left: self.folds as u64, right: other.folds() as u64 });
        }
        other.kind().expect(self.kind)?;
        self.heads[i].counts = self.heads[i].counts.add(&other.counts(), T::CAPACITY)?;
        self.window(i).merge(other.index(), other.totals().iter().copied());
        Ok(())
    }

    /// Adds another array, accumulator by accumulator. Checked before anything is changed.
    pub fn merge(&mut self, other: &BinnedArray<'_, T>) -> Result<()> {
        if other.len() != self.len() {
            return Err(Error::Length { what: "the other array", given: other.len(), needed: self.len() });
        }
        if self.folds != other.folds {
            return Err(Error::Mismatch { what: "folds", left: self.folds as u64, right: other.folds as u64 });
        }
        other.kind.expect(self.kind)?;
        for (mine, theirs) in self.heads.iter().zip(other.heads.iter()) {
            mine.counts.add(&theirs.counts, T::CAPACITY)?;
        }
        for i in 0..self.len() {
            self.absorb(i, &other.get(i))?;
        }
        Ok(())
    }

    /// A copy of accumulator `i`. Panics if there is none.
    pub fn get(&self, i: usize) -> Binned<T> {
        let head = self.heads[i];
        let mut totals = T::ZERO_TOTALS;
        for (k, slot) in totals.as_mut()[..self.folds].iter_mut().enumerate() {
            *slot = self.totals[k * self.heads.len() + i];
        }
        Binned { kind: self.kind, folds: self.folds as u8, index: head.index, counts: head.counts, totals }
    }

    /// The result of accumulator `i`, see [`Binned::value`]. Panics if there is none.
    pub fn value(&self, i: usize) -> T {
        self.get(i).value()
    }
}
