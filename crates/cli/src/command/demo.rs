//! `samebits demo`: real numbers whose plain sums disagree, beside sums that do not.

use std::ops::{Add, Mul};

use samebits::{Device, Mode, Queue};
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
        out.line("The same numbers, added in different ways, and multiplied in pairs at the end. All are entries of real matrices.")?;
    }
    let mut worst = 0;
    let other: Vec<f64> = flow.iter().rev().copied().collect();
    worst = worst.max(show("unit_square", "finite elements on a square", Data::sum(square), &rooms, out)?);
    worst = worst.max(show("olm1000", "fluid flow", Data::sum(flow.clone()), &rooms, out)?);
    worst = worst.max(show("olm1000 in f32", "fluid flow", Data::sum(singles), &rooms, out)?);
    let dot = Data { op: Op::Dot, x: flow, y: other };
    worst = worst.max(show("olm1000, dot", "with the same in reverse", dot, &rooms, out)?);
    if !out.json() {
        out.line(
            "\nA plain sum or dot depends on who adds what first: another order, thread count or vector width is another \
             answer.\nSamebits gives the same bits every time, on every device listed by `samebits devices`. \
             Try it: samebits verify FILE",
        )?;
    }
    Ok(worst)
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect()
}

/// What is added: numbers, or their products with others.
struct Data<T> {
    op: Op,
    x: Vec<T>,
    y: Vec<T>,
}

impl<T> Data<T> {
    fn sum(x: Vec<T>) -> Self {
        Data { op: Op::Sum, x, y: Vec::new() }
    }

    fn terms(&self) -> Terms<'_, T> {
        Terms { x: &self.x, y: &self.y }
    }
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
fn show<T: Plain>(name: &str, about: &str, data: Data<T>, rooms: &[Room], out: &mut Output) -> Result<u8, Failure> {
    let n = data.x.len();
    let plain = match data.op {
        Op::Dot => plain_sums(&data.x.iter().zip(&data.y).map(|(&a, &b)| a * b).collect::<Vec<_>>()),
        _ => plain_sums(&data.x),
    };
    let (ours, ways) = our_sums(data, rooms)?;
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
                n,
                method: line.method,
                way: &line.way,
                value: line.value,
                bits: line.value.hex(),
            })?;
        }
    } else {
        out.line(&format!("\n{name}: {n} numbers ({about})\n"))?;
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
trait Plain: Lane + Add<Output = Self> + Mul<Output = Self> + Default + PartialOrd {}
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

/// Our results: a line for each device and instruction set and answer, and how many results they stand for.
fn our_sums<T: Plain>(mut data: Data<T>, rooms: &[Room]) -> samebits::Result<(Vec<Line>, usize)> {
    let op = data.op;
    let mut exact = Acc::new(op, Mode::exact())?;
    exact.extend_on(&Queue::new(Device::Reference)?, data.terms())?;
    let none = Acc::<T>::new(op, Mode::default())?;
    let merged = Line { method: "samebits", way: format!("{PARTS} parts, merged states"), value: merged(&data)? };
    let mut ways = 0;
    let mut found: Vec<Vec<Number>> = vec![Vec::new(); rooms.len()];
    for (_, step) in ORDERS {
        step.apply(&mut data.x);
        step.apply(&mut data.y);
        for (room, found) in rooms.iter().zip(&mut found) {
            let mut acc = none.clone();
            add_terms(&mut acc, &none, data.terms(), &room.queue, &room.single)?;
            ways += 1;
            found.push(acc.figure(op).value);
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut rest = rooms;
    while let [first, ..] = rest {
        let alike = rest.iter().take_while(|room| room.name() == first.name()).count();
        let at = rooms.len() - rest.len();
        let (rooms, others) = rest.split_at(alike);
        rest = others;
        let threads: Vec<_> = rooms.iter().map(|room| room.queue.threads().to_string()).collect();
        let plural = if threads == ["1"] { "" } else { "s" };
        let way = format!("{}, {} thread{plural}, {} orders", first.name(), threads.join("/"), ORDERS.len());
        let mut answers: Vec<Number> = Vec::new();
        for value in found[at..at + alike].iter().flatten() {
            if answers.iter().all(|known| known.hex() != value.hex()) {
                answers.push(*value);
            }
        }
        lines.extend(answers.into_iter().map(|value| Line { method: "samebits", way: way.clone(), value }));
    }
    lines.push(merged);
    lines.push(Line { method: "exact", way: "rounded once".to_owned(), value: exact.figure(op).value });
    Ok((lines, ways + 1))
}

/// The result of parts that only met as state bytes, the last part first.
fn merged<T: Plain>(data: &Data<T>) -> samebits::Result<Number> {
    let none = Acc::<T>::new(data.op, Mode::default())?;
    let mut parts = Vec::new();
    for terms in data.terms().pieces(data.x.len().div_ceil(PARTS).max(1)) {
        let mut acc = none.clone();
        acc.extend(terms)?;
        parts.push(acc.through_bytes()?);
    }
    let mut whole = none;
    parts.iter().rev().try_for_each(|part| whole.merge(part))?;
    Ok(whole.figure(data.op).value)
}
