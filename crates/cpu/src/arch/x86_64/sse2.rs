//! SSE2, which every x86-64 has. `maxpd` returns its second operand if one is NaN, so a NaN is passed over.

use crate::kernel::{Load, ProductError, SIGNED_MAGIC, STEPS, StoreTo, Tile, Vector, entries};
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

impl Tile for F64 {
    #[inline(always)]
    unsafe fn transpose(m: &mut [Self; STEPS]) {
        // SAFETY: see above.
        unsafe {
            for m in m.chunks_exact_mut(2) {
                (m[0], m[1]) = (F64(_mm_unpacklo_pd(m[0].0, m[1].0)), F64(_mm_unpackhi_pd(m[0].0, m[1].0)));
            }
        }
    }
    #[inline(always)]
    unsafe fn int_splat(x: i64) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_set1_epi64x(x) }
    }
    #[inline(always)]
    unsafe fn int_bits(self) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_castpd_si128(self.0) }
    }
    #[inline(always)]
    unsafe fn from_int_bits(bits: __m128i) -> Self {
        // SAFETY: see above.
        unsafe { F64(_mm_castsi128_pd(bits)) }
    }
    #[inline(always)]
    unsafe fn int_any(a: __m128i) -> bool {
        // SAFETY: see above.
        unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xffff }
    }
    #[inline(always)]
    unsafe fn int_sub(a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_sub_epi64(a, b) }
    }
    #[inline(always)]
    unsafe fn int_and(a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_and_si128(a, b) }
    }
    #[inline(always)]
    unsafe fn int_or(a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_or_si128(a, b) }
    }
    #[inline(always)]
    unsafe fn int_shl(a: __m128i, by: u32) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_sll_epi64(a, _mm_cvtsi32_si128(by as i32)) }
    }
    #[inline(always)]
    unsafe fn int_sar(a: __m128i, by: u32) -> __m128i {
        // SAFETY: see above.
        unsafe {
            // There is no such shift of 64 bits here: shift the number plus 2^63, and take that away again.
            let raised = _mm_xor_si128(a, _mm_set1_epi64x(i64::MIN));
            _mm_sub_epi64(
                _mm_srl_epi64(raised, _mm_cvtsi32_si128(by as i32)),
                _mm_set1_epi64x(((1u64 << 63) >> by) as i64),
            )
        }
    }
    #[inline(always)]
    unsafe fn int_greater(a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: see above.
        unsafe {
            // No such comparison of 64 bits here: the sign of b - a, which does not overflow for what is compared.
            let sign = _mm_srai_epi32::<31>(_mm_sub_epi64(b, a));
            _mm_shuffle_epi32::<0b11_11_01_01>(sign)
        }
    }
    #[inline(always)]
    unsafe fn int_running(a: __m128i) -> __m128i {
        // SAFETY: see above.
        unsafe { _mm_add_epi64(a, _mm_slli_si128::<8>(a)) }
    }
    #[inline(always)]
    unsafe fn int_last(a: __m128i) -> i64 {
        // SAFETY: see above.
        unsafe { _mm_cvtsi128_si64(_mm_unpackhi_epi64(a, a)) }
    }
    #[inline(always)]
    unsafe fn int_to_float(a: __m128i) -> Self {
        // SAFETY: see above.
        unsafe {
            // The low half as 2^52 + low, the signed high half as 2^84 + 2^63 + high * 2^32; the difference of the magic
            // numbers is exact, and so is taking it from the high part: the last addition rounds, once.
            let low =
                _mm_or_si128(_mm_and_si128(a, _mm_set1_epi64x(0xffff_ffff)), _mm_set1_epi64x(0x4330_0000_0000_0000));
            let high = _mm_xor_si128(_mm_srli_epi64::<32>(a), _mm_set1_epi64x(0x4530_0000_8000_0000));
            let both = _mm_castsi128_pd(_mm_set1_epi64x(0x4530_0000_8010_0000));
            F64(_mm_add_pd(_mm_sub_pd(_mm_castsi128_pd(high), both), _mm_castsi128_pd(low)))
        }
    }
    #[inline(always)]
    unsafe fn small_to_float(a: __m128i) -> Self {
        // SAFETY: see above.
        unsafe {
            let magic = Self::splat(SIGNED_MAGIC);
            F64(_mm_sub_pd(_mm_castsi128_pd(_mm_add_epi64(a, magic.int_bits())), magic.0))
        }
    }
    #[inline(always)]
    unsafe fn low_bits(a: __m128i, mask: __m128i, magic: Self) -> Self {
        // SAFETY: see above.
        unsafe {
            let bits = Self::int_or(Self::int_and(a, mask), magic.int_bits());
            F64(_mm_sub_pd(_mm_castsi128_pd(bits), magic.0))
        }
    }
}

impl StoreTo<f32> for F64 {
    #[inline(always)]
    unsafe fn store_to(self, p: *mut f32) {
        // SAFETY: see above.
        unsafe { _mm_storel_epi64(p.cast(), _mm_castps_si128(_mm_cvtpd_ps(self.0))) }
    }
}

entries!(
    #[target_feature(enable = "sse2")]
    F64,
    F32,
    2
);
