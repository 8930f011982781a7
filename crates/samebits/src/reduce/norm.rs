//! Norms of vectors.

use super::norm_state::{Norm2Accumulator, NormInfAccumulator};
use crate::{Element, Mode, Queue, Report, Result, Sum};

/// The 1-norm of `x`: the sum of absolute values, with three folds, on all cores of the CPU. The same as [`crate::asum()`].
///
/// ```
/// assert_eq!(samebits::norm1(&[1.5, -2.0])?, 3.5);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn norm1<T: Element>(x: &[T]) -> Result<T> {
    Norm::one().run(Queue::shared()?, x)
}

/// The 2-norm of `x`: the root of the sum of squares, with three folds, on all cores of the CPU. The same bits for any
/// order of the elements, any number of threads and any machine.
///
/// Values are scaled by powers of two, so nothing overflows or underflows midway: a norm that the type can hold is
/// found, one beyond the range is infinite. NaN anywhere gives the canonical NaN, else any infinity +inf; empty and
/// all-zero input give +0. `|norm2 - exact| <= n 2^-80 max|x| + 5 eps norm2` for `f64` and half a subnormal (see
/// [`Report::bound`]). `n` elements cost one pass over the data and no memory. Reproducibility level: full. More than
/// `f64::CAPACITY` (`f32::CAPACITY`, 4294966784) elements are an error that names exact mode.
///
/// Source: Demmel, Ahrens and Nguyen, *Efficient Reproducible Floating Point Summation and BLAS*, 2016.
///
/// ```
/// assert_eq!(samebits::norm2(&[3e300, -4e300])?, 5e300);
/// assert_eq!(samebits::norm2(&[f64::MAX])?, f64::MAX);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn norm2<T: Element>(x: &[T]) -> Result<T> {
    Norm::two().run(Queue::shared()?, x)
}

/// The infinity norm of `x`: the largest absolute value, on all cores of the CPU. NaN anywhere gives the canonical NaN;
/// empty and all-zero input give +0. No limit of length, no rounding. Reproducibility level: full.
///
/// ```
/// assert_eq!(samebits::norm_inf(&[1.5f32, -2.0])?, 2.0);
/// assert!(samebits::norm_inf(&[1.5, f64::NAN, f64::INFINITY])?.is_nan());
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn norm_inf<T: Element>(x: &[T]) -> Result<T> {
    Norm::inf().run(Queue::shared()?, x)
}

#[derive(Clone, Copy, Debug)]
enum Which {
    One,
    Two,
    Inf,
}

/// A norm with all choices: which one, folds or exact, threads, device, report.
///
/// ```
/// use samebits::{Norm, Queue};
/// let queue = Queue::cpu()?;
/// let x = [1.0, 1e-9, 1.0];
/// let report = Norm::two().folds(4)?.threads(1).report(&queue, &x)?;
/// assert_eq!((report.value, report.count), (2f64.sqrt(), 3));
/// assert_eq!(Norm::two().exact().run(&queue, &x)?, 2f64.sqrt());
/// assert_eq!(Norm::one().exact().run(&queue, &x)?, 2.000000001);
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Norm {
    which: Which,
    mode: Mode,
    threads: Option<usize>,
}

impl Norm {
    fn new(which: Which) -> Norm {
        Norm { which, mode: Mode::default(), threads: None }
    }

    /// The sum of absolute values, three folds.
    pub fn one() -> Norm {
        Norm::new(Which::One)
    }

    /// The root of the sum of squares, three folds.
    pub fn two() -> Norm {
        Norm::new(Which::Two)
    }

    /// The largest absolute value. It is exact; folds mean nothing to it.
    pub fn inf() -> Norm {
        Norm::new(Which::Inf)
    }

    /// With K folds: for the 1-norm 2 to 52 for `f64` and 2 to 21 for `f32`, for the 2-norm 2 to 26 and 2 to 11.
    pub fn folds(self, folds: usize) -> Result<Norm> {
        Ok(self.mode(Mode::folds(folds)?))
    }

    /// The exact norm, rounded once.
    pub fn exact(self) -> Norm {
        self.mode(Mode::exact())
    }

    /// Binned or exact.
    pub fn mode(self, mode: Mode) -> Norm {
        Norm { mode, ..self }
    }

    /// With this many threads instead of the queue's.
    pub fn threads(self, threads: usize) -> Norm {
        Norm { threads: Some(threads), ..self }
    }

    /// The norm of `x`.
    pub fn run<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<T> {
        Ok(match self.which {
            Which::One => self.sum().run(queue, x)?,
            Which::Two => self.two_norm(queue, x)?.value(),
            Which::Inf => self.largest(queue, x)?.value(),
        })
    }

    /// The norm of `x` and what goes with it.
    pub fn report<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<Report<T>> {
        let (value, bound) = match self.which {
            Which::One => return self.sum().report(queue, x),
            Which::Two => {
                let norm = self.two_norm(queue, x)?;
                (norm.value(), norm.error_bound())
            }
            Which::Inf => {
                let value = self.largest(queue, x)?.value();
                (value, if value.bits() == T::NAN.bits() { f64::NAN } else { 0.0 })
            }
        };
        Ok(Report {
            value,
            bits: value.bits(),
            count: x.len() as u64,
            bound,
            mode: self.mode,
            device: queue.device(),
            threads: queue.backend(self.threads)?.threads(),
        })
    }

    fn sum(&self) -> Sum {
        let sum = Sum::asum().mode(self.mode);
        match self.threads {
            Some(threads) => sum.threads(threads),
            None => sum,
        }
    }

    fn two_norm<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<Norm2Accumulator<T>> {
        let mut norm = Norm2Accumulator::new(self.mode)?;
        norm.extend_by(&*queue.backend(self.threads)?, x)?;
        Ok(norm)
    }

    fn largest<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<NormInfAccumulator<T>> {
        let mut norm = NormInfAccumulator::new();
        norm.extend_by(&*queue.backend(self.threads)?, x)?;
        Ok(norm)
    }
}
