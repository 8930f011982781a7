//! Drives rows of keys and numbers into an accumulator for each key.
//!
//! One thread reads and numbers the keys, another adds. What is kept is the keys and their accumulators, and a few
//! parts of the file on their way from one thread to the other.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use samebits::{Accumulator, Error, GroupAccumulator, Mode, Queue};
use samebits_cli::read::OpenedRows;
use samebits_cli::read::keys::{Key, Keyed, Rows};

use crate::acc::{Acc, Lane};
use crate::accumulate::empty;
use crate::args::Op;
use crate::failure::Failure;
use crate::output::Figure;
use crate::progress::Progress;

/// What came of a key.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) key: Key,
    /// Rows whose number is blank or NULL.
    pub(crate) nulls: u64,
    /// One for each queue.
    pub(crate) figures: Vec<Figure>,
}

/// Parts that are on their way at once.
const PARTS: usize = 4;

/// Adds up all of a file, once on each queue. The groups are sorted by key.
pub(crate) fn accumulate<T: Lane>(
    path: &Path,
    opened: OpenedRows,
    mode: Mode,
    queues: &[Queue],
    progress: &Progress,
) -> Result<Vec<Group>, Failure> {
    // More folds than the type has are a mistake in the command line.
    let _: Acc<T> = empty(path, Op::Sum, mode)?;
    let at = |error| Failure::at(path, error);
    let none = Accumulator::<T>::new(mode).map_err(at)?;
    let mut source = opened.source;
    let new = |queue| -> samebits::Result<Sums<'_, T>> {
        Ok(Sums { queue, none: &none, all: GroupAccumulator::new(mode, 0)?, integers: HashMap::new() })
    };
    let mut sums: Vec<Sums<'_, T>> = queues.iter().map(new).collect::<samebits::Result<_>>().map_err(at)?;
    let mut nulls = Vec::new();
    let several = queues.iter().any(|queue| queue.threads() > 1);
    let done = if several {
        side_by_side(&mut *source, &mut sums, &mut nulls, progress)
    } else {
        in_turns(&mut *source, &mut sums, &mut nulls, progress)
    };
    done.map_err(at)?;
    let keys = source.into_keys().sorted();
    let group = |(key, number): (Key, u32)| {
        let nulls = nulls.get(number as usize).copied().unwrap_or(0);
        let figures = sums.iter().map(|sums| sums.figure(number)).collect::<samebits::Result<_>>()?;
        Ok(Group { key, nulls, figures })
    };
    keys.into_iter().map(group).collect::<samebits::Result<_>>().map_err(at)
}

fn in_turns<T: Lane>(
    source: &mut dyn Keyed,
    sums: &mut [Sums<'_, T>],
    nulls: &mut Vec<u64>,
    progress: &Progress,
) -> samebits::Result<()> {
    let mut rows = Rows::default();
    while source.next(&mut rows)? {
        sums.iter_mut().try_for_each(|sums| sums.add(&rows))?;
        count_blanks(nulls, &rows)?;
        progress.set(source.position());
    }
    Ok(())
}

/// Reads on this thread and adds on another one.
fn side_by_side<T: Lane>(
    source: &mut dyn Keyed,
    sums: &mut [Sums<'_, T>],
    nulls: &mut Vec<u64>,
    progress: &Progress,
) -> samebits::Result<()> {
    let (send, parts) = sync_channel::<Rows>(PARTS);
    let (send_back, used) = sync_channel::<Rows>(PARTS + 2);
    thread::scope(|scope| {
        let add = move || add_all(sums, nulls, parts, send_back);
        let adding = scope.spawn(add);
        let read = read_all(source, send, used, progress);
        let added = adding.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // Where both failed, what was added lies before what was read.
        added.and(read)
    })
}

fn read_all(
    source: &mut dyn Keyed,
    send: SyncSender<Rows>,
    used: Receiver<Rows>,
    progress: &Progress,
) -> samebits::Result<()> {
    loop {
        let mut rows = used.try_recv().unwrap_or_default();
        // Whoever adds has stopped only because of an error of its own.
        if !source.next(&mut rows)? || send.send(rows).is_err() {
            return Ok(());
        }
        progress.set(source.position());
    }
}

fn add_all<T: Lane>(
    sums: &mut [Sums<'_, T>],
    nulls: &mut Vec<u64>,
    parts: Receiver<Rows>,
    send_back: SyncSender<Rows>,
) -> samebits::Result<()> {
    for rows in parts {
        sums.iter_mut().try_for_each(|sums| sums.add(&rows))?;
        count_blanks(nulls, &rows)?;
        // A buffer that is not wanted any more is let go.
        let _ = send_back.try_send(rows);
    }
    Ok(())
}

fn count_blanks(nulls: &mut Vec<u64>, rows: &Rows) -> samebits::Result<()> {
    if let Some(&most) = rows.blanks.iter().max() {
        let (len, bytes) = (most as usize + 1, (most as usize + 1).saturating_mul(size_of::<u64>()));
        let room = nulls.try_reserve(len.saturating_sub(nulls.len()));
        room.map_err(|_| Error::OutOfMemory { what: "the groups", bytes })?;
        nulls.resize(len.max(nulls.len()), 0);
    }
    rows.blanks.iter().for_each(|&key| nulls[key as usize] += 1);
    Ok(())
}

/// The sums of one queue, by the number of their key.
struct Sums<'a, T: Lane> {
    queue: &'a Queue,
    none: &'a Accumulator<T>,
    all: GroupAccumulator<T>,
    /// Integers that the type cannot hold, which only exact mode counts.
    integers: HashMap<u32, Accumulator<T>>,
}

impl<T: Lane> Sums<'_, T> {
    fn add(&mut self, rows: &Rows) -> samebits::Result<()> {
        if rows.values.ints.is_empty() {
            let most = rows.keys.iter().max().map_or(0, |&most| most as usize + 1);
            if most > self.all.groups() {
                // Room for as many again, so that a growing number of keys is not moved each time.
                self.all.grow(most.max(self.all.groups() * 2))?;
            }
            return self.all.extend_on(self.queue, &rows.keys, T::of(&rows.values));
        }
        for (&key, &value) in rows.keys.iter().zip(&rows.values.ints) {
            self.integers.entry(key).or_insert_with(|| self.none.clone()).add_integer(value)?;
        }
        Ok(())
    }

    fn figure(&self, number: u32) -> samebits::Result<Figure> {
        let place = number as usize;
        let mut acc = if place < self.all.groups() { self.all.accumulator(0, place) } else { self.none.clone() };
        if let Some(integers) = self.integers.get(&number) {
            acc.merge(integers)?;
        }
        Ok(Acc::Sum(acc).figure(Op::Sum))
    }
}
