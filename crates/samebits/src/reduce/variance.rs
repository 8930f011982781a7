//! Variances and standard deviations of slices.

use crate::queue::calling_thread;
use crate::{Element, Queue, Result};
use samebits_core::{Float, MAX_STATE_BYTES, Moments};
use samebits_device::Backend;

/// The sample variance of `x`, with `n - 1` in the denominator: the exact one, rounded once. The same bits for any order
/// of the elements, any number of threads and any machine.
///
/// It is computed in integers from the exact sums of the values and of their squares, so a large mean costs no digits;
/// it is never negative, and that of equal values is +0. Fewer than two values, NaN or infinities give NaN. `n` elements
/// cost one pass over the data and no memory. It overflows only if the variance does. Reproducibility level: full.
///
/// ```
/// assert_eq!(samebits::variance(&[1e15 + 4.0, 1e15 + 7.0, 1e15 + 13.0, 1e15 + 16.0])?, 30.0);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn variance<T: Element>(x: &[T]) -> Result<T> {
    Variance::new().run(Queue::shared()?, x)
}

/// The sample standard deviation of `x`: the square root of the exact sample variance, rounded once. Otherwise as
/// [`variance()`]; where the variance overflows or underflows, it need not.
///
/// ```
/// assert_eq!(samebits::std_dev(&[1.0, 2.0])?, 0.5f64.sqrt());
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn std_dev<T: Element>(x: &[T]) -> Result<T> {
    Variance::new().std_dev(Queue::shared()?, x)
}

/// A variance with all choices: degrees of freedom, threads, device.
///
/// ```
/// use samebits::{Queue, Variance};
/// let queue = Queue::cpu()?;
/// let x = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
/// assert_eq!(Variance::new().ddof(0).run(&queue, &x)?, 4.0);
/// assert_eq!(Variance::new().ddof(0).threads(1).std_dev(&queue, &x)?, 2.0);
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Variance {
    ddof: u64,
    threads: Option<usize>,
}

impl Default for Variance {
    fn default() -> Self {
        Self::new()
    }
}

impl Variance {
    /// The sample variance: `n - 1` in the denominator.
    pub fn new() -> Variance {
        Variance { ddof: 1, threads: None }
    }

    /// With `n - ddof` in the denominator: 1 for a sample, 0 for a whole population.
    pub fn ddof(self, ddof: u64) -> Variance {
        Variance { ddof, ..self }
    }

    /// With this many threads instead of the queue's.
    pub fn threads(self, threads: usize) -> Variance {
        Variance { threads: Some(threads), ..self }
    }

    /// The variance of `x`.
    pub fn run<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<T> {
        Ok(self.accumulate(queue, x)?.variance(self.ddof))
    }

    /// The standard deviation of `x`.
    pub fn std_dev<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<T> {
        Ok(self.accumulate(queue, x)?.std_dev(self.ddof))
    }

    /// The accumulator of `x`, to be merged or stored.
    pub fn accumulate<T: Element>(&self, queue: &Queue, x: &[T]) -> Result<VarianceAccumulator<T>> {
        let mut acc = VarianceAccumulator::new();
        acc.extend_by(&*queue.backend(self.threads)?, x)?;
        Ok(acc)
    }
}

/// Mean, variance and standard deviation in progress: the exact sums of the values and of their squares. Its results and
/// its bytes are functions of the multiset of everything added, however that was cut into pieces, ordered, and merged
/// across threads, processes or machines. Fixed size, no allocation.
///
/// ```
/// use samebits::VarianceAccumulator;
/// let mut here = VarianceAccumulator::<f64>::new();
/// here.extend(&[1.0, 2.0])?;
/// let mut there = VarianceAccumulator::new();
/// there.push(3.0)?;
/// here.merge(&VarianceAccumulator::from_bytes(&there.to_bytes())?)?;
/// assert_eq!((here.count(), here.mean(), here.variance(1), here.std_dev(1)), (3, 2.0, 1.0, 1.0));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct VarianceAccumulator<T: Float> {
    state: Moments<T>,
}

impl<T: Element> VarianceAccumulator<T> {
    /// No values yet.
    pub fn new() -> Self {
        VarianceAccumulator { state: Moments::new() }
    }

    /// Adds one value. For more than a few, [`VarianceAccumulator::extend`] is many times faster.
    pub fn push(&mut self, x: T) -> Result<()> {
        Ok(self.state.deposit(x)?)
    }

    /// Adds all of `x`, on the calling thread, with the CPU's vector instructions. After an error nothing was added.
    pub fn extend(&mut self, x: &[T]) -> Result<()> {
        self.extend_by(calling_thread()?, x)
    }

    /// Adds all of `x` on a queue's device and threads.
    pub fn extend_on(&mut self, queue: &Queue, x: &[T]) -> Result<()> {
        self.extend_by(&*queue.backend(None)?, x)
    }

    fn extend_by(&mut self, backend: &dyn Backend, x: &[T]) -> Result<()> {
        T::moments(backend.dots(), x, &mut self.state)
    }

    /// Adds what another one holds. An error if they hold more than `2^64 - 1` values; then nothing was added.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        Ok(self.state.merge(&other.state)?)
    }

    /// The exact mean, rounded once: NaN for no values, infinities as for a sum.
    pub fn mean(&self) -> T {
        self.state.mean()
    }

    /// The exact variance with `n - ddof` in the denominator, rounded once. NaN if there are no more than `ddof` values, or
    /// if one is NaN or infinite.
    pub fn variance(&self, ddof: u64) -> T {
        self.state.variance(ddof)
    }

    /// The square root of the exact variance, rounded once. NaN as for [`VarianceAccumulator::variance`].
    pub fn std_dev(&self, ddof: u64) -> T {
        self.state.std_dev(ddof)
    }

    /// Values, specials included.
    pub fn count(&self) -> u64 {
        self.state.count()
    }
    /// NaNs among them.
    pub fn nan_count(&self) -> u64 {
        self.state.nan_count()
    }
    /// Positive infinities among them.
    pub fn pos_inf_count(&self) -> u64 {
        self.state.pos_inf_count()
    }
    /// Negative infinities among them.
    pub fn neg_inf_count(&self) -> u64 {
        self.state.neg_inf_count()
    }

    /// The state as bytes of a fixed size: the same multiset, the same bytes. The layout is in `samebits-core`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; MAX_STATE_BYTES];
        let n = self.state.write_bytes(&mut bytes).expect("the buffer holds any state");
        bytes.truncate(n);
        bytes
    }

    /// Reads bytes of [`VarianceAccumulator::to_bytes`]. Bytes that no multiset could have made are an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(VarianceAccumulator { state: Moments::from_bytes(bytes)? })
    }
}
