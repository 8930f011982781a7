//! Complex sums, running sums, dots and norms (feature `complex`), over slices of `num_complex::Complex`.
//!
//! Real and imaginary parts are sums of their own, each with the bits of the real operation over the same terms: a part
//! that is NaN does not touch the other. Nothing is allocated but by threads. Reproducibility level: full.
//!
//! ```
//! use num_complex::Complex;
//! use samebits::complex;
//! let z = [Complex::new(1e16, 1.0), Complex::new(1.0, -2.0), Complex::new(-1e16, 0.5)];
//! assert_eq!(complex::sum(&z)?, Complex::new(1.0, -0.5));
//! assert_eq!(complex::dot_conj(&z[1..2], &z[1..2])?, Complex::new(5.0, 0.0));
//! assert_eq!(complex::asum(&z[1..2])?, 3.0);
//! # Ok::<(), samebits::Error>(())
//! ```

use crate::reduce::{Merge, Total, parts_of, share};
use crate::{
    Cumsum, DotAccumulator, Element, Error, Kind, Mode, Norm2Accumulator, NormInfAccumulator, Queue, Result, Sum,
};
use num_complex::Complex;
use samebits_device::Backend;

/// Elements that are taken apart before a kernel gets them.
const BLOCK: usize = 1024;

/// The sum of `z`, three folds, on all cores: two sums, one of the real and one of the imaginary parts.
pub fn sum<T: Element>(z: &[Complex<T>]) -> Result<Complex<T>> {
    Sum::new().run_complex(Queue::shared()?, z)
}

/// The sum of `|re| + |im|` over `z`, three folds, on all cores: what BLAS calls `asum`; not the sum of the moduli.
pub fn asum<T: Element>(z: &[Complex<T>]) -> Result<T> {
    let backend = &*Queue::shared()?.backend(None)?;
    let empty = Total::new(Kind::Asum, Mode::default())?;
    empty.reserve((z.len() as u64).saturating_mul(2))?;
    Ok(interleaved(backend, empty, z, |total, x| total.add(backend, x))?.value())
}

/// The 2-norm of `z`, three folds, on all cores: the [`norm2`](crate::norm2()) of the `2n` real and imaginary parts.
pub fn norm2<T: Element>(z: &[Complex<T>]) -> Result<T> {
    let backend = &*Queue::shared()?.backend(None)?;
    let empty = Norm2Accumulator::new(Mode::default())?;
    Ok(interleaved(backend, empty, z, |acc, x| acc.extend_by(backend, x))?.value())
}

/// The largest magnitude of a real or imaginary part of `z`: not the largest modulus, whose root would round.
pub fn norm_inf<T: Element>(z: &[Complex<T>]) -> Result<T> {
    let backend = &*Queue::shared()?.backend(None)?;
    Ok(interleaved(backend, NormInfAccumulator::new(), z, |acc, x| acc.extend_by(backend, x))?.value())
}

/// The dot product of `x` and `y`, neither conjugated (BLAS `dotu`), three folds, on all cores. See [`ComplexDot`].
pub fn dot<T: Element>(x: &[Complex<T>], y: &[Complex<T>]) -> Result<Complex<T>> {
    ComplexDot::new().run(Queue::shared()?, x, y)
}

/// The dot product of the conjugate of `x` with `y` (BLAS `dotc`), three folds, on all cores. See [`ComplexDot`].
pub fn dot_conj<T: Element>(x: &[Complex<T>], y: &[Complex<T>]) -> Result<Complex<T>> {
    ComplexDot::new().conjugated().run(Queue::shared()?, x, y)
}

impl Sum {
    /// The sum of complex values, part by part; of absolute values of the parts, if that is the kind. Feature `complex`.
    pub fn run_complex<T: Element>(&self, queue: &Queue, z: &[Complex<T>]) -> Result<Complex<T>> {
        let backend = &*self.backend(queue)?;
        let empty = [self.empty::<T>()?; 2];
        empty[0].reserve(z.len() as u64)?;
        let mut sums = empty;
        share(backend, &mut sums, empty, (z.len(), parts_of(backend, size_of_val(z))), &|range, sums| {
            let (mut re, mut im) = ([T::default(); BLOCK], [T::default(); BLOCK]);
            z[range].chunks(BLOCK).try_for_each(|z| {
                split(z, &mut re, &mut im);
                sums[0].add(backend, &re[..z.len()])?;
                sums[1].add(backend, &im[..z.len()])
            })
        })?;
        Ok(Complex::new(sums[0].value(), sums[1].value()))
    }
}

fn split<T: Element>(z: &[Complex<T>], re: &mut [T], im: &mut [T]) {
    for ((z, re), im) in z.iter().zip(re).zip(im) {
        (*re, *im) = (z.re, z.im);
    }
}

/// Adds all parts of `z`, real and imaginary, to one accumulator.
fn interleaved<T: Element, A: Merge>(
    backend: &dyn Backend,
    empty: A,
    z: &[Complex<T>],
    add: impl Fn(&mut A, &[T]) -> Result<()> + Sync,
) -> Result<A> {
    let mut sum = empty;
    share(backend, &mut sum, empty, (z.len(), parts_of(backend, size_of_val(z))), &|range, sum| {
        let mut parts = [T::default(); 2 * BLOCK];
        z[range].chunks(BLOCK).try_for_each(|z| {
            for (pair, z) in parts.chunks_exact_mut(2).zip(z) {
                (pair[0], pair[1]) = (z.re, z.im);
            }
            add(sum, &parts[..2 * z.len()])
        })
    })?;
    Ok(sum)
}

/// The running sums of `z` into `out`, which must be as long, three folds: [`cumsum`](crate::cumsum()) of the real and of the
/// imaginary parts. See [`Cumsum::run_complex`].
pub fn cumsum<T: Element>(z: &[Complex<T>], out: &mut [Complex<T>]) -> Result<()> {
    Cumsum::new().run_complex(Queue::shared()?, z, out)
}

impl Cumsum {
    /// The running sums of complex values, part by part. Block by block on the calling thread; feature `complex`.
    ///
    /// ```
    /// # use num_complex::Complex;
    /// # use samebits::{Cumsum, Queue};
    /// let z = [Complex::new(1.0, 0.5), Complex::new(2.0, -2.0)];
    /// let mut out = z;
    /// Cumsum::exact().run_complex(&Queue::cpu()?, &z, &mut out)?;
    /// assert_eq!(out, [Complex::new(1.0, 0.5), Complex::new(3.0, -1.5)]);
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn run_complex<T: Element>(&self, queue: &Queue, z: &[Complex<T>], out: &mut [Complex<T>]) -> Result<()> {
        if z.len() != out.len() {
            let why = format!("{} results for {} values: one for each is needed", out.len(), z.len());
            return Err(Error::Argument { what: "cumsum", why });
        }
        let (mut real, mut imaginary) = (self.start::<T>()?, self.start::<T>()?);
        // Before anything is written.
        real.accumulator().binned().map_or(Ok(()), |sum| sum.reserve(z.len() as u64))?;
        let (mut re, mut im) = ([T::default(); BLOCK], [T::default(); BLOCK]);
        for (z, out) in z.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let (re, im) = (&mut re[..z.len()], &mut im[..z.len()]);
            split(z, re, im);
            real.next_in_place(queue, re)?;
            imaginary.next_in_place(queue, im)?;
            for ((out, &re), &im) in out.iter_mut().zip(&*re).zip(&*im) {
                *out = Complex::new(re, im);
            }
        }
        Ok(())
    }
}

/// A complex dot product with all choices: conjugated or not, folds or exact, threads, device.
///
/// The real part is one sum of `2n` products, the imaginary part another: each product rounded once and summed in the
/// binned format, or, exact, taken in full and the sum rounded once.
///
/// ```
/// use num_complex::Complex;
/// use samebits::{Queue, complex::ComplexDot};
/// let x = [Complex::new(1.0, 2.0)];
/// let y = [Complex::new(3.0, -1.0)];
/// let queue = Queue::cpu()?;
/// assert_eq!(ComplexDot::new().exact().run(&queue, &x, &y)?, Complex::new(5.0, 5.0));
/// assert_eq!(ComplexDot::new().conjugated().run(&queue, &x, &y)?, Complex::new(1.0, -7.0));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ComplexDot {
    mode: Mode,
    conjugated: bool,
    threads: Option<usize>,
}

impl ComplexDot {
    /// Three folds, neither vector conjugated.
    pub fn new() -> ComplexDot {
        ComplexDot::default()
    }

    /// With the first vector conjugated.
    pub fn conjugated(self) -> ComplexDot {
        ComplexDot { conjugated: true, ..self }
    }

    /// Exact products, and one rounding of each part.
    pub fn exact(self) -> ComplexDot {
        self.mode(Mode::exact())
    }

    /// With K folds: 2 to 52 for `f64`, 2 to 21 for `f32`.
    pub fn folds(self, folds: usize) -> Result<ComplexDot> {
        Ok(self.mode(Mode::folds(folds)?))
    }

    /// Binned or exact.
    pub fn mode(self, mode: Mode) -> ComplexDot {
        ComplexDot { mode, ..self }
    }

    /// With this many threads instead of the queue's.
    pub fn threads(self, threads: usize) -> ComplexDot {
        ComplexDot { threads: Some(threads), ..self }
    }

    /// The dot product. Different lengths are an error.
    pub fn run<T: Element>(&self, queue: &Queue, x: &[Complex<T>], y: &[Complex<T>]) -> Result<Complex<T>> {
        if x.len() != y.len() {
            let why = format!("vectors of {} and {} elements: they must have the same length", x.len(), y.len());
            return Err(Error::Argument { what: "dot", why });
        }
        let backend = &*queue.backend(self.threads)?;
        let empty = [DotAccumulator::new(self.mode)?; 2];
        let mut sums = empty;
        share(backend, &mut sums, empty, (x.len(), parts_of(backend, 2 * size_of_val(x))), &|range, sums| {
            self.add(backend, &x[range.clone()], &y[range], sums)
        })?;
        Ok(Complex::new(sums[0].value(), sums[1].value()))
    }

    fn add<T: Element>(
        &self,
        backend: &dyn Backend,
        x: &[Complex<T>],
        y: &[Complex<T>],
        sums: &mut [DotAccumulator<T>; 2],
    ) -> Result<()> {
        let [mut xr, mut xi, mut yr, mut yi] = [[T::default(); BLOCK]; 4];
        for (x, y) in x.chunks(BLOCK).zip(y.chunks(BLOCK)) {
            let n = x.len();
            split(x, &mut xr, &mut xi);
            split(y, &mut yr, &mut yi);
            let (xr, xi) = (&xr[..n], &mut xi[..n]);
            if self.conjugated {
                xi.iter_mut().for_each(|v| *v = negated(*v));
            }
            sums[1].extend_by(backend, xr, &yi[..n])?;
            sums[1].extend_by(backend, xi, &yr[..n])?;
            sums[0].extend_by(backend, xr, &yr[..n])?;
            // -xi yi: the sign of a product is exact.
            xi.iter_mut().for_each(|v| *v = negated(*v));
            sums[0].extend_by(backend, xi, &yi[..n])?;
        }
        Ok(())
    }
}

fn negated<T: Element>(x: T) -> T {
    T::from_bits(x.bits() ^ 1 << (T::BITS - 1))
}
