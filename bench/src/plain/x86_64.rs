//! The operations of the vectors of x86-64.

use super::Kernels;
use super::scan;

macro_rules! ops {
    ($ops:ident, $feature:literal, $type:ty, $width:literal, $vector:ty, $zero:ident, $load:ident, $store:ident, $add:ident, $max:ident,
     |$a:ident| $abs:expr, |$s:ident, $x:ident, $y:ident| $product:expr) => {
        mod $ops {
            use core::arch::x86_64::*;

            #[inline]
            #[target_feature(enable = $feature)]
            pub(super) fn zero() -> $vector {
                $zero()
            }
            #[inline]
            #[target_feature(enable = $feature)]
            pub(super) fn load(from: &[$type; $width]) -> $vector {
                // SAFETY: `from` is as many elements as are loaded.
                unsafe { $load(from.as_ptr()) }
            }
            #[inline]
            #[target_feature(enable = $feature)]
            pub(super) fn store(vector: $vector) -> [$type; $width] {
                let mut lanes = [0.0; $width];
                // SAFETY: `lanes` is as many elements as are stored.
                unsafe { $store(lanes.as_mut_ptr(), vector) };
                lanes
            }
            #[inline]
            #[target_feature(enable = $feature)]
            pub(super) fn add(a: $vector, b: $vector) -> $vector {
                $add(a, b)
            }
            #[inline]
            #[target_feature(enable = $feature)]
            pub(super) fn max(a: $vector, b: $vector) -> $vector {
                $max(a, b)
            }
            #[inline]
            #[target_feature(enable = $feature)]
            pub(super) fn same(a: $vector) -> $vector {
                a
            }
            #[inline]
            #[target_feature(enable = $feature)]
            pub(super) fn abs($a: $vector) -> $vector {
                $abs
            }
            #[inline]
            #[target_feature(enable = $feature)]
            pub(super) fn add_product($s: $vector, $x: $vector, $y: $vector) -> $vector {
                $product
            }
        }
    };
}

ops!(
    v512d,
    "avx512f",
    f64,
    8,
    __m512d,
    _mm512_setzero_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_add_pd,
    _mm512_max_pd,
    |a| _mm512_abs_pd(a),
    |s, x, y| _mm512_fmadd_pd(x, y, s)
);
ops!(
    v512s,
    "avx512f",
    f32,
    16,
    __m512,
    _mm512_setzero_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_max_ps,
    |a| _mm512_abs_ps(a),
    |s, x, y| _mm512_fmadd_ps(x, y, s)
);
ops!(
    v256d,
    "avx2,fma",
    f64,
    4,
    __m256d,
    _mm256_setzero_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_add_pd,
    _mm256_max_pd,
    |a| _mm256_andnot_pd(_mm256_set1_pd(-0.0), a),
    |s, x, y| _mm256_fmadd_pd(x, y, s)
);
ops!(
    v256s,
    "avx2,fma",
    f32,
    8,
    __m256,
    _mm256_setzero_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_max_ps,
    |a| _mm256_andnot_ps(_mm256_set1_ps(-0.0), a),
    |s, x, y| _mm256_fmadd_ps(x, y, s)
);
ops!(
    v128d,
    "sse2",
    f64,
    2,
    __m128d,
    _mm_setzero_pd,
    _mm_loadu_pd,
    _mm_storeu_pd,
    _mm_add_pd,
    _mm_max_pd,
    |a| _mm_andnot_pd(_mm_set1_pd(-0.0), a),
    |s, x, y| _mm_add_pd(s, _mm_mul_pd(x, y))
);
ops!(
    v128s,
    "sse2",
    f32,
    4,
    __m128,
    _mm_setzero_ps,
    _mm_loadu_ps,
    _mm_storeu_ps,
    _mm_add_ps,
    _mm_max_ps,
    |a| _mm_andnot_ps(_mm_set1_ps(-0.0), a),
    |s, x, y| _mm_add_ps(s, _mm_mul_ps(x, y))
);

kernels!(avx512_f64, "avx512f", f64, 8, v512d);
kernels!(avx512_f32, "avx512f", f32, 16, v512s);
kernels!(avx2_f64, "avx2,fma", f64, 4, v256d);
kernels!(avx2_f32, "avx2,fma", f32, 8, v256s);
kernels!(sse2_f64, "sse2", f64, 2, v128d);
kernels!(sse2_f32, "sse2", f32, 4, v128s);

macro_rules! table {
    ($kernels:ident, $scan:expr) => {
        Some(Kernels {
            sum: $kernels::sum,
            asum: $kernels::asum,
            amax: $kernels::amax,
            dot: $kernels::dot,
            scan: $scan,
        })
    };
}

fn avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

pub(super) fn f64(isa: &str) -> Option<Kernels<f64>> {
    match isa {
        "avx512" if is_x86_feature_detected!("avx512f") => table!(avx512_f64, Some(scan::avx512_f64)),
        "avx2" if avx2() => table!(avx2_f64, None),
        "sse2" => table!(sse2_f64, None),
        _ => None,
    }
}

pub(super) fn f32(isa: &str) -> Option<Kernels<f32>> {
    match isa {
        "avx512" if is_x86_feature_detected!("avx512f") => table!(avx512_f32, Some(scan::avx512_f32)),
        "avx2" if avx2() => table!(avx2_f32, None),
        "sse2" => table!(sse2_f32, None),
        _ => None,
    }
}
