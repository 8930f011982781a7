//! The infinity norm: the largest magnitude, in independent lanes.

use super::vector::{Vector, prefetch_after};
use samebits_core::NormInf;

/// Adds all of `x` to `acc`.
///
/// # Safety
/// The machine has the room's instructions, the environment is the default one.
#[inline(always)]
pub(crate) unsafe fn norm_inf<V: Vector, const U: usize>(x: &[V::Elem], acc: &mut NormInf<V::Elem>) {
    let (head, tail) = x.split_at(x.len() / (U * V::LANES) * (U * V::LANES));
    // SAFETY: passed on from the caller; every chunk is whole vectors and the array one.
    unsafe {
        let mut max = [V::splat(V::Elem::default()); U];
        for part in head.chunks_exact(U * V::LANES) {
            for (u, max) in max.iter_mut().enumerate() {
                let p = part.as_ptr().add(u * V::LANES);
                prefetch_after::<V, V::Elem>(p, u);
                *max = V::load(p).max_magnitude(*max);
            }
        }
        let mut lanes = [V::Elem::default(); super::terms::LONGEST_STEP];
        for (u, max) in max.into_iter().enumerate() {
            max.store(lanes.as_mut_ptr().add(u * V::LANES));
        }
        acc.extend(&lanes);
    }
    acc.extend(tail);
}
