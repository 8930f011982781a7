//! Norms to keep: fed in pieces, merged, stored.

use crate::queue::calling_thread;
use crate::{Element, Mode, Queue, Result};
use samebits_core::{Error as CoreError, ExactNorm2, Float, Header, MAX_STATE_BYTES, Norm2, NormInf};
use samebits_device::Backend;

/// A 2-norm in progress, binned or exact. Its value and its bytes are functions of the multiset of everything added, however
/// that was cut into pieces, ordered, and merged across threads, processes or machines. Fixed size, no allocation.
///
/// ```
/// use samebits::{Mode, Norm2Accumulator};
/// let mut here = Norm2Accumulator::<f64>::new(Mode::folds(3)?)?;
/// here.extend(&[1.0, 2.0])?;
/// let mut there = Norm2Accumulator::new(Mode::folds(3)?)?;
/// there.extend(&[-2.0])?;
/// here.merge(&Norm2Accumulator::from_bytes(&there.to_bytes())?)?;
/// assert_eq!((here.value(), here.count()), (3.0, 3));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norm2Accumulator<T: Float> {
    state: State<T>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State<T: Float> {
    Binned(Norm2<T>),
    Exact(ExactNorm2<T>),
}

/// Runs the same expression on either kind of state.
macro_rules! either {
    ($self:expr, $state:ident => $body:expr) => {
        match $self {
            State::Binned($state) => $body,
            State::Exact($state) => $body,
        }
    };
}

impl<T: Element> Norm2Accumulator<T> {
    /// An empty norm: exact, or with 2 to 26 folds for `f64`, 2 to 11 for `f32`. Other fold counts are an error.
    pub fn new(mode: Mode) -> Result<Self> {
        let state = match mode.fold_count() {
            Some(folds) => State::Binned(Norm2::new(folds)?),
            None => State::Exact(ExactNorm2::new()),
        };
        Ok(Norm2Accumulator { state })
    }

    /// Folds or exact.
    pub fn mode(&self) -> Mode {
        match &self.state {
            State::Binned(norm) => Mode::folds(norm.folds()).expect("a fold count that was checked"),
            State::Exact(_) => Mode::exact(),
        }
    }

    /// Adds one value. For more than a few, [`Norm2Accumulator::extend`] is many times faster.
    pub fn push(&mut self, x: T) -> Result<()> {
        Ok(either!(&mut self.state, s => s.deposit(x))?)
    }

    /// Adds all of `x`, on the calling thread, with the CPU's vector instructions. After an error nothing was added.
    pub fn extend(&mut self, x: &[T]) -> Result<()> {
        self.extend_by(calling_thread()?, x)
    }

    /// Adds all of `x` on a queue's device and threads.
    pub fn extend_on(&mut self, queue: &Queue, x: &[T]) -> Result<()> {
        self.extend_by(&*queue.backend(None)?, x)
    }

    pub(crate) fn extend_by(&mut self, backend: &dyn Backend, x: &[T]) -> Result<()> {
        match &mut self.state {
            State::Binned(norm) => T::norm2(backend.norms(), x, norm),
            State::Exact(norm) => T::exact_norm2(backend.norms(), x, norm),
        }
    }

    /// Adds what another one holds. An error if the modes differ; then nothing was added.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        match (&mut self.state, &other.state) {
            (State::Binned(a), State::Binned(b)) => Ok(a.merge(b)?),
            (State::Exact(a), State::Exact(b)) => Ok(a.merge(b)?),
            _ => {
                let folds = |s: &Self| s.mode().fold_count().unwrap_or(0) as u64;
                Err(CoreError::Mismatch { what: "folds (0 is exact)", left: folds(self), right: folds(other) }.into())
            }
        }
    }

    /// The norm so far.
    pub fn value(&self) -> T {
        either!(&self.state, s => s.value())
    }

    /// A bound on `|value - exact norm|`, rounded up.
    pub fn error_bound(&self) -> f64 {
        either!(&self.state, s => s.error_bound())
    }

    /// Values, specials included.
    pub fn count(&self) -> u64 {
        either!(&self.state, s => s.count())
    }
    /// NaNs among them.
    pub fn nan_count(&self) -> u64 {
        either!(&self.state, s => s.nan_count())
    }
    /// Infinities of either sign among them.
    pub fn inf_count(&self) -> u64 {
        either!(&self.state, s => s.inf_count())
    }

    /// The state as bytes of a fixed size: the same multiset, the same bytes. The layout is in `samebits-core`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; MAX_STATE_BYTES];
        let n = either!(&self.state, s => s.write_bytes(&mut bytes)).expect("the buffer holds any state");
        bytes.truncate(n);
        bytes
    }

    /// Reads bytes of [`Norm2Accumulator::to_bytes`]. Bytes that no multiset could have made are an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let state = match Header::read(bytes)?.folds {
            0 => State::Exact(ExactNorm2::from_bytes(bytes)?),
            _ => State::Binned(Norm2::from_bytes(bytes)?),
        };
        Ok(Norm2Accumulator { state })
    }
}

/// An infinity norm in progress: the largest absolute value of everything added.
///
/// ```
/// use samebits::NormInfAccumulator;
/// let mut here = NormInfAccumulator::<f64>::new();
/// here.extend(&[1.0, -2.0])?;
/// let mut there = NormInfAccumulator::new();
/// there.push(1.5);
/// here.merge(&there);
/// assert_eq!(here.value(), 2.0);
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct NormInfAccumulator<T: Float> {
    state: NormInf<T>,
}

impl<T: Element> NormInfAccumulator<T> {
    /// An empty norm.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one value.
    pub fn push(&mut self, x: T) {
        self.state.deposit(x);
    }

    /// Adds all of `x`, on the calling thread, with the CPU's vector instructions.
    pub fn extend(&mut self, x: &[T]) -> Result<()> {
        self.extend_by(calling_thread()?, x)
    }

    /// Adds all of `x` on a queue's device and threads.
    pub fn extend_on(&mut self, queue: &Queue, x: &[T]) -> Result<()> {
        self.extend_by(&*queue.backend(None)?, x)
    }

    pub(crate) fn extend_by(&mut self, backend: &dyn Backend, x: &[T]) -> Result<()> {
        T::norm_inf(backend.norms(), x, &mut self.state)
    }

    /// Adds what another one holds.
    pub fn merge(&mut self, other: &Self) {
        self.state.merge(&other.state);
    }

    /// The norm so far: the canonical NaN if there was any NaN, +0 for nothing.
    pub fn value(&self) -> T {
        self.state.value()
    }
}
