//! NEON, which every aarch64 has. `fmaxnm` passes over a NaN.

use crate::kernel::{Load, ProductError, Vector, entries};
use core::arch::aarch64::*;

/// 2 `f64`.
#[derive(Clone, Copy)]
pub(crate) struct F64(float64x2_t);
/// 4 `f32`.
#[derive(Clone, Copy)]
pub(crate) struct F32(float32x4_t);

// Every method below is an intrinsic or two. SAFETY for all of them: `Vector` lets them be called only where the
// machine has the room's instructions and, where there is a pointer, only with one that holds a vector.

impl Vector for F64 {
    type Elem = f64;
    type Int = int64x2_t;
    const LANES: usize = 2;
    const MAX_SEES_NAN: bool = false;
    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: see above.
        unsafe { F64(vdupq_n_f64(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f64) -> Self {
        // SAFETY: see above.
        unsafe { F64(vld1q_f64(p)) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: see above.
        unsafe { vst1q_f64(p, self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vaddq_f64(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vsubq_f64(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn times(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vmulq_f64(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vreinterpretq_f64_u64(vorrq_u64(vreinterpretq_u64_f64(self.0), vreinterpretq_u64_f64(b.0)))) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vabsq_f64(self.0)) }
    }
    #[inline(always)]
    unsafe fn max_abs(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vmaxnmq_f64(vabsq_f64(self.0), max.0)) }
    }
    #[inline(always)]
    unsafe fn max_magnitude(self, max: Self) -> Self {
        // SAFETY: see above.
        // `vmax`, unlike `vmaxnm`, keeps a NaN.
        unsafe { F64(vmaxq_f64(vabsq_f64(self.0), max.0)) }
    }
    #[inline(always)]
    unsafe fn reaches(self, limit: Self) -> bool {
        // SAFETY: see above.
        unsafe { vminvq_u32(vreinterpretq_u32_u64(vcltq_f64(self.0, limit.0))) == 0 }
    }
    #[inline(always)]
    unsafe fn max_lane(self) -> f64 {
        let mut lanes = [0.0f64; 2];
        // SAFETY: see above; the array has the register's size.
        unsafe { vst1q_f64(lanes.as_mut_ptr(), self.0) };
        f64::from_bits(lanes.iter().fold(0, |max, lane| max.max(lane.to_bits())))
    }
    #[inline(always)]
    unsafe fn has_nan(self) -> bool {
        // SAFETY: see above.
        unsafe { vminvq_u32(vreinterpretq_u32_u64(vceqq_f64(self.0, self.0))) == 0 }
    }
    #[inline(always)]
    unsafe fn finite_or_zero(self) -> Self {
        // SAFETY: see above.
        unsafe {
            F64(vreinterpretq_f64_u64(vandq_u64(
                vcltq_f64(vabsq_f64(self.0), vdupq_n_f64(f64::INFINITY)),
                vreinterpretq_u64_f64(self.0),
            )))
        }
    }
    #[inline(always)]
    unsafe fn special_lanes(self) -> u32 {
        let mut lanes = [0.0f64; 2];
        // SAFETY: see above; the array has the register's size.
        unsafe { vst1q_f64(lanes.as_mut_ptr(), self.0) };
        lanes.iter().enumerate().fold(0, |set, (i, lane)| set | u32::from(!lane.is_finite()) << i)
    }
    #[inline(always)]
    unsafe fn is_nonzero(self) -> bool {
        // SAFETY: see above.
        unsafe { vminvq_u32(vreinterpretq_u32_u64(vceqzq_f64(self.0))) == 0 }
    }
    #[inline(always)]
    unsafe fn int_zero() -> Self::Int {
        // SAFETY: see above.
        unsafe { vdupq_n_s64(0) }
    }
    #[inline(always)]
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int {
        // SAFETY: see above.
        unsafe { vaddq_s64(total, vsubq_s64(vreinterpretq_s64_f64(a.0), vreinterpretq_s64_f64(b.0))) }
    }
    #[inline(always)]
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: see above.
        unsafe { vaddq_s64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_sum(total: Self::Int) -> i64 {
        // SAFETY: see above.
        unsafe { vaddvq_s64(total) }
    }
}

impl Vector for F32 {
    type Elem = f32;
    type Int = int32x4_t;
    const LANES: usize = 4;
    const MAX_SEES_NAN: bool = false;
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: see above.
        unsafe { F32(vdupq_n_f32(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: see above.
        unsafe { F32(vld1q_f32(p)) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: see above.
        unsafe { vst1q_f32(p, self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(vaddq_f32(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(vsubq_f32(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn times(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(vmulq_f32(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(self.0), vreinterpretq_u32_f32(b.0)))) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe { F32(vabsq_f32(self.0)) }
    }
    #[inline(always)]
    unsafe fn max_abs(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(vmaxnmq_f32(vabsq_f32(self.0), max.0)) }
    }
    #[inline(always)]
    unsafe fn max_magnitude(self, max: Self) -> Self {
        // SAFETY: see above.
        // `vmax`, unlike `vmaxnm`, keeps a NaN.
        unsafe { F32(vmaxq_f32(vabsq_f32(self.0), max.0)) }
    }
    #[inline(always)]
    unsafe fn reaches(self, limit: Self) -> bool {
        // SAFETY: see above.
        unsafe { vminvq_u32(vcltq_f32(self.0, limit.0)) == 0 }
    }
    #[inline(always)]
    unsafe fn max_lane(self) -> f32 {
        let mut lanes = [0.0f32; 4];
        // SAFETY: see above; the array has the register's size.
        unsafe { vst1q_f32(lanes.as_mut_ptr(), self.0) };
        f32::from_bits(lanes.iter().fold(0, |max, lane| max.max(lane.to_bits())))
    }
    #[inline(always)]
    unsafe fn has_nan(self) -> bool {
        // SAFETY: see above.
        unsafe { vminvq_u32(vceqq_f32(self.0, self.0)) == 0 }
    }
    #[inline(always)]
    unsafe fn finite_or_zero(self) -> Self {
        // SAFETY: see above.
        unsafe {
            F32(vreinterpretq_f32_u32(vandq_u32(
                vcltq_f32(vabsq_f32(self.0), vdupq_n_f32(f32::INFINITY)),
                vreinterpretq_u32_f32(self.0),
            )))
        }
    }
    #[inline(always)]
    unsafe fn special_lanes(self) -> u32 {
        let mut lanes = [0.0f32; 4];
        // SAFETY: see above; the array has the register's size.
        unsafe { vst1q_f32(lanes.as_mut_ptr(), self.0) };
        lanes.iter().enumerate().fold(0, |set, (i, lane)| set | u32::from(!lane.is_finite()) << i)
    }
    #[inline(always)]
    unsafe fn is_nonzero(self) -> bool {
        // SAFETY: see above.
        unsafe { vminvq_u32(vceqzq_f32(self.0)) == 0 }
    }
    #[inline(always)]
    unsafe fn int_zero() -> Self::Int {
        // SAFETY: see above.
        unsafe { vdupq_n_s32(0) }
    }
    #[inline(always)]
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int {
        // SAFETY: see above.
        unsafe { vaddq_s32(total, vsubq_s32(vreinterpretq_s32_f32(a.0), vreinterpretq_s32_f32(b.0))) }
    }
    #[inline(always)]
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: see above.
        unsafe { vaddq_s32(a, b) }
    }
    #[inline(always)]
    unsafe fn int_sum(total: Self::Int) -> i64 {
        // SAFETY: see above.
        unsafe { vaddlvq_s32(total) }
    }
}

impl ProductError for F64 {
    #[inline(always)]
    unsafe fn min_abs(self, min: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vminnmq_f64(vabsq_f64(self.0), min.0)) }
    }
    #[inline(always)]
    unsafe fn product_error(a: Self, b: Self, p: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vfmaq_f64(vnegq_f64(p.0), a.0, b.0)) }
    }
}

impl Load<f32> for F64 {
    #[inline(always)]
    unsafe fn load_from(p: *const f32) -> Self {
        // SAFETY: see above.
        F64(unsafe { vcvt_f64_f32(vld1_f32(p)) })
    }
}

entries!(
    #[target_feature(enable = "neon")]
    F64,
    F32,
    4
);
