//! AVX-512 F and DQ. `vrange` with immediate 11 is the larger magnitude, its sign cleared; it passes over a NaN.

use crate::kernel::{Load, ProductError, STEPS, StoreTo, Tile, Vector, entries};
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
    unsafe fn load_first(p: *const f64, n: usize) -> Self {
        // SAFETY: see above; elements that the mask leaves out are not read.
        unsafe { F64(_mm512_maskz_loadu_pd(((1u32 << n) - 1) as u8, p)) }
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
    unsafe fn load_first(p: *const f32, n: usize) -> Self {
        // SAFETY: see above; elements that the mask leaves out are not read.
        unsafe { F32(_mm512_maskz_loadu_ps(((1u32 << n) - 1) as u16, p)) }
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

impl Tile for F64 {
    #[inline(always)]
    unsafe fn transpose(m: &mut [Self; STEPS]) {
        // SAFETY: see above.
        unsafe {
            // Pairs of rows interleaved, then quarters of four rows, then halves of all eight.
            let low = |i: usize| _mm512_unpacklo_pd(m[i].0, m[i + 1].0);
            let high = |i: usize| _mm512_unpackhi_pd(m[i].0, m[i + 1].0);
            let even = [low(0), low(2), low(4), low(6)];
            let odd = [high(0), high(2), high(4), high(6)];
            for (columns, first) in [(even, 0), (odd, 1)] {
                let [a, b, c, d] = columns;
                let (ab04, ab26) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
                let (cd04, cd26) = (_mm512_shuffle_f64x2::<0x88>(c, d), _mm512_shuffle_f64x2::<0xdd>(c, d));
                m[first] = F64(_mm512_shuffle_f64x2::<0x88>(ab04, cd04));
                m[first + 2] = F64(_mm512_shuffle_f64x2::<0x88>(ab26, cd26));
                m[first + 4] = F64(_mm512_shuffle_f64x2::<0xdd>(ab04, cd04));
                m[first + 6] = F64(_mm512_shuffle_f64x2::<0xdd>(ab26, cd26));
            }
        }
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_fmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    unsafe fn int_splat(x: i64) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_set1_epi64(x) }
    }
    #[inline(always)]
    unsafe fn int_bits(self) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_castpd_si512(self.0) }
    }
    #[inline(always)]
    unsafe fn from_int_bits(bits: __m512i) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_castsi512_pd(bits)) }
    }
    #[inline(always)]
    unsafe fn int_any(a: __m512i) -> bool {
        // SAFETY: see above.
        unsafe { _mm512_test_epi64_mask(a, a) != 0 }
    }
    #[inline(always)]
    unsafe fn int_sub(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_sub_epi64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_and(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_and_si512(a, b) }
    }
    #[inline(always)]
    unsafe fn int_or(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_or_si512(a, b) }
    }
    #[inline(always)]
    unsafe fn int_shl(a: __m512i, by: u32) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_sll_epi64(a, _mm_cvtsi32_si128(by as i32)) }
    }
    #[inline(always)]
    unsafe fn int_sar(a: __m512i, by: u32) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_sra_epi64(a, _mm_cvtsi32_si128(by as i32)) }
    }
    #[inline(always)]
    unsafe fn int_greater(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_movm_epi64(_mm512_cmpgt_epi64_mask(a, b)) }
    }
    #[inline(always)]
    unsafe fn int_running(a: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe {
            let zero = _mm512_setzero_si512();
            let a = _mm512_add_epi64(a, _mm512_alignr_epi64::<7>(a, zero));
            let a = _mm512_add_epi64(a, _mm512_alignr_epi64::<6>(a, zero));
            _mm512_add_epi64(a, _mm512_alignr_epi64::<4>(a, zero))
        }
    }
    #[inline(always)]
    unsafe fn int_last(a: __m512i) -> i64 {
        // SAFETY: see above.
        unsafe { _mm_extract_epi64::<1>(_mm512_extracti64x2_epi64::<3>(a)) }
    }
    #[inline(always)]
    unsafe fn int_to_float(a: __m512i) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm512_cvtepi64_pd(a)) }
    }
    #[inline(always)]
    unsafe fn small_to_float(a: __m512i) -> Self {
        // SAFETY: see above.
        unsafe { Self::int_to_float(a) }
    }
    #[inline(always)]
    unsafe fn low_bits(a: __m512i, mask: __m512i, magic: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let bits = _mm512_ternarylogic_epi64::<0xF8>(magic.int_bits(), a, mask);
            F64(_mm512_sub_pd(_mm512_castsi512_pd(bits), magic.0))
        }
    }
}

impl StoreTo<f32> for F64 {
    #[inline(always)]
    unsafe fn store_to(self, p: *mut f32) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_ps(p, _mm512_cvtpd_ps(self.0)) }
    }
}

entries!(
    #[target_feature(enable = "avx512f,avx512dq")]
    F64,
    F32,
    4
);
