//! The backend: running sums over instruction sets and threads.
//!
//! Several threads first add up all parts but the last, so that each part's beginning is known, and then run through
//! the parts side by side.

use crate::guard::with_default_environment;
use crate::kernel::scan::Part;
use crate::reduce::Cpu;
use crate::tuning::MIN_TASK_BYTES;
use rayon::prelude::*;
use samebits_core::{Binned, Exact};
use samebits_device::{Bound, Element, Error, Reduce, Scans, Span};

/// What a kernel is called with, behind the guard of the floating-point environment.
struct Call<'a, T, A> {
    kernel: unsafe fn(Part<T>, &mut A),
    part: Part<T>,
    acc: &'a mut A,
}

/// # Safety
/// `part` must be what [`Part`] says.
unsafe fn run<T: Copy, A>(kernel: unsafe fn(Part<T>, &mut A), part: Part<T>, acc: &mut A) {
    /// # Safety
    /// The machine has the kernel's instructions, and the part is sound.
    #[inline(never)]
    unsafe fn work<T: Copy, A>(call: &mut Call<'_, T, A>) {
        // SAFETY: the caller vouches for instructions and part, the guard for the environment.
        unsafe { (call.kernel)(call.part, call.acc) }
    }
    with_default_environment(work::<T, A>, &mut Call { kernel, part, acc });
}

/// A part that a thread may be given.
struct Shared<T>(Part<T>);
// SAFETY: the parts of a span do not overlap, and the span is borrowed until all threads are done.
unsafe impl<T: Send> Send for Shared<T> {}

fn part_of<T>(span: Span<'_, T>, bound: Bound) -> Part<T> {
    let (x, y, len) = match span {
        Span::Into { x, y } => (x.as_ptr(), y.as_mut_ptr(), x.len().min(y.len())),
        Span::InPlace(x) => {
            let y = x.as_mut_ptr();
            (y.cast_const(), y, x.len())
        }
    };
    Part { x, y, len, exclusive: bound == Bound::Exclusive }
}

impl Cpu {
    fn scan<T: Element, A: Clone + Send + Sync>(
        &self,
        span: Span<'_, T>,
        bound: Bound,
        acc: &mut A,
        kernel: unsafe fn(Part<T>, &mut A),
        sum: impl Fn(&[T], &mut A) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let tasks = (size_of_val(span.inputs()) / MIN_TASK_BYTES).min(self.pool().threads());
        let pool = if self.pool().threads() > 1 && tasks > 1 { self.pool().get() } else { None };
        let Some(pool) = pool else {
            // SAFETY: the span is borrowed and its slices have one length.
            unsafe { run(kernel, part_of(span, bound), acc) };
            return Ok(());
        };
        // Whole cache lines, so that no two threads write to one.
        let each = span.len().div_ceil(tasks).next_multiple_of(64);
        let ends = pool.install(|| {
            // The accumulator before each part: the sums of the parts, added up; all threads share in each sum.
            let mut starts = vec![acc.clone()];
            for x in span.inputs().chunks(each).take(tasks - 1) {
                let mut next = starts[starts.len() - 1].clone();
                sum(x, &mut next)?;
                starts.push(next);
            }
            let whole = part_of(span, bound);
            let part = |(i, start): (usize, A)| {
                let from = (i * each).min(whole.len);
                // SAFETY: `from` and the length lie inside.
                (Shared(unsafe { whole.piece(from, each.min(whole.len - from)) }), start)
            };
            let parts: Vec<_> = starts.into_iter().enumerate().map(part).collect();
            let scan = |(part, mut acc): (Shared<T>, A)| {
                let Shared(part) = part;
                // SAFETY: each thread has a part of its own of the borrowed span.
                unsafe { run(kernel, part, &mut acc) };
                acc
            };
            Ok::<Vec<A>, Error>(parts.into_par_iter().map(scan).collect())
        })?;
        if let Some(end) = ends.into_iter().next_back() {
            *acc = end;
        }
        Ok(())
    }
}

macro_rules! scans {
    ($scan:ident, $kernel:ident, $sum:ident, $acc:ident, $elem:ty) => {
        fn $scan(&self, span: Span<'_, $elem>, bound: Bound, acc: &mut $acc<$elem>) -> Result<(), Error> {
            span.check()?;
            acc.reserve(span.len() as u64)?;
            let kernel = self.kernels()?.$kernel;
            self.scan(span, bound, acc, kernel, |x, acc| self.$sum(x, acc))
        }
    };
}

impl Scans for Cpu {
    scans!(binned_scan_f64, scan_f64, binned_f64, Binned, f64);
    scans!(binned_scan_f32, scan_f32, binned_f32, Binned, f32);
    scans!(exact_scan_f64, exact_scan_f64, exact_f64, Exact, f64);
    scans!(exact_scan_f32, exact_scan_f32, exact_f32, Exact, f32);
}
