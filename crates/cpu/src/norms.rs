//! Norms of slices over instruction sets and threads.

use crate::Cpu;
use samebits_core::{ExactDot, ExactNorm2, Norm2, NormInf};
use samebits_device::{Error, Norms};

macro_rules! norms {
    ($norm2:ident, $exact:ident, $dot:ident, $norm_inf:ident, $elem:ty) => {
        fn $norm2(&self, x: &[$elem], acc: &mut Norm2<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let folds = acc.folds();
            let empty = || Norm2::new(folds).expect("the folds of an accumulator");
            self.share(x, acc, empty, self.kernels()?.$norm2, Norm2::merge)
        }

        fn $exact(&self, x: &[$elem], acc: &mut ExactNorm2<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let mut squares = ExactDot::new();
            self.share((x, x), &mut squares, ExactDot::new, self.kernels()?.$dot, ExactDot::merge)?;
            Ok(acc.absorb(&squares)?)
        }

        fn $norm_inf(&self, x: &[$elem], acc: &mut NormInf<$elem>) -> Result<(), Error> {
            let merge = |a: &mut NormInf<$elem>, b: &NormInf<$elem>| {
                a.merge(b);
                Ok(())
            };
            self.share(x, acc, NormInf::new, self.kernels()?.$norm_inf, merge)
        }
    };
}

impl Norms for Cpu {
    norms!(norm2_f64, exact_norm2_f64, exact_dot_f64, norm_inf_f64, f64);
    norms!(norm2_f32, exact_norm2_f32, exact_dot_f32, norm_inf_f32, f32);
}
