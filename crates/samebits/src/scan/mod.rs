//! Running sums.

use crate::{Accumulator, Element, Mode, Queue, Result};
use samebits_core::{Binned, Exact};
use samebits_device::{Bound, Span};

/// The running sum of `x` into `y`: `y[i]` is bit for bit [`crate::sum()`] of `x[..=i]`. Three folds, on all cores of the
/// CPU.
///
/// Each result depends on the multiset of its summands alone; the rules for NaN, infinities, zeros and the error bound
/// are those of [`crate::sum()`]. `y` must be as long as `x`. One pass over the data with one thread, and no memory; with
/// more, the data is read once more. Reproducibility level: full, for each result.
///
/// Source: Demmel, Ahrens and Nguyen, *Efficient Reproducible Floating Point Summation and BLAS*, 2016, for each sum.
///
/// ```
/// let mut y = [0.0; 4];
/// samebits::cumsum(&[1.5, 1e16, -1e16, 2.0], &mut y)?;
/// assert_eq!(y, [1.5, 10000000000000002.0, 1.5, 3.5]);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn cumsum<T: Element>(x: &[T], y: &mut [T]) -> Result<()> {
    Cumsum::new().run(Queue::shared()?, x, y)
}

/// The running sum of `x` in place, otherwise as [`cumsum()`].
///
/// ```
/// let mut x = [0.5f32, 0.25, -1.0];
/// samebits::cumsum_in_place(&mut x)?;
/// assert_eq!(x, [0.5, 0.75, -0.25]);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn cumsum_in_place<T: Element>(x: &mut [T]) -> Result<()> {
    Cumsum::new().in_place(Queue::shared()?, x)
}

/// A running sum with all choices: folds or exact, inclusive or exclusive, threads, device.
///
/// ```
/// use samebits::{Cumsum, Queue};
/// let queue = Queue::cpu()?;
/// let mut y = [0.0; 3];
/// Cumsum::exact().exclusive().run(&queue, &[1e300, 1.0, -1e300], &mut y)?;
/// assert_eq!(y, [0.0, 1e300, 1e300]);
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Cumsum {
    mode: Mode,
    bound: Bound,
    threads: Option<usize>,
}

impl Cumsum {
    /// Inclusive, three folds.
    pub fn new() -> Cumsum {
        Cumsum::default()
    }

    /// Inclusive; every result is the exact sum, rounded once.
    pub fn exact() -> Cumsum {
        Cumsum::new().mode(Mode::exact())
    }

    /// With K folds: 2 to 52 for `f64`, 2 to 21 for `f32`. Two, three and four are fast; others take some forty
    /// times as long.
    pub fn folds(self, folds: usize) -> Result<Cumsum> {
        Ok(self.mode(Mode::folds(folds)?))
    }

    /// Binned or exact.
    pub fn mode(self, mode: Mode) -> Cumsum {
        Cumsum { mode, ..self }
    }

    /// Result `i` is the sum of the summands before `i`; the first one is +0.
    pub fn exclusive(self) -> Cumsum {
        Cumsum { bound: Bound::Exclusive, ..self }
    }

    /// With this many threads instead of the queue's.
    pub fn threads(self, threads: usize) -> Cumsum {
        Cumsum { threads: Some(threads), ..self }
    }

    /// The running sum of `x` into `y`, which must be as long. After an error `y` is unchanged.
    pub fn run<T: Element>(&self, queue: &Queue, x: &[T], y: &mut [T]) -> Result<()> {
        self.whole(queue, Span::Into { x, y })
    }

    /// The running sum of `x` in place. After an error `x` is unchanged.
    pub fn in_place<T: Element>(&self, queue: &Queue, x: &mut [T]) -> Result<()> {
        self.whole(queue, Span::InPlace(x))
    }

    /// With the state on the stack: a call allocates nothing.
    fn whole<T: Element>(&self, queue: &Queue, span: Span<'_, T>) -> Result<()> {
        let backend = queue.backend(self.threads)?;
        match self.mode.fold_count() {
            Some(folds) => T::binned_scan(backend.scans(), span, self.bound, &mut Binned::new(folds)?),
            None => T::exact_scan(backend.scans(), span, self.bound, &mut Exact::new()),
        }
    }

    /// A running sum to be fed in pieces.
    pub fn start<T: Element>(&self) -> Result<Scan<T>> {
        Ok(Scan { choice: *self, total: Accumulator::new(self.mode)? })
    }
}

/// A running sum to go on with, across chunks and files: the results are those of one call on all of the data.
///
/// ```
/// use samebits::{Cumsum, Queue};
/// let queue = Queue::cpu()?;
/// let mut scan = Cumsum::new().start()?;
/// let (mut a, mut b) = ([1.0, 2.0], [3.0]);
/// scan.next_in_place(&queue, &mut a)?;
/// scan.next_in_place(&queue, &mut b)?;
/// assert_eq!((a, b, scan.accumulator().value()), ([1.0, 3.0], [6.0], 6.0));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scan<T: Element> {
    choice: Cumsum,
    total: Accumulator<T>,
}

impl<T: Element> Scan<T> {
    /// Goes on from `total`: everything in it comes before the next summand.
    pub fn after(total: Accumulator<T>) -> Scan<T> {
        let choice = Cumsum::new().mode(total.mode());
        Scan { choice, total }
    }

    /// From here on results do not count their own summand.
    pub fn exclusive(self) -> Scan<T> {
        Scan { choice: self.choice.exclusive(), ..self }
    }

    /// With this many threads instead of the queue's.
    pub fn threads(self, threads: usize) -> Scan<T> {
        Scan { choice: self.choice.threads(threads), ..self }
    }

    /// The next summands, from `x` into `y`, which must be as long. After an error nothing was added or written.
    pub fn next(&mut self, queue: &Queue, x: &[T], y: &mut [T]) -> Result<()> {
        self.span(queue, Span::Into { x, y })
    }

    /// The next summands, each replaced by its result.
    pub fn next_in_place(&mut self, queue: &Queue, x: &mut [T]) -> Result<()> {
        self.span(queue, Span::InPlace(x))
    }

    fn span(&mut self, queue: &Queue, span: Span<'_, T>) -> Result<()> {
        let backend = queue.backend(self.choice.threads)?;
        self.total.scan_by(&*backend, span, self.choice.bound)
    }

    /// The sum of all summands so far.
    pub fn accumulator(&self) -> &Accumulator<T> {
        &self.total
    }
}
