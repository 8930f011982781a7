//! The plain backend: the definition itself, element by element on the calling thread.

use crate::{Backend, Device, Dots, Error, Group, Norms, Reduce, Scans};
use samebits_core::{Binned, Exact};

/// The oracle of all other backends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Backend for Reference {
    fn device(&self) -> Device {
        Device::Reference
    }
    fn name(&self) -> String {
        "plain integers, one element at a time".to_owned()
    }
    fn reduce(&self) -> &dyn Reduce {
        self
    }
    fn norms(&self) -> &dyn Norms {
        self
    }
    fn dots(&self) -> &dyn Dots {
        self
    }
    fn group(&self) -> &dyn Group {
        self
    }
    fn scans(&self) -> &dyn Scans {
        self
    }
}

impl Reduce for Reference {
    fn binned_f64(&self, x: &[f64], acc: &mut Binned<f64>) -> Result<(), Error> {
        Ok(acc.extend(x)?)
    }
    fn binned_f32(&self, x: &[f32], acc: &mut Binned<f32>) -> Result<(), Error> {
        Ok(acc.extend(x)?)
    }
    fn exact_f64(&self, x: &[f64], acc: &mut Exact<f64>) -> Result<(), Error> {
        Ok(acc.extend(x)?)
    }
    fn exact_f32(&self, x: &[f32], acc: &mut Exact<f32>) -> Result<(), Error> {
        Ok(acc.extend(x)?)
    }
}
