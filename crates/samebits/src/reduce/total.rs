//! One sum in progress on the stack, binned or exact: what calls that end with a value use.

use crate::{Accumulator, DotAccumulator, Element, Kind, Mode, Norm2Accumulator, NormInfAccumulator, Result};
use samebits_core::{Binned, Error as CoreError, Exact};
use samebits_device::Backend;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Binned or exact, without a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Total<T: Element> {
    Binned(Binned<T>),
    Exact(Exact<T>),
}

impl<T: Element> Total<T> {
    pub(crate) fn new(kind: Kind, mode: Mode) -> Result<Self> {
        Ok(match mode.fold_count() {
            Some(folds) => Total::Binned(Binned::with_kind(kind, folds)?),
            None => Total::Exact(Exact::with_kind(kind)),
        })
    }

    /// What is accumulated, and how.
    pub(crate) fn how(&self) -> (Kind, Mode) {
        match self {
            Total::Binned(acc) => (acc.kind(), Mode::folds(acc.folds()).expect("a fold count that was checked")),
            Total::Exact(acc) => (acc.kind(), Mode::exact()),
        }
    }

    /// Adds all of `x` by the backend's kernels.
    pub(crate) fn add(&mut self, backend: &dyn Backend, x: &[T]) -> Result<()> {
        match self {
            Total::Binned(acc) => T::binned(backend.reduce(), x, acc),
            Total::Exact(acc) => T::exact(backend.reduce(), x, acc),
        }
    }

    /// Would `n` more summands fit?
    pub(crate) fn reserve(&self, n: u64) -> Result<()> {
        Ok(match self {
            Total::Binned(acc) => acc.reserve(n),
            Total::Exact(acc) => acc.reserve(n),
        }?)
    }

    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (Total::Binned(a), Total::Binned(b)) => Ok(a.merge(b)?),
            (Total::Exact(a), Total::Exact(b)) => Ok(a.merge(b)?),
            _ => Err(CoreError::Mismatch { what: "folds (0 is exact)", left: 0, right: 1 }.into()),
        }
    }

    pub(crate) fn value(&self) -> T {
        match self {
            Total::Binned(acc) => acc.value(),
            Total::Exact(acc) => acc.value(),
        }
    }

    pub(crate) fn mean(&self) -> T {
        match self {
            Total::Binned(acc) => acc.mean(),
            Total::Exact(acc) => acc.mean(),
        }
    }

    pub(crate) fn count(&self) -> u64 {
        match self {
            Total::Binned(acc) => acc.count(),
            Total::Exact(acc) => acc.count(),
        }
    }

    pub(crate) fn error_bound(&self) -> f64 {
        match self {
            Total::Binned(acc) => acc.error_bound(),
            Total::Exact(acc) => acc.error_bound(),
        }
    }
}

impl<T: Element> From<Total<T>> for Accumulator<T> {
    fn from(total: Total<T>) -> Self {
        match total {
            Total::Binned(acc) => acc.into(),
            Total::Exact(acc) => acc.into(),
        }
    }
}

/// A part for a thread is not smaller than this many bytes of input.
const MIN_PART_BYTES: usize = 1 << 18;
/// Parts for each thread.
const PARTS_PER_THREAD: usize = 4;

/// In how many parts `bytes` bytes are shared out.
pub(crate) fn parts_of(backend: &dyn Backend, bytes: usize) -> usize {
    match backend.threads() {
        0 | 1 => 1,
        threads => (bytes / MIN_PART_BYTES).clamp(1, threads * PARTS_PER_THREAD),
    }
}

/// Part `i` of `0..len` cut into `parts` parts.
pub(crate) fn part(len: usize, parts: usize, i: usize) -> Range<usize> {
    let size = len.div_ceil(parts.max(1));
    (i * size).min(len)..((i + 1) * size).min(len)
}

/// What parts of a sum are kept in until they are merged, in any order.
pub(crate) trait Merge: Copy + Send + Sync {
    fn absorb(&mut self, other: &Self) -> Result<()>;
}

impl<T: Element> Merge for Total<T> {
    fn absorb(&mut self, other: &Self) -> Result<()> {
        self.merge(other)
    }
}

impl<T: Element> Merge for DotAccumulator<T> {
    fn absorb(&mut self, other: &Self) -> Result<()> {
        self.merge(other)
    }
}

impl<T: Element> Merge for Norm2Accumulator<T> {
    fn absorb(&mut self, other: &Self) -> Result<()> {
        self.merge(other)
    }
}

impl<T: Element> Merge for NormInfAccumulator<T> {
    fn absorb(&mut self, other: &Self) -> Result<()> {
        self.merge(other);
        Ok(())
    }
}

impl<A: Merge, const N: usize> Merge for [A; N] {
    fn absorb(&mut self, other: &Self) -> Result<()> {
        self.iter_mut().zip(other).try_for_each(|(a, b)| a.absorb(b))
    }
}

/// Adds one part of a range to a sum.
pub(crate) type AddPart<'a, A> = dyn Fn(Range<usize>, &mut A) -> Result<()> + Sync + 'a;

/// Adds up `parts` parts of a range of `len` elements on the backend's threads: `add` adds one part. Room was asked for.
pub(crate) fn share<A: Merge>(
    backend: &dyn Backend,
    sum: &mut A,
    empty: A,
    (len, parts): (usize, usize),
    add: &AddPart<'_, A>,
) -> Result<()> {
    if parts <= 1 {
        return add(0..len, sum);
    }
    let all = Mutex::new((empty, Ok(())));
    backend.spread(parts, &|i| {
        let mut sum = empty;
        let mut outcome = add(part(len, parts, i), &mut sum);
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        outcome = outcome.and_then(|()| all.0.absorb(&sum));
        if all.1.is_ok() {
            all.1 = outcome;
        }
    });
    let (part, outcome) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome?;
    sum.absorb(&part)
}

/// Adds up parts of a range of `len` elements, on the backend's threads if it is long: `add` adds one part.
pub(crate) fn in_parts<T: Element>(
    backend: &dyn Backend,
    total: &mut Total<T>,
    empty: Total<T>,
    len: usize,
    add: &AddPart<'_, Total<T>>,
) -> Result<()> {
    total.reserve(len as u64)?;
    share(backend, total, empty, (len, parts_of(backend, len.saturating_mul(size_of::<T>()))), add)
}
