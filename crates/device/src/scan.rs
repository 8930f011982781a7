//! Running sums: what a backend offers for them.

use crate::{Error, Reference};
use samebits_core::{Binned, Exact};

/// Where a running sum reads and writes: two slices of one length, or one slice in place. That two slices do not
/// overlap is seen to by the compiler.
#[derive(Debug)]
pub enum Span<'a, T> {
    /// From `x` into `y`.
    Into {
        /// The summands.
        x: &'a [T],
        /// The results.
        y: &'a mut [T],
    },
    /// Each summand is replaced by its result.
    InPlace(&'a mut [T]),
}

impl<T> Span<'_, T> {
    /// The number of summands. Backends may rely on both slices having it: see [`Span::check`].
    pub fn len(&self) -> usize {
        match self {
            Span::Into { x, .. } => x.len(),
            Span::InPlace(x) => x.len(),
        }
    }

    /// Is there nothing to do?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The summands.
    pub fn inputs(&self) -> &[T] {
        match self {
            Span::Into { x, .. } => x,
            Span::InPlace(x) => x,
        }
    }

    /// An error unless there are as many results as summands.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Span::Into { x, y } if x.len() != y.len() => Err(Error::Argument {
                what: "results of a running sum",
                why: format!("{} for {} summands: there must be as many", y.len(), x.len()),
            }),
            _ => Ok(()),
        }
    }
}

/// Whether a result counts its own summand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Bound {
    /// Result `i` is the sum of all before and of summand `i`.
    #[default]
    Inclusive,
    /// Result `i` is the sum of all before summand `i`.
    Exclusive,
}

/// Running sums of host slices. Each call goes on from the accumulator: result `i` is the value that the accumulator
/// would have after (or before) summand `i`, and it ends up holding all of them. After an error nothing is changed.
pub trait Scans {
    /// Of `f64`, binned.
    fn binned_scan_f64(&self, span: Span<'_, f64>, bound: Bound, acc: &mut Binned<f64>) -> Result<(), Error>;
    /// Of `f32`, binned.
    fn binned_scan_f32(&self, span: Span<'_, f32>, bound: Bound, acc: &mut Binned<f32>) -> Result<(), Error>;
    /// Of `f64`, exact.
    fn exact_scan_f64(&self, span: Span<'_, f64>, bound: Bound, acc: &mut Exact<f64>) -> Result<(), Error>;
    /// Of `f32`, exact.
    fn exact_scan_f32(&self, span: Span<'_, f32>, bound: Bound, acc: &mut Exact<f32>) -> Result<(), Error>;
}

macro_rules! by_definition {
    ($name:ident, $elem:ty, $acc:ident) => {
        fn $name(&self, span: Span<'_, $elem>, bound: Bound, acc: &mut $acc<$elem>) -> Result<(), Error> {
            span.check()?;
            acc.reserve(span.len() as u64)?;
            let mut next = |x: $elem| {
                let before = acc.value();
                acc.deposit(x).expect("the capacity was reserved");
                if bound == Bound::Exclusive { before } else { acc.value() }
            };
            match span {
                Span::Into { x, y } => y.iter_mut().zip(x).for_each(|(y, &x)| *y = next(x)),
                Span::InPlace(x) => x.iter_mut().for_each(|x| *x = next(*x)),
            }
            Ok(())
        }
    };
}

impl Scans for Reference {
    by_definition!(binned_scan_f64, f64, Binned);
    by_definition!(binned_scan_f32, f32, Binned);
    by_definition!(exact_scan_f64, f64, Exact);
    by_definition!(exact_scan_f32, f32, Exact);
}
