//! Sums by key and by segment, over instruction sets and threads.

use crate::guard::with_default_environment;
use crate::kernel::{Kernels, Scatter, Segments};
use crate::reduce::Cpu;
use crate::tuning::{MIN_TASK_BYTES, ROWS_PER_GROUP};
use rayon::prelude::*;
use samebits_core::Kind;
use samebits_device::{Element, Error, Group, GroupPart, Groups, Mode, Reduce, capacity, check_offsets};

/// Runs `kernel` behind the guard of the floating-point environment.
///
/// # Safety
/// What `kernel` does is sound on this machine in the default environment.
unsafe fn guarded<F: FnMut()>(mut kernel: F) {
    /// # Safety
    /// As above.
    #[inline(never)]
    unsafe fn work<F: FnMut()>(kernel: &mut F) {
        kernel()
    }
    with_default_environment(work::<F>, &mut kernel);
}

fn add_part<T: Element>(kernel: Scatter<T>, keys: &[u32], x: &[T], part: &mut GroupPart<T>) -> Result<(), Error> {
    let (mut array, slots) = part.with_slots()?;
    // SAFETY: the machine has the room's instructions; keys and capacity were checked, and there is a slot for each group.
    unsafe { guarded(|| kernel(keys, x, slots, &mut array)) };
    Ok(())
}

impl Cpu {
    fn scatter<T: Element>(
        &self,
        kernels: &Kernels,
        kernel: Scatter<T>,
        keys: &[u32],
        x: &[T],
        groups: &mut Groups<T>,
    ) -> Result<(), Error> {
        let mut most = 0;
        // SAFETY: the machine has the room's instructions.
        unsafe { guarded(|| most = (kernels.largest)(keys)) };
        groups.check(keys, x.len(), Some(most))?;
        // A part costs a pass over all groups in the end.
        let worth = x.len() / (ROWS_PER_GROUP * groups.len()).max(MIN_TASK_BYTES / size_of::<T>());
        let threads = self.pool().threads();
        // Parts that are there cost nothing more.
        let n = worth.max(groups.part_count().min(size_of_val(x) / MIN_TASK_BYTES)).min(threads);
        let pool = if n > 1 { self.pool().get() } else { None };
        let Some(pool) = pool else { return add_part(kernel, keys, x, &mut groups.parts(1)?[0]) };
        let size = x.len().div_ceil(n);
        let parts = groups.parts(n)?;
        // Made here, so that no part has been added to when memory runs out.
        parts.iter_mut().try_for_each(|part| part.with_slots().map(drop))?;
        let tasks = parts.par_iter_mut().zip(keys.par_chunks(size).zip(x.par_chunks(size)));
        pool.install(|| tasks.try_for_each(|(part, (keys, x))| add_part(kernel, keys, x, part)))
    }

    fn segments<T: Element>(
        &self,
        kernel: Segments<T>,
        x: &[T],
        offsets: &[usize],
        how: (Kind, Mode),
        out: &mut [T],
    ) -> Result<(), Error> {
        check_offsets(offsets, x.len(), out.len(), capacity::<T>(how.1))?;
        if out.is_empty() {
            return Ok(());
        }
        let pool =
            if self.pool().threads() > 1 && weight::<T>(offsets) > MIN_TASK_BYTES { self.pool().get() } else { None };
        let call = Shared { kernel, x, how, cpu: self };
        match pool {
            Some(pool) => pool.install(|| call.halves(offsets, out)),
            None => call.here(offsets, out),
        }
    }
}

/// Bytes that the segments cost: their values, and some for each of them.
fn weight<T>(offsets: &[usize]) -> usize {
    (offsets[offsets.len() - 1] - offsets[0]) * size_of::<T>() + offsets.len() * 64
}

/// Sums of segments that threads share.
#[derive(Clone, Copy)]
struct Shared<'a, T> {
    kernel: Segments<T>,
    x: &'a [T],
    how: (Kind, Mode),
    cpu: &'a Cpu,
}

impl<T: Element> Shared<'_, T> {
    /// All on this thread.
    fn here(&self, offsets: &[usize], out: &mut [T]) -> Result<(), Error> {
        // SAFETY: the machine has the room's instructions, the offsets were checked.
        unsafe { guarded(|| (self.kernel)(self.x, offsets, self.how, out)) };
        Ok(())
    }

    /// Halved until the parts are small. A long segment is a sum that is shared out itself.
    fn halves(&self, offsets: &[usize], out: &mut [T]) -> Result<(), Error> {
        if weight::<T>(offsets) <= MIN_TASK_BYTES {
            return self.here(offsets, out);
        }
        if let [slot] = out {
            *slot = self.one(&self.x[offsets[0]..offsets[1]])?;
            return Ok(());
        }
        let middle = out.len() / 2;
        let (left, right) = out.split_at_mut(middle);
        let (a, b) = rayon::join(|| self.halves(&offsets[..=middle], left), || self.halves(&offsets[middle..], right));
        a.and(b)
    }

    fn one(&self, x: &[T]) -> Result<T, Error> {
        let kernels: &dyn Reduce = self.cpu;
        match self.how {
            (kind, mode) if mode.is_exact() => {
                let mut sum = samebits_core::Exact::with_kind(kind);
                T::exact(kernels, x, &mut sum)?;
                Ok(sum.value())
            }
            (kind, mode) => {
                let folds = mode.fold_count().unwrap_or_default();
                let mut sum = samebits_core::Binned::with_kind(kind, folds)?;
                T::binned(kernels, x, &mut sum)?;
                Ok(sum.value())
            }
        }
    }
}

/// Refuses folds that the type does not have.
fn check_folds<T: Element>(mode: Mode) -> Result<(), Error> {
    mode.fold_count().map_or(Ok(()), |folds| Ok(samebits_core::Binned::<T>::new(folds).map(drop)?))
}

macro_rules! groups {
    ($scatter:ident, $segments:ident, $elem:ty) => {
        fn $scatter(&self, keys: &[u32], x: &[$elem], groups: &mut Groups<$elem>) -> Result<(), Error> {
            let kernels = self.isa().kernels_or_error()?;
            self.scatter(kernels, kernels.$scatter, keys, x, groups)
        }

        fn $segments(&self, x: &[$elem], offsets: &[usize], how: (Kind, Mode), out: &mut [$elem]) -> Result<(), Error> {
            check_folds::<$elem>(how.1)?;
            self.segments(self.isa().kernels_or_error()?.$segments, x, offsets, how, out)
        }
    };
}

impl Group for Cpu {
    groups!(scatter_f64, segments_f64, f64);
    groups!(scatter_f32, segments_f32, f32);
}
