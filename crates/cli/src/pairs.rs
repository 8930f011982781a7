//! Two sources of numbers, read in step, for dot products.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use samebits::io::{Chunk, Dtype, Flat, Source};
use samebits::{Device, Error, Mode, Queue};
use samebits_cli::read::shape::shape;
use samebits_cli::read::{self, Opened, ReadOptions};

use crate::acc::{Acc, Lane, Terms, Total};
use crate::accumulate::{check_capacity, check_integers, empty, in_parts};
use crate::args::{Dotting, Input, Op, Reading, Second};
use crate::failure::Failure;
use crate::progress::Progress;

/// Two files, or one twice.
#[derive(Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) x: &'a Path,
    pub(crate) y: &'a Path,
    reading: &'a Reading,
    second: &'a Second,
    /// What their line calls them.
    pub(crate) name: Cow<'a, Path>,
}

impl<'a> Pair<'a> {
    /// What `dot` was given.
    pub(crate) fn of(args: &'a Dotting) -> Result<Self, Failure> {
        let files: Vec<&PathBuf> = [&args.x].into_iter().chain(&args.y).collect();
        Self::of_files(&files, &args.reading, &args.second)
    }

    /// What another command was given for a dot: one or two files.
    pub(crate) fn new(input: &'a Input, second: &'a Second) -> Result<Self, Failure> {
        let files: Vec<&PathBuf> = input.checked()?.iter().collect();
        Self::of_files(&files, &input.reading, second)
    }

    fn of_files(files: &[&'a PathBuf], reading: &'a Reading, second: &'a Second) -> Result<Self, Failure> {
        let (x, y, name) = match files {
            [x, y] => {
                let mut name = x.as_os_str().to_owned();
                name.push(" ");
                name.push(y);
                (*x, *y, Cow::Owned(name.into()))
            }
            [_] if second.column_y.is_none() && second.array_y.is_none() => {
                let what = "a dot takes two files, or one file and --column-y (or --array-y) for the second factor";
                return Err(Failure::usage(what));
            }
            [x] => (*x, *x, Cow::Borrowed(x.as_path())),
            _ => return Err(Failure::usage("a dot takes two files")),
        };
        if x.as_os_str() == "-" && y.as_os_str() == "-" {
            return Err(Failure::usage("standard input can be read only once"));
        }
        Ok(Pair { x, y, reading, second, name })
    }

    /// Opens both. They must be of one type.
    pub(crate) fn open(&self, mode: Mode) -> Result<(Opened, Opened), Failure> {
        let options = self.reading.options(Op::Dot, mode);
        let Second { column_y, array_y } = self.second;
        let others = ReadOptions {
            column: column_y.clone().or_else(|| options.column.clone()),
            array: array_y.clone().or_else(|| options.array.clone()),
            ..options.clone()
        };
        let open =
            |file: &Path, options: &ReadOptions| read::open(file, options).map_err(|error| Failure::at(file, error));
        let (x, y) = (open(self.x, &options)?, open(self.y, &others)?);
        if x.dtype != y.dtype {
            let what = format!("is {}, and {} is {}: --dtype f64 widens both", y.dtype, self.x.display(), x.dtype);
            return Err(Failure::input(self.y, what));
        }
        self.check_shapes(options.array.as_deref(), others.array.as_deref())?;
        Ok((x, y))
    }

    /// Numbers are paired as they lie in the files: of arrays these must be the ones with equal indices.
    fn check_shapes(&self, array: Option<&str>, array_y: Option<&str>) -> Result<(), Failure> {
        let shape = |file: &Path, array| shape(file, array).map_err(|error| Failure::at(file, error));
        let (Some(x), Some(y)) = (shape(self.x, array)?, shape(self.y, array_y)?) else { return Ok(()) };
        if x.pairs_with(&y) {
            return Ok(());
        }
        let (first, second) = (self.x.display(), self.y.display());
        let what = format!(
            "{first} is an array of {x}, and {second} of {y}: a dot takes arrays of one shape and order, whose numbers \
             lie in the same places"
        );
        Err(Failure::input(&self.name, what))
    }

    /// The failure of files that do not go together.
    pub(crate) fn unequal(&self, x: u64, y: u64) -> Failure {
        let (first, second) = (self.x.display(), self.y.display());
        Failure::input(
            &self.name,
            format!("{first} has {x} numbers, and {second} has {y}: a dot takes as many of both"),
        )
    }
}

/// The dot of two files, once on each queue.
pub(crate) fn dot_files(
    pair: &Pair<'_>,
    mode: Mode,
    queues: &[Queue],
    show_progress: bool,
) -> Result<Vec<Total>, Failure> {
    let (x, y) = pair.open(mode)?;
    let bytes = x.bytes.zip(y.bytes).map(|(x, y)| x.saturating_add(y));
    let progress = if show_progress { Progress::new(&pair.name, bytes) } else { Progress::none() };
    match x.dtype {
        Dtype::F32 => dot::<f32>(pair, x, y, mode, queues, &progress),
        Dtype::F64 => dot::<f64>(pair, x, y, mode, queues, &progress),
    }
}

fn dot<T: Lane>(
    pair: &Pair<'_>,
    x: Opened,
    y: Opened,
    mode: Mode,
    queues: &[Queue],
    progress: &Progress,
) -> Result<Vec<Total>, Failure> {
    let empty = empty::<T>(&pair.name, Op::Dot, mode)?;
    match (x.source, y.source) {
        (Source::Flat(x), Source::Flat(y)) => {
            if x.count() != y.count() {
                return Err(pair.unequal(x.count(), y.count()));
            }
            check_capacity::<T>(&pair.name, Op::Dot, mode, x.count())?;
            let one = |queue| flat((&x, &y), &empty, queue, progress).map(T::total);
            let totals: samebits::Result<_> = queues.iter().map(one).collect();
            totals.map_err(|error| Failure::at(&pair.name, error))
        }
        (x, y) => {
            let mut accs = vec![empty; queues.len()];
            stream(pair, Steps::new(pair.x, x), Steps::new(pair.y, y), &mut accs, queues, progress)?;
            Ok(accs.into_iter().map(T::total).collect())
        }
    }
}

/// Both are arrays that any thread may read at any place.
fn flat<T: Lane>(
    (x, y): (&Flat, &Flat),
    empty: &Acc<T>,
    queue: &Queue,
    progress: &Progress,
) -> samebits::Result<Acc<T>> {
    let bytes = (x.scalar().size() + y.scalar().size()) as u64;
    in_parts(x.count(), bytes, empty, queue, progress, |acc, chunks, start, n| {
        for (file, chunk) in [x, y].into_iter().zip(&mut *chunks) {
            file.read_at(start, chunk, n)?;
            check_integers::<T>(file.path(), Op::Dot, chunk)?;
        }
        add(acc, Terms { x: T::of(&chunks[0]), y: T::of(&chunks[1]) }, queue)
    })
}

fn add<T: Lane>(acc: &mut Acc<T>, terms: Terms<'_, T>, queue: &Queue) -> samebits::Result<()> {
    match queue.device() {
        Device::Cpu => acc.extend(terms),
        _ => acc.extend_on(queue, terms),
    }
}

fn stream<T: Lane>(
    pair: &Pair<'_>,
    mut x: Steps<'_>,
    mut y: Steps<'_>,
    accs: &mut [Acc<T>],
    queues: &[Queue],
    progress: &Progress,
) -> Result<(), Failure> {
    loop {
        let (a, b) = (x.rest::<T>()?, y.rest::<T>()?);
        let n = a.len().min(b.len());
        if n == 0 {
            break;
        }
        let terms = Terms { x: &a[..n], y: &b[..n] };
        for (acc, queue) in accs.iter_mut().zip(queues) {
            add(acc, terms, queue).map_err(|error| Failure::at(&pair.name, error))?;
        }
        x.used(n);
        y.used(n);
        progress.set(x.position().saturating_add(y.position()));
    }
    // One of them has ended.
    let (x, y) = (x.count::<T>()?, y.count::<T>()?);
    if x == y { Ok(()) } else { Err(pair.unequal(x, y)) }
}

/// A source read in order, each part of which is used up in steps.
pub(crate) struct Steps<'a> {
    path: &'a Path,
    source: Source,
    chunk: Chunk,
    /// Numbers of the chunk that were used.
    used: usize,
    /// Numbers that were read.
    read: u64,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(path: &'a Path, source: Source) -> Self {
        Steps { path, source, chunk: Chunk::new(), used: 0, read: 0 }
    }

    /// What is left of the part, or else the next one; empty at the end. Blank cells are refused.
    pub(crate) fn rest<T: Lane>(&mut self) -> Result<&[T], Failure> {
        if self.used == self.chunk.len() {
            self.used = 0;
            self.refill::<T>()?;
        }
        Ok(&T::of(&self.chunk)[self.used..])
    }

    fn refill<T: Lane>(&mut self) -> Result<(), Failure> {
        const PART: u64 = 1 << 16;
        let fault = |error: Error| Failure::at(self.path, error);
        self.chunk.clear();
        match &mut self.source {
            Source::Flat(file) => {
                let n = (file.count() - self.read).min(PART);
                file.read_at(self.read, &mut self.chunk, n as usize).map_err(fault)?;
            }
            Source::Stream(file) => {
                file.next(&mut self.chunk).map_err(fault)?;
            }
        }
        check_integers::<T>(self.path, Op::Dot, &self.chunk).map_err(fault)?;
        if self.chunk.nulls > 0 {
            let at = self.read + 1;
            let what = format!("a blank cell after {} numbers or later: the pairs of a dot would move apart", at - 1);
            return Err(Failure::input(self.path, what));
        }
        self.read += self.chunk.len() as u64;
        Ok(())
    }

    fn used(&mut self, n: usize) {
        self.used += n;
    }

    fn position(&self) -> u64 {
        match &self.source {
            Source::Flat(file) => self.read * file.scalar().size() as u64,
            Source::Stream(file) => file.position(),
        }
    }

    /// How many numbers there are in all; reads to the end.
    fn count<T: Lane>(&mut self) -> Result<u64, Failure> {
        while !self.rest::<T>()?.is_empty() {
            self.used = self.chunk.len();
        }
        Ok(self.read)
    }
}
