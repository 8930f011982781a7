//! SSE2, which every x86-64 has. `maxpd` returns its second operand if one is NaN, so a NaN is passed over.

use crate::kernel::{Load, ProductError, Vector, entries};
use core::arch::x86_64::*;

/// 2 `f64`.
#[derive(Clone, Copy)]
pub(crate) struct F64(__m128d);
/// 4 `f32`.
#[derive(Clone, Copy)]
pub(crate) struct F32(__m128);

// Every method below is an intrinsic or two. SAFETY for all of them: `Vector` lets them be called only where the
// machine has the room's instructions and, where there is a pointer, only with one that holds a vector.

impl Vector for F64 {
    type Elem = f64;
    type Int = __m128i;
    const LANES: usize = 2;
    const MAX_SEES_NAN: bool = false;
    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_set1_pd(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f64) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_loadu_pd(p)) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: see above.
        unsafe { _mm_storeu_pd(p, self.0) }
    }
    #[inline(always)]
    unsafe fn prefetch<E>(p: *const E) {
        // SAFETY: see above; a prefetch does not fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_add_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_sub_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn times(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_mul_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_or_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_andnot_pd(_mm_set1_pd(-0.0), self.0)) }
    }
    #[inline(always)]
    unsafe fn max_abs(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_max_pd(self.abs().0, max.0)) }
    }
    #[inline(always)]
    unsafe fn max_magnitude(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            // The maximum is its second operand if one is NaN: a NaN in `max` stays, one in `a` is put in afterwards.
            let a = self.abs();
            let nan = _mm_and_pd(_mm_cmpunord_pd(a.0, a.0), a.0);
            F64(_mm_or_pd(_mm_max_pd(a.0, max.0), nan))
        }
    }
    #[inline(always)]
    unsafe fn reaches(self, limit: Self) -> bool {
        // SAFETY: see above.
        unsafe { _mm_movemask_pd(_mm_cmpnlt_pd(self.0, limit.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn max_lane(self) -> f64 {
        let mut lanes = [0; 2];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm_storeu_pd(lanes.as_mut_ptr().cast(), self.0) };
        f64::from_bits(lanes.iter().fold(0, |max: u64, &bits| max.max(bits)))
    }
    #[inline(always)]
    unsafe fn has_nan(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm_movemask_pd(_mm_cmpunord_pd(self.0, self.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn finite_or_zero(self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_and_pd(_mm_cmplt_pd(self.abs().0, _mm_set1_pd(f64::INFINITY)), self.0)) }
    }
    #[inline(always)]
    unsafe fn special_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm_movemask_pd(_mm_cmpnlt_pd(self.abs().0, _mm_set1_pd(f64::INFINITY))) as u32 }
    }
    #[inline(always)]
    unsafe fn is_nonzero(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm_movemask_pd(_mm_cmpneq_pd(self.0, _mm_setzero_pd())) != 0 }
    }
    #[inline(always)]
    unsafe fn int_zero() -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm_setzero_si128() }
    }
    #[inline(always)]
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm_add_epi64(total, _mm_sub_epi64(_mm_castpd_si128(a.0), _mm_castpd_si128(b.0))) }
    }
    #[inline(always)]
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm_add_epi64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_sum(total: Self::Int) -> i64 {
        let mut lanes = [0i64; 2];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), total) };
        lanes.iter().sum()
    }
}

impl Vector for F32 {
    type Elem = f32;
    type Int = __m128i;
    const LANES: usize = 4;
    const MAX_SEES_NAN: bool = false;
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_set1_ps(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_loadu_ps(p)) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: see above.
        unsafe { _mm_storeu_ps(p, self.0) }
    }
    #[inline(always)]
    unsafe fn prefetch<E>(p: *const E) {
        // SAFETY: see above; a prefetch does not fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_add_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_sub_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn times(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_mul_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_or_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_andnot_ps(_mm_set1_ps(-0.0), self.0)) }
    }
    #[inline(always)]
    unsafe fn max_abs(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_max_ps(self.abs().0, max.0)) }
    }
    #[inline(always)]
    unsafe fn max_magnitude(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            // The maximum is its second operand if one is NaN: a NaN in `max` stays, one in `a` is put in afterwards.
            let a = self.abs();
            let nan = _mm_and_ps(_mm_cmpunord_ps(a.0, a.0), a.0);
            F32(_mm_or_ps(_mm_max_ps(a.0, max.0), nan))
        }
    }
    #[inline(always)]
    unsafe fn reaches(self, limit: Self) -> bool {
        // SAFETY: see above.
        unsafe { _mm_movemask_ps(_mm_cmpnlt_ps(self.0, limit.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn max_lane(self) -> f32 {
        let mut lanes = [0; 4];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm_storeu_ps(lanes.as_mut_ptr().cast(), self.0) };
        f32::from_bits(lanes.iter().fold(0, |max: u32, &bits| max.max(bits)))
    }
    #[inline(always)]
    unsafe fn has_nan(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm_movemask_ps(_mm_cmpunord_ps(self.0, self.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn finite_or_zero(self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm_and_ps(_mm_cmplt_ps(self.abs().0, _mm_set1_ps(f32::INFINITY)), self.0)) }
    }
    #[inline(always)]
    unsafe fn special_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm_movemask_ps(_mm_cmpnlt_ps(self.abs().0, _mm_set1_ps(f32::INFINITY))) as u32 }
    }
    #[inline(always)]
    unsafe fn is_nonzero(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm_movemask_ps(_mm_cmpneq_ps(self.0, _mm_setzero_ps())) != 0 }
    }
    #[inline(always)]
    unsafe fn int_zero() -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm_setzero_si128() }
    }
    #[inline(always)]
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm_add_epi32(total, _mm_sub_epi32(_mm_castps_si128(a.0), _mm_castps_si128(b.0))) }
    }
    #[inline(always)]
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm_add_epi32(a, b) }
    }
    #[inline(always)]
    unsafe fn int_sum(total: Self::Int) -> i64 {
        let mut lanes = [0i32; 4];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), total) };
        lanes.iter().map(|&n| i64::from(n)).sum()
    }
}

impl ProductError for F64 {
    #[inline(always)]
    unsafe fn min_abs(self, min: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_min_pd(self.abs().0, min.0)) }
    }
}

impl Load<f32> for F64 {
    #[inline(always)]
    unsafe fn load_from(p: *const f32) -> Self {
        // SAFETY: see above.
        F64(unsafe { _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(p.cast()))) })
    }
}

entries!(
    #[target_feature(enable = "sse2")]
    F64,
    F32,
    2
);
