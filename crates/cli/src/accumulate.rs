//! Drives a source of numbers into accumulators.
//!
//! A flat file is read by all threads at once: each takes the next part, reads it into a buffer of its own that stays in
//! its cache, and adds it to an accumulator of its own. Which thread got which part does not show in the bits. A stream
//! is read by one thread, and once only, however many devices it is for.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use samebits::io::{Chunk, Flat, Source, Stream};
use samebits::{Accumulator, AnyAccumulator, Device, Element, Error, Float, Kind, Mode, Queue};
use samebits_cli::read::Opened;

use crate::args::Op;
use crate::failure::{Failure, code};
use crate::output::{Figure, Number};
use crate::progress::Progress;

/// Bytes that a thread reads at once: small enough for its share of the cache, large enough to make the system call
/// cheap.
const PART_BYTES: u64 = 1 << 18;

/// No more threads than this read a file, so that their buffers stay small in all.
const MOST_READERS: usize = 512;

/// Slices longer than this are spread over threads by the library itself.
const LONG_BYTES: usize = 1 << 20;

/// An accumulator of either type.
#[derive(Clone, Debug)]
pub(crate) enum Total {
    F32(Accumulator<f32>),
    F64(Accumulator<f64>),
}

/// Runs the same expression on either type.
macro_rules! either {
    ($total:expr, $acc:ident => $body:expr) => {
        match $total {
            Total::F32($acc) => $body,
            Total::F64($acc) => $body,
        }
    };
}

impl Total {
    /// Reads a state.
    pub(crate) fn from_bytes(bytes: &[u8]) -> samebits::Result<Total> {
        match AnyAccumulator::from_bytes(bytes)? {
            AnyAccumulator::F32(acc) => Ok(Total::F32(acc)),
            AnyAccumulator::F64(acc) => Ok(Total::F64(acc)),
            _ => Err(Error::Argument { what: "state", why: "of a type that this command does not know".to_owned() }),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        either!(self, acc => acc.to_bytes())
    }

    pub(crate) fn dtype(&self) -> &'static str {
        match self {
            Total::F32(_) => f32::NAME,
            Total::F64(_) => f64::NAME,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        either!(self, acc => acc.kind())
    }

    /// Adds what another one holds. Types, kinds and modes must be equal; the message says which are.
    pub(crate) fn merge(&mut self, other: &Total) -> Result<(), String> {
        let name = |total: &Total| {
            let mode = either!(total, acc => acc.mode());
            let mode = mode.fold_count().map_or("exact".to_owned(), |folds| format!("{folds} folds"));
            // Users know it by the name of the command.
            let kind = if total.kind() == Kind::Asum { "norm" } else { total.kind().name() };
            format!("{kind} of {}, {mode}", total.dtype())
        };
        let (ours, theirs) = (name(self), name(other));
        let failed = match (self, other) {
            _ if ours != theirs => return Err(format!("a state of a {theirs} cannot be merged into a {ours}")),
            (Total::F32(a), Total::F32(b)) => a.merge(b),
            (Total::F64(a), Total::F64(b)) => a.merge(b),
            _ => unreachable!("the types were compared by name"),
        };
        failed.map_err(|error| error.to_string())
    }

    /// The result of an operation.
    pub(crate) fn figure(&self, op: Op) -> Figure {
        either!(self, acc => figure(acc, op))
    }
}

/// The result of an operation, read off an accumulator.
pub(crate) fn figure<T: Lane>(acc: &Accumulator<T>, op: Op) -> Figure {
    let value = if op == Op::Mean { acc.mean() } else { acc.value() }.number();
    let bound = if op == Op::Mean { mean_bound(acc, value) } else { acc.error_bound() };
    Figure { value, count: acc.count(), bound, mode: acc.mode() }
}

/// The mean's error, from the state alone. Of each summand at most half a unit of the last bin was dropped, so the mean
/// lacks no more; and its own rounding is less than one unit in its last place. It is finite where the sum overflows.
fn mean_bound<T: Lane>(acc: &Accumulator<T>, mean: Number) -> f64 {
    let dropped = acc.binned().map_or(0.0, |state| {
        let exponent = T::unit_exponent(state.index() + state.folds() - 1) - 1;
        power_of_two(exponent)
    });
    match mean {
        _ if acc.count() == 0 => f64::NAN,
        mean if mean.is_nan() => f64::NAN,
        // Infinities decide.
        mean if !mean.is_finite() => 0.0,
        mean if dropped == 0.0 => last_place(mean),
        mean => (dropped + last_place(mean)).next_up(),
    }
}

/// At least one unit in the last place of a finite number.
fn last_place(number: Number) -> f64 {
    let (size, epsilon, least) = match number {
        Number::F32(v) => (f64::from(v).abs(), f64::from(f32::EPSILON), f64::from(f32::from_bits(1))),
        Number::F64(v) => (v.abs(), f64::EPSILON, f64::from_bits(1)),
    };
    (size * epsilon).next_up().max(least)
}

/// 2 to this power, which an f64 has.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (exponent + 1074)),
    }
}

/// A type of elements, and its place in chunks and totals.
pub(crate) trait Lane: Element {
    /// The chunk's numbers of this type.
    fn of(chunk: &Chunk) -> &[Self];
    fn number(self) -> Number;
    fn total(acc: Accumulator<Self>) -> Total;
}

impl Lane for f32 {
    fn of(chunk: &Chunk) -> &[f32] {
        &chunk.f32s
    }
    fn number(self) -> Number {
        Number::F32(self)
    }
    fn total(acc: Accumulator<f32>) -> Total {
        Total::F32(acc)
    }
}

impl Lane for f64 {
    fn of(chunk: &Chunk) -> &[f64] {
        &chunk.f64s
    }
    fn number(self) -> Number {
        Number::F64(self)
    }
    fn total(acc: Accumulator<f64>) -> Total {
        Total::F64(acc)
    }
}

/// What a file amounts to.
#[derive(Debug)]
pub(crate) struct Sums {
    /// One for each queue.
    pub(crate) totals: Vec<Total>,
    /// Blank cells and NULLs.
    pub(crate) nulls: u64,
}

/// Adds up all of a file, once on each queue.
pub(crate) fn accumulate(
    path: &Path,
    opened: Opened,
    kind: Kind,
    mode: Mode,
    queues: &[Queue],
    progress: &Progress,
) -> Result<Sums, Failure> {
    match opened.dtype {
        samebits::io::Dtype::F32 => run::<f32>(path, opened, kind, mode, queues, progress),
        samebits::io::Dtype::F64 => run::<f64>(path, opened, kind, mode, queues, progress),
    }
}

fn run<T: Lane>(
    path: &Path,
    opened: Opened,
    kind: Kind,
    mode: Mode,
    queues: &[Queue],
    progress: &Progress,
) -> Result<Sums, Failure> {
    let empty = empty::<T>(path, kind, mode)?;
    let at = |error| Failure::at(path, error);
    match opened.source {
        Source::Flat(file) => {
            check_capacity::<T>(path, mode, file.count())?;
            let one = |queue| flat(&file, &empty, queue, progress).map(T::total).map_err(at);
            Ok(Sums { totals: queues.iter().map(one).collect::<Result<_, _>>()?, nulls: 0 })
        }
        Source::Stream(mut file) => {
            let mut accs = vec![empty; queues.len()];
            let nulls = stream(file.as_mut(), &mut accs, queues, progress).map_err(at)?;
            Ok(Sums { totals: accs.into_iter().map(T::total).collect(), nulls })
        }
    }
}

/// An empty accumulator; more folds than the file's type has are a mistake in the command line.
pub(crate) fn empty<T: Lane>(path: &Path, kind: Kind, mode: Mode) -> Result<Accumulator<T>, Failure> {
    Accumulator::with_kind(kind, mode).map_err(|error| Failure { code: code::USAGE, ..Failure::at(path, error) })
}

/// What cannot fit is refused before hours are spent on reading it.
fn check_capacity<T: Lane>(path: &Path, mode: Mode, count: u64) -> Result<(), Failure> {
    if mode.is_exact() || count <= T::CAPACITY {
        return Ok(());
    }
    let limit = T::CAPACITY;
    Err(Failure::input(
        path,
        format!("{count} summands, and {limit} is the most for {}: use --exact (exact mode)", T::NAME),
    ))
}

fn add<T: Lane>(acc: &mut Accumulator<T>, chunk: &Chunk, queue: &Queue) -> samebits::Result<()> {
    let values = T::of(chunk);
    match queue.device() {
        // The threads that read are the threads that add.
        Device::Cpu => acc.extend(values)?,
        _ => acc.extend_on(queue, values)?,
    }
    chunk.ints.iter().try_for_each(|&n| acc.add_integer(n))
}

fn stream<T: Lane>(
    file: &mut dyn Stream,
    accs: &mut [Accumulator<T>],
    queues: &[Queue],
    progress: &Progress,
) -> samebits::Result<u64> {
    let mut chunk = Chunk::new();
    let mut nulls = 0;
    while file.next(&mut chunk)? {
        nulls += chunk.nulls;
        for (acc, queue) in accs.iter_mut().zip(queues) {
            add(acc, &chunk, queue)?;
        }
        progress.set(file.position());
    }
    Ok(nulls)
}

fn flat<T: Lane>(
    file: &Flat,
    empty: &Accumulator<T>,
    queue: &Queue,
    progress: &Progress,
) -> samebits::Result<Accumulator<T>> {
    let size = file.scalar().size() as u64;
    let per_part = PART_BYTES / size;
    let parts = file.count().div_ceil(per_part);
    let next = AtomicU64::new(0);
    let work = || -> Result<Accumulator<T>, (u64, Error)> {
        let mut acc = empty.clone();
        let mut chunk = Chunk::new();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return Ok(acc);
            }
            let start = part * per_part;
            let n = per_part.min(file.count() - start);
            let added = file.read_at(start, &mut chunk, n as usize).and_then(|()| add(&mut acc, &chunk, queue));
            if let Err(error) = added {
                // Parts before this one are taken already; those after it are not worth reading any more.
                next.store(parts, Ordering::Relaxed);
                return Err((part, error));
            }
            progress.add(n * size);
        }
    };
    let results = on_threads(queue.threads().min(MOST_READERS).min(parts as usize), &work);
    let mut sum = empty.clone();
    let mut first: Option<(u64, Error)> = None;
    for result in results {
        match result {
            Ok(acc) if first.is_none() => sum.merge(&acc)?,
            Ok(_) => {}
            // The first fault of the file is the one to tell, whichever thread met it.
            Err(fault) if first.as_ref().is_none_or(|(part, _)| fault.0 < *part) => first = Some(fault),
            Err(_) => {}
        }
    }
    match first {
        Some((_, error)) => Err(error),
        None => Ok(sum),
    }
}

/// Does the same work on several threads, the calling one among them. Threads that cannot be had are done without.
fn on_threads<R: Send>(threads: usize, work: &(impl Fn() -> R + Sync)) -> Vec<R> {
    thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut results = vec![work()];
        results.extend(others.into_iter().map(|t| t.join().unwrap_or_else(|panic| resume_unwind(panic))));
        results
    })
}

/// Adds numbers in memory on a queue's device, with all its threads however few the numbers are: what the library
/// finds too short to spread is cut up here.
pub(crate) fn add_slice<T: Lane>(
    acc: &mut Accumulator<T>,
    values: &[T],
    queue: &Queue,
    single: &Queue,
) -> samebits::Result<()> {
    let threads = queue.threads();
    if threads == 1 || size_of_val(values) >= LONG_BYTES {
        return acc.extend_on(queue, values);
    }
    let empty = Accumulator::with_kind(acc.kind(), acc.mode())?;
    let next = AtomicU64::new(0);
    let share = values.len().div_ceil(threads).max(1);
    let work = || -> samebits::Result<Accumulator<T>> {
        let mut part = empty.clone();
        // Each takes one share, unless a thread could not be had.
        while let Some(values) = values.chunks(share).nth(next.fetch_add(1, Ordering::Relaxed) as usize) {
            part.extend_on(single, values)?;
        }
        Ok(part)
    };
    on_threads(threads, &work).into_iter().try_for_each(|part| acc.merge(&part?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(values: &[f64], mode: Mode) -> f64 {
        let mut acc = Accumulator::new(mode).unwrap();
        acc.extend(values).unwrap();
        figure(&acc, Op::Mean).bound
    }

    #[test]
    fn bounds_of_means_cover_their_own_rounding() {
        // The sum 1 is exact, and its third part is not.
        for mode in [Mode::exact(), Mode::default()] {
            let bound = bound(&[0.5, 0.25, 0.25], mode);
            // tolerance: a bound is to be larger than an error, here half a unit of 2^-54, and not by much
            assert!(bound > 2f64.powi(-55) && bound < 2f64.powi(-53));
        }
        assert!(bound(&[], Mode::default()).is_nan() && bound(&[f64::NAN], Mode::default()).is_nan());
        assert_eq!(bound(&[f64::INFINITY, 1.0], Mode::default()).to_bits(), 0);
        // Nor is a mean that rounded to zero without an error.
        let third = bound(&[f64::from_bits(1), 0.0, 0.0], Mode::exact());
        assert!(third >= f64::from_bits(1));
    }

    #[test]
    fn bounds_of_means_are_finite_where_sums_overflow() {
        for mode in [Mode::exact(), Mode::default(), Mode::folds(2).unwrap()] {
            let bound = bound(&[f64::MAX; 3], mode);
            assert!(bound.is_finite() && bound > 0.0, "{mode:?}");
        }
        // What three folds drop of each small summand.
        let bound = bound(&[2f64.powi(200), 1.0, 1.0], Mode::default());
        assert!(bound >= 2f64.powi(200) / 3.0 * f64::EPSILON);
    }

    #[test]
    fn powers_of_two_are_exact() {
        for exponent in [-1074, -1056, -1023, -1022, 0, 984, 1023] {
            assert_eq!(power_of_two(exponent).to_bits(), 2f64.powi(exponent).to_bits(), "{exponent}");
        }
    }
}
