//! Sums to keep: fed in pieces, merged, stored.

use crate::queue::calling_thread;
use crate::{Element, Kind, Mode, Queue, Result};
use samebits_core::{Binned, Error as CoreError, Exact, Float, Header};
use samebits_device::{Backend, Bound, Span};

/// A sum in progress, binned or exact. Its value and its bytes are functions of the multiset of everything added, however
/// that was cut into pieces, ordered, and merged across threads, processes or machines.
///
/// ```
/// use samebits::{Accumulator, Mode};
/// let mut here = Accumulator::<f64>::new(Mode::folds(3)?)?;
/// here.extend(&[1.0, 2.0])?;
/// let mut there = Accumulator::new(Mode::folds(3)?)?;
/// there.push(3.0)?;
/// here.merge(&Accumulator::from_bytes(&there.to_bytes())?)?;
/// assert_eq!((here.value(), here.count()), (6.0, 3));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Accumulator<T: Float> {
    state: State<T>,
}

#[derive(Clone, Debug, PartialEq)]
enum State<T: Float> {
    Binned(Box<Binned<T>>),
    Exact(Box<Exact<T>>),
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

impl<T: Element> Accumulator<T> {
    /// An empty sum. An error if the type does not have that many folds.
    pub fn new(mode: Mode) -> Result<Self> {
        Self::with_kind(Kind::Sum, mode)
    }

    /// An empty accumulator of a given kind.
    pub fn with_kind(kind: Kind, mode: Mode) -> Result<Self> {
        kind.check_terms()?;
        let state = match mode.fold_count() {
            Some(folds) => State::Binned(Box::new(Binned::with_kind(kind, folds)?)),
            None => State::Exact(Box::new(Exact::with_kind(kind))),
        };
        Ok(Accumulator { state })
    }

    /// What is accumulated.
    pub fn kind(&self) -> Kind {
        either!(&self.state, s => s.kind())
    }

    /// Folds or exact.
    pub fn mode(&self) -> Mode {
        match &self.state {
            State::Binned(b) => Mode::folds(b.folds()).expect("a fold count that was checked"),
            State::Exact(_) => Mode::exact(),
        }
    }

    /// Adds one summand. For more than a few, [`Accumulator::extend`] is many times faster.
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
            State::Binned(acc) => T::binned(backend.reduce(), x, acc),
            State::Exact(acc) => T::exact(backend.reduce(), x, acc),
        }
    }

    /// Adds a span and writes the running value.
    pub(crate) fn scan_by(&mut self, backend: &dyn Backend, span: Span<'_, T>, bound: Bound) -> Result<()> {
        match &mut self.state {
            State::Binned(acc) => T::binned_scan(backend.scans(), span, bound, acc),
            State::Exact(acc) => T::exact_scan(backend.scans(), span, bound, acc),
        }
    }

    /// Adds an integer in full, whatever the type's precision. Only exact mode can.
    pub fn add_integer(&mut self, n: i128) -> Result<()> {
        match &mut self.state {
            State::Exact(acc) => Ok(acc.add_integer(n)?),
            State::Binned(_) => {
                let why = "only exact mode adds integers in full".to_owned();
                Err(crate::Error::Argument { what: "an integer", why })
            }
        }
    }

    /// Adds what another accumulator holds. An error if kind or mode differ; then nothing was added.
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

    /// Takes back what another accumulator holds. Only exact mode can: a binned sum cannot forget its largest value. What was
    /// never added is refused where a count shows it; where none does, the state is that of no multiset, and its bytes
    /// may be refused.
    pub fn subtract(&mut self, other: &Self) -> Result<()> {
        match (&mut self.state, &other.state) {
            (State::Exact(a), State::Exact(b)) => Ok(a.subtract(b)?),
            _ => Err(CoreError::CannotSubtract.into()),
        }
    }

    /// The result so far.
    pub fn value(&self) -> T {
        either!(&self.state, s => s.value())
    }

    /// The exact total of the state over the number of summands, rounded once; NaN for none.
    pub fn mean(&self) -> T {
        either!(&self.state, s => s.mean())
    }

    /// A bound on `|value - exact sum|`, rounded up.
    pub fn error_bound(&self) -> f64 {
        either!(&self.state, s => s.error_bound())
    }

    /// Summands, specials included.
    pub fn count(&self) -> u64 {
        either!(&self.state, s => s.count())
    }
    /// NaNs among them.
    pub fn nan_count(&self) -> u64 {
        either!(&self.state, s => s.nan_count())
    }
    /// Positive infinities among them.
    pub fn pos_inf_count(&self) -> u64 {
        either!(&self.state, s => s.pos_inf_count())
    }
    /// Negative infinities among them.
    pub fn neg_inf_count(&self) -> u64 {
        either!(&self.state, s => s.neg_inf_count())
    }

    /// The binned state, unless the mode is exact: its totals, and its reduction image for MPI or NCCL.
    ///
    /// ```
    /// # let mut acc = samebits::Accumulator::<f64>::new(samebits::Mode::default())?;
    /// acc.extend(&[0.5, 8.0])?;
    /// let state = acc.binned().expect("three folds");
    /// let rank = state.window_rank(); // over all processes: the maximum
    /// let mut words = vec![0; samebits::Binned::<f64>::image_len(3)];
    /// state.write_image(rank, &mut words)?; // over all processes: the sums
    /// let total = samebits::Binned::<f64>::from_image(samebits::Kind::Sum, 3, rank, &words)?;
    /// assert_eq!(total.value(), 8.5);
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn binned(&self) -> Option<&Binned<T>> {
        match &self.state {
            State::Binned(b) => Some(b),
            State::Exact(_) => None,
        }
    }

    /// The exact state, if that is the mode.
    pub fn exact(&self) -> Option<&Exact<T>> {
        match &self.state {
            State::Binned(_) => None,
            State::Exact(e) => Some(e),
        }
    }

    /// The state as bytes of a fixed size: the same multiset, the same bytes. The layout is in `samebits-core`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; samebits_core::MAX_STATE_BYTES];
        let n = either!(&self.state, s => s.write_bytes(&mut bytes)).expect("the buffer holds any state");
        bytes.truncate(n);
        bytes
    }

    /// Reads bytes of [`Accumulator::to_bytes`]. Bytes that no multiset could have made are an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let state = match Header::read(bytes)?.folds {
            0 => State::Exact(Box::new(Exact::from_bytes(bytes)?)),
            _ => State::Binned(Box::new(Binned::from_bytes(bytes)?)),
        };
        Ok(Accumulator { state })
    }
}

impl<T: Float> From<Binned<T>> for Accumulator<T> {
    fn from(state: Binned<T>) -> Self {
        Accumulator { state: State::Binned(Box::new(state)) }
    }
}

impl<T: Float> From<Exact<T>> for Accumulator<T> {
    fn from(state: Exact<T>) -> Self {
        Accumulator { state: State::Exact(Box::new(state)) }
    }
}

/// An accumulator whose type is known when it is read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnyAccumulator {
    /// Of `f32`.
    F32(Accumulator<f32>),
    /// Of `f64`.
    F64(Accumulator<f64>),
}

impl AnyAccumulator {
    /// Reads bytes of [`Accumulator::to_bytes`] of either type.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(if Header::read(bytes)?.dtype == f32::NAME {
            AnyAccumulator::F32(Accumulator::from_bytes(bytes)?)
        } else {
            AnyAccumulator::F64(Accumulator::from_bytes(bytes)?)
        })
    }

    /// Adds what another one holds. An error if type, kind or mode differ.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (AnyAccumulator::F32(a), AnyAccumulator::F32(b)) => a.merge(b),
            (AnyAccumulator::F64(a), AnyAccumulator::F64(b)) => a.merge(b),
            (AnyAccumulator::F32(_), _) => Err(CoreError::Mismatch { what: "type", left: 32, right: 64 }.into()),
            (AnyAccumulator::F64(_), _) => Err(CoreError::Mismatch { what: "type", left: 64, right: 32 }.into()),
        }
    }

    /// The state as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            AnyAccumulator::F32(a) => a.to_bytes(),
            AnyAccumulator::F64(a) => a.to_bytes(),
        }
    }
}
