//! Dots of vectors: sums of products.

use super::dot_state::DotAccumulator;
use crate::{Element, Mode, Queue, Report, Result};

/// The dot product of `x` and `y`: the sum of their products, each rounded once, with three folds, on all cores of the CPU.
/// The same bits for any order of the pairs, any number of threads and any machine.
///
/// The vectors must have one length, else it is an error. `n` pairs cost one pass over the data and no memory. A product
/// that overflows counts as an infinity, `0 * inf` and NaN as NaN; NaN or both infinities give the canonical NaN, one
/// kind of infinity gives that; empty and all-zero input give +0. Against the sum of the rounded products the error is
/// at most `n 2^-80 max|x y| + 7 eps |dot|` for `f64` (see [`Report::bound`]); rounding adds up to `eps / 2 |x y|` for
/// each product. [`Dot::exact`] has neither. Reproducibility level: full. More than `f64::CAPACITY` (`f32::CAPACITY`,
/// 4294966784) pairs are an error that names exact mode.
///
/// Source: Demmel, Ahrens and Nguyen, *Efficient Reproducible Floating Point Summation and BLAS*, 2016.
///
/// ```
/// assert_eq!(samebits::dot(&[1.5, 2.0], &[2.0, -0.25])?, 2.5);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn dot<T: Element>(x: &[T], y: &[T]) -> Result<T> {
    Dot::new().run(Queue::shared()?, x, y)
}

/// The sum of `x` with weights `w`: the sum of `x[i] * w[i]`. The same as [`dot()`]. For the weighted mean divide by the
/// [`sum`](crate::sum()) of the weights.
///
/// ```
/// assert_eq!(samebits::weighted_sum(&[3.0, 5.0], &[0.25, 0.75])?, 4.5);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn weighted_sum<T: Element>(x: &[T], w: &[T]) -> Result<T> {
    dot(x, w)
}

/// A dot with all choices: folds or exact, threads, device, report.
///
/// Exact means that no product is rounded either: the result is the mathematically exact dot, rounded once, even where
/// products lie beyond the range of the type. In the cache it costs two to three times as much as three folds; far more
/// where the products of a few hundred pairs in a row spread over hundreds of binades, which leaves the vector loop.
///
/// ```
/// use samebits::{Dot, Queue};
/// let queue = Queue::cpu()?;
/// let (x, y) = ([1e200f64, 3.0, -1e200], [1e200, 0.1, 1e200]);
/// assert!(Dot::new().run(&queue, &x, &y)?.is_nan()); // inf - inf
/// assert_eq!(Dot::exact().run(&queue, &x, &y)?, 0.30000000000000004);
/// let report = Dot::new().folds(4)?.threads(1).report(&queue, &y, &[0.0, 1.0, 0.0])?;
/// assert_eq!((report.value, report.count), (0.1, 3));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Dot {
    pub(super) mode: Mode,
    pub(super) threads: Option<usize>,
}

impl Dot {
    /// Rounded products, three folds.
    pub fn new() -> Dot {
        Dot::default()
    }

    /// Exact products and an exact sum, rounded once.
    pub fn exact() -> Dot {
        Dot::new().mode(Mode::exact())
    }

    /// With K folds: 2 to 52 for `f64`, 2 to 21 for `f32`.
    pub fn folds(self, folds: usize) -> Result<Dot> {
        Ok(self.mode(Mode::folds(folds)?))
    }

    /// Binned or exact.
    pub fn mode(self, mode: Mode) -> Dot {
        Dot { mode, ..self }
    }

    /// With this many threads instead of the queue's.
    pub fn threads(self, threads: usize) -> Dot {
        Dot { threads: Some(threads), ..self }
    }

    /// The dot of `x` and `y`. Vectors of unequal lengths are an error.
    pub fn run<T: Element>(&self, queue: &Queue, x: &[T], y: &[T]) -> Result<T> {
        Ok(self.accumulate(queue, x, y)?.value())
    }

    /// The dot of `x` and `y` and what goes with it. The bound is that of the sum: see [`DotAccumulator::error_bound`].
    pub fn report<T: Element>(&self, queue: &Queue, x: &[T], y: &[T]) -> Result<Report<T>> {
        let acc = self.accumulate(queue, x, y)?;
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

    /// The accumulator of `x` and `y`: the dot, to be merged or stored.
    pub fn accumulate<T: Element>(&self, queue: &Queue, x: &[T], y: &[T]) -> Result<DotAccumulator<T>> {
        let mut acc = DotAccumulator::new(self.mode)?;
        acc.extend_by(&*queue.backend(self.threads)?, x, y)?;
        Ok(acc)
    }
}
