//! Drives rows of keys and numbers into an accumulator for each key.
//!
//! One thread reads and numbers the keys, another adds. What is kept is the keys and their accumulators, and a few
//! parts of the file on their way from one thread to the other.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use samebits::{Accumulator, Error, Kind, Mode, Queue};
use samebits_cli::read::OpenedRows;
use samebits_cli::read::keys::{Key, Keyed, Rows};

use crate::accumulate::{Lane, empty, figure};
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
    let none = empty::<T>(path, Kind::Sum, mode)?;
    let mut source = opened.source;
    let mut sums: Vec<Sums<'_, T>> = queues.iter().map(|_| Sums { none: &none, all: Vec::new() }).collect();
    let mut nulls = Vec::new();
    let several = queues.iter().any(|queue| queue.threads() > 1);
    let done = if several {
        side_by_side(&mut *source, &mut sums, &mut nulls, progress)
    } else {
        in_turns(&mut *source, &mut sums, &mut nulls, progress)
    };
    done.map_err(|error| Failure::at(path, error))?;
    let keys = source.into_keys().sorted();
    let group = |(key, number): (Key, u32)| Group {
        key,
        nulls: nulls.get(number as usize).copied().unwrap_or(0),
        figures: sums.iter().map(|sums| figure(sums.of(number), Op::Sum)).collect(),
    };
    Ok(keys.into_iter().map(group).collect())
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
        grow(nulls, most as usize + 1, || 0)?;
    }
    rows.blanks.iter().for_each(|&key| nulls[key as usize] += 1);
    Ok(())
}

fn grow<T>(all: &mut Vec<T>, len: usize, mut new: impl FnMut() -> T) -> samebits::Result<()> {
    if len > all.len() {
        let bytes = len.saturating_mul(size_of::<T>());
        all.try_reserve(len - all.len()).map_err(|_| Error::OutOfMemory { what: "the groups", bytes })?;
        all.resize_with(len, &mut new);
    }
    Ok(())
}

/// The sums of one queue, by the number of their key.
struct Sums<'a, T: Lane> {
    none: &'a Accumulator<T>,
    all: Vec<Accumulator<T>>,
}

impl<T: Lane> Sums<'_, T> {
    fn add(&mut self, rows: &Rows) -> samebits::Result<()> {
        if let Some(&most) = rows.keys.iter().max() {
            grow(&mut self.all, most as usize + 1, || self.none.clone())?;
        }
        let keys = rows.keys.iter().map(|&key| key as usize);
        if rows.values.ints.is_empty() {
            let mut rows = keys.zip(T::of(&rows.values));
            rows.try_for_each(|(key, &value)| self.all[key].push(value))
        } else {
            let mut rows = keys.zip(&rows.values.ints);
            rows.try_for_each(|(key, &value)| self.all[key].add_integer(value))
        }
    }

    fn of(&self, number: u32) -> &Accumulator<T> {
        self.all.get(number as usize).unwrap_or(self.none)
    }
}
