//! `samebits sum`, and what it shares with `mean` and `norm`.

use std::path::Path;

use samebits::{Mode, Queue};
use samebits_cli::read;

use super::by;
use crate::accumulate::{Sums, accumulate};
use crate::args::{Input, Op, Places, Reading, Summing};
use crate::failure::Failure;
use crate::output::{Origin, Output, warn};
use crate::progress::Progress;
use crate::queues;

pub(super) fn run(by: Option<&str>, args: &Summing, out: &mut Output) -> Result<u8, Failure> {
    match by {
        Some(by) => by::run(by, args, out),
        None => each_file(Op::Sum, args, out),
    }
}

/// A line for each file and device. A file that cannot be read does not keep the others from being printed.
pub(super) fn each_file(op: Op, args: &Summing, out: &mut Output) -> Result<u8, Failure> {
    let mode = args.method.mode()?;
    each_of(op, mode, &args.input, &args.places, out)
}

/// The same where the mode is a matter of course.
pub(super) fn each_of(op: Op, mode: Mode, input: &Input, places: &Places, out: &mut Output) -> Result<u8, Failure> {
    let files = input.checked()?;
    let queues = queues::open(places)?;
    let mut worst = 0;
    for file in files {
        let sums = match read_sums(file, op, mode, &input.reading, &queues, !out.json()) {
            Ok(sums) => sums,
            Err(failure) => {
                warn(&failure.message);
                worst = worst.max(failure.code);
                out.note(worst);
                continue;
            }
        };
        for (queue, total) in queues.iter().zip(&sums.totals) {
            let origin = Origin {
                file,
                op,
                key: None,
                nulls: sums.nulls,
                device: &queue.device().to_string(),
                threads: queue.threads(),
            };
            out.figure(origin, total.figure(op), queues.len() > 1)?;
        }
    }
    Ok(worst)
}

/// Reads a file to its end and says how many of its cells were blank.
pub(super) fn read_sums(
    file: &Path,
    op: Op,
    mode: Mode,
    reading: &Reading,
    queues: &[Queue],
    show_progress: bool,
) -> Result<Sums, Failure> {
    let opened = read::open(file, &reading.options(op, mode)).map_err(|error| Failure::at(file, error))?;
    let progress = if show_progress { Progress::new(file, opened.bytes) } else { Progress::none() };
    let sums = accumulate(file, opened, op, mode, queues, &progress)?;
    drop(progress);
    say_nulls(file, sums.nulls);
    Ok(sums)
}

/// Tells that cells were skipped, if any were.
pub(super) fn say_nulls(file: &Path, nulls: u64) {
    let parquet = file.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("parquet"));
    let what = if parquet { "NULL value" } else { "blank cell" };
    match nulls {
        0 => {}
        1 => warn(&format!("{}: 1 {what} skipped", file.display())),
        n => warn(&format!("{}: {n} {what}s skipped", file.display())),
    }
}
