//! Sums of slices.

use super::total::Total;
use crate::{Accumulator, Device, Element, Kind, Mode, Queue, Result};
use samebits_device::Backend;
use std::sync::Arc;

/// The sum of `x`: three folds, on all cores of the CPU. The same bits for any order of the elements, any number of
/// threads and any machine.
///
/// `n` elements cost one pass over the data and no memory. NaN or both infinities give the canonical NaN, one kind of
/// infinity gives that; empty and all-zero input give +0. `|sum - exact| <= n 2^-80 max|x| + 7 eps |sum|` for `f64`
/// (see [`Report::bound`]). Reproducibility level: full. More than `f64::CAPACITY` (`f32::CAPACITY`, 4294966784)
/// summands are an error that names exact mode.
///
/// Source: Demmel, Ahrens and Nguyen, *Efficient Reproducible Floating Point Summation and BLAS*, 2016.
///
/// ```
/// assert_eq!(samebits::sum(&[1.5f32, 2.0, -0.25])?, 3.25);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn sum<T: Element>(x: &[T]) -> Result<T> {
    Sum::new().run(Queue::shared()?, x)
}

/// The sum of absolute values, otherwise as [`sum()`].
///
/// ```
/// assert_eq!(samebits::asum(&[1.5, -2.0])?, 3.5);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn asum<T: Element>(x: &[T]) -> Result<T> {
    Sum::asum().run(Queue::shared()?, x)
}

/// The mean of `x`: the exact total of the three-fold accumulator over `n`, rounded once. NaN for empty input.
/// Otherwise as [`sum()`].
///
/// ```
/// assert_eq!(samebits::mean(&[1e308, 1e308])?, 1e308);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn mean<T: Element>(x: &[T]) -> Result<T> {
    Sum::new().mean(Queue::shared()?, x)
}

/// A sum with all choices: folds or exact, threads, device, report.
///
/// ```
/// use samebits::{Queue, Sum};
/// let queue = Queue::cpu()?;
/// let x = [1.0, 1e100, 1.0, -1e100];
/// assert_eq!(Sum::exact().run(&queue, &x)?, 2.0);
/// let report = Sum::new().folds(10)?.threads(1).report(&queue, &x)?;
/// assert_eq!((report.value, report.count, report.threads), (2.0, 4, 1));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    kind: Kind,
    mode: Mode,
    threads: Option<usize>,
}

impl Sum {
    /// Three folds.
    pub fn new() -> Sum {
        Sum::default()
    }

    /// The exact sum, rounded once.
    pub fn exact() -> Sum {
        Sum::new().mode(Mode::exact())
    }

    /// The sum of absolute values, three folds.
    pub fn asum() -> Sum {
        Sum { kind: Kind::Asum, ..Sum::new() }
    }

    /// With K folds: 2 to 52 for `f64`, 2 to 21 for `f32`.
    pub fn folds(self, folds: usize) -> Result<Sum> {
        Ok(self.mode(Mode::folds(folds)?))
    }

    /// Binned or exact.
    pub fn mode(self, mode: Mode) -> Sum {
        Sum { mode, ..self }
    }

    /// With this many threads instead of the queue's.
    pub fn threads(self, threads: usize) -> Sum {
        Sum { threads: Some(threads), ..self }
    }

    /// The sum of `x`.
    pub fn run<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<T> {
        Ok(self.total(queue, x)?.value())
    }

    /// The exact total of the accumulator over `n`, rounded once. NaN for empty input.
    pub fn mean<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<T> {
        Ok(self.total(queue, x)?.mean())
    }

    /// The sum of `x` and what goes with it.
    pub fn report<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<Report<T>> {
        let acc = self.total(queue, x)?;
        let value = acc.value();
        Ok(Report {
            value,
            bits: value.bits(),
            count: acc.count(),
            bound: acc.error_bound(),
            mode: self.mode,
            device: queue.device(),
            threads: queue.backend(self.threads)?.threads(),
        })
    }

    /// The accumulator of `x`: the sum, to be merged or stored.
    pub fn accumulate<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<Accumulator<T>> {
        Ok(self.total(queue, x)?.into())
    }

    /// The state of the sum of `x`, on the stack.
    fn total<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<Total<T>> {
        let mut total = self.empty()?;
        total.add(&*self.backend(queue)?, x)?;
        Ok(total)
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn fold_mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn empty<T: Element>(&self) -> Result<Total<T>> {
        Total::new(self.kind, self.mode)
    }

    pub(crate) fn backend(&self, queue: &Queue) -> Result<Arc<dyn Backend>> {
        queue.backend(self.threads)
    }
}

/// A sum and what goes with it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Report<T> {
    /// The result.
    pub value: T,
    /// Its bit pattern, in the low bits.
    pub bits: u64,
    /// Summands, specials included.
    pub count: u64,
    /// A bound on `|value - exact sum|`, rounded up.
    pub bound: f64,
    /// Folds or exact.
    pub mode: Mode,
    /// Where it was computed.
    pub device: Device,
    /// Threads that could be used.
    pub threads: usize,
}
