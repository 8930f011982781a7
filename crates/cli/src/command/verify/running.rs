//! Running sums: one order, cut and written in every way.

use std::path::Path;

use samebits::{Cumsum, Device, Mode, Queue};
use samebits_cli::read::Opened;

use super::{Checked, How, Room, Row, digest, load, pieces_in, refuse_gaps, same_bits, show};
use crate::acc::{Acc, Lane};
use crate::accumulate::empty;
use crate::args::Op;
use crate::failure::Failure;
use crate::output::Figure;

/// Where the sums are written, and which.
const FORMS: [&str; 4] = ["beside", "in place", "exclusive", "exclusive in place"];

pub(super) fn verify<T: Lane>(
    file: &Path,
    opened: Opened,
    mode: Mode,
    rooms: &[Room],
    quiet: bool,
) -> Result<Checked, Failure> {
    let mut all: Acc<T> = empty(file, Op::Cumsum, mode)?;
    let at = |error| Failure::at(file, error);
    let progress = show(quiet, file, opened.bytes);
    let data = load::<T>(file, opened, Op::Cumsum, &progress).map_err(at)?;
    drop(progress);
    refuse_gaps(file, "cumsum", &data)?;
    let x = &data.values[..];
    let reference = Queue::new(Device::Reference)?;
    all.extend_on(&reference, crate::acc::Terms::one(x)).map_err(at)?;
    let all = all.figure(Op::Cumsum);
    let mut y = vec![T::default(); x.len()];
    let mut expected = Vec::new();
    for form in [FORMS[0], FORMS[2]] {
        sums(form, mode, &reference, x, &mut y, x.len()).map_err(at)?;
        expected.push(y.clone());
    }
    let count: usize = rooms.iter().map(|room| FORMS.len() * (1 + pieces_in(room).len())).sum();
    let bytes = size_of_val(x) as u64;
    let progress = show(quiet, file, Some(bytes.saturating_mul(count as u64)));
    let mut rows = Vec::with_capacity(count);
    for (number, room) in rooms.iter().enumerate() {
        for (place, form) in FORMS.into_iter().enumerate() {
            let lengths = pieces_in(room).iter().map(|(name, length)| (*name, length(x.len())));
            for (pieces, length) in [("whole", x.len())].into_iter().chain(lengths) {
                sums(form, mode, &room.queue, x, &mut y, length).map_err(at)?;
                let value = y.last().copied().unwrap_or_default().number();
                let equal = same_bits(&y, &expected[place / 2]);
                let mut row = Row::new(number, room, form, pieces, Figure { value, ..all }, equal);
                row.digest = Some(digest(y.iter().copied()));
                rows.push(row);
                progress.add(bytes);
            }
        }
    }
    Ok(Checked { how: How::Form, rows, nulls: 0 })
}

/// The running sum of `x` into `y`, a piece of so many numbers after the other.
fn sums<T: Lane>(form: &str, mode: Mode, queue: &Queue, x: &[T], y: &mut [T], length: usize) -> samebits::Result<()> {
    let cumsum = Cumsum::new().mode(mode);
    let cumsum = if form.starts_with("exclusive") { cumsum.exclusive() } else { cumsum };
    let mut scan = cumsum.start()?;
    let length = length.max(1);
    if form.ends_with("in place") {
        y.copy_from_slice(x);
        return y.chunks_mut(length).try_for_each(|y| scan.next_in_place(queue, y));
    }
    x.chunks(length).zip(y.chunks_mut(length)).try_for_each(|(x, y)| scan.next(queue, x, y))
}
