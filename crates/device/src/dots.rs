//! Dots and moments: what a backend offers for sums of products.

use crate::{Error, Reference};
use samebits_core::{Binned, ExactDot, Kind, Moments, eft};

/// Sums of products, and of values with their squares, of host slices. Each call adds to the accumulator: the state
/// afterwards is a function of the multiset of everything added, whichever backend did it. After an error (slices of
/// unequal lengths, no room) the accumulator is unchanged.
pub trait Dots {
    /// Adds the products of `x` and `y`, each rounded to `f64`, to a binned sum.
    fn binned_dot_f64(&self, x: &[f64], y: &[f64], acc: &mut Binned<f64>) -> Result<(), Error>;
    /// Adds the products of `x` and `y`, each rounded to `f32`, to a binned sum.
    fn binned_dot_f32(&self, x: &[f32], y: &[f32], acc: &mut Binned<f32>) -> Result<(), Error>;
    /// Adds the exact products of `x` and `y`.
    fn exact_dot_f64(&self, x: &[f64], y: &[f64], acc: &mut ExactDot<f64>) -> Result<(), Error>;
    /// Adds the exact products of `x` and `y`.
    fn exact_dot_f32(&self, x: &[f32], y: &[f32], acc: &mut ExactDot<f32>) -> Result<(), Error>;
    /// Adds the values of `x` and their squares.
    fn moments_f64(&self, x: &[f64], acc: &mut Moments<f64>) -> Result<(), Error>;
    /// Adds the values of `x` and their squares.
    fn moments_f32(&self, x: &[f32], acc: &mut Moments<f32>) -> Result<(), Error>;
}

/// Refuses vectors of unequal lengths.
pub fn check_lengths<T>(x: &[T], y: &[T]) -> Result<(), Error> {
    if x.len() == y.len() {
        return Ok(());
    }
    let why = format!("vectors of {} and {} elements: they must have the same length", x.len(), y.len());
    Err(Error::Argument { what: "dot", why })
}

/// Refuses an accumulator that is no sum: products have a sign.
pub fn check_sum(kind: Kind) -> Result<(), Error> {
    if kind == Kind::Sum {
        return Ok(());
    }
    let why = format!("an accumulator of kind {} given: products are added to a sum", kind.name());
    Err(Error::Argument { what: "dot", why })
}

macro_rules! plain_dots {
    ($binned:ident, $exact:ident, $moments:ident, $elem:ty) => {
        fn $binned(&self, x: &[$elem], y: &[$elem], acc: &mut Binned<$elem>) -> Result<(), Error> {
            check_lengths(x, y)?;
            check_sum(acc.kind())?;
            acc.reserve(x.len() as u64)?;
            Ok(x.iter().zip(y).try_for_each(|(&a, &b)| acc.deposit(eft::prod(a, b)))?)
        }
        fn $exact(&self, x: &[$elem], y: &[$elem], acc: &mut ExactDot<$elem>) -> Result<(), Error> {
            check_lengths(x, y)?;
            Ok(acc.extend(x, y)?)
        }
        fn $moments(&self, x: &[$elem], acc: &mut Moments<$elem>) -> Result<(), Error> {
            Ok(acc.extend(x)?)
        }
    };
}

impl Dots for Reference {
    plain_dots!(binned_dot_f64, exact_dot_f64, moments_f64, f64);
    plain_dots!(binned_dot_f32, exact_dot_f32, moments_f32, f32);
}
