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
use samebits::{Device, Error, Mode, Queue};
use samebits_cli::read::Opened;

use crate::acc::{Acc, Lane, Terms, Total};
use crate::args::{NormKind, Op};
use crate::failure::{Failure, code};
use crate::progress::Progress;

/// Bytes that a thread reads at once: small enough for its share of the cache, large enough to make the system call
/// cheap.
const PART_BYTES: u64 = 1 << 18;

/// No more threads than this read a file, so that their buffers stay small in all.
const MOST_READERS: usize = 512;

/// Slices longer than this are spread over threads by the library itself.
const LONG_BYTES: usize = 1 << 20;

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
    op: Op,
    mode: Mode,
    queues: &[Queue],
    progress: &Progress,
) -> Result<Sums, Failure> {
    match opened.dtype {
        samebits::io::Dtype::F32 => run::<f32>(path, opened, op, mode, queues, progress),
        samebits::io::Dtype::F64 => run::<f64>(path, opened, op, mode, queues, progress),
    }
}

fn run<T: Lane>(
    path: &Path,
    opened: Opened,
    op: Op,
    mode: Mode,
    queues: &[Queue],
    progress: &Progress,
) -> Result<Sums, Failure> {
    let empty = empty::<T>(path, op, mode)?;
    let at = |error| Failure::at(path, error);
    match opened.source {
        Source::Flat(file) => {
            check_capacity::<T>(path, op, mode, file.count())?;
            let one = |queue| flat(&file, op, &empty, queue, progress).map(T::total).map_err(at);
            Ok(Sums { totals: queues.iter().map(one).collect::<Result<_, _>>()?, nulls: 0 })
        }
        Source::Stream(mut file) => {
            let mut accs = vec![empty; queues.len()];
            let nulls = stream(path, op, file.as_mut(), &mut accs, queues, progress).map_err(at)?;
            Ok(Sums { totals: accs.into_iter().map(T::total).collect(), nulls })
        }
    }
}

/// An empty accumulator; more folds than the file's type has are a mistake in the command line.
pub(crate) fn empty<T: Lane>(path: &Path, op: Op, mode: Mode) -> Result<Acc<T>, Failure> {
    Acc::new(op, mode).map_err(|error| Failure { code: code::USAGE, ..Failure::at(path, error) })
}

/// What cannot fit is refused before hours are spent on reading it.
pub(crate) fn check_capacity<T: Lane>(path: &Path, op: Op, mode: Mode, count: u64) -> Result<(), Failure> {
    let unlimited = mode.is_exact() || matches!(op, Op::Var(_) | Op::Norm(NormKind::Inf));
    if unlimited || count <= T::CAPACITY {
        return Ok(());
    }
    let limit = T::CAPACITY;
    Err(Failure::input(
        path,
        format!("{count} summands, and {limit} is the most for {}: use --exact (exact mode)", T::NAME),
    ))
}

/// Refuses integers that the type cannot hold, unless the operation counts them in full.
pub(crate) fn check_integers<T: Lane>(path: &Path, op: Op, chunk: &Chunk) -> samebits::Result<()> {
    if chunk.ints.is_empty() || op.counts_integers() {
        return Ok(());
    }
    let bits = T::PRECISION;
    let value = chunk.ints.iter().find(|n| n.unsigned_abs() > 1 << bits).copied().unwrap_or_default();
    let what = format!(
        "integer {value} is beyond ±2^{bits}, where {} no longer holds every integer, and `{}` does not count \
         integers in full; convert them, or write a decimal point to mean rounded decimals",
        T::NAME,
        op.name()
    );
    Err(Error::Format { path: path.to_owned(), what })
}

fn add<T: Lane>(acc: &mut Acc<T>, chunk: &Chunk, queue: &Queue) -> samebits::Result<()> {
    let terms = Terms::one(T::of(chunk));
    match queue.device() {
        // The threads that read are the threads that add.
        Device::Cpu => acc.extend(terms)?,
        _ => acc.extend_on(queue, terms)?,
    }
    acc.extend_integers(&chunk.ints)
}

fn stream<T: Lane>(
    path: &Path,
    op: Op,
    file: &mut dyn Stream,
    accs: &mut [Acc<T>],
    queues: &[Queue],
    progress: &Progress,
) -> samebits::Result<u64> {
    let mut chunk = Chunk::new();
    let mut nulls = 0;
    while file.next(&mut chunk)? {
        nulls += chunk.nulls;
        check_integers::<T>(path, op, &chunk)?;
        for (acc, queue) in accs.iter_mut().zip(queues) {
            add(acc, &chunk, queue)?;
        }
        progress.set(file.position());
    }
    Ok(nulls)
}

fn flat<T: Lane>(file: &Flat, op: Op, empty: &Acc<T>, queue: &Queue, progress: &Progress) -> samebits::Result<Acc<T>> {
    let size = file.scalar().size() as u64;
    in_parts(file.count(), size, empty, queue, progress, |acc, [chunk, _], start, n| {
        file.read_at(start, chunk, n)?;
        check_integers::<T>(file.path(), op, chunk)?;
        add(acc, chunk, queue)
    })
}

/// Accumulates so many terms, each `size` bytes in the file or the two files, a part at a time, on all threads of a
/// queue. `work` reads the terms from some place on, so many of them, and adds them.
pub(crate) fn in_parts<T: Lane>(
    count: u64,
    size: u64,
    empty: &Acc<T>,
    queue: &Queue,
    progress: &Progress,
    work: impl Fn(&mut Acc<T>, &mut [Chunk; 2], u64, usize) -> samebits::Result<()> + Sync,
) -> samebits::Result<Acc<T>> {
    let per_part = (PART_BYTES / size).max(1);
    let parts = count.div_ceil(per_part);
    let next = AtomicU64::new(0);
    let work = || -> Result<Acc<T>, (u64, Error)> {
        let mut acc = empty.clone();
        let mut chunks = [Chunk::new(), Chunk::new()];
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return Ok(acc);
            }
            let start = part * per_part;
            let n = per_part.min(count - start);
            if let Err(error) = work(&mut acc, &mut chunks, start, n as usize) {
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
/// finds too short to spread is cut up here. `none` is empty.
pub(crate) fn add_terms<T: Lane>(
    acc: &mut Acc<T>,
    none: &Acc<T>,
    terms: Terms<'_, T>,
    queue: &Queue,
    single: &Queue,
) -> samebits::Result<()> {
    let threads = queue.threads();
    if threads == 1 || size_of_val(terms.x) >= LONG_BYTES {
        return acc.extend_on(queue, terms);
    }
    let next = AtomicU64::new(0);
    let share = terms.x.len().div_ceil(threads).max(1);
    let work = || -> samebits::Result<Acc<T>> {
        let mut part = none.clone();
        // Each takes one share, unless a thread could not be had.
        while let Some(terms) = terms.pieces(share).nth(next.fetch_add(1, Ordering::Relaxed) as usize) {
            part.extend_on(single, terms)?;
        }
        Ok(part)
    };
    on_threads(threads, &work).into_iter().try_for_each(|part| acc.merge(&part?))
}
