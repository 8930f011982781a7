//! The backend: reductions of slices over instruction sets and threads.

use crate::dispatch::Isa;
use crate::guard::with_default_environment;
use crate::kernel::{Kernels, Pair};
use crate::pool::Pool;
use crate::tuning::{MIN_TASK_BYTES, TASKS_PER_THREAD};
use rayon::prelude::*;
use samebits_core::{Binned, Exact};
use samebits_device::{Backend, Device, Dots, Error, Group, Norms, Reduce, Scans};

/// The CPU: an instruction set and a number of threads.
#[derive(Debug)]
pub struct Cpu {
    isa: Isa,
    pool: Pool,
}

impl Cpu {
    /// All cores that the process may use, and the chosen instruction set (see [`Isa::chosen`]).
    pub fn new() -> Result<Cpu, Error> {
        Ok(Cpu { isa: Isa::chosen()?, pool: Pool::new(Pool::default_threads()) })
    }

    /// The same with `threads` threads, at least one. One thread starts no pool.
    pub fn with_threads(self, threads: usize) -> Cpu {
        Cpu { pool: Pool::new(threads), ..self }
    }

    /// The same with the given instruction set.
    pub fn with_isa(self, isa: Isa) -> Cpu {
        Cpu { isa, ..self }
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The kernels of the instruction set.
    pub(crate) fn kernels(&self) -> Result<&'static Kernels, Error> {
        self.isa.kernels_or_error()
    }

    /// Its threads.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Adds all of `x` to `acc`: in parts, on several threads, if it is long enough.
    pub(crate) fn share<X: Input, A: Send>(
        &self,
        x: X,
        acc: &mut A,
        empty: impl Fn() -> A + Sync,
        kernel: unsafe fn(X, &mut A),
        merge: impl Fn(&mut A, &A) -> samebits_core::Result<()> + Sync,
    ) -> Result<(), Error> {
        let tasks = (x.bytes() / MIN_TASK_BYTES).min(self.pool.threads() * TASKS_PER_THREAD);
        let pool = if self.pool.threads() > 1 && tasks > 1 { self.pool.get() } else { None };
        let Some(pool) = pool else {
            run(kernel, x, acc);
            return Ok(());
        };
        let step = x.len().div_ceil(tasks);
        let part = |i: usize| {
            let mut part = empty();
            run(kernel, x.part(i * step, x.len().min((i + 1) * step)), &mut part);
            Ok::<A, Error>(part)
        };
        let join = |mut a: A, b: A| {
            merge(&mut a, &b)?;
            Ok(a)
        };
        let parts = x.len().div_ceil(step);
        let sum = pool.install(|| (0..parts).into_par_iter().map(part).try_reduce(&empty, join))?;
        Ok(merge(acc, &sum)?)
    }
}

/// What is cut into parts: a slice, or two of one length.
pub(crate) trait Input: Copy + Send + Sync {
    fn len(self) -> usize;
    /// Bytes in all.
    fn bytes(self) -> usize;
    fn part(self, start: usize, end: usize) -> Self;
}

impl<T: Sync> Input for &[T] {
    fn len(self) -> usize {
        <[T]>::len(self)
    }
    fn bytes(self) -> usize {
        size_of_val(self)
    }
    fn part(self, start: usize, end: usize) -> Self {
        &self[start..end]
    }
}

impl<T: Sync> Input for Pair<'_, T> {
    fn len(self) -> usize {
        self.0.len()
    }
    fn bytes(self) -> usize {
        2 * size_of_val(self.0)
    }
    fn part(self, start: usize, end: usize) -> Self {
        (&self.0[start..end], &self.1[start..end])
    }
}

impl Backend for Cpu {
    fn device(&self) -> Device {
        Device::Cpu
    }
    fn name(&self) -> String {
        format!("{}, {}", std::env::consts::ARCH, self.isa)
    }
    fn threads(&self) -> usize {
        self.pool.threads()
    }
    fn spread(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
        let pool = if self.pool.threads() > 1 && tasks > 1 { self.pool.get() } else { None };
        match pool {
            Some(pool) => pool.install(|| (0..tasks).into_par_iter().for_each(work)),
            None => (0..tasks).for_each(work),
        }
    }
    fn reduce(&self) -> &dyn Reduce {
        self
    }
    fn norms(&self) -> &dyn Norms {
        self
    }
    fn dots(&self) -> &dyn Dots {
        self
    }
    fn group(&self) -> &dyn Group {
        self
    }
    fn scans(&self) -> &dyn Scans {
        self
    }
}

/// What a kernel is called with, behind the guard of the floating-point environment.
struct Call<'a, X, A> {
    kernel: unsafe fn(X, &mut A),
    x: X,
    acc: &'a mut A,
}

pub(crate) fn run<X: Copy, A>(kernel: unsafe fn(X, &mut A), x: X, acc: &mut A) {
    /// # Safety
    /// The machine has the kernel's instructions.
    #[inline(never)]
    unsafe fn work<X: Copy, A>(call: &mut Call<'_, X, A>) {
        // SAFETY: the caller vouches for the instructions, the guard for the environment.
        unsafe { (call.kernel)(call.x, call.acc) }
    }
    with_default_environment(work::<X, A>, &mut Call { kernel, x, acc });
}

macro_rules! reductions {
    ($binned:ident, $exact:ident, $elem:ty) => {
        fn $binned(&self, x: &[$elem], acc: &mut Binned<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let (kind, folds) = (acc.kind(), acc.folds());
            let empty = || Binned::with_kind(kind, folds).expect("the folds of an accumulator");
            self.share(x, acc, empty, self.kernels()?.$binned, Binned::merge)
        }

        fn $exact(&self, x: &[$elem], acc: &mut Exact<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let kind = acc.kind();
            self.share(x, acc, || Exact::with_kind(kind), self.kernels()?.$exact, Exact::merge)
        }
    };
}

impl Reduce for Cpu {
    reductions!(binned_f64, exact_f64, f64);
    reductions!(binned_f32, exact_f32, f32);
}
