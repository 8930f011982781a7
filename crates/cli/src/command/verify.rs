//! `samebits verify`: the same data on every device, in many ways.

use std::path::Path;

use samebits::io::{Chunk, Dtype, Source};
use samebits::{Accumulator, Device, Error, Mode, Queue};
use samebits_cli::read::{self, Opened};
use serde::Serialize;

use super::sum::say_nulls;
use crate::accumulate::{Lane, add_slice, empty};
use crate::args::{Input, Method, Op};
use crate::failure::{Failure, code};
use crate::orders::ORDERS;
use crate::output::{Figure, Origin, Output, Record, warn};
use crate::progress::Progress;
use crate::queues::thread_counts;

/// A name in the table, and the length of the pieces for so many numbers.
type Pieces = (&'static str, fn(usize) -> usize);

/// How the data is cut.
const PIECES: [Pieces; 4] = [("half", |n| n.div_ceil(2)), ("1000", |_| 1000), ("7", |_| 7), ("1", |_| 1)];

/// Pieces are cut in this order, by its place.
const PIECES_ORDER: usize = 2;

/// So many kinds of pieces are worth a row in a room: the short ones never see a second thread.
fn pieces_in(room: &Room) -> usize {
    if room.queue.threads() == 1 { PIECES.len() } else { 1 }
}

/// At most about so many partial sums go through state bytes; neighbouring pieces share one if there are more.
const MOST_STATES: usize = 1000;

pub(super) fn run(op: Op, input: &Input, method: &Method, out: &mut Output) -> Result<u8, Failure> {
    let mode = method.mode()?;
    let files = input.checked()?;
    let rooms = rooms()?;
    let mut worst = 0;
    for file in files {
        let outcome =
            read::open(file, &input.options(mode)).map_err(|error| Failure::at(file, error)).and_then(|opened| {
                match opened.dtype {
                    Dtype::F32 => verify::<f32>(file, opened, op, mode, &rooms, out.json()),
                    Dtype::F64 => verify::<f64>(file, opened, op, mode, &rooms, out.json()),
                }
            });
        match outcome {
            Ok(checked) => worst = worst.max(print(file, op, &checked, out)?),
            Err(failure) => {
                warn(&failure.message);
                worst = worst.max(failure.code);
                out.note(worst);
            }
        }
    }
    Ok(worst)
}

/// A device with an instruction set and a number of threads, and the same with one thread.
pub(super) struct Room {
    pub(super) device: String,
    pub(super) queue: Queue,
    pub(super) single: Queue,
}

impl Room {
    /// Device and instruction set.
    pub(super) fn name(&self) -> String {
        match self.device.as_str() {
            "cpu" => format!("cpu {}", self.queue.isa()),
            other => other.to_owned(),
        }
    }
}

/// Every device that can be opened here, with every instruction set and several thread counts.
pub(super) fn rooms() -> Result<Vec<Room>, Failure> {
    let mut rooms = Vec::new();
    for info in samebits::devices()? {
        let device = info.device.to_string();
        if info.device != Device::Cpu {
            let queue = Queue::new(info.device)?;
            rooms.push(Room { device, queue, single: Queue::new(info.device)? });
            continue;
        }
        for isa in &info.isas {
            for threads in thread_counts(info.threads) {
                let open = |n| Queue::cpu()?.with_isa(isa)?.with_threads(n);
                rooms.push(Room { device: device.clone(), queue: open(threads)?, single: open(1)? });
            }
        }
    }
    Ok(rooms)
}

/// All results of a file.
struct Checked {
    rows: Vec<Row>,
    expected: Figure,
    nulls: u64,
}

struct Row {
    room: usize,
    device: String,
    isa: &'static str,
    threads: usize,
    order: &'static str,
    pieces: &'static str,
    figure: Figure,
}

/// The numbers of a file, and integers that its type cannot hold.
struct Data<T> {
    values: Vec<T>,
    integers: Vec<i128>,
    nulls: u64,
}

fn load<T: Lane>(opened: Opened, progress: &Progress) -> samebits::Result<Data<T>> {
    let mut data = Data { values: Vec::new(), integers: Vec::new(), nulls: 0 };
    if let Source::Flat(file) = &opened.source {
        // The file is known to be that long. Growing on the way would need up to three times the room.
        let count = usize::try_from(file.count()).unwrap_or(usize::MAX);
        data.values.try_reserve_exact(count).map_err(|_| no_room::<T>(count))?;
    }
    let mut chunk = Chunk::new();
    let mut take = |chunk: &Chunk| {
        extend(&mut data.values, T::of(chunk))?;
        data.nulls += chunk.nulls;
        extend(&mut data.integers, &chunk.ints)
    };
    match opened.source {
        Source::Flat(file) => {
            let mut start = 0;
            while start < file.count() {
                let n = (file.count() - start).min(1 << 16);
                file.read_at(start, &mut chunk, n as usize)?;
                take(&chunk)?;
                start += n;
                progress.add(n * file.scalar().size() as u64);
            }
        }
        Source::Stream(mut file) => {
            while file.next(&mut chunk)? {
                take(&chunk)?;
                progress.set(file.position());
            }
        }
    }
    Ok(data)
}

fn extend<T: Copy>(all: &mut Vec<T>, part: &[T]) -> samebits::Result<()> {
    all.try_reserve(part.len()).map_err(|_| no_room::<T>(all.len().saturating_add(part.len())))?;
    all.extend_from_slice(part);
    Ok(())
}

fn no_room<T>(count: usize) -> Error {
    Error::OutOfMemory { what: "the numbers of the file", bytes: count.saturating_mul(size_of::<T>()) }
}

fn verify<T: Lane>(
    file: &Path,
    opened: Opened,
    op: Op,
    mode: Mode,
    rooms: &[Room],
    quiet: bool,
) -> Result<Checked, Failure> {
    let none = empty::<T>(file, op.kind(), mode)?;
    let show = |bytes| if quiet { Progress::none() } else { Progress::new(file, bytes) };
    let progress = show(opened.bytes);
    let at = |error| Failure::at(file, error);
    let mut data = load::<T>(opened, &progress).map_err(at)?;
    drop(progress);
    say_nulls(file, data.nulls);
    // What every row has to give: the definition itself, on the data as stored.
    let mut expected = start(&none, &data.integers).map_err(at)?;
    expected.extend_on(&Queue::new(Device::Reference)?, &data.values).map_err(at)?;
    let expected = T::total(expected).figure(op);
    let count: usize = rooms.iter().map(|room| ORDERS.len() + pieces_in(room)).sum();
    let bytes = size_of_val(&data.values[..]) as u64;
    let progress = show(Some(bytes.saturating_mul(count as u64)));
    let mut rows = Vec::with_capacity(count);
    for (place, (order, step)) in ORDERS.iter().enumerate() {
        step.apply(&mut data.values);
        for (number, room) in rooms.iter().enumerate() {
            let mut note = |pieces, acc| {
                rows.push(Row {
                    room: number,
                    device: room.device.clone(),
                    isa: room.queue.isa(),
                    threads: room.queue.threads(),
                    order,
                    pieces,
                    figure: T::total(acc).figure(op),
                });
                progress.add(bytes);
            };
            note("whole", whole(&none, &data, room).map_err(at)?);
            if place == PIECES_ORDER {
                for (name, length) in &PIECES[..pieces_in(room)] {
                    let length = length(data.values.len()).max(1);
                    note(name, in_pieces(&none, &data, room, length).map_err(at)?);
                }
            }
        }
    }
    rows.sort_by_key(|row| row.room);
    Ok(Checked { rows, expected, nulls: data.nulls })
}

/// An accumulator with the integers that no slice can hold.
fn start<T: Lane>(none: &Accumulator<T>, integers: &[i128]) -> samebits::Result<Accumulator<T>> {
    let mut acc = none.clone();
    integers.iter().try_for_each(|&n| acc.add_integer(n))?;
    Ok(acc)
}

fn whole<T: Lane>(none: &Accumulator<T>, data: &Data<T>, room: &Room) -> samebits::Result<Accumulator<T>> {
    let mut acc = start(none, &data.integers)?;
    add_slice(&mut acc, &data.values, &room.queue, &room.single)?;
    Ok(acc)
}

fn in_pieces<T: Lane>(
    none: &Accumulator<T>,
    data: &Data<T>,
    room: &Room,
    length: usize,
) -> samebits::Result<Accumulator<T>> {
    let mut acc = start(none, &data.integers)?;
    let shared = data.values.len().div_ceil(length).div_ceil(MOST_STATES).max(1);
    for pieces in data.values.chunks(shared * length) {
        let mut part = none.clone();
        for piece in pieces.chunks(length) {
            part.extend_on(&room.queue, piece)?;
        }
        acc.merge(&Accumulator::from_bytes(&part.to_bytes())?)?;
    }
    Ok(acc)
}

#[derive(Serialize)]
struct Way<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    isa: &'static str,
    order: &'static str,
    pieces: &'static str,
    equal: bool,
}

/// Prints the table; the exit code.
fn print(file: &Path, op: Op, checked: &Checked, out: &mut Output) -> Result<u8, Failure> {
    let bits = checked.expected.value.hex();
    let equal = |row: &Row| row.figure.value.hex() == bits;
    let good = checked.rows.iter().filter(|row| equal(row)).count();
    let result = if good == checked.rows.len() { 0 } else { code::DIFFERS };
    out.note(result);
    if out.json() {
        for row in &checked.rows {
            let origin =
                Origin { file, op, key: None, nulls: checked.nulls, device: &row.device, threads: row.threads };
            let record = Record::new(origin, row.figure);
            out.object(&Way { record, isa: row.isa, order: row.order, pieces: row.pieces, equal: equal(row) })?;
        }
        return Ok(result);
    }
    out.name(file)?;
    let mut table = vec![["device", "isa", "threads", "order", "pieces", "bits", ""].map(String::from).to_vec()];
    table.extend(checked.rows.iter().map(|row| {
        vec![
            row.device.clone(),
            row.isa.to_owned(),
            row.threads.to_string(),
            row.order.to_owned(),
            row.pieces.to_owned(),
            row.figure.value.hex(),
            if equal(row) { "ok" } else { "DIFFERS" }.to_owned(),
        ]
    }));
    out.table(&table)?;
    out.line(&format!("{good} of {} equal", checked.rows.len()))?;
    Ok(result)
}
