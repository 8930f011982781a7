//! `samebits state`.

use std::path::Path;

use super::sum::read_sums;
use crate::acc::Total;
use crate::args::{NormKind, Op, Second, Spread, StateOp, Summing, check_used};
use crate::beside::{check_apart, check_name, write};
use crate::failure::Failure;
use crate::output::{Origin, Output};
use crate::pairs::{Pair, dot_files};
use crate::queues;

pub(super) fn run(
    op: StateOp,
    kind: Option<NormKind>,
    output: &Path,
    second: &Second,
    args: &Summing,
    out: &mut Output,
) -> Result<u8, Failure> {
    let op = match op {
        StateOp::Sum => Op::Sum,
        StateOp::Norm if kind == Some(NormKind::Inf) => {
            return Err(Failure::usage("the largest absolute value has no state: take that of the parts' values"));
        }
        StateOp::Norm => Op::Norm(kind.unwrap_or(NormKind::One)),
        StateOp::Var => {
            args.method.check_none()?;
            Op::Var(Spread::SAMPLE)
        }
        StateOp::Dot => Op::Dot,
    };
    check_used(op, kind, second)?;
    check_name(output)?;
    let mode = args.method.mode()?;
    let files = args.input.checked()?;
    check_apart(output, files)?;
    let queue = queues::open_one(&args.places, "a state is the same bytes on every device")?;
    let mut whole: Option<Total> = None;
    let mut nulls = 0;
    if op == Op::Dot {
        let pair = Pair::new(&args.input, second)?;
        whole = dot_files(&pair, mode, std::slice::from_ref(&queue), !out.json())?.pop();
    } else {
        for file in files {
            let sums = read_sums(file, op, mode, &args.input.reading, std::slice::from_ref(&queue), !out.json())?;
            nulls += sums.nulls;
            for part in sums.totals {
                match &mut whole {
                    None => whole = Some(part),
                    Some(whole) if whole.dtype() != part.dtype() => {
                        let (ours, theirs) = (whole.dtype(), part.dtype());
                        let what = format!("is {theirs} after files of {ours}: --dtype f64 makes one state of both");
                        return Err(Failure::input(file, what));
                    }
                    Some(whole) => whole.merge(&part).map_err(|what| Failure::input(file, what))?,
                }
            }
        }
    }
    let Some(whole) = whole else { return Ok(0) };
    write(output, &whole.to_bytes().unwrap_or_default())?;
    if out.json() {
        let device = queue.device().to_string();
        let origin = Origin { file: output, op, key: None, nulls, device: &device, threads: queue.threads() };
        out.figure(origin, whole.figure(op), false)?;
    }
    Ok(0)
}
