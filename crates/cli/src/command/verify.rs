//! `samebits verify`: the same data on every device, in many ways.

use std::path::Path;

use samebits::io::{Chunk, Dtype, Source};
use samebits::{Device, Error, Queue};
use samebits_cli::read::{self, Opened};
use serde::Serialize;

use crate::acc::Lane;
use crate::accumulate::check_integers;
use crate::args::{NormKind, Op, Spread, VerifyOp, Verifying, check_used};
use crate::failure::{Failure, code};
use crate::output::{Figure, Origin, Output, Record, warn};
use crate::pairs::Pair;
use crate::progress::Progress;
use crate::queues::thread_counts;

mod groups;
mod orders;
mod running;

/// A name in the table, and the length of the pieces for so many numbers.
type Pieces = (&'static str, fn(usize) -> usize);

/// How the data is cut.
const PIECES: [Pieces; 4] = [("half", |n| n.div_ceil(2)), ("1000", |_| 1000), ("7", |_| 7), ("1", |_| 1)];

/// So many kinds of pieces are worth a row in a room: the short ones never see a second thread.
fn pieces_in(room: &Room) -> &'static [Pieces] {
    if room.queue.threads() == 1 { &PIECES } else { &PIECES[..1] }
}

pub(super) fn run(args: &Verifying, out: &mut Output) -> Result<u8, Failure> {
    let mode = args.method.mode()?;
    let files = args.input.checked()?;
    if args.by.is_some() != (args.op == VerifyOp::By) {
        return Err(Failure::usage("--by goes with --op by"));
    }
    let op = match args.op {
        VerifyOp::Sum | VerifyOp::By => Op::Sum,
        VerifyOp::Mean => Op::Mean,
        VerifyOp::Norm => Op::Norm(args.kind.unwrap_or(NormKind::One)),
        VerifyOp::Var => {
            args.method.check_none()?;
            Op::Var(Spread::SAMPLE)
        }
        VerifyOp::Cumsum => Op::Cumsum,
        VerifyOp::Dot => Op::Dot,
    };
    check_used(op, args.kind, &args.second)?;
    let rooms = rooms()?;
    let quiet = out.json();
    if op == Op::Dot {
        let pair = Pair::new(&args.input, &args.second)?;
        let (x, y) = pair.open(mode)?;
        let checked = match x.dtype {
            Dtype::F32 => orders::dot::<f32>(&pair, x, y, mode, &rooms, quiet),
            Dtype::F64 => orders::dot::<f64>(&pair, x, y, mode, &rooms, quiet),
        }?;
        return print(&pair.name, op, &checked, out);
    }
    let mut worst = 0;
    for file in files {
        let outcome = match &args.by {
            Some(by) => groups::verify(file, by, &args.input.reading, mode, &rooms, quiet),
            None => {
                let opened = read::open(file, &args.input.reading.options(op, mode));
                opened.map_err(|error| Failure::at(file, error)).and_then(|opened| match (op, opened.dtype) {
                    (Op::Cumsum, Dtype::F32) => running::verify::<f32>(file, opened, mode, &rooms, quiet),
                    (Op::Cumsum, Dtype::F64) => running::verify::<f64>(file, opened, mode, &rooms, quiet),
                    (_, Dtype::F32) => orders::verify::<f32>(file, opened, op, mode, &rooms, quiet),
                    (_, Dtype::F64) => orders::verify::<f64>(file, opened, op, mode, &rooms, quiet),
                })
            }
        };
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
    /// What changes in the column behind the threads.
    how: How,
    rows: Vec<Row>,
    nulls: u64,
}

/// What the ways to compute something differ in, beside where and in how many pieces.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Order,
    Form,
}

struct Row {
    room: usize,
    device: String,
    isa: &'static str,
    threads: usize,
    /// The order of the data, or the form of a running sum.
    how: &'static str,
    pieces: &'static str,
    figure: Figure,
    /// A digest of all results where there are many.
    digest: Option<u64>,
    equal: bool,
}

impl Row {
    fn new(number: usize, room: &Room, how: &'static str, pieces: &'static str, figure: Figure, equal: bool) -> Row {
        let (isa, threads) = (room.queue.isa(), room.queue.threads());
        Row { room: number, device: room.device.clone(), isa, threads, how, pieces, figure, digest: None, equal }
    }

    fn bits(&self) -> String {
        self.digest.map_or_else(|| self.figure.value.hex(), |digest| format!("{digest:016x}"))
    }
}

/// A digest of the bits of many numbers, in their order.
fn digest<T: Lane>(values: impl IntoIterator<Item = T>) -> u64 {
    // FNV's prime; a digest is to be looked at, equality is decided by the numbers themselves.
    values.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, value| {
        (hash ^ value.bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}

fn same_bits<T: Lane>(a: &[T], b: &[T]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.bits() == b.bits())
}

/// The numbers of a file, and integers that its type cannot hold.
struct Data<T> {
    values: Vec<T>,
    integers: Vec<i128>,
    nulls: u64,
}

fn load<T: Lane>(path: &Path, opened: Opened, op: Op, progress: &Progress) -> samebits::Result<Data<T>> {
    let mut data = Data { values: Vec::new(), integers: Vec::new(), nulls: 0 };
    if let Source::Flat(file) = &opened.source {
        // The file is known to be that long. Growing on the way would need up to three times the room.
        let count = usize::try_from(file.count()).unwrap_or(usize::MAX);
        data.values.try_reserve_exact(count).map_err(|_| no_room::<T>(count))?;
    }
    let mut chunk = Chunk::new();
    let mut take = |chunk: &Chunk| {
        check_integers::<T>(path, op, chunk)?;
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

/// Progress on a file, unless objects are printed.
fn show(quiet: bool, file: &Path, bytes: Option<u64>) -> Progress {
    if quiet { Progress::none() } else { Progress::new(file, bytes) }
}

/// What has no place among the numbers of a row is refused, where the numbers' places matter.
fn refuse_gaps<T>(file: &Path, op: &str, data: &Data<T>) -> Result<(), Failure> {
    if data.nulls > 0 {
        return Err(Failure::input(
            file,
            format!("{} blank cells, and each number of a {op} has its place", data.nulls),
        ));
    }
    if !data.integers.is_empty() {
        let what = format!("integers that the type does not hold: `verify --op {op}` takes none");
        return Err(Failure::input(file, what));
    }
    Ok(())
}

#[derive(Serialize)]
struct Way<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    isa: &'static str,
    order: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'static str>,
    pieces: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    equal: bool,
}

/// Prints the table; the exit code.
fn print(file: &Path, op: Op, checked: &Checked, out: &mut Output) -> Result<u8, Failure> {
    let good = checked.rows.iter().filter(|row| row.equal).count();
    let result = if good == checked.rows.len() { 0 } else { code::DIFFERS };
    out.note(result);
    if out.json() {
        for row in &checked.rows {
            let Row { device, isa, threads, how, pieces, figure, digest, equal, .. } = row;
            let origin = Origin { file, op, key: None, nulls: checked.nulls, device, threads: *threads };
            let (order, form) = if checked.how == How::Form { ("as stored", Some(*how)) } else { (*how, None) };
            let digest = digest.map(|digest| format!("{digest:016x}"));
            let record = Record::new(origin, *figure);
            out.object(&Way { record, isa, order, form, pieces, digest, equal: *equal })?;
        }
        return Ok(result);
    }
    out.name(file)?;
    let how = if checked.how == How::Form { "form" } else { "order" };
    let bits = if checked.rows.iter().any(|row| row.digest.is_some()) { "digest" } else { "bits" };
    let mut table = vec![["device", "isa", "threads", how, "pieces", bits, ""].map(String::from).to_vec()];
    table.extend(checked.rows.iter().map(|row| {
        vec![
            row.device.clone(),
            row.isa.to_owned(),
            row.threads.to_string(),
            row.how.to_owned(),
            row.pieces.to_owned(),
            row.bits(),
            if row.equal { "ok" } else { "DIFFERS" }.to_owned(),
        ]
    }));
    out.table(&table)?;
    out.line(&format!("{good} of {} equal", checked.rows.len()))?;
    Ok(result)
}
