//! Results that do not depend on the order: sums, means, norms, variances and dots.

use std::path::Path;

use samebits::{Device, Mode, Queue};
use samebits_cli::read::Opened;

use super::super::sum::say_nulls;
use super::{Checked, Data, How, Room, Row, load, pieces_in, refuse_gaps, show};
use crate::acc::{Acc, Lane, Terms};
use crate::accumulate::{add_terms, empty};
use crate::args::Op;
use crate::failure::Failure;
use crate::orders::ORDERS;
use crate::pairs::Pair;

/// Pieces are cut in this order, by its place.
const PIECES_ORDER: usize = 2;

/// At most about so many partial sums go through state bytes; neighbouring pieces share one if there are more.
const MOST_STATES: usize = 1000;

/// What all ways share.
struct Task<T: Lane> {
    op: Op,
    none: Acc<T>,
    x: Vec<T>,
    /// The second factors of a dot.
    y: Vec<T>,
    /// Integers that no slice can hold.
    integers: Vec<i128>,
}

/// A file, by an operation on one.
pub(super) fn verify<T: Lane>(
    file: &Path,
    opened: Opened,
    op: Op,
    mode: Mode,
    rooms: &[Room],
    quiet: bool,
) -> Result<Checked, Failure> {
    let none = empty::<T>(file, op, mode)?;
    let progress = show(quiet, file, opened.bytes);
    let Data { values, integers, nulls } =
        load::<T>(file, opened, op, &progress).map_err(|error| Failure::at(file, error))?;
    drop(progress);
    say_nulls(file, nulls);
    let rows = Task { op, none, x: values, y: Vec::new(), integers }.rows(file, rooms, quiet)?;
    Ok(Checked { how: How::Order, rows, nulls })
}

/// The dot of two files.
pub(super) fn dot<T: Lane>(
    pair: &Pair<'_>,
    x: Opened,
    y: Opened,
    mode: Mode,
    rooms: &[Room],
    quiet: bool,
) -> Result<Checked, Failure> {
    let none = empty::<T>(&pair.name, Op::Dot, mode)?;
    let mut factors = Vec::new();
    for (file, opened) in [(pair.x, x), (pair.y, y)] {
        let progress = show(quiet, file, opened.bytes);
        let data = load::<T>(file, opened, Op::Dot, &progress).map_err(|error| Failure::at(file, error))?;
        refuse_gaps(file, "dot", &data)?;
        factors.push(data.values);
    }
    let (Some(y), Some(x)) = (factors.pop(), factors.pop()) else { unreachable!("both were loaded") };
    if x.len() != y.len() {
        return Err(pair.unequal(x.len() as u64, y.len() as u64));
    }
    let rows = Task { op: Op::Dot, none, x, y, integers: Vec::new() }.rows(&pair.name, rooms, quiet)?;
    Ok(Checked { how: How::Order, rows, nulls: 0 })
}

impl<T: Lane> Task<T> {
    fn rows(mut self, file: &Path, rooms: &[Room], quiet: bool) -> Result<Vec<Row>, Failure> {
        let at = |error| Failure::at(file, error);
        // What every row has to give: the definition itself, on the data as stored.
        let mut expected = self.start().map_err(at)?;
        expected.extend_on(&Queue::new(Device::Reference)?, self.terms()).map_err(at)?;
        let expected = expected.figure(self.op);
        let count: usize = rooms.iter().map(|room| ORDERS.len() + pieces_in(room).len()).sum();
        let bytes = (size_of_val(&self.x[..]) + size_of_val(&self.y[..])) as u64;
        let progress = show(quiet, file, Some(bytes.saturating_mul(count as u64)));
        let mut rows = Vec::with_capacity(count);
        for (place, (order, step)) in ORDERS.iter().enumerate() {
            // The same step moves the factors of a pair to the same place.
            step.apply(&mut self.x);
            step.apply(&mut self.y);
            for (number, room) in rooms.iter().enumerate() {
                let mut note = |pieces, acc: Acc<T>| {
                    let figure = acc.figure(self.op);
                    let equal = figure.value.hex() == expected.value.hex();
                    rows.push(Row::new(number, room, order, pieces, figure, equal));
                    progress.add(bytes);
                };
                note("whole", self.whole(room).map_err(at)?);
                if place == PIECES_ORDER {
                    for (name, length) in pieces_in(room) {
                        let length = length(self.x.len()).max(1);
                        note(name, self.in_pieces(room, length).map_err(at)?);
                    }
                }
            }
        }
        rows.sort_by_key(|row| row.room);
        Ok(rows)
    }

    fn terms(&self) -> Terms<'_, T> {
        Terms { x: &self.x, y: &self.y }
    }

    /// An accumulator with the integers.
    fn start(&self) -> samebits::Result<Acc<T>> {
        let mut acc = self.none.clone();
        acc.extend_integers(&self.integers)?;
        Ok(acc)
    }

    fn whole(&self, room: &Room) -> samebits::Result<Acc<T>> {
        let mut acc = self.start()?;
        add_terms(&mut acc, &self.none, self.terms(), &room.queue, &room.single)?;
        Ok(acc)
    }

    fn in_pieces(&self, room: &Room, length: usize) -> samebits::Result<Acc<T>> {
        let mut acc = self.start()?;
        let shared = self.x.len().div_ceil(length).div_ceil(MOST_STATES).max(1);
        for pieces in self.terms().pieces(shared * length) {
            let mut part = self.none.clone();
            for piece in pieces.pieces(length) {
                part.extend_on(&room.queue, piece)?;
            }
            acc.merge(&part.through_bytes()?)?;
        }
        Ok(acc)
    }
}
