//! `samebits sum --by COLUMN`: a sum for each key.

use std::path::Path;

use samebits::io::Dtype;
use samebits::{Mode, Queue};
use samebits_cli::read;
use samebits_cli::read::keys::Key;

use super::sum::say_nulls;
use crate::args::{Op, Reading, Summing};
use crate::failure::Failure;
use crate::groups::{Group, accumulate};
use crate::output::{Origin, Output, Shown, warn};
use crate::progress::Progress;
use crate::queues;

/// A line for each file, key and device.
pub(super) fn run(by: &str, args: &Summing, out: &mut Output) -> Result<u8, Failure> {
    let mode = args.method.mode()?;
    let files = args.input.checked()?;
    let queues = queues::open(&args.places)?;
    let shown = Shown { file: files.len() > 1, device: queues.len() > 1 };
    let devices: Vec<String> = queues.iter().map(|queue| queue.device().to_string()).collect();
    let mut worst = 0;
    for file in files {
        let groups = match read_groups(file, by, mode, &args.input.reading, &queues, !out.json()) {
            Ok(groups) => groups,
            Err(failure) => {
                warn(&failure.message);
                worst = worst.max(failure.code);
                out.note(worst);
                continue;
            }
        };
        for Group { key, nulls, figures } in &groups {
            for ((figure, queue), device) in figures.iter().zip(&queues).zip(&devices) {
                let threads = queue.threads();
                let origin = Origin { file, op: Op::Sum, key: Some(key), nulls: *nulls, device, threads };
                out.group(origin, *figure, shown)?;
            }
        }
        out.flush()?;
    }
    Ok(worst)
}

/// Reads a file to its end, and says how many of its cells were blank.
fn read_groups(
    file: &Path,
    by: &str,
    mode: Mode,
    reading: &Reading,
    queues: &[Queue],
    show_progress: bool,
) -> Result<Vec<Group>, Failure> {
    let opened =
        read::open_rows(file, by, &reading.options(Op::Sum, mode)).map_err(|error| Failure::at(file, error))?;
    let progress = if show_progress { Progress::new(file, opened.bytes) } else { Progress::none() };
    let groups = match opened.dtype {
        Dtype::F32 => accumulate::<f32>(file, opened, mode, queues, &progress),
        Dtype::F64 => accumulate::<f64>(file, opened, mode, queues, &progress),
    }?;
    drop(progress);
    say_nulls(file, groups.iter().map(|group| group.nulls).sum());
    if let Some(Group { key: Key::Blank, figures, nulls }) = groups.first() {
        let rows = figures.first().map_or(0, |figure| figure.count) + nulls;
        let rows = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
        warn(&format!("{}: {rows} without a key, a group of their own", file.display()));
    }
    Ok(groups)
}
