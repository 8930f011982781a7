//! The plain code that the others are measured against: eight independent vectors, added up as the instruction set
//! allows, no thought given to order. It is as fast as such a loop gets, and its bits depend on the vector width.

use rayon::ThreadPool;
use rayon::prelude::*;

#[cfg(target_arch = "x86_64")]
mod scan;

/// Plain loops with the instructions of one instruction set, which this machine has.
#[derive(Clone, Copy)]
pub(crate) struct Plain<T: Lanes> {
    kernels: Kernels<T>,
}

impl<T: Lanes> Plain<T> {
    /// For an instruction set by the name that `samebits` has for it.
    pub(crate) fn new(isa: &str) -> Option<Plain<T>> {
        Some(Plain { kernels: T::kernels(isa)? })
    }

    /// The sum on the calling thread.
    pub(crate) fn sum(self, x: &[T]) -> T {
        // SAFETY: `Lanes::kernels` gives only kernels whose instructions it found on this machine; here and below.
        unsafe { (self.kernels.sum)(x) }
    }

    /// The sum of absolute values.
    pub(crate) fn asum(self, x: &[T]) -> T {
        // SAFETY: as above.
        unsafe { (self.kernels.asum)(x) }
    }

    /// The largest absolute value.
    pub(crate) fn amax(self, x: &[T]) -> T {
        // SAFETY: as above.
        unsafe { (self.kernels.amax)(x) }
    }

    /// The sum of products, as many as the shorter one has.
    pub(crate) fn dot(self, x: &[T], y: &[T]) -> T {
        // SAFETY: as above.
        unsafe { (self.kernels.dot)(x, y) }
    }

    /// The running sum with vectors, where there is such a kernel; the lengths must be equal.
    pub(crate) fn scan(self) -> Option<impl Fn(&[T], &mut [T]) + Copy> {
        let kernel = self.kernels.scan?;
        // SAFETY: as above.
        Some(move |x: &[T], y: &mut [T]| unsafe { kernel(x, y) })
    }

    /// The sum on a pool's threads.
    pub(crate) fn shared_sum(self, pool: &ThreadPool, x: &[T]) -> T {
        let Some(part) = part(pool, x) else { return self.sum(x) };
        pool.install(|| x.par_chunks(part).map(|part| self.sum(part)).sum())
    }

    /// The sum of absolute values on a pool's threads.
    pub(crate) fn shared_asum(self, pool: &ThreadPool, x: &[T]) -> T {
        let Some(part) = part(pool, x) else { return self.asum(x) };
        pool.install(|| x.par_chunks(part).map(|part| self.asum(part)).sum())
    }

    /// The largest absolute value on a pool's threads.
    pub(crate) fn shared_amax(self, pool: &ThreadPool, x: &[T]) -> T {
        let Some(part) = part(pool, x) else { return self.amax(x) };
        let larger = |a: T, b: T| if a < b { b } else { a };
        pool.install(|| x.par_chunks(part).map(|part| self.amax(part)).reduce(T::default, larger))
    }

    /// The sum of products on a pool's threads.
    pub(crate) fn shared_dot(self, pool: &ThreadPool, x: &[T], y: &[T]) -> T {
        let Some(part) = part(pool, x) else { return self.dot(x, y) };
        pool.install(|| x.par_chunks(part).zip(y.par_chunks(part)).map(|(x, y)| self.dot(x, y)).sum())
    }
}

/// How long a task is, if there is more than one: as `samebits` cuts its own, 256 KiB or more, four for each thread.
fn part<T>(pool: &ThreadPool, x: &[T]) -> Option<usize> {
    let tasks = (size_of_val(x) >> 18).min(pool.current_num_threads() * 4);
    (tasks >= 2).then(|| x.len().div_ceil(tasks))
}

/// Safe to call where the instructions are there.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<T> {
    sum: unsafe fn(&[T]) -> T,
    asum: unsafe fn(&[T]) -> T,
    amax: unsafe fn(&[T]) -> T,
    dot: unsafe fn(&[T], &[T]) -> T,
    scan: Option<Scan<T>>,
}

/// As long an output as there are inputs.
type Scan<T> = unsafe fn(&[T], &mut [T]);

/// A type with plain kernels.
pub(crate) trait Lanes: Copy + Default + PartialOrd + Send + Sync + std::iter::Sum<Self> + 'static {
    /// The kernels for an instruction set, if it has some and this machine has the instructions.
    fn kernels(isa: &str) -> Option<Kernels<Self>>;
}

/// Independent vectors: enough to hide the latency of an addition everywhere.
const VECTORS: usize = 8;

/// A loop over one slice: `$start`, then `$join` of what there is and the `$term` of each vector.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! reduction {
    ($name:ident, $feature:literal, $type:ty, $width:literal, $ops:ident, $join:ident, $term:ident, $rest:expr) => {
        #[target_feature(enable = $feature)]
        pub(super) fn $name(x: &[$type]) -> $type {
            let mut sums = [$ops::zero(); VECTORS];
            let (blocks, rest) = x.as_chunks::<{ VECTORS * $width }>();
            for block in blocks {
                for (sum, vector) in sums.iter_mut().zip(block.as_chunks::<$width>().0) {
                    *sum = $ops::$join(*sum, $ops::$term($ops::load(vector)));
                }
            }
            let (vectors, rest) = rest.as_chunks::<$width>();
            for (sum, vector) in sums.iter_mut().zip(vectors) {
                *sum = $ops::$join(*sum, $ops::$term($ops::load(vector)));
            }
            let [a, b, c, d, e, f, g, h] = sums;
            let (left, right) =
                ($ops::$join($ops::$join(a, b), $ops::$join(c, d)), $ops::$join($ops::$join(e, f), $ops::$join(g, h)));
            $ops::store($ops::$join(left, right)).into_iter().chain(rest.iter().copied()).fold(0.0, $rest)
        }
    };
}

/// All kernels for a vector type, whose operations are in the module `$ops`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! kernels {
    ($name:ident, $feature:literal, $type:ty, $width:literal, $ops:ident) => {
        pub(super) mod $name {
            use super::super::VECTORS;
            use super::$ops;

            reduction!(sum, $feature, $type, $width, $ops, add, same, |a, b| a + b);
            reduction!(asum, $feature, $type, $width, $ops, add, abs, |a: $type, b: $type| a + b.abs());
            reduction!(amax, $feature, $type, $width, $ops, max, abs, |a: $type, b: $type| a.max(b.abs()));

            #[target_feature(enable = $feature)]
            pub(super) fn dot(x: &[$type], y: &[$type]) -> $type {
                let mut sums = [$ops::zero(); VECTORS];
                let (blocks, rest) = x.as_chunks::<{ VECTORS * $width }>();
                let (others, other_rest) = y.as_chunks::<{ VECTORS * $width }>();
                for (block, other) in blocks.iter().zip(others) {
                    let pairs = block.as_chunks::<$width>().0.iter().zip(other.as_chunks::<$width>().0);
                    for (sum, (a, b)) in sums.iter_mut().zip(pairs) {
                        *sum = $ops::add_product(*sum, $ops::load(a), $ops::load(b));
                    }
                }
                let [a, b, c, d, e, f, g, h] = sums;
                let (left, right) =
                    ($ops::add($ops::add(a, b), $ops::add(c, d)), $ops::add($ops::add(e, f), $ops::add(g, h)));
                let rest = rest.iter().zip(other_rest).map(|(a, b)| a * b);
                $ops::store($ops::add(left, right)).into_iter().chain(rest).sum()
            }
        }
    };
}

/// Eight running sums; what the compiler makes of them is its own affair.
macro_rules! scalar {
    ($type:ty) => {{
        fn eight(x: &[$type], join: impl Fn($type, $type) -> $type) -> $type {
            let mut sums = [0.0; VECTORS];
            let (blocks, rest) = x.as_chunks::<VECTORS>();
            for block in blocks {
                for (sum, &x) in sums.iter_mut().zip(block) {
                    *sum = join(*sum, x);
                }
            }
            rest.iter().copied().chain(sums).fold(0.0, join)
        }
        fn dot(x: &[$type], y: &[$type]) -> $type {
            let mut sums = [0.0; VECTORS];
            let ((blocks, rest), (others, other_rest)) = (x.as_chunks::<VECTORS>(), y.as_chunks::<VECTORS>());
            for (block, other) in blocks.iter().zip(others) {
                for (sum, (a, b)) in sums.iter_mut().zip(block.iter().zip(other)) {
                    *sum += a * b;
                }
            }
            sums.into_iter().chain(rest.iter().zip(other_rest).map(|(a, b)| a * b)).sum()
        }
        Kernels::<$type> {
            sum: |x| eight(x, |a, b| a + b),
            asum: |x| eight(x, |a, b| a + b.abs()),
            amax: |x| eight(x, |a, b| a.max(b.abs())),
            dot,
            scan: None,
        }
    }};
}

#[cfg(target_arch = "x86_64")]
#[path = "plain/x86_64.rs"]
mod arch;

#[cfg(target_arch = "aarch64")]
#[path = "plain/aarch64.rs"]
mod arch;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod arch {
    use super::Kernels;

    pub(super) fn f64(_: &str) -> Option<Kernels<f64>> {
        None
    }

    pub(super) fn f32(_: &str) -> Option<Kernels<f32>> {
        None
    }
}

impl Lanes for f64 {
    fn kernels(isa: &str) -> Option<Kernels<f64>> {
        if isa == "scalar" { Some(scalar!(f64)) } else { arch::f64(isa) }
    }
}

impl Lanes for f32 {
    fn kernels(isa: &str) -> Option<Kernels<f32>> {
        if isa == "scalar" { Some(scalar!(f32)) } else { arch::f32(isa) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of small integers are exact in any order, so even the plain sum has one right answer.
    #[test]
    fn every_element_counts_once() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        for isa in samebits::devices().expect("devices").into_iter().flat_map(|device| device.isas) {
            let (doubles, floats) = (Plain::<f64>::new(isa).expect(isa), Plain::<f32>::new(isa).expect(isa));
            for n in (0..300).chain([70_000, 140_001]) {
                let value = |i: i32| i % 7 - 3;
                let x: Vec<f64> = (0..n).map(|i| f64::from(value(i))).collect();
                let y: Vec<f32> = x.iter().map(|x| *x as f32).collect();
                let sum = f64::from((0..n).map(value).sum::<i32>());
                let asum = f64::from((0..n).map(|i| value(i).abs()).sum::<i32>());
                let dot = f64::from((0..n).map(|i| value(i).pow(2)).sum::<i32>());
                let amax = f64::from((0..n).map(|i| value(i).abs()).max().unwrap_or(0));
                let bits = |values: [f64; 4]| values.map(|value| (value + 0.0).to_bits());
                let all = [doubles.sum(&x), doubles.asum(&x), doubles.dot(&x, &x), doubles.amax(&x)];
                assert_eq!(bits(all), bits([sum, asum, dot, amax]), "{isa} f64 {n}");
                let all = [floats.sum(&y), floats.asum(&y), floats.dot(&y, &y), floats.amax(&y)];
                assert_eq!(bits(all.map(f64::from)), bits([sum, asum, dot, amax]), "{isa} f32 {n}");
                let all = [
                    doubles.shared_sum(&pool, &x),
                    doubles.shared_asum(&pool, &x),
                    doubles.shared_dot(&pool, &x, &x),
                    doubles.shared_amax(&pool, &x),
                ];
                assert_eq!(bits(all), bits([sum, asum, dot, amax]), "{isa} f64 {n}");
                if let Some(scan) = doubles.scan() {
                    let mut running = vec![0.0; x.len()];
                    scan(&x, &mut running);
                    let mut expected = 0.0;
                    assert!(running.iter().zip(&x).all(|(found, x)| {
                        expected += x;
                        (found + 0.0).to_bits() == (expected + 0.0).to_bits()
                    }));
                }
                if let Some(scan) = floats.scan() {
                    let mut running = vec![0.0; y.len()];
                    scan(&y, &mut running);
                    assert!(running.last().is_none_or(|last| f64::from(*last) == sum), "{isa} f32 {n}");
                }
            }
        }
    }
}
