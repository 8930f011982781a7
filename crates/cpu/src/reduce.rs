//! The backend: reductions of slices over instruction sets and threads.

use crate::dispatch::Isa;
use crate::guard::with_default_environment;
use crate::pool::Pool;
use crate::tuning::{MIN_TASK_BYTES, TASKS_PER_THREAD};
use rayon::prelude::*;
use samebits_core::{Binned, Exact};
use samebits_device::{Backend, Device, Element, Error, Norms, Reduce};

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

    /// Adds all of `x` to `acc`: in parts, on several threads, if it is long enough.
    pub(crate) fn share<T: Element, A: Send>(
        &self,
        x: &[T],
        acc: &mut A,
        empty: impl Fn() -> A + Sync,
        add: impl Fn(&[T], &mut A) -> Result<(), Error> + Sync,
        merge: impl Fn(&mut A, &A) -> samebits_core::Result<()> + Sync,
    ) -> Result<(), Error> {
        let tasks = (size_of_val(x) / MIN_TASK_BYTES).min(self.pool.threads() * TASKS_PER_THREAD);
        let pool = if self.pool.threads() > 1 && tasks > 1 { self.pool.get() } else { None };
        let Some(pool) = pool else { return add(x, acc) };
        let part = |x: &[T]| {
            let mut part = empty();
            add(x, &mut part)?;
            Ok::<A, Error>(part)
        };
        let join = |mut a: A, b: A| {
            merge(&mut a, &b)?;
            Ok(a)
        };
        let parts = || x.par_chunks(x.len().div_ceil(tasks)).map(part).try_reduce(&empty, join);
        let sum = pool.install(parts)?;
        Ok(merge(acc, &sum)?)
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
}

/// What a kernel is called with, behind the guard of the floating-point environment.
struct Call<'a, T, A> {
    kernel: unsafe fn(&[T], &mut A),
    x: &'a [T],
    acc: &'a mut A,
}

pub(crate) fn run<T, A>(kernel: unsafe fn(&[T], &mut A), x: &[T], acc: &mut A) {
    /// # Safety
    /// The machine has the kernel's instructions.
    #[inline(never)]
    unsafe fn work<T, A>(call: &mut Call<'_, T, A>) {
        // SAFETY: the caller vouches for the instructions, the guard for the environment.
        unsafe { (call.kernel)(call.x, call.acc) }
    }
    with_default_environment(work::<T, A>, &mut Call { kernel, x, acc });
}

macro_rules! reductions {
    ($binned:ident, $exact:ident, $elem:ty) => {
        fn $binned(&self, x: &[$elem], acc: &mut Binned<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let kernel = self.isa.kernels_or_error()?.$binned;
            let (kind, folds) = (acc.kind(), acc.folds());
            let empty = || Binned::with_kind(kind, folds).expect("the folds of an accumulator");
            let add = |x: &[$elem], acc: &mut Binned<$elem>| {
                run(kernel, x, acc);
                Ok(())
            };
            self.share(x, acc, empty, add, Binned::merge)
        }

        fn $exact(&self, x: &[$elem], acc: &mut Exact<$elem>) -> Result<(), Error> {
            acc.reserve(x.len() as u64)?;
            let kernel = self.isa.kernels_or_error()?.$exact;
            let kind = acc.kind();
            let empty = || Exact::with_kind(kind);
            let add = |x: &[$elem], acc: &mut Exact<$elem>| {
                run(kernel, x, acc);
                Ok(())
            };
            self.share(x, acc, empty, add, Exact::merge)
        }
    };
}

impl Reduce for Cpu {
    reductions!(binned_f64, exact_f64, f64);
    reductions!(binned_f32, exact_f32, f32);
}
