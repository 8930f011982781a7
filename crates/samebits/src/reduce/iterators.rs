//! Sums of iterators.

use super::total::Total;
use crate::queue::calling_thread;
use crate::{Element, Result, Sum};

/// Values that are collected before a kernel gets them.
const BUFFER: usize = 512;

/// What an iterator to be summed may yield: `f32`, `f64` or references to them.
pub trait Summand {
    /// The value's type.
    type Value: Element;
    /// The value.
    fn value(self) -> Self::Value;
}

macro_rules! summands {
    ($elem:ty) => {
        impl Summand for $elem {
            type Value = $elem;
            fn value(self) -> $elem {
                self
            }
        }
        impl Summand for &$elem {
            type Value = $elem;
            fn value(self) -> $elem {
                *self
            }
        }
    };
}
summands!(f32);
summands!(f64);

/// A sum with a buffer before it.
struct Buffered<T: Element> {
    total: Total<T>,
    buffer: [T; BUFFER],
    len: usize,
}

impl<T: Element> Buffered<T> {
    fn new(sum: &Sum) -> Result<Self> {
        Ok(Buffered { total: sum.empty()?, buffer: [T::default(); BUFFER], len: 0 })
    }

    #[inline]
    fn push(&mut self, x: T) -> Result<()> {
        self.buffer[self.len] = x;
        self.len += 1;
        if self.len == BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let n = std::mem::take(&mut self.len);
        self.total.add(calling_thread()?, &self.buffer[..n])
    }
}

/// Reproducible sums of iterators: `sum_same` instead of `sum`.
///
/// ```
/// use samebits::IterSum;
/// let x = [1e16f64, 1.0, -1e16];
/// assert_eq!(x.iter().sum_same()?, 1.0);
/// assert_eq!(x.iter().rev().map(|v| v * 2.0).sum_same()?, 2.0);
/// # Ok::<(), samebits::Error>(())
/// ```
pub trait IterSum: Iterator + Sized
where
    Self::Item: Summand,
{
    /// The sum of all items, three folds, on the calling thread: the bits of [`sum()`](crate::sum()) over the same values
    /// in a slice. A buffer on the stack, no allocation. Reproducibility level: full.
    fn sum_same(self) -> Result<<Self::Item as Summand>::Value> {
        self.sum_same_by(&Sum::new())
    }

    /// The same with a choice of folds, exact mode, or of absolute values. Threads and devices mean nothing here.
    fn sum_same_by(self, how: &Sum) -> Result<<Self::Item as Summand>::Value> {
        let mut sum = Buffered::new(how)?;
        for item in self {
            sum.push(item.value())?;
        }
        sum.flush()?;
        Ok(sum.total.value())
    }
}

impl<I: Iterator> IterSum for I where I::Item: Summand {}

/// Reproducible sums of rayon's parallel iterators: `sum_same` instead of `sum`.
///
/// ```
/// use rayon::prelude::*;
/// use samebits::ParallelSum;
/// let x: Vec<f64> = (0..100_000).map(|i| 1.0 / (i as f64 + 1.0)).collect();
/// let squares = x.par_iter().map(|v| v * v).sum_same()?;
/// assert_eq!(squares.to_bits(), x.par_iter().rev().map(|v| v * v).sum_same()?.to_bits());
/// assert_eq!(x.par_iter().sum_same()?, samebits::sum(&x)?);
/// # Ok::<(), samebits::Error>(())
/// ```
#[cfg(feature = "rayon")]
pub trait ParallelSum: rayon::iter::ParallelIterator
where
    Self::Item: Summand,
{
    /// The sum of all items, three folds, on the threads of the iterator: the bits of [`sum()`](crate::sum()) over the same
    /// values in a slice, however rayon splits the work. Every piece of work allocates a buffer of some KiB.
    /// Reproducibility level: full.
    fn sum_same(self) -> Result<<Self::Item as Summand>::Value> {
        self.sum_same_by(&Sum::new())
    }

    /// The same with a choice of folds, exact mode, or of absolute values. Threads and devices mean nothing here.
    fn sum_same_by(self, how: &Sum) -> Result<<Self::Item as Summand>::Value> {
        let empty: Total<<Self::Item as Summand>::Value> = how.empty()?;
        use rayon::iter::ParallelIterator;
        // In boxes, since rayon hands the state on by value with every item.
        let pieces = self.fold(
            || Buffered::new(how).map(Box::new),
            |sum: Result<Box<Buffered<_>>>, item| {
                let mut sum = sum?;
                sum.push(item.value())?;
                Ok(sum)
            },
        );
        let flushed = pieces.map(|sum| -> Result<_> {
            let mut sum = sum?;
            sum.flush()?;
            Ok(sum)
        });
        let merged = flushed.reduce(
            || Buffered::new(how).map(Box::new),
            |a, b| {
                let (mut a, b) = (a?, b?);
                a.total.merge(&b.total)?;
                Ok(a)
            },
        );
        let mut total = empty;
        total.merge(&merged?.total)?;
        Ok(total.value())
    }
}

#[cfg(feature = "rayon")]
impl<I: rayon::iter::ParallelIterator> ParallelSum for I where I::Item: Summand {}
