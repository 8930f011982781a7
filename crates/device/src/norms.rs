//! Norms: the 2-norm and the infinity norm. The 1-norm is the sum of absolute values, a reduction.

use crate::{Error, Reference};
use samebits_core::{ExactNorm2, Norm2, NormInf};

/// Norms of host slices. Each call adds all of `x` to the accumulator: the state afterwards is a function of the multiset
/// of everything added, whichever backend did it. After an error the accumulator is unchanged.
pub trait Norms {
    /// Adds `x` to an `f64` 2-norm.
    fn norm2_f64(&self, x: &[f64], acc: &mut Norm2<f64>) -> Result<(), Error>;
    /// Adds `x` to an `f32` 2-norm.
    fn norm2_f32(&self, x: &[f32], acc: &mut Norm2<f32>) -> Result<(), Error>;
    /// Adds `x` to an exact `f64` 2-norm.
    fn exact_norm2_f64(&self, x: &[f64], acc: &mut ExactNorm2<f64>) -> Result<(), Error>;
    /// Adds `x` to an exact `f32` 2-norm.
    fn exact_norm2_f32(&self, x: &[f32], acc: &mut ExactNorm2<f32>) -> Result<(), Error>;
    /// Adds `x` to an `f64` infinity norm.
    fn norm_inf_f64(&self, x: &[f64], acc: &mut NormInf<f64>) -> Result<(), Error>;
    /// Adds `x` to an `f32` infinity norm.
    fn norm_inf_f32(&self, x: &[f32], acc: &mut NormInf<f32>) -> Result<(), Error>;
}

impl Norms for Reference {
    fn norm2_f64(&self, x: &[f64], acc: &mut Norm2<f64>) -> Result<(), Error> {
        Ok(acc.extend(x)?)
    }
    fn norm2_f32(&self, x: &[f32], acc: &mut Norm2<f32>) -> Result<(), Error> {
        Ok(acc.extend(x)?)
    }
    fn exact_norm2_f64(&self, x: &[f64], acc: &mut ExactNorm2<f64>) -> Result<(), Error> {
        Ok(acc.extend(x)?)
    }
    fn exact_norm2_f32(&self, x: &[f32], acc: &mut ExactNorm2<f32>) -> Result<(), Error> {
        Ok(acc.extend(x)?)
    }
    fn norm_inf_f64(&self, x: &[f64], acc: &mut NormInf<f64>) -> Result<(), Error> {
        acc.extend(x);
        Ok(())
    }
    fn norm_inf_f32(&self, x: &[f32], acc: &mut NormInf<f32>) -> Result<(), Error> {
        acc.extend(x);
        Ok(())
    }
}
