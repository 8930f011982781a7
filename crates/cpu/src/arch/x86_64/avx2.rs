//! AVX2 with FMA. The maximum is taken over 32-bit words: the high word of an `f64` decides, and NaN is the largest.

use crate::kernel::{Load, ProductError, SIGNED_MAGIC, STEPS, StoreTo, Tile, Vector, entries};
use core::arch::x86_64::*;

/// 4 `f64`.
#[derive(Clone, Copy)]
pub(crate) struct F64(__m256d);
/// 8 `f32`.
#[derive(Clone, Copy)]
pub(crate) struct F32(__m256);

// Every method below is an intrinsic or two. SAFETY for all of them: `Vector` lets them be called only where the
// machine has the room's instructions and, where there is a pointer, only with one that holds a vector.

// Only the subtraction goes to the multiplier's ports: with all three additions there, Zen's schedulers fill up.
impl Vector for F64 {
    type Elem = f64;
    type Int = __m256i;
    const LANES: usize = 4;
    const MAX_SEES_NAN: bool = true;
    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_set1_pd(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f64) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_loadu_pd(p)) }
    }
    #[inline(always)]
    unsafe fn load_first(p: *const f64, n: usize) -> Self {
        // SAFETY: see above; elements that the mask leaves out are not read.
        unsafe {
            let mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), _mm256_setr_epi64x(0, 1, 2, 3));
            F64(_mm256_maskload_pd(p, mask))
        }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_pd(p, self.0) }
    }
    #[inline(always)]
    unsafe fn prefetch<E>(p: *const E) {
        // SAFETY: see above; a prefetch does not fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_add_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_sub_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub_by_fma(self, b: Self, one: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_fmsub_pd(self.0, one.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn times(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_mul_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_or_pd(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)) }
    }
    #[inline(always)]
    unsafe fn max_abs(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            F64(_mm256_castsi256_pd(_mm256_max_epu32(_mm256_castpd_si256(self.abs().0), _mm256_castpd_si256(max.0))))
        }
    }
    #[inline(always)]
    unsafe fn max_magnitude(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            // The bits of magnitudes are ordered as integers, NaN above all.
            let a = self.abs();
            let larger = _mm256_cmpgt_epi64(_mm256_castpd_si256(a.0), _mm256_castpd_si256(max.0));
            F64(_mm256_blendv_pd(max.0, a.0, _mm256_castsi256_pd(larger)))
        }
    }
    #[inline(always)]
    unsafe fn reaches(self, limit: Self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_NLT_UQ>(self.0, limit.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn max_lane(self) -> f64 {
        let mut lanes = [0; 4];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm256_storeu_pd(lanes.as_mut_ptr().cast(), self.0) };
        // The low halves are not those of one value.
        f64::from_bits(lanes.iter().fold(0, |max: u64, &bits| max.max(bits)) >> 32 << 32)
    }
    #[inline(always)]
    unsafe fn has_nan(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_UNORD_Q>(self.0, self.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn finite_or_zero(self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_and_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.abs().0, _mm256_set1_pd(f64::INFINITY)), self.0)) }
    }
    #[inline(always)]
    unsafe fn special_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_NLT_UQ>(self.abs().0, _mm256_set1_pd(f64::INFINITY))) as u32 }
    }
    #[inline(always)]
    unsafe fn is_nonzero(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_NEQ_UQ>(self.0, _mm256_setzero_pd())) != 0 }
    }
    #[inline(always)]
    unsafe fn int_zero() -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm256_setzero_si256() }
    }
    #[inline(always)]
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm256_add_epi64(total, _mm256_sub_epi64(_mm256_castpd_si256(a.0), _mm256_castpd_si256(b.0))) }
    }
    #[inline(always)]
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm256_add_epi64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_sum(total: Self::Int) -> i64 {
        let mut lanes = [0i64; 4];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), total) };
        lanes.iter().sum()
    }
}

impl Vector for F32 {
    type Elem = f32;
    type Int = __m256i;
    const LANES: usize = 8;
    const MAX_SEES_NAN: bool = true;
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_set1_ps(x)) }
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_loadu_ps(p)) }
    }
    #[inline(always)]
    unsafe fn load_first(p: *const f32, n: usize) -> Self {
        // SAFETY: see above; elements that the mask leaves out are not read.
        unsafe {
            let mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            F32(_mm256_maskload_ps(p, mask))
        }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_ps(p, self.0) }
    }
    #[inline(always)]
    unsafe fn prefetch<E>(p: *const E) {
        // SAFETY: see above; a prefetch does not fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_add_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_sub_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn sub_by_fma(self, b: Self, one: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_fmsub_ps(self.0, one.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn times(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_mul_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn or(self, b: Self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_or_ps(self.0, b.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
    }
    #[inline(always)]
    unsafe fn max_abs(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            F32(_mm256_castsi256_ps(_mm256_max_epu32(_mm256_castps_si256(self.abs().0), _mm256_castps_si256(max.0))))
        }
    }
    #[inline(always)]
    unsafe fn max_magnitude(self, max: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let (a, max) = (_mm256_castps_si256(self.abs().0), _mm256_castps_si256(max.0));
            F32(_mm256_castsi256_ps(_mm256_max_epu32(a, max)))
        }
    }
    #[inline(always)]
    unsafe fn reaches(self, limit: Self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NLT_UQ>(self.0, limit.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn max_lane(self) -> f32 {
        let mut lanes = [0; 8];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr().cast(), self.0) };
        f32::from_bits(lanes.iter().fold(0, |max: u32, &bits| max.max(bits)))
    }
    #[inline(always)]
    unsafe fn has_nan(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, self.0)) != 0 }
    }
    #[inline(always)]
    unsafe fn finite_or_zero(self) -> Self {
        // SAFETY: see above.
        unsafe { F32(_mm256_and_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.abs().0, _mm256_set1_ps(f32::INFINITY)), self.0)) }
    }
    #[inline(always)]
    unsafe fn special_lanes(self) -> u32 {
        // SAFETY: see above.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NLT_UQ>(self.abs().0, _mm256_set1_ps(f32::INFINITY))) as u32 }
    }
    #[inline(always)]
    unsafe fn is_nonzero(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0, _mm256_setzero_ps())) != 0 }
    }
    #[inline(always)]
    unsafe fn int_zero() -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm256_setzero_si256() }
    }
    #[inline(always)]
    unsafe fn int_add_difference(total: Self::Int, a: Self, b: Self) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm256_add_epi32(total, _mm256_sub_epi32(_mm256_castps_si256(a.0), _mm256_castps_si256(b.0))) }
    }
    #[inline(always)]
    unsafe fn int_add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: see above.
        unsafe { _mm256_add_epi32(a, b) }
    }
    #[inline(always)]
    unsafe fn int_sum(total: Self::Int) -> i64 {
        let mut lanes = [0i32; 8];
        // SAFETY: see above; the array has the register's size.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), total) };
        lanes.iter().map(|&n| i64::from(n)).sum()
    }
}

impl ProductError for F64 {
    #[inline(always)]
    unsafe fn min_abs(self, min: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_min_pd(self.abs().0, min.0)) }
    }
    #[inline(always)]
    unsafe fn product_error(a: Self, b: Self, p: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_fmsub_pd(a.0, b.0, p.0)) }
    }
}

impl Load<f32> for F64 {
    #[inline(always)]
    unsafe fn load_from(p: *const f32) -> Self {
        // SAFETY: see above.
        F64(unsafe { _mm256_cvtps_pd(_mm_loadu_ps(p)) })
    }
}

impl Tile for F64 {
    #[inline(always)]
    unsafe fn transpose(m: &mut [Self; STEPS]) {
        // SAFETY: see above.
        unsafe {
            for m in m.chunks_exact_mut(4) {
                let (a, b) = (_mm256_unpacklo_pd(m[0].0, m[1].0), _mm256_unpackhi_pd(m[0].0, m[1].0));
                let (c, d) = (_mm256_unpacklo_pd(m[2].0, m[3].0), _mm256_unpackhi_pd(m[2].0, m[3].0));
                m[0] = F64(_mm256_permute2f128_pd::<0x20>(a, c));
                m[1] = F64(_mm256_permute2f128_pd::<0x20>(b, d));
                m[2] = F64(_mm256_permute2f128_pd::<0x31>(a, c));
                m[3] = F64(_mm256_permute2f128_pd::<0x31>(b, d));
            }
        }
    }
    #[inline(always)]
    unsafe fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_fmadd_pd(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    unsafe fn int_splat(x: i64) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_set1_epi64x(x) }
    }
    #[inline(always)]
    unsafe fn int_bits(self) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_castpd_si256(self.0) }
    }
    #[inline(always)]
    unsafe fn from_int_bits(bits: __m256i) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm256_castsi256_pd(bits)) }
    }
    #[inline(always)]
    unsafe fn int_any(a: __m256i) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_testz_si256(a, a) == 0 }
    }
    #[inline(always)]
    unsafe fn int_sub(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_sub_epi64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_and(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_and_si256(a, b) }
    }
    #[inline(always)]
    unsafe fn int_or(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_or_si256(a, b) }
    }
    #[inline(always)]
    unsafe fn int_shl(a: __m256i, by: u32) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_sll_epi64(a, _mm_cvtsi32_si128(by as i32)) }
    }
    #[inline(always)]
    unsafe fn int_sar(a: __m256i, by: u32) -> __m256i {
        // SAFETY: see above.
        unsafe {
            // There is no such shift of 64 bits here: shift the number plus 2^63, and take that away again.
            let raised = _mm256_xor_si256(a, _mm256_set1_epi64x(i64::MIN));
            _mm256_sub_epi64(
                _mm256_srl_epi64(raised, _mm_cvtsi32_si128(by as i32)),
                _mm256_set1_epi64x(((1u64 << 63) >> by) as i64),
            )
        }
    }
    #[inline(always)]
    unsafe fn int_greater(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe { _mm256_cmpgt_epi64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_running(a: __m256i) -> __m256i {
        // SAFETY: see above.
        unsafe {
            // Within the halves, then the total of the low half into the high one.
            let a = _mm256_add_epi64(a, _mm256_slli_si256::<8>(a));
            let low = _mm256_permute4x64_epi64::<0b01_01_01_01>(a);
            _mm256_add_epi64(a, _mm256_blend_epi32::<0b1111_0000>(_mm256_setzero_si256(), low))
        }
    }
    #[inline(always)]
    unsafe fn int_last(a: __m256i) -> i64 {
        // SAFETY: see above.
        unsafe { _mm256_extract_epi64::<3>(a) }
    }
    #[inline(always)]
    unsafe fn int_to_float(a: __m256i) -> Self {
        // SAFETY: see above.
        unsafe {
            // The low half as 2^52 + low, the signed high half as 2^84 + 2^63 + high * 2^32; the difference of the magic
            // numbers is exact, and so is taking it from the high part: the last addition rounds, once.
            let low = _mm256_or_si256(
                _mm256_and_si256(a, _mm256_set1_epi64x(0xffff_ffff)),
                _mm256_set1_epi64x(0x4330_0000_0000_0000),
            );
            let high = _mm256_xor_si256(_mm256_srli_epi64::<32>(a), _mm256_set1_epi64x(0x4530_0000_8000_0000));
            let both = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530_0000_8010_0000));
            F64(_mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both), _mm256_castsi256_pd(low)))
        }
    }
    #[inline(always)]
    unsafe fn small_to_float(a: __m256i) -> Self {
        // SAFETY: see above.
        unsafe {
            let magic = Self::splat(SIGNED_MAGIC);
            F64(_mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(a, magic.int_bits())), magic.0))
        }
    }
    #[inline(always)]
    unsafe fn low_bits(a: __m256i, mask: __m256i, magic: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let bits = Self::int_or(Self::int_and(a, mask), magic.int_bits());
            F64(_mm256_sub_pd(_mm256_castsi256_pd(bits), magic.0))
        }
    }
}

impl StoreTo<f32> for F64 {
    #[inline(always)]
    unsafe fn store_to(self, p: *mut f32) {
        // SAFETY: see above.
        unsafe { _mm_storeu_ps(p, _mm256_cvtpd_ps(self.0)) }
    }
}

entries!(
    #[target_feature(enable = "avx2,fma")]
    F64,
    F32,
    2
);
