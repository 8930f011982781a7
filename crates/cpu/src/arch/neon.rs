//! NEON, which every aarch64 has. `fmaxnm` passes over a NaN.

use crate::kernel::{Load, ProductError, STEPS, StoreTo, Tile, Vector, entries};
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

impl Tile for F64 {
    #[inline(always)]
    unsafe fn transpose(m: &mut [Self; STEPS]) {
        // SAFETY: see above.
        unsafe {
            for m in m.chunks_exact_mut(2) {
                (m[0], m[1]) = (F64(vzip1q_f64(m[0].0, m[1].0)), F64(vzip2q_f64(m[0].0, m[1].0)));
            }
        }
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(vfmaq_f64(c.0, self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn int_splat(x: i64) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vdupq_n_s64(x) }
    }
    #[inline(always)]
    unsafe fn int_bits(self) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vreinterpretq_s64_f64(self.0) }
    }
    #[inline(always)]
    unsafe fn from_int_bits(bits: int64x2_t) -> Self {
        // SAFETY: see above.
        unsafe { F64(vreinterpretq_f64_s64(bits)) }
    }
    #[inline(always)]
    unsafe fn int_any(a: int64x2_t) -> bool {
        // SAFETY: see above.
        unsafe { vmaxvq_u32(vreinterpretq_u32_s64(a)) != 0 }
    }
    #[inline(always)]
    unsafe fn int_sub(a: int64x2_t, b: int64x2_t) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vsubq_s64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_and(a: int64x2_t, b: int64x2_t) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vandq_s64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_or(a: int64x2_t, b: int64x2_t) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vorrq_s64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_shl(a: int64x2_t, by: u32) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vshlq_s64(a, vdupq_n_s64(by as i64)) }
    }
    #[inline(always)]
    unsafe fn int_sar(a: int64x2_t, by: u32) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vshlq_s64(a, vdupq_n_s64(-(by as i64))) }
    }
    #[inline(always)]
    unsafe fn int_greater(a: int64x2_t, b: int64x2_t) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vreinterpretq_s64_u64(vcgtq_s64(a, b)) }
    }
    #[inline(always)]
    unsafe fn int_running(a: int64x2_t) -> int64x2_t {
        // SAFETY: see above.
        unsafe { vaddq_s64(a, vextq_s64::<1>(vdupq_n_s64(0), a)) }
    }
    #[inline(always)]
    unsafe fn int_last(a: int64x2_t) -> i64 {
        // SAFETY: see above.
        unsafe { vgetq_lane_s64::<1>(a) }
    }
    #[inline(always)]
    unsafe fn int_to_float(a: int64x2_t) -> Self {
        // SAFETY: see above.
        unsafe { F64(vcvtq_f64_s64(a)) }
    }
    #[inline(always)]
    unsafe fn small_to_float(a: int64x2_t) -> Self {
        // SAFETY: see above.
        unsafe { Self::int_to_float(a) }
    }
    #[inline(always)]
    unsafe fn low_bits(a: int64x2_t, mask: int64x2_t, magic: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let bits = Self::int_or(Self::int_and(a, mask), magic.int_bits());
            F64(vsubq_f64(vreinterpretq_f64_s64(bits), magic.0))
        }
    }
}

impl StoreTo<f32> for F64 {
    #[inline(always)]
    unsafe fn store_to(self, p: *mut f32) {
        // SAFETY: see above.
        unsafe { vst1_f32(p, vcvt_f32_f64(self.0)) }
    }
}

entries!(
    #[target_feature(enable = "neon")]
    F64,
    F32,
    4
);
