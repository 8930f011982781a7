//! Sums by key: rows in every order, keys kept with their numbers.

use std::path::Path;

use samebits::io::Dtype;
use samebits::{Device, GroupAccumulator, Mode, Queue};
use samebits_cli::read::keys::Rows;
use samebits_cli::read::{self, OpenedRows};

use super::super::sum::say_nulls;
use super::{Checked, Data, How, Room, Row, digest, extend, pieces_in, refuse_gaps, same_bits, show};
use crate::acc::{Acc, Lane, Terms};
use crate::accumulate::empty;
use crate::args::{Op, Reading};
use crate::failure::Failure;
use crate::orders::ORDERS;

/// Pieces are cut in this order, by its place.
const PIECES_ORDER: usize = 2;

pub(super) fn verify(
    file: &Path,
    by: &str,
    reading: &Reading,
    mode: Mode,
    rooms: &[Room],
    quiet: bool,
) -> Result<Checked, Failure> {
    let opened = read::open_rows(file, by, &reading.options(Op::Sum, mode));
    let opened = opened.map_err(|error| Failure::at(file, error))?;
    match opened.dtype {
        Dtype::F32 => of_type::<f32>(file, opened, mode, rooms, quiet),
        Dtype::F64 => of_type::<f64>(file, opened, mode, rooms, quiet),
    }
}

fn of_type<T: Lane>(
    file: &Path,
    opened: OpenedRows,
    mode: Mode,
    rooms: &[Room],
    quiet: bool,
) -> Result<Checked, Failure> {
    let mut all: Acc<T> = empty(file, Op::Sum, mode)?;
    let at = |error| Failure::at(file, error);
    let (mut keys, mut values, nulls, order) = load::<T>(file, opened, quiet)?;
    say_nulls(file, nulls);
    let reference = Queue::new(Device::Reference)?;
    all.extend_on(&reference, Terms::one(&values)).map_err(at)?;
    // The value of a row is that of all groups together; the digest is that of each.
    let all = all.figure(Op::Sum);
    let sums = |queue: &Queue, keys: &[u32], values: &[T], length: usize| -> samebits::Result<Vec<T>> {
        let empty = || GroupAccumulator::new(mode, order.len());
        let mut whole = empty()?;
        if length >= values.len() {
            whole.extend_on(queue, keys, values)?;
        } else {
            // Half of the pieces meet as accumulators of their own.
            let mut other = empty()?;
            for (number, (keys, values)) in keys.chunks(length).zip(values.chunks(length)).enumerate() {
                let part = if number % 2 == 0 { &mut whole } else { &mut other };
                part.extend_on(queue, keys, values)?;
            }
            whole.merge(&other)?;
        }
        Ok(order.iter().map(|&group| whole.value(group as usize)).collect())
    };
    let expected = sums(&reference, &keys, &values, values.len()).map_err(at)?;
    let count: usize = rooms.iter().map(|room| ORDERS.len() + pieces_in(room).len()).sum();
    let bytes = size_of_val(&values[..]) as u64;
    let progress = show(quiet, file, Some(bytes.saturating_mul(count as u64)));
    let mut rows = Vec::with_capacity(count);
    for (place, (name, step)) in ORDERS.iter().enumerate() {
        // The same step moves a key and its number to the same place.
        step.apply(&mut keys);
        step.apply(&mut values);
        for (number, room) in rooms.iter().enumerate() {
            let pieces = if place == PIECES_ORDER { pieces_in(room) } else { &[] };
            let pieces = pieces.iter().map(|(name, length)| (*name, length(values.len()).max(1)));
            for (pieces, length) in [("whole", values.len())].into_iter().chain(pieces) {
                let found = sums(&room.queue, &keys, &values, length).map_err(at)?;
                let mut row = Row::new(number, room, name, pieces, all, same_bits(&found, &expected));
                row.digest = Some(digest(found));
                rows.push(row);
                progress.add(bytes);
            }
        }
    }
    rows.sort_by_key(|row| row.room);
    Ok(Checked { how: How::Order, rows, nulls })
}

/// Keys, numbers, how many numbers were blank, and the groups sorted by key.
type Loaded<T> = (Vec<u32>, Vec<T>, u64, Vec<u32>);

fn load<T: Lane>(file: &Path, opened: OpenedRows, quiet: bool) -> Result<Loaded<T>, Failure> {
    let at = |error| Failure::at(file, error);
    let progress = show(quiet, file, opened.bytes);
    let mut source = opened.source;
    let (mut rows, mut keys, mut nulls) = (Rows::default(), Vec::new(), 0);
    let mut data = Data { values: Vec::new(), integers: Vec::new(), nulls: 0 };
    while source.next(&mut rows).map_err(at)? {
        extend(&mut keys, &rows.keys).map_err(at)?;
        extend(&mut data.values, T::of(&rows.values)).map_err(at)?;
        extend(&mut data.integers, &rows.values.ints).map_err(at)?;
        nulls += rows.blanks.len() as u64;
        progress.set(source.position());
    }
    refuse_gaps(file, "by", &data)?;
    let order = source.into_keys().sorted().into_iter().map(|(_, number)| number).collect();
    Ok((keys, data.values, nulls, order))
}
