//! `samebits cumsum`.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use bytemuck::Pod;
use samebits::io::{Chunk, Dtype, Source, npy};
use samebits::{Accumulator, Cumsum, Float, Mode, Queue, Scan};
use samebits_cli::read::{self, Opened};
use serde::Serialize;

use crate::acc::{Acc, Lane};
use crate::accumulate::{check_capacity, empty};
use crate::args::{Op, Reading, Summing};
use crate::beside::{Beside, check_apart, check_name};
use crate::failure::Failure;
use crate::output::{Figure, Origin, Output, Record};
use crate::progress::Progress;
use crate::queues;

/// Bytes of an array that are read, summed and written at once: enough for several threads, and still in their caches.
const PART_BYTES: u64 = 1 << 22;

#[derive(Serialize)]
struct Running<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    exclusive: bool,
}

pub(super) fn run(output: &Path, exclusive: bool, args: &Summing, out: &mut Output) -> Result<u8, Failure> {
    check_name(output)?;
    let mode = args.method.mode()?;
    let files = args.input.checked()?;
    check_apart(output, files)?;
    let queue = queues::open_one(&args.places, "a running sum is the same bytes on every device")?;
    let (reading, quiet) = (&args.input.reading, out.json());
    let mut files = files.iter().map(|file| file.as_path());
    let Some(first) = files.next() else { return Ok(0) };
    let opened = open(first, reading, mode)?;
    let figure = match opened.dtype {
        Dtype::F32 => Writer::<f32>::begin(first, output, exclusive, mode, &queue)?.all(opened, files, reading, quiet),
        Dtype::F64 => Writer::<f64>::begin(first, output, exclusive, mode, &queue)?.all(opened, files, reading, quiet),
    }?;
    if out.json() {
        let device = queue.device().to_string();
        let threads = queue.threads();
        let origin = Origin { file: output, op: Op::Cumsum, key: None, nulls: 0, device: &device, threads };
        out.object(&Running { record: Record::new(origin, figure), exclusive })?;
    }
    Ok(0)
}

fn open(file: &Path, reading: &Reading, mode: Mode) -> Result<Opened, Failure> {
    read::open(file, &reading.options(Op::Cumsum, mode)).map_err(|error| Failure::at(file, error))
}

/// A running sum on its way into a file.
struct Writer<'a, T: Lane> {
    /// The first file.
    file: &'a Path,
    queue: &'a Queue,
    mode: Mode,
    exclusive: bool,
    scan: Scan<T>,
    output: Beside,
    count: u64,
    /// The sum of all numbers so far.
    sum: T,
    /// The last sum that was written, which lacks the last number if none is to contain its own.
    last: T,
}

impl<'a, T: Lane + Pod> Writer<'a, T> {
    fn begin(file: &'a Path, output: &Path, exclusive: bool, mode: Mode, queue: &'a Queue) -> Result<Self, Failure> {
        // More folds than the type has are a mistake in the command line.
        let _: Acc<T> = empty(file, Op::Cumsum, mode)?;
        let scan = Cumsum::new().mode(mode).start().map_err(|error| Failure::at(file, error))?;
        let zero = scan.accumulator().value();
        let output = Beside::create(output)?;
        Ok(Writer { file, queue, mode, exclusive, scan, output, count: 0, sum: zero, last: zero })
    }

    /// Sums the first file and those after it, and puts the output in its place.
    fn all<'b>(
        mut self,
        first: Opened,
        others: impl Iterator<Item = &'b Path>,
        reading: &Reading,
        quiet: bool,
    ) -> Result<Figure, Failure> {
        // The count is not known yet.
        self.write(&npy::header(dtype::<T>(), 0))?;
        let file = self.file;
        self.add_file(file, first, quiet)?;
        for file in others {
            let opened = open(file, reading, self.mode)?;
            if opened.dtype != dtype::<T>() {
                let what =
                    format!("is {} after files of {}: --dtype f64 makes one array of both", opened.dtype, T::NAME);
                return Err(Failure::input(file, what));
            }
            self.add_file(file, opened, quiet)?;
        }
        self.finish()
    }

    fn add_file(&mut self, file: &Path, opened: Opened, quiet: bool) -> Result<(), Failure> {
        let progress = if quiet { Progress::none() } else { Progress::new(file, opened.bytes) };
        let fault = |error| Failure::at(file, error);
        let mut chunk = Chunk::new();
        match opened.source {
            Source::Flat(source) => {
                check_capacity::<T>(file, Op::Cumsum, self.mode, self.count.saturating_add(source.count()))?;
                let size = source.scalar().size() as u64;
                let mut start = 0;
                while start < source.count() {
                    let n = (source.count() - start).min(PART_BYTES / size);
                    source.read_at(start, &mut chunk, n as usize).map_err(fault)?;
                    self.add(file, &mut chunk)?;
                    start += n;
                    progress.add(n * size);
                }
            }
            Source::Stream(mut source) => {
                while source.next(&mut chunk).map_err(fault)? {
                    if chunk.nulls > 0 {
                        let what = format!(
                            "a blank cell after {} numbers or later: a running sum has a place for each row, and none \
                             to skip",
                            self.count
                        );
                        return Err(Failure::input(file, what));
                    }
                    self.add(file, &mut chunk)?;
                    progress.set(source.position());
                }
            }
        }
        Ok(())
    }

    /// Replaces a part by its sums, and writes these.
    fn add(&mut self, file: &Path, chunk: &mut Chunk) -> Result<(), Failure> {
        let fault = |error| Failure::at(file, error);
        if chunk.ints.is_empty() {
            let sums = T::of_mut(chunk);
            self.scan.next_in_place(self.queue, sums).map_err(fault)?;
            return self.write_sums(sums);
        }
        // Integers that only exact mode counts.
        let mut total: Accumulator<T> = self.scan.accumulator().clone();
        let mut sums = Vec::with_capacity(chunk.ints.len());
        for &integer in &chunk.ints {
            total.add_integer(integer).map_err(fault)?;
            sums.push(total.value());
        }
        self.scan = Scan::after(total);
        self.write_sums(&sums)
    }

    fn write_sums(&mut self, sums: &[T]) -> Result<(), Failure> {
        let Some((&sum, others)) = sums.split_last() else { return Ok(()) };
        if self.exclusive {
            self.write(bytemuck::bytes_of(&{ self.sum }))?;
            self.write(bytemuck::cast_slice(others))?;
            self.last = others.last().copied().unwrap_or(self.sum);
        } else {
            self.write(bytemuck::cast_slice(sums))?;
            self.last = sum;
        }
        self.count += sums.len() as u64;
        self.sum = sum;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.output.file().write_all(bytes);
        written.map_err(|error| self.output.failed(error))
    }

    fn finish(mut self) -> Result<Figure, Failure> {
        let begin = self.output.file().seek(SeekFrom::Start(0));
        begin.map_err(|error| self.output.failed(error))?;
        self.write(&npy::header(dtype::<T>(), self.count))?;
        self.output.place()?;
        let last = self.last.number();
        let bound = self.scan.accumulator().error_bound();
        Ok(Figure { value: last, count: self.count, bound, mode: self.mode })
    }
}

fn dtype<T: Lane>() -> Dtype {
    if T::NAME == f32::NAME { Dtype::F32 } else { Dtype::F64 }
}
