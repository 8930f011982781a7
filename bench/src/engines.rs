//! What sums: the engines, as a table, and how each is called.

use crate::number::Number;
use crate::plain::Plain;
use samebits::{Device, Queue, Sum};

/// An engine.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) work: Work,
    /// Whether it claims the exact sum, rounded once.
    pub(crate) exact: bool,
    /// Whether it is to be shown data with NaNs.
    pub(crate) nan: bool,
    /// Whether it can use several threads.
    pub(crate) threads: bool,
    /// The most elements that can be waited for.
    pub(crate) most: usize,
}

/// What an engine does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Work {
    Plain,
    IterSum,
    Folds(usize),
    Exact,
    AccurateExact,
    AccurateSum3,
    AccurateNeumaier,
    Fsum,
    /// Answers from the Python process, under the engine's name.
    Python,
}

const SOME: Engine =
    Engine { name: "", about: "", work: Work::Plain, exact: false, nan: true, threads: false, most: usize::MAX };

/// All engines. The first is what the others are compared with.
///
/// Of the exact peers the crate `xsum` 0.1.6 is left out: its sum of 4096 ones is -4096.000000000001.
pub(crate) const ENGINES: &[Engine] = &[
    Engine { name: "plain", about: "eight independent vectors, any order", threads: true, ..SOME },
    Engine { name: "iter", about: "x.iter().sum()", work: Work::IterSum, ..SOME },
    Engine { name: "k2", about: "samebits, 2 folds", work: Work::Folds(2), threads: true, ..SOME },
    Engine { name: "k3", about: "samebits, 3 folds", work: Work::Folds(3), threads: true, ..SOME },
    Engine { name: "k4", about: "samebits, 4 folds", work: Work::Folds(4), threads: true, ..SOME },
    Engine { name: "k6", about: "samebits, 6 folds", work: Work::Folds(6), threads: true, ..SOME },
    Engine { name: "exact", about: "samebits, exact", work: Work::Exact, exact: true, threads: true, ..SOME },
    Engine {
        name: "accurate-exact",
        about: "accurate, OnlineExactSum",
        work: Work::AccurateExact,
        exact: true,
        nan: false,
        ..SOME
    },
    Engine { name: "accurate-sum3", about: "accurate, Sum3", work: Work::AccurateSum3, nan: false, ..SOME },
    Engine { name: "accurate-neumaier", about: "accurate, Neumaier", work: Work::AccurateNeumaier, nan: false, ..SOME },
    Engine { name: "fsum", about: "fsum, f64 only", work: Work::Fsum, exact: true, nan: false, ..SOME },
    Engine { name: "numpy.sum", about: "NumPy, pairwise", work: Work::Python, ..SOME },
    Engine {
        name: "math.fsum",
        about: "Python, of an array.array, f64 only",
        work: Work::Python,
        exact: true,
        nan: false,
        most: 1_000_000,
        ..SOME
    },
];

/// What engines of this process run on.
pub(crate) struct Setup<T: Number> {
    pub(crate) queue: Queue,
    pub(crate) plain: Plain<T>,
    /// The plain loops' threads, if they have more than one.
    pub(crate) pool: Option<rayon::ThreadPool>,
}

impl<T: Number> Setup<T> {
    pub(crate) fn new(isa: &str, threads: usize) -> Result<Setup<T>, String> {
        let queue = Queue::cpu().and_then(|queue| queue.with_isa(isa)).and_then(|queue| queue.with_threads(threads));
        let queue = queue.map_err(|e| e.to_string())?;
        let plain = Plain::new(queue.isa()).ok_or_else(|| format!("no plain sum for {isa}"))?;
        let pool = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
        let pool = pool.transpose().map_err(|e| e.to_string())?;
        Ok(Setup { queue, plain, pool })
    }
}

/// Something that sums the same numbers again and again.
pub(crate) trait Contender {
    /// The bits of the sum.
    fn bits(&mut self) -> Result<u64, String>;
    /// Nanoseconds that `loops` sums take.
    fn time(&mut self, loops: u64) -> Result<f64, String>;
}

/// A contender of this process.
struct Within<'a, T, F> {
    sum: F,
    x: &'a [T],
}

impl<T: Number, F: Fn(&[T]) -> Result<T, String>> Contender for Within<'_, T, F> {
    fn bits(&mut self) -> Result<u64, String> {
        Ok((self.sum)(self.x)?.bits())
    }

    fn time(&mut self, loops: u64) -> Result<f64, String> {
        let start = std::time::Instant::now();
        for _ in 0..loops {
            std::hint::black_box((self.sum)(std::hint::black_box(self.x)))?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e9)
    }
}

fn within<'a, T: Number>(x: &'a [T], sum: impl Fn(&[T]) -> Result<T, String> + 'a) -> Option<Box<dyn Contender + 'a>> {
    Some(Box::new(Within { sum, x }))
}

impl Engine {
    /// The engine, ready to sum `x`; `None` if it is not of this process or has no such type.
    pub(crate) fn contender<'a, T: Number>(
        &self,
        setup: &'a Setup<T>,
        x: &'a [T],
    ) -> Result<Option<Box<dyn Contender + 'a>>, String> {
        Ok(match self.work {
            Work::Plain => {
                let plain = setup.plain;
                match &setup.pool {
                    Some(pool) => within(x, move |x| Ok(plain.shared_sum(pool, x))),
                    None => within(x, move |x| Ok(plain.sum(x))),
                }
            }
            Work::IterSum => within(x, |x| Ok(x.iter().copied().sum())),
            Work::Folds(_) | Work::Exact => {
                let sum = self.builder()?;
                within(x, move |x| sum.run(&setup.queue, x).map_err(|e| e.to_string()))
            }
            Work::AccurateExact => within(x, |x| Ok(T::accurate_exact(x))),
            Work::AccurateSum3 => within(x, |x| Ok(T::accurate_sum3(x))),
            Work::AccurateNeumaier => within(x, |x| Ok(T::accurate_neumaier(x))),
            Work::Fsum if T::fsum(&[]).is_none() => None,
            Work::Fsum => within(x, |x| T::fsum(x).ok_or_else(|| "no such type".to_owned())),
            Work::Python => None,
        })
    }

    /// Whether its bits are promised, so that others would be a defect here.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.work, Work::Folds(_) | Work::Exact)
    }

    /// What the reference device gives for the engine's mode, and for a peer the exact sum.
    pub(crate) fn reference<T: Number>(&self, x: &[T]) -> Result<u64, String> {
        let queue = Queue::new(Device::Reference).map_err(|e| e.to_string())?;
        Ok(self.builder()?.run(&queue, x).map_err(|e| e.to_string())?.bits())
    }

    fn builder(&self) -> Result<Sum, String> {
        match self.work {
            Work::Folds(folds) => Sum::new().folds(folds).map_err(|e| e.to_string()),
            _ => Ok(Sum::exact()),
        }
    }
}
