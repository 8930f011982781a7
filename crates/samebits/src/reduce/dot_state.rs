//! Dots to keep: fed in pieces, merged, stored.

use crate::queue::calling_thread;
use crate::{Element, Error, Kind, Mode, Queue, Result};
use samebits_core::{Binned, Error as CoreError, ExactDot, Float, Header, MAX_STATE_BYTES, eft};
use samebits_device::Backend;

/// A dot in progress, binned or exact. Its value and its bytes are functions of the multiset of pairs added, however they
/// were cut into pieces, ordered, and merged across threads, processes or machines. Fixed size, no allocation.
///
/// A binned dot is a sum of rounded products, so its state is that of a sum.
///
/// ```
/// use samebits::{DotAccumulator, Mode};
/// let mut here = DotAccumulator::<f64>::new(Mode::exact())?;
/// here.extend(&[1.0, 2.0], &[3.0, 4.0])?;
/// let mut there = DotAccumulator::new(Mode::exact())?;
/// there.push(0.5, -2.0)?;
/// here.merge(&DotAccumulator::from_bytes(&there.to_bytes())?)?;
/// assert_eq!((here.value(), here.count()), (10.0, 3));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DotAccumulator<T: Float> {
    state: State<T>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State<T: Float> {
    Binned(Binned<T>),
    Exact(ExactDot<T>),
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

impl<T: Element> DotAccumulator<T> {
    /// An empty dot: exact, or with 2 to 52 folds for `f64`, 2 to 21 for `f32`. Other fold counts are an error.
    pub fn new(mode: Mode) -> Result<Self> {
        let state = match mode.fold_count() {
            Some(folds) => State::Binned(Binned::new(folds)?),
            None => State::Exact(ExactDot::new()),
        };
        Ok(DotAccumulator { state })
    }

    /// Folds or exact.
    pub fn mode(&self) -> Mode {
        match &self.state {
            State::Binned(acc) => Mode::folds(acc.folds()).expect("a fold count that was checked"),
            State::Exact(_) => Mode::exact(),
        }
    }

    /// Adds one product. For more than a few, [`DotAccumulator::extend`] is many times faster.
    pub fn push(&mut self, a: T, b: T) -> Result<()> {
        Ok(match &mut self.state {
            State::Binned(acc) => acc.deposit(eft::prod(a, b)),
            State::Exact(acc) => acc.deposit(a, b),
        }?)
    }

    /// Adds the products of `x` and `y`, element by element, on the calling thread, with the CPU's vector instructions.
    /// Unequal lengths are an error. After an error nothing was added.
    pub fn extend(&mut self, x: &[T], y: &[T]) -> Result<()> {
        self.extend_by(calling_thread()?, x, y)
    }

    /// Adds the products of `x` and `y` on a queue's device and threads.
    pub fn extend_on(&mut self, queue: &Queue, x: &[T], y: &[T]) -> Result<()> {
        self.extend_by(&*queue.backend(None)?, x, y)
    }

    pub(crate) fn extend_by(&mut self, backend: &dyn Backend, x: &[T], y: &[T]) -> Result<()> {
        match &mut self.state {
            State::Binned(acc) => T::binned_dot(backend.dots(), x, y, acc),
            State::Exact(acc) => T::exact_dot(backend.dots(), x, y, acc),
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

    /// Takes back what another one holds. Only exact mode can: a binned sum cannot forget its largest value.
    pub fn subtract(&mut self, other: &Self) -> Result<()> {
        match (&mut self.state, &other.state) {
            (State::Exact(a), State::Exact(b)) => Ok(a.subtract(b)?),
            _ => Err(CoreError::CannotSubtract.into()),
        }
    }

    /// The dot so far.
    pub fn value(&self) -> T {
        either!(&self.state, s => s.value())
    }

    /// A bound on `|value - sum|`, rounded up: of the exact dot in exact mode, else of the sum of the rounded products.
    pub fn error_bound(&self) -> f64 {
        either!(&self.state, s => s.error_bound())
    }

    /// Products, specials included.
    pub fn count(&self) -> u64 {
        either!(&self.state, s => s.count())
    }
    /// NaNs among them: of a NaN, or of zero and an infinity.
    pub fn nan_count(&self) -> u64 {
        either!(&self.state, s => s.nan_count())
    }
    /// Positive infinities among them; unless the mode is exact, products that overflow are some.
    pub fn pos_inf_count(&self) -> u64 {
        either!(&self.state, s => s.pos_inf_count())
    }
    /// Negative infinities among them, likewise.
    pub fn neg_inf_count(&self) -> u64 {
        either!(&self.state, s => s.neg_inf_count())
    }

    /// The state as bytes of a fixed size: the same multiset, the same bytes. The layout is in `samebits-core`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; MAX_STATE_BYTES];
        let n = either!(&self.state, s => s.write_bytes(&mut bytes)).expect("the buffer holds any state");
        bytes.truncate(n);
        bytes
    }

    /// Reads bytes of [`DotAccumulator::to_bytes`]. Bytes that no multiset could have made are an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let state = match Header::read(bytes)? {
            Header { kind: Kind::Dot, .. } => State::Exact(ExactDot::from_bytes(bytes)?),
            Header { kind: Kind::Sum, folds: 1.., .. } => State::Binned(Binned::from_bytes(bytes)?),
            Header { kind, .. } => {
                let why = format!("of kind {}, and a dot has another one", kind.name());
                return Err(Error::Argument { what: "state", why });
            }
        };
        Ok(DotAccumulator { state })
    }
}
