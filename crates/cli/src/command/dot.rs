//! `samebits dot`.

use crate::args::{Dotting, Op};
use crate::failure::Failure;
use crate::output::{Origin, Output};
use crate::pairs::{Pair, dot_files};
use crate::queues;

pub(super) fn run(args: &Dotting, out: &mut Output) -> Result<u8, Failure> {
    let mode = args.method.mode()?;
    let pair = Pair::of(args)?;
    let queues = queues::open(&args.places)?;
    let totals = dot_files(&pair, mode, &queues, !out.json())?;
    for (queue, total) in queues.iter().zip(&totals) {
        let (device, threads) = (queue.device().to_string(), queue.threads());
        let origin = Origin { file: &pair.name, op: Op::Dot, key: None, nulls: 0, device: &device, threads };
        out.figure(origin, total.figure(Op::Dot), queues.len() > 1)?;
    }
    Ok(0)
}
