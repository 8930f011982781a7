//! What is accumulated: one accumulator for each operation, of either type.

use samebits::io::Chunk;
use samebits::{
    Accumulator, DotAccumulator, Element, Error, Float, Header, Kind, Mode, Norm2Accumulator, NormInfAccumulator,
    Queue, VarianceAccumulator,
};

use crate::args::{NormKind, Op, Spread};
use crate::output::{Figure, Number};

/// A type of elements, and its place in chunks and totals.
pub(crate) trait Lane: Element {
    /// The chunk's numbers of this type.
    fn of(chunk: &Chunk) -> &[Self];
    /// The same, to be written to.
    fn of_mut(chunk: &mut Chunk) -> &mut [Self];
    fn number(self) -> Number;
    fn total(acc: Acc<Self>) -> Total;
}

impl Lane for f32 {
    fn of(chunk: &Chunk) -> &[f32] {
        &chunk.f32s
    }
    fn of_mut(chunk: &mut Chunk) -> &mut [f32] {
        &mut chunk.f32s
    }
    fn number(self) -> Number {
        Number::F32(self)
    }
    fn total(acc: Acc<f32>) -> Total {
        Total::F32(acc)
    }
}

impl Lane for f64 {
    fn of(chunk: &Chunk) -> &[f64] {
        &chunk.f64s
    }
    fn of_mut(chunk: &mut Chunk) -> &mut [f64] {
        &mut chunk.f64s
    }
    fn number(self) -> Number {
        Number::F64(self)
    }
    fn total(acc: Acc<f64>) -> Total {
        Total::F64(acc)
    }
}

/// Numbers to be added: one slice, or two of the same length for a dot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a, T> {
    pub(crate) x: &'a [T],
    /// Empty, unless it is a dot.
    pub(crate) y: &'a [T],
}

impl<'a, T> Terms<'a, T> {
    /// Numbers of their own.
    pub(crate) fn one(x: &'a [T]) -> Self {
        Terms { x, y: &[] }
    }

    /// Pieces of so many terms.
    pub(crate) fn pieces(self, length: usize) -> impl Iterator<Item = Terms<'a, T>> {
        let at = move |n: usize| n * length;
        let part = move |all: &'a [T], n| all.get(at(n)..all.len().min(at(n + 1))).unwrap_or_default();
        (0..self.x.len().div_ceil(length)).map(move |n| Terms { x: part(self.x, n), y: part(self.y, n) })
    }
}

/// An accumulator for one of the operations.
#[derive(Clone, Debug)]
pub(crate) enum Acc<T: Lane> {
    /// Sums, means and 1-norms.
    Sum(Accumulator<T>),
    Norm2(Box<Norm2Accumulator<T>>),
    /// With the count, which it does not keep.
    NormInf(NormInfAccumulator<T>, u64),
    Moments(Box<VarianceAccumulator<T>>),
    Dot(Box<DotAccumulator<T>>),
}

impl<T: Lane> Acc<T> {
    /// An empty one. An error if the type does not have that many folds.
    pub(crate) fn new(op: Op, mode: Mode) -> samebits::Result<Self> {
        Ok(match op {
            Op::Sum | Op::Mean | Op::Cumsum => Acc::Sum(Accumulator::new(mode)?),
            Op::Norm(NormKind::One) => Acc::Sum(Accumulator::with_kind(Kind::Asum, mode)?),
            Op::Norm(NormKind::Two) => Acc::Norm2(Box::new(Norm2Accumulator::new(mode)?)),
            Op::Norm(NormKind::Inf) => Acc::NormInf(NormInfAccumulator::new(), 0),
            Op::Var(_) => Acc::Moments(Box::new(VarianceAccumulator::new())),
            Op::Dot => Acc::Dot(Box::new(DotAccumulator::new(mode)?)),
        })
    }

    /// Adds numbers on the calling thread.
    pub(crate) fn extend(&mut self, terms: Terms<'_, T>) -> samebits::Result<()> {
        match self {
            Acc::Sum(acc) => acc.extend(terms.x),
            Acc::Norm2(acc) => acc.extend(terms.x),
            Acc::NormInf(acc, count) => {
                acc.extend(terms.x)?;
                *count += terms.x.len() as u64;
                Ok(())
            }
            Acc::Moments(acc) => acc.extend(terms.x),
            Acc::Dot(acc) => acc.extend(terms.x, terms.y),
        }
    }

    /// Adds numbers on a queue's device and threads.
    pub(crate) fn extend_on(&mut self, queue: &Queue, terms: Terms<'_, T>) -> samebits::Result<()> {
        match self {
            Acc::Sum(acc) => acc.extend_on(queue, terms.x),
            Acc::Norm2(acc) => acc.extend_on(queue, terms.x),
            Acc::NormInf(acc, count) => {
                acc.extend_on(queue, terms.x)?;
                *count += terms.x.len() as u64;
                Ok(())
            }
            Acc::Moments(acc) => acc.extend_on(queue, terms.x),
            Acc::Dot(acc) => acc.extend_on(queue, terms.x, terms.y),
        }
    }

    /// Adds integers that the type cannot hold. Only exact sums can, see [`Op::counts_integers`].
    pub(crate) fn extend_integers(&mut self, integers: &[i128]) -> samebits::Result<()> {
        match self {
            Acc::Sum(acc) => integers.iter().try_for_each(|&n| acc.add_integer(n)),
            _ if integers.is_empty() => Ok(()),
            _ => unreachable!("such integers are refused as they are read"),
        }
    }

    /// Adds what another one of the same operation and mode holds.
    pub(crate) fn merge(&mut self, other: &Self) -> samebits::Result<()> {
        match (self, other) {
            (Acc::Sum(a), Acc::Sum(b)) => a.merge(b),
            (Acc::Norm2(a), Acc::Norm2(b)) => a.merge(b),
            (Acc::NormInf(a, count), Acc::NormInf(b, more)) => {
                a.merge(b);
                *count += more;
                Ok(())
            }
            (Acc::Moments(a), Acc::Moments(b)) => a.merge(b),
            (Acc::Dot(a), Acc::Dot(b)) => a.merge(b),
            _ => Err(Error::Argument { what: "merge", why: "of accumulators of different operations".to_owned() }),
        }
    }

    /// The state, if it has bytes: a largest absolute value has none.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        match self {
            Acc::Sum(acc) => Some(acc.to_bytes()),
            Acc::Norm2(acc) => Some(acc.to_bytes()),
            Acc::NormInf(..) => None,
            Acc::Moments(acc) => Some(acc.to_bytes()),
            Acc::Dot(acc) => Some(acc.to_bytes()),
        }
    }

    /// Reads a state of a kind.
    fn from_bytes(kind: Kind, bytes: &[u8]) -> samebits::Result<Self> {
        Ok(match kind {
            Kind::Sum | Kind::Asum => Acc::Sum(Accumulator::from_bytes(bytes)?),
            Kind::Norm2 => Acc::Norm2(Box::new(Norm2Accumulator::from_bytes(bytes)?)),
            Kind::Moments => Acc::Moments(Box::new(VarianceAccumulator::from_bytes(bytes)?)),
            Kind::Dot => Acc::Dot(Box::new(DotAccumulator::from_bytes(bytes)?)),
            other => {
                let why = format!("a state of kind {} means nothing to this command", other.name());
                return Err(Error::Argument { what: "state", why });
            }
        })
    }

    /// Through the state's bytes and back, where there are any.
    pub(crate) fn through_bytes(self) -> samebits::Result<Self> {
        match (&self, self.to_bytes()) {
            (_, None) => Ok(self),
            (Acc::Dot(_), Some(bytes)) => Ok(Acc::Dot(Box::new(DotAccumulator::from_bytes(&bytes)?))),
            (_, Some(bytes)) => Self::from_bytes(self.kind(), &bytes),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Acc::Sum(acc) => acc.kind(),
            Acc::Norm2(_) => Kind::Norm2,
            Acc::NormInf(..) => Kind::Asum,
            Acc::Moments(_) => Kind::Moments,
            Acc::Dot(_) => Kind::Dot,
        }
    }

    fn mode(&self) -> Mode {
        match self {
            Acc::Sum(acc) => acc.mode(),
            Acc::Norm2(acc) => acc.mode(),
            Acc::Dot(acc) => acc.mode(),
            Acc::NormInf(..) | Acc::Moments(_) => Mode::exact(),
        }
    }

    fn count(&self) -> u64 {
        match self {
            Acc::Sum(acc) => acc.count(),
            Acc::Norm2(acc) => acc.count(),
            Acc::NormInf(_, count) => *count,
            Acc::Moments(acc) => acc.count(),
            Acc::Dot(acc) => acc.count(),
        }
    }

    /// What it holds, as users call it.
    fn describe(&self) -> String {
        let what = match self {
            Acc::Sum(acc) if acc.kind() == Kind::Asum => "norm",
            Acc::Sum(_) => "sum",
            Acc::Norm2(_) => "2-norm",
            Acc::NormInf(..) => "largest absolute value",
            Acc::Moments(_) => "variance",
            Acc::Dot(_) => "dot",
        };
        let mode = self.mode().fold_count().map_or("exact".to_owned(), |folds| format!("{folds} folds"));
        format!("{what} of {}, {mode}", T::NAME)
    }

    /// The result of an operation.
    pub(crate) fn figure(&self, op: Op) -> Figure {
        let (value, bound) = match (self, op) {
            (Acc::Sum(acc), Op::Mean) => {
                let mean = acc.mean().number();
                (mean, mean_bound(acc, mean))
            }
            (Acc::Sum(acc), _) => (acc.value().number(), acc.error_bound()),
            (Acc::Norm2(acc), _) => (acc.value().number(), acc.error_bound()),
            (Acc::NormInf(acc, _), _) => {
                let value = acc.value().number();
                (value, if value.is_nan() { f64::NAN } else { 0.0 })
            }
            (Acc::Moments(acc), op) => {
                let Spread { ddof, std } = if let Op::Var(spread) = op { spread } else { Spread::SAMPLE };
                let ddof = ddof.into();
                let value = if std { acc.std_dev(ddof) } else { acc.variance(ddof) }.number();
                (value, rounding_bound(value))
            }
            (Acc::Dot(acc), _) => (acc.value().number(), acc.error_bound()),
        };
        Figure { value, count: self.count(), bound, mode: self.mode() }
    }
}

/// An accumulator of either type.
#[derive(Clone, Debug)]
pub(crate) enum Total {
    F32(Acc<f32>),
    F64(Acc<f64>),
}

/// Runs the same expression on either type.
macro_rules! either {
    ($total:expr, $acc:ident => $body:expr) => {
        match $total {
            Total::F32($acc) => $body,
            Total::F64($acc) => $body,
        }
    };
}

impl Total {
    /// Reads a state.
    pub(crate) fn from_bytes(bytes: &[u8]) -> samebits::Result<Total> {
        let header = Header::read(bytes)?;
        Ok(match header.dtype {
            f32::NAME => Total::F32(Acc::from_bytes(header.kind, bytes)?),
            _ => Total::F64(Acc::from_bytes(header.kind, bytes)?),
        })
    }

    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        either!(self, acc => acc.to_bytes())
    }

    pub(crate) fn dtype(&self) -> &'static str {
        match self {
            Total::F32(_) => f32::NAME,
            Total::F64(_) => f64::NAME,
        }
    }

    /// What a state of this is the result of, if nothing else is said.
    pub(crate) fn op(&self, spread: Spread) -> Op {
        either!(self, acc => match acc {
            Acc::Sum(acc) if acc.kind() == Kind::Asum => Op::Norm(NormKind::One),
            Acc::Sum(_) => Op::Sum,
            Acc::Norm2(_) => Op::Norm(NormKind::Two),
            Acc::NormInf(..) => Op::Norm(NormKind::Inf),
            Acc::Moments(_) => Op::Var(spread),
            Acc::Dot(_) => Op::Dot,
        })
    }

    /// Adds what another one holds. Types, operations and modes must be equal; the message says which are.
    pub(crate) fn merge(&mut self, other: &Total) -> Result<(), String> {
        let name = |total: &Total| either!(total, acc => acc.describe());
        let (ours, theirs) = (name(self), name(other));
        let failed = match (self, other) {
            _ if ours != theirs => return Err(format!("a state of a {theirs} cannot be merged into a {ours}")),
            (Total::F32(a), Total::F32(b)) => a.merge(b),
            (Total::F64(a), Total::F64(b)) => a.merge(b),
            _ => unreachable!("the types were compared by name"),
        };
        failed.map_err(|error| error.to_string())
    }

    /// The result of an operation.
    pub(crate) fn figure(&self, op: Op) -> Figure {
        either!(self, acc => acc.figure(op))
    }
}

/// The mean's error, from the state alone. Of each summand at most half a unit of the last bin was dropped, so the mean
/// lacks no more; and its own rounding is less than one unit in its last place. It is finite where the sum overflows.
fn mean_bound<T: Lane>(acc: &Accumulator<T>, mean: Number) -> f64 {
    let dropped = acc.binned().map_or(0.0, |state| {
        let exponent = T::unit_exponent(state.index() + state.folds() - 1) - 1;
        power_of_two(exponent)
    });
    match mean {
        _ if acc.count() == 0 => f64::NAN,
        mean if mean.is_nan() => f64::NAN,
        // Infinities decide.
        mean if !mean.is_finite() => 0.0,
        mean if dropped == 0.0 => last_place(mean),
        mean => (dropped + last_place(mean)).next_up(),
    }
}

/// At least one unit in the last place of a finite number.
fn last_place(number: Number) -> f64 {
    let (size, epsilon, least) = match number {
        Number::F32(v) => (f64::from(v).abs(), f64::from(f32::EPSILON), f64::from(f32::from_bits(1))),
        Number::F64(v) => (v.abs(), f64::EPSILON, f64::from_bits(1)),
    };
    (size * epsilon).next_up().max(least)
}

/// 2 to this power, which an f64 has.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (exponent + 1074)),
    }
}

/// The error of what is exact and rounded once: less than a unit in the last place.
fn rounding_bound(value: Number) -> f64 {
    match value {
        value if value.is_nan() => f64::NAN,
        value if value.is_finite() => last_place(value),
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(values: &[f64], mode: Mode) -> f64 {
        let mut acc = Acc::new(Op::Mean, mode).unwrap();
        acc.extend(Terms::one(values)).unwrap();
        acc.figure(Op::Mean).bound
    }

    #[test]
    fn bounds_of_means_cover_their_own_rounding() {
        // The sum 1 is exact, and its third part is not.
        for mode in [Mode::exact(), Mode::default()] {
            let bound = bound(&[0.5, 0.25, 0.25], mode);
            // tolerance: a bound is to be larger than an error, here half a unit of 2^-54, and not by much
            assert!(bound > 2f64.powi(-55) && bound < 2f64.powi(-53));
        }
        assert!(bound(&[], Mode::default()).is_nan() && bound(&[f64::NAN], Mode::default()).is_nan());
        assert_eq!(bound(&[f64::INFINITY, 1.0], Mode::default()).to_bits(), 0);
        // Nor is a mean that rounded to zero without an error.
        let third = bound(&[f64::from_bits(1), 0.0, 0.0], Mode::exact());
        assert!(third >= f64::from_bits(1));
    }

    #[test]
    fn bounds_of_means_are_finite_where_sums_overflow() {
        for mode in [Mode::exact(), Mode::default(), Mode::folds(2).unwrap()] {
            let bound = bound(&[f64::MAX; 3], mode);
            assert!(bound.is_finite() && bound > 0.0, "{mode:?}");
        }
        // What three folds drop of each small summand.
        let bound = bound(&[2f64.powi(200), 1.0, 1.0], Mode::default());
        // tolerance: a bound is to be larger than an error, here the third part of what was dropped
        assert!(bound >= 2f64.powi(200) / 3.0 * f64::EPSILON);
    }

    #[test]
    fn powers_of_two_are_exact() {
        for exponent in [-1074, -1056, -1023, -1022, 0, 984, 1023] {
            assert_eq!(power_of_two(exponent).to_bits(), 2f64.powi(exponent).to_bits(), "{exponent}");
        }
    }
}
