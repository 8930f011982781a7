//! `samebits demo`: real numbers whose plain sums disagree, beside sums that do not.

use std::ops::Add;

use samebits::{Accumulator, Device, Mode, Queue};
use serde::Serialize;

use super::verify::{Room, rooms};
use crate::acc::{Acc, Lane, Terms};
use crate::accumulate::add_terms;
use crate::args::Op;
use crate::failure::{Failure, code};
use crate::orders::{ORDERS, shuffle};
use crate::output::{Number, Output, Stamp};

/// Values of real matrices; `data/PROVENANCE.md` says where they come from.
const OLM1000: &[u8] = include_bytes!("../../data/olm1000.f64");
const UNIT_SQUARE: &[u8] = include_bytes!("../../data/unit_square.f64");

/// Partial sums that are merged through state bytes.
const PARTS: usize = 5;

pub(super) fn run(out: &mut Output) -> Result<u8, Failure> {
    let rooms = rooms()?;
    let (square, flow) = (doubles(UNIT_SQUARE), doubles(OLM1000));
    let singles: Vec<f32> = flow.iter().map(|&v| v as f32).collect();
    if !out.json() {
        out.line("The same numbers, added in different ways. All are entries of real matrices.")?;
    }
    let mut worst = 0;
    worst = worst.max(show("unit_square", "finite elements on a square", square, &rooms, out)?);
    worst = worst.max(show("olm1000", "fluid flow", flow, &rooms, out)?);
    worst = worst.max(show("olm1000 in f32", "fluid flow", singles, &rooms, out)?);
    if !out.json() {
        out.line(
            "\nA plain sum depends on who adds what first: another order, thread count or vector width is another \
             answer.\nSamebits gives the same bits every time, on every device listed by `samebits devices`. \
             Try it: samebits verify FILE",
        )?;
    }
    Ok(worst)
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect()
}

/// A line of the table.
struct Line {
    method: &'static str,
    way: String,
    value: Number,
}

#[derive(Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    stamp: Stamp,
    data: &'a str,
    dtype: &'static str,
    n: usize,
    method: &'static str,
    way: &'a str,
    value: Number,
    bits: String,
}

/// Adds one set of numbers in all ways and prints the table.
fn show<T: Plain>(name: &str, about: &str, values: Vec<T>, rooms: &[Room], out: &mut Output) -> Result<u8, Failure> {
    let plain = plain_sums(&values);
    let (ours, ways) = our_sums(&values, rooms)?;
    let answers = |lines: &[Line]| {
        let mut bits: Vec<_> = lines.iter().map(|line| line.value.hex()).collect();
        bits.sort_unstable();
        bits.dedup();
        bits.len()
    };
    let binned: Vec<_> = ours.iter().filter(|line| line.method != "exact").map(|line| line.value.hex()).collect();
    let same = binned.iter().all(|bits| *bits == binned[0]);
    let result = if same { 0 } else { code::DIFFERS };
    out.note(result);
    if out.json() {
        for line in plain.iter().chain(&ours) {
            out.object(&Record {
                stamp: Stamp::new(),
                data: name,
                dtype: T::NAME,
                n: values.len(),
                method: line.method,
                way: &line.way,
                value: line.value,
                bits: line.value.hex(),
            })?;
        }
    } else {
        out.line(&format!("\n{name}: {} numbers ({about})\n", values.len()))?;
        let rows: Vec<_> = plain.iter().chain(&ours).map(Line::cells).collect();
        out.table(&rows)?;
        let verdict = if same { "one answer" } else { "DIFFERENT answers: please report this" };
        out.line(&format!(
            "\n  plain: {} different answers in {} ways; samebits: {verdict} in {ways} ways",
            answers(&plain),
            plain.len(),
        ))?;
    }
    Ok(result)
}

impl Line {
    fn cells(&self) -> Vec<String> {
        vec![format!("  {}", self.method), self.way.clone(), self.value.hex(), self.value.to_string()]
    }
}

/// A type that can be added the usual way.
trait Plain: Lane + Add<Output = Self> + Default + PartialOrd {}
impl Plain for f32 {}
impl Plain for f64 {}

/// What everybody computes: left to right in several orders, and as trees and vector units do it.
fn plain_sums<T: Plain>(values: &[T]) -> Vec<Line> {
    let line = |way: &str, value: T| Line { method: "plain", way: way.to_owned(), value: value.number() };
    let mut lines = vec![line("as stored", left_to_right(values))];
    let mut order = values.to_vec();
    order.reverse();
    lines.push(line("reversed", left_to_right(&order)));
    order.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    lines.push(line("sorted", left_to_right(&order)));
    for seed in 1..=3 {
        shuffle(&mut order, seed);
        lines.push(line(&format!("shuffled {seed}"), left_to_right(&order)));
    }
    lines.push(line("pairwise tree", pairwise(values)));
    lines.push(line("2 lanes", in_lanes::<T, 2>(values)));
    lines.push(line("4 lanes", in_lanes::<T, 4>(values)));
    lines.push(line("8 lanes", in_lanes::<T, 8>(values)));
    lines
}

fn left_to_right<T: Plain>(values: &[T]) -> T {
    values.iter().fold(T::default(), |sum, &v| sum + v)
}

fn pairwise<T: Plain>(values: &[T]) -> T {
    match values {
        [] => T::default(),
        [v] => *v,
        _ => {
            let (left, right) = values.split_at(values.len() / 2);
            pairwise(left) + pairwise(right)
        }
    }
}

fn in_lanes<T: Plain, const N: usize>(values: &[T]) -> T {
    let mut lanes = [T::default(); N];
    for (i, &v) in values.iter().enumerate() {
        lanes[i % N] = lanes[i % N] + v;
    }
    left_to_right(&lanes)
}

/// Our sums: a line for each device and instruction set and answer, and how many sums they stand for.
fn our_sums<T: Plain>(values: &[T], rooms: &[Room]) -> samebits::Result<(Vec<Line>, usize)> {
    let mut lines: Vec<Line> = Vec::new();
    let mut ways = 0;
    let mut rest = rooms;
    while let [first, ..] = rest {
        let alike = rest.iter().take_while(|room| room.name() == first.name()).count();
        let (rooms, others) = rest.split_at(alike);
        rest = others;
        let mut found: Vec<Number> = Vec::new();
        let none = Acc::<T>::new(Op::Sum, Mode::default())?;
        let mut order = values.to_vec();
        for (_, step) in ORDERS {
            step.apply(&mut order);
            for room in rooms {
                let mut acc = none.clone();
                add_terms(&mut acc, &none, Terms::one(&order), &room.queue, &room.single)?;
                ways += 1;
                let value = acc.figure(Op::Sum).value;
                if found.iter().all(|known| known.hex() != value.hex()) {
                    found.push(value);
                }
            }
        }
        let threads: Vec<_> = rooms.iter().map(|room| room.queue.threads().to_string()).collect();
        let plural = if threads == ["1"] { "" } else { "s" };
        let way = format!("{}, {} thread{plural}, {} orders", first.name(), threads.join("/"), ORDERS.len());
        lines.extend(found.into_iter().map(|value| Line { method: "samebits", way: way.clone(), value }));
    }
    lines.push(Line { method: "samebits", way: format!("{PARTS} parts, merged states"), value: merged(values)? });
    let mut exact = Accumulator::new(Mode::exact())?;
    exact.extend_on(&Queue::new(Device::Reference)?, values)?;
    lines.push(Line { method: "exact", way: "rounded once".to_owned(), value: exact.value().number() });
    Ok((lines, ways + 1))
}

/// The sum of parts that only met as state bytes, the last part first.
fn merged<T: Plain>(values: &[T]) -> samebits::Result<Number> {
    let mut states = Vec::new();
    for part in values.chunks(values.len().div_ceil(PARTS).max(1)) {
        let mut acc = Accumulator::<T>::new(Mode::default())?;
        acc.extend(part)?;
        states.push(acc.to_bytes());
    }
    let mut whole = Accumulator::<T>::new(Mode::default())?;
    for state in states.iter().rev() {
        whole.merge(&Accumulator::from_bytes(state)?)?;
    }
    Ok(whole.value().number())
}
