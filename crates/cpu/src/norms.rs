//! Norms of slices over instruction sets and threads.

use crate::Cpu;
use crate::reduce::run;
use samebits_core::{ExactNorm2, Norm2, NormInf};
use samebits_device::{Error, Norms};

macro_rules! norms {
    ($norm2:ident, $exact:ident, $norm_inf:ident, $elem:ty) => {
        fn $norm2(&self, x: &[$elem], acc: &mut Norm2<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let kernel = self.isa().kernels_or_error()?.$norm2;
            let folds = acc.folds();
            let empty = || Norm2::new(folds).expect("the folds of an accumulator");
            let add = |x: &[$elem], acc: &mut Norm2<$elem>| {
                run(kernel, x, acc);
                Ok(())
            };
            self.share(x, acc, empty, add, Norm2::merge)
        }

        fn $exact(&self, x: &[$elem], acc: &mut ExactNorm2<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let add = |x: &[$elem], acc: &mut ExactNorm2<$elem>| Ok(acc.extend(x)?);
            self.share(x, acc, ExactNorm2::new, add, ExactNorm2::merge)
        }

        fn $norm_inf(&self, x: &[$elem], acc: &mut NormInf<$elem>) -> Result<(), Error> {
            let kernel = self.isa().kernels_or_error()?.$norm_inf;
            let add = |x: &[$elem], acc: &mut NormInf<$elem>| {
                run(kernel, x, acc);
                Ok(())
            };
            let merge = |a: &mut NormInf<$elem>, b: &NormInf<$elem>| {
                a.merge(b);
                Ok(())
            };
            self.share(x, acc, NormInf::new, add, merge)
        }
    };
}

impl Norms for Cpu {
    norms!(norm2_f64, exact_norm2_f64, norm_inf_f64, f64);
    norms!(norm2_f32, exact_norm2_f32, norm_inf_f32, f32);
}
