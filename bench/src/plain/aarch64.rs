//! The operations of the vectors of aarch64.

use super::Kernels;

macro_rules! ops {
    ($ops:ident, $type:ty, $width:literal, $vector:ty, $splat:ident, $load:ident, $store:ident, $add:ident, $max:ident, $abs:ident, $fma:ident) => {
        mod $ops {
            use core::arch::aarch64::*;

            #[inline]
            #[target_feature(enable = "neon")]
            pub(super) fn zero() -> $vector {
                $splat(0.0)
            }
            #[inline]
            #[target_feature(enable = "neon")]
            pub(super) fn load(from: &[$type; $width]) -> $vector {
                // SAFETY: `from` is as many elements as are loaded.
                unsafe { $load(from.as_ptr()) }
            }
            #[inline]
            #[target_feature(enable = "neon")]
            pub(super) fn store(vector: $vector) -> [$type; $width] {
                let mut lanes = [0.0; $width];
                // SAFETY: `lanes` is as many elements as are stored.
                unsafe { $store(lanes.as_mut_ptr(), vector) };
                lanes
            }
            #[inline]
            #[target_feature(enable = "neon")]
            pub(super) fn add(a: $vector, b: $vector) -> $vector {
                $add(a, b)
            }
            #[inline]
            #[target_feature(enable = "neon")]
            pub(super) fn max(a: $vector, b: $vector) -> $vector {
                $max(a, b)
            }
            #[inline]
            #[target_feature(enable = "neon")]
            pub(super) fn same(a: $vector) -> $vector {
                a
            }
            #[inline]
            #[target_feature(enable = "neon")]
            pub(super) fn abs(a: $vector) -> $vector {
                $abs(a)
            }
            #[inline]
            #[target_feature(enable = "neon")]
            pub(super) fn add_product(s: $vector, x: $vector, y: $vector) -> $vector {
                $fma(s, x, y)
            }
        }
    };
}

ops!(v2, f64, 2, float64x2_t, vdupq_n_f64, vld1q_f64, vst1q_f64, vaddq_f64, vmaxq_f64, vabsq_f64, vfmaq_f64);
ops!(v4, f32, 4, float32x4_t, vdupq_n_f32, vld1q_f32, vst1q_f32, vaddq_f32, vmaxq_f32, vabsq_f32, vfmaq_f32);

kernels!(neon_f64, "neon", f64, 2, v2);
kernels!(neon_f32, "neon", f32, 4, v4);

macro_rules! table {
    ($kernels:ident) => {
        Kernels { sum: $kernels::sum, asum: $kernels::asum, amax: $kernels::amax, dot: $kernels::dot, scan: None }
    };
}

pub(super) fn f64(isa: &str) -> Option<Kernels<f64>> {
    (isa == "neon").then_some(table!(neon_f64))
}

pub(super) fn f32(isa: &str) -> Option<Kernels<f32>> {
    (isa == "neon").then_some(table!(neon_f32))
}
