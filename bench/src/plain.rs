//! The plain sum that the others are measured against: eight independent vectors, added up as the instruction set
//! allows, no thought given to order. It is as fast as a sum gets, and its bits depend on the vector width.

use rayon::ThreadPool;
use rayon::prelude::*;

/// A plain sum with the instructions of one instruction set, which this machine has.
#[derive(Clone, Copy)]
pub(crate) struct Plain<T: Lanes> {
    kernel: Kernel<T>,
}

impl<T: Lanes> Plain<T> {
    /// For an instruction set by the name that `samebits` has for it.
    pub(crate) fn new(isa: &str) -> Option<Plain<T>> {
        Some(Plain { kernel: T::kernel(isa)? })
    }

    /// The sum on the calling thread.
    pub(crate) fn sum(self, x: &[T]) -> T {
        // SAFETY: `Lanes::kernel` gives only kernels whose instructions it found on this machine.
        unsafe { (self.kernel)(x) }
    }

    /// The sum on a pool's threads, cut as `samebits` cuts its own: tasks of 256 KiB or more, four for each thread.
    pub(crate) fn shared_sum(self, pool: &ThreadPool, x: &[T]) -> T {
        let tasks = (size_of_val(x) >> 18).min(pool.current_num_threads() * 4);
        if tasks < 2 {
            return self.sum(x);
        }
        pool.install(|| x.par_chunks(x.len().div_ceil(tasks)).map(|part| self.sum(part)).sum())
    }
}

/// Safe to call where the instructions are there.
pub(crate) type Kernel<T> = unsafe fn(&[T]) -> T;

/// A type with plain kernels.
pub(crate) trait Lanes: Copy + Send + Sync + std::iter::Sum<Self> + 'static {
    /// The kernel for an instruction set, if it has one and this machine has the instructions.
    fn kernel(isa: &str) -> Option<Kernel<Self>>;
}

/// Independent vectors: enough to hide the latency of an addition everywhere.
const VECTORS: usize = 8;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! kernel {
    ($name:ident, $feature:literal, $type:ty, $width:literal, $zero:expr, $load:ident, $add:ident, $store:ident) => {
        #[target_feature(enable = $feature)]
        fn $name(x: &[$type]) -> $type {
            let mut sums = [$zero; VECTORS];
            let (blocks, rest) = x.as_chunks::<{ VECTORS * $width }>();
            for block in blocks {
                for (sum, vector) in sums.iter_mut().zip(block.as_chunks::<$width>().0) {
                    // SAFETY: `vector` is as many elements as are loaded.
                    *sum = $add(*sum, unsafe { $load(vector.as_ptr()) });
                }
            }
            let (vectors, rest) = rest.as_chunks::<$width>();
            for (sum, vector) in sums.iter_mut().zip(vectors) {
                // SAFETY: as above.
                *sum = $add(*sum, unsafe { $load(vector.as_ptr()) });
            }
            let [a, b, c, d, e, f, g, h] = sums;
            let total = $add($add($add(a, b), $add(c, d)), $add($add(e, f), $add(g, h)));
            let mut lanes: [$type; $width] = [0.0; $width];
            // SAFETY: `lanes` is as many elements as are stored.
            unsafe { $store(lanes.as_mut_ptr(), total) };
            lanes.iter().sum::<$type>() + rest.iter().sum::<$type>()
        }
    };
}

/// Eight running sums; what the compiler makes of them is its own affair.
fn scalar<T: Copy + Default + std::ops::Add<Output = T>>(x: &[T]) -> T {
    let mut sums = [T::default(); VECTORS];
    let (blocks, rest) = x.as_chunks::<VECTORS>();
    for block in blocks {
        for (sum, &x) in sums.iter_mut().zip(block) {
            *sum = *sum + x;
        }
    }
    sums.into_iter().chain(rest.iter().copied()).fold(T::default(), |a, b| a + b)
}

#[cfg(target_arch = "x86_64")]
mod kernels {
    use super::VECTORS;
    use core::arch::x86_64::*;

    kernel!(avx512_f64, "avx512f", f64, 8, _mm512_setzero_pd(), _mm512_loadu_pd, _mm512_add_pd, _mm512_storeu_pd);
    kernel!(avx512_f32, "avx512f", f32, 16, _mm512_setzero_ps(), _mm512_loadu_ps, _mm512_add_ps, _mm512_storeu_ps);
    kernel!(avx2_f64, "avx2", f64, 4, _mm256_setzero_pd(), _mm256_loadu_pd, _mm256_add_pd, _mm256_storeu_pd);
    kernel!(avx2_f32, "avx2", f32, 8, _mm256_setzero_ps(), _mm256_loadu_ps, _mm256_add_ps, _mm256_storeu_ps);
    kernel!(sse2_f64, "sse2", f64, 2, _mm_setzero_pd(), _mm_loadu_pd, _mm_add_pd, _mm_storeu_pd);
    kernel!(sse2_f32, "sse2", f32, 4, _mm_setzero_ps(), _mm_loadu_ps, _mm_add_ps, _mm_storeu_ps);

    pub(super) fn f64(isa: &str) -> Option<super::Kernel<f64>> {
        match isa {
            "avx512" if is_x86_feature_detected!("avx512f") => Some(avx512_f64),
            "avx2" if is_x86_feature_detected!("avx2") => Some(avx2_f64),
            "sse2" => Some(sse2_f64),
            _ => None,
        }
    }

    pub(super) fn f32(isa: &str) -> Option<super::Kernel<f32>> {
        match isa {
            "avx512" if is_x86_feature_detected!("avx512f") => Some(avx512_f32),
            "avx2" if is_x86_feature_detected!("avx2") => Some(avx2_f32),
            "sse2" => Some(sse2_f32),
            _ => None,
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod kernels {
    use super::VECTORS;
    use core::arch::aarch64::*;

    kernel!(neon_f64, "neon", f64, 2, vdupq_n_f64(0.0), vld1q_f64, vaddq_f64, vst1q_f64);
    kernel!(neon_f32, "neon", f32, 4, vdupq_n_f32(0.0), vld1q_f32, vaddq_f32, vst1q_f32);

    pub(super) fn f64(isa: &str) -> Option<super::Kernel<f64>> {
        (isa == "neon").then_some(neon_f64)
    }

    pub(super) fn f32(isa: &str) -> Option<super::Kernel<f32>> {
        (isa == "neon").then_some(neon_f32)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod kernels {
    pub(super) fn f64(_: &str) -> Option<super::Kernel<f64>> {
        None
    }

    pub(super) fn f32(_: &str) -> Option<super::Kernel<f32>> {
        None
    }
}

impl Lanes for f64 {
    fn kernel(isa: &str) -> Option<Kernel<f64>> {
        if isa == "scalar" { Some(scalar::<f64>) } else { kernels::f64(isa) }
    }
}

impl Lanes for f32 {
    fn kernel(isa: &str) -> Option<Kernel<f32>> {
        if isa == "scalar" { Some(scalar::<f32>) } else { kernels::f32(isa) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of small integers are exact in any order, so even the plain sum has one right answer.
    #[test]
    fn every_element_is_added_once() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        for isa in samebits::devices().expect("devices").into_iter().flat_map(|device| device.isas) {
            let (doubles, floats) = (Plain::<f64>::new(isa).expect(isa), Plain::<f32>::new(isa).expect(isa));
            for n in (0..300).chain([70_000, 140_001]) {
                let x: Vec<f64> = (0..n).map(|i| f64::from(i % 7)).collect();
                let y: Vec<f32> = x.iter().map(|x| *x as f32).collect();
                let expected = (0..n).map(|i| i % 7).sum::<i32>();
                assert_eq!(doubles.sum(&x).to_bits(), f64::from(expected).to_bits(), "{isa} f64 {n}");
                assert_eq!(floats.sum(&y).to_bits(), (expected as f32).to_bits(), "{isa} f32 {n}");
                assert_eq!(doubles.shared_sum(&pool, &x).to_bits(), f64::from(expected).to_bits(), "{isa} f64 {n}");
            }
        }
    }
}
