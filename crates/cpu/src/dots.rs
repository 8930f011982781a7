//! The backend: dots and moments over instruction sets and threads.

use crate::reduce::Cpu;
use samebits_core::{Binned, Exact, ExactDot, Moments};
use samebits_device::{Dots, Error, check_lengths, check_sum};

macro_rules! dots {
    ($binned_dot:ident, $exact_dot:ident, $moments:ident, $elem:ty) => {
        fn $binned_dot(&self, x: &[$elem], y: &[$elem], acc: &mut Binned<$elem>) -> Result<(), Error> {
            check_lengths(x, y)?;
            check_sum(acc.kind())?;
            acc.reserve(x.len() as u64)?;
            let folds = acc.folds();
            let empty = || Binned::new(folds).expect("the folds of an accumulator");
            self.share((x, y), acc, empty, self.kernels()?.$binned_dot, Binned::merge)
        }

        fn $exact_dot(&self, x: &[$elem], y: &[$elem], acc: &mut ExactDot<$elem>) -> Result<(), Error> {
            check_lengths(x, y)?;
            acc.reserve(x.len() as u64)?;
            self.share((x, y), acc, ExactDot::new, self.kernels()?.$exact_dot, ExactDot::merge)
        }

        fn $moments(&self, x: &[$elem], acc: &mut Moments<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let mut part = (Exact::new(), ExactDot::new());
            let empty = || (Exact::new(), ExactDot::new());
            self.share(x, &mut part, empty, self.kernels()?.$moments, |a, b| {
                a.0.merge(&b.0)?;
                a.1.merge(&b.1)
            })?;
            Ok(acc.absorb(&part.0, &part.1)?)
        }
    };
}

impl Dots for Cpu {
    dots!(binned_dot_f64, exact_dot_f64, moments_f64, f64);
    dots!(binned_dot_f32, exact_dot_f32, moments_f32, f32);
}
