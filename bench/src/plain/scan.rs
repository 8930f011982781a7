//! Running sums within vectors: each lane is added to those after it in steps of 1, 2, 4, .., and the last lane goes on
//! to the next vector. The bits depend on the width.

use core::arch::x86_64::*;

macro_rules! tile {
    ($name:ident, $type:ty, $width:literal, $load:ident, $store:ident, $add:ident, $permute:ident, $last:ident, $zero:ident,
     [$(($mask:expr, $step:expr)),*], $index:expr, $broadcast:expr) => {
        /// The running sum; a scalar loop goes over what is left.
        #[target_feature(enable = "avx512f")]
        pub(super) fn $name(x: &[$type], y: &mut [$type]) {
            let ((vectors, rest), (outs, rest_out)) = (x.as_chunks::<$width>(), y.as_chunks_mut::<$width>());
            let mut before = $zero();
            for (vector, out) in vectors.iter().zip(&mut *outs) {
                // SAFETY: `vector` is as many elements as are loaded.
                let mut sums = unsafe { $load(vector.as_ptr()) };
                $(sums = $add(sums, $permute($mask, $index($step), sums));)*
                let sums = $add(sums, before);
                before = $last($broadcast, sums);
                // SAFETY: `out` is as many elements as are stored.
                unsafe { $store(out.as_mut_ptr(), sums) };
            }
            let mut sum = outs.last().map_or(0.0, |out| out[$width - 1]);
            for (x, y) in rest.iter().zip(rest_out) {
                sum += x;
                *y = sum;
            }
        }
    };
}

#[inline]
#[target_feature(enable = "avx512f")]
fn back_64(step: i64) -> __m512i {
    _mm512_sub_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(step))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn back_32(step: i32) -> __m512i {
    let lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    _mm512_sub_epi32(lanes, _mm512_set1_epi32(step))
}

tile!(
    avx512_f64,
    f64,
    8,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_add_pd,
    _mm512_maskz_permutexvar_pd,
    _mm512_permutexvar_pd,
    _mm512_setzero_pd,
    [(0xfe, 1), (0xfc, 2), (0xf0, 4)],
    back_64,
    _mm512_set1_epi64(7)
);
tile!(
    avx512_f32,
    f32,
    16,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_maskz_permutexvar_ps,
    _mm512_permutexvar_ps,
    _mm512_setzero_ps,
    [(0xfffe, 1), (0xfffc, 2), (0xfff0, 4), (0xff00, 8)],
    back_32,
    _mm512_set1_epi32(15)
);
