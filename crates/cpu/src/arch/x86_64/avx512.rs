//! AVX-512 F and DQ. `vrange` with immediate 11 is the larger magnitude, its sign cleared; it passes over a NaN.

use crate::kernel::{Load, ProductError, Vector, entries};
use core::arch::x86_64::*;

/// 8 `f64`.
#[derive(Clone, Copy)]
pub(crate) struct F64(__m512d);
/// 16 `f32`.
#[derive(Clone, Copy)]
pub(crate) struct F32(__m512);

// Every method below is an intrinsic or two. SAFETY for all of them: `Vector` lets them be called only where the
// machine has the room's instructions and, where there is a pointer, only with one that holds a vector.

impl Vector for F64 {
    type Elem = f64;
    type Int = __m512i;
    const LANES: usize = 8;
    const MAX_SEES_NAN: bool = false;
    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_set1_pd(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f64) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_loadu_pd(p)) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_pd(p, self.0) }
    }
    #[inline(always)]
    unsafe fn prefetch<E>(p: *const E) {
        // SAFETY: see above; a prefetch does not fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_add_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_sub_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn add_by_fma(self, b: Self, one: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_fmadd_pd(b.0, one.0, self.0)) }
    }
    #[inline(always)]
    unsafe fn sub_by_fma(self, b: Self, one: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_fmsub_pd(self.0, one.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn times(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_mul_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_or_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_abs_pd(self.0)) }
    }
    #[inline(always)]
    unsafe fn max_abs(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_range_pd::<0x0B>(self.0, max.0)) }
    }
    #[inline(always)]
    unsafe fn max_magnitude(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            // The bits of magnitudes are ordered as integers, NaN above all.
            let (a, max) = (_mm512_castpd_si512(self.abs().0), _mm512_castpd_si512(max.0));
            F64(_mm512_castsi512_pd(_mm512_max_epu64(a, max)))
        }
    }
    #[inline(always)]
    unsafe fn reaches(self, limit: Self) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(self.0, limit.0) != 0 }
    }
    #[inline(always)]
    unsafe fn max_lane(self) -> f64 {
        let mut lanes = [0; 8];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm512_storeu_pd(lanes.as_mut_ptr().cast(), self.0) };
        f64::from_bits(lanes.iter().fold(0, |max: u64, &bits| max.max(bits)))
    }
    #[inline(always)]
    unsafe fn has_nan(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(self.0, self.0) != 0 }
    }
    #[inline(always)]
    unsafe fn finite_or_zero(self) -> Self {
        // SAFETY: see above.
        unsafe {
            F64(_mm512_maskz_mov_pd(
                _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.abs().0, _mm512_set1_pd(f64::INFINITY)),
                self.0,
            ))
        }
    }
    #[inline(always)]
    unsafe fn special_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(self.abs().0, _mm512_set1_pd(f64::INFINITY)) as u32 }
    }
    #[inline(always)]
    unsafe fn is_nonzero(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(self.0, _mm512_setzero_pd()) != 0 }
    }
    #[inline(always)]
    unsafe fn int_zero() -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm512_add_epi64(total, _mm512_sub_epi64(_mm512_castpd_si512(a.0), _mm512_castpd_si512(b.0))) }
    }
    #[inline(always)]
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm512_add_epi64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_sum(total: Self::Int) -> i64 {
        let mut lanes = [0i64; 8];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), total) };
        lanes.iter().sum()
    }
}

impl Vector for F32 {
    type Elem = f32;
    type Int = __m512i;
    const LANES: usize = 16;
    const MAX_SEES_NAN: bool = false;
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_set1_ps(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_loadu_ps(p)) }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_ps(p, self.0) }
    }
    #[inline(always)]
    unsafe fn prefetch<E>(p: *const E) {
        // SAFETY: see above; a prefetch does not fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_add_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_sub_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn add_by_fma(self, b: Self, one: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_fmadd_ps(b.0, one.0, self.0)) }
    }
    #[inline(always)]
    unsafe fn sub_by_fma(self, b: Self, one: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_fmsub_ps(self.0, one.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn times(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_mul_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_or_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_abs_ps(self.0)) }
    }
    #[inline(always)]
    unsafe fn max_abs(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm512_range_ps::<0x0B>(self.0, max.0)) }
    }
    #[inline(always)]
    unsafe fn max_magnitude(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let (a, max) = (_mm512_castps_si512(self.abs().0), _mm512_castps_si512(max.0));
            F32(_mm512_castsi512_ps(_mm512_max_epu32(a, max)))
        }
    }
    #[inline(always)]
    unsafe fn reaches(self, limit: Self) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(self.0, limit.0) != 0 }
    }
    #[inline(always)]
    unsafe fn max_lane(self) -> f32 {
        let mut lanes = [0; 16];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm512_storeu_ps(lanes.as_mut_ptr().cast(), self.0) };
        f32::from_bits(lanes.iter().fold(0, |max: u32, &bits| max.max(bits)))
    }
    #[inline(always)]
    unsafe fn has_nan(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0) != 0 }
    }
    #[inline(always)]
    unsafe fn finite_or_zero(self) -> Self {
        // SAFETY: see above.
        unsafe {
            F32(_mm512_maskz_mov_ps(
                _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.abs().0, _mm512_set1_ps(f32::INFINITY)),
                self.0,
            ))
        }
    }
    #[inline(always)]
    unsafe fn special_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(self.abs().0, _mm512_set1_ps(f32::INFINITY)) as u32 }
    }
    #[inline(always)]
    unsafe fn is_nonzero(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(self.0, _mm512_setzero_ps()) != 0 }
    }
    #[inline(always)]
    unsafe fn int_zero() -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm512_add_epi32(total, _mm512_sub_epi32(_mm512_castps_si512(a.0), _mm512_castps_si512(b.0))) }
    }
    #[inline(always)]
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm512_add_epi32(a, b) }
    }
    #[inline(always)]
    unsafe fn int_sum(total: Self::Int) -> i64 {
        let mut lanes = [0i32; 16];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), total) };
        lanes.iter().map(|&n| i64::from(n)).sum()
    }
}

impl ProductError for F64 {
    #[inline(always)]
    unsafe fn min_abs(self, min: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_range_pd::<0x0A>(self.0, min.0)) }
    }
    #[inline(always)]
    unsafe fn product_error(a: Self, b: Self, p: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_fmsub_pd(a.0, b.0, p.0)) }
    }
}

impl Load<f32> for F64 {
    #[inline(always)]
    unsafe fn load_from(p: *const f32) -> Self {
        // SAFETY: see above.
        F64(unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(p)) })
    }
}

entries!(
    #[target_feature(enable = "avx512f,avx512dq")]
    F64,
    F32,
    4
);
