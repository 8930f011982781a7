//! The generators that data files name, so that a case of a million values is one line. `data/PROVENANCE.md` defines them.

use crate::bits::Bits;
use crate::field::{array, hex};
use crate::splitmix::SplitMix64;
use serde_json::Value;
use std::cmp::Ordering;

/// How to make a vector.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    seed: u64,
    shape: Shape,
    inject: Vec<(usize, u64)>,
    order: Order,
}

#[derive(Clone, Debug)]
enum Shape {
    Each(Draw),
    Cancel { pairs: usize, small_n: usize, base: Draw, small: Draw },
    OnesBig { big: u64, pairs: usize, ones: usize },
    Mixture(Vec<Draw>),
    Spikes { base: Draw, spike: Draw, period: usize, phase: usize },
}

/// How to make one element.
#[derive(Clone, Debug)]
enum Draw {
    Uniform01 { scale: f64 },
    UniformPm1 { scale: f64 },
    Wide { emin: i64, emax: i64, sign: Sign, clear_low_bits: bool },
    Exps { exps: Vec<i64>, sign: Sign },
    Subnormal { sign: Sign },
    Zeros,
    Ints { max: u64 },
    Constant { bits: u64 },
    Ramp { start: f64 },
    Pow2 { e0: i64, step: i64, period: usize, alternate: bool },
    Weyl,
}

#[derive(Clone, Copy, Debug)]
enum Sign {
    Random,
    Plus,
    Minus,
}

#[derive(Clone, Copy, Debug)]
enum Order {
    AsMade,
    Ascending,
    Descending,
    Reverse,
    Shuffle(u64),
}

impl Generator {
    pub(crate) fn read(name: &str, value: &Value) -> Self {
        let from = Reader { name, value };
        let shape = match from.text("kind") {
            "cancel" => Shape::Cancel {
                pairs: from.count("pairs"),
                small_n: from.count("small_n"),
                base: from.draw("base"),
                small: from.draw("small"),
            },
            "ones_big" => {
                Shape::OnesBig { big: hex(from.get("big_bits")), pairs: from.count("pairs"), ones: from.count("ones") }
            }
            "mixture" => Shape::Mixture(
                array(from.get("parts")).iter().map(|value| Reader { name, value }.this_draw()).collect(),
            ),
            "spikes" => Shape::Spikes {
                base: from.draw("base"),
                spike: from.draw("spike"),
                period: from.count("period"),
                phase: from.count("phase"),
            },
            _ => Shape::Each(from.this_draw()),
        };
        let inject = match value.get("inject") {
            None => Vec::new(),
            Some(list) => array(list).iter().map(|pair| (integer(&pair[0]) as usize, hex(&pair[1]))).collect(),
        };
        let order = match value.get("order").map_or("none", |_| from.text("order")) {
            "none" => Order::AsMade,
            "asc" => Order::Ascending,
            "desc" => Order::Descending,
            "reverse" => Order::Reverse,
            "shuffle" => Order::Shuffle(from.count("order_seed") as u64),
            other => panic!("{name}: unknown order {other:?}"),
        };
        let seed = value.get("seed").map_or(0, |_| from.count("seed") as u64);
        Generator { seed, shape, inject, order }
    }

    pub(crate) fn run<T: Bits>(&self, name: &str, n: usize) -> Vec<T> {
        let mut draws = SplitMix64::new(self.seed);
        let mut values = self.shape.run::<T>(n, &mut draws);
        assert_eq!(values.len(), n, "{name}: the generator makes another number of values than n");
        for &(at, bits) in &self.inject {
            values[at] = T::from_pattern(bits);
        }
        match self.order {
            Order::AsMade => {}
            Order::Ascending => values.sort_by(by_value),
            Order::Descending => values.sort_by(|a, b| by_value(b, a)),
            Order::Reverse => values.reverse(),
            Order::Shuffle(seed) => SplitMix64::new(seed).shuffle(&mut values),
        }
        values
    }
}

/// By value, equal values (the two zeros) by their bits.
fn by_value<T: Bits>(a: &T, b: &T) -> Ordering {
    let values = a.partial_cmp(b).expect("a generator that sorts makes no NaN");
    values.then(a.pattern().cmp(&b.pattern()))
}

fn negated<T: Bits>(x: T) -> T {
    T::from_pattern(x.pattern() ^ (1 << (T::WIDTH - 1)))
}

impl Shape {
    fn run<T: Bits>(&self, n: usize, draws: &mut SplitMix64) -> Vec<T> {
        match self {
            Shape::Each(draw) => (0..n).map(|i| draw.one(i, draws)).collect(),
            Shape::Cancel { pairs, small_n, base, small } => {
                let mut values: Vec<T> = (0..*pairs).map(|i| base.one(i, draws)).collect();
                values.extend_from_within(..);
                values[*pairs..].iter_mut().for_each(|x| *x = negated(*x));
                values.extend((0..*small_n).map(|i| small.one::<T>(i, draws)));
                draws.shuffle(&mut values);
                values
            }
            Shape::OnesBig { big, pairs, ones } => {
                let big = T::from_pattern(*big);
                let mut values = [big, negated(big)].repeat(*pairs);
                values.extend(std::iter::repeat_n(T::nearest(1.0), *ones));
                draws.shuffle(&mut values);
                values
            }
            Shape::Mixture(parts) => (0..n)
                .map(|i| {
                    let part = draws.below(parts.len());
                    parts[part].one(i, draws)
                })
                .collect(),
            Shape::Spikes { base, spike, period, phase } => {
                (0..n).map(|i| if i % period == *phase { spike } else { base }.one(i, draws)).collect()
            }
        }
    }
}

impl Draw {
    fn one<T: Bits>(&self, i: usize, draws: &mut SplitMix64) -> T {
        match self {
            Draw::Uniform01 { scale } => T::nearest(unit::<T>(draws) * scale),
            Draw::UniformPm1 { scale } => T::nearest((2.0 * unit::<T>(draws) - 1.0) * scale),
            Draw::Wide { emin, emax, sign, clear_low_bits } => {
                let (a, b) = (draws.next(), draws.next());
                let e = emin + (a & 0x7fff_ffff) as i64 % (emax - emin + 1);
                let mut field = b >> (64 - T::MANTISSA);
                if *clear_low_bits {
                    let cleared = draws.next() % u64::from(T::MANTISSA + 1);
                    field = field >> cleared << cleared;
                }
                normal(sign.bit(a), e, field)
            }
            Draw::Exps { exps, sign } => {
                let (a, b) = (draws.next(), draws.next());
                let e = exps[(a & 0x7fff_ffff) as usize % exps.len()];
                normal(sign.bit(a), e, b >> (64 - T::MANTISSA))
            }
            Draw::Subnormal { sign } => {
                let a = draws.next();
                T::from_pattern(sign.bit(a) << (T::WIDTH - 1) | a & ((1 << T::MANTISSA) - 1))
            }
            Draw::Zeros => T::from_pattern(draws.next() >> 63 << (T::WIDTH - 1)),
            Draw::Ints { max } => T::nearest((draws.next() % (2 * max + 1)) as f64 - *max as f64),
            Draw::Constant { bits } => T::from_pattern(*bits),
            Draw::Ramp { start } => T::nearest(i as f64 + start),
            Draw::Pow2 { e0, step, period, alternate } => {
                let j = i % period;
                normal(u64::from(*alternate) & j as u64 & 1, e0 + j as i64 * step, 0)
            }
            Draw::Weyl => T::nearest(f64::from((i as u32).wrapping_mul(2_654_435_761)) / 4_294_967_296.0),
        }
    }
}

/// A draw from [0, 1), a multiple of 2^-53 or, for f32, 2^-24.
fn unit<T: Bits>(draws: &mut SplitMix64) -> f64 {
    let kept = T::MANTISSA + 1;
    (draws.next() >> (64 - kept)) as f64 * power_of_two(-i64::from(kept))
}

fn normal<T: Bits>(negative: u64, exponent: i64, field: u64) -> T {
    T::from_pattern(negative << (T::WIDTH - 1) | ((exponent + i64::from(T::BIAS)) as u64) << T::MANTISSA | field)
}

fn power_of_two(e: i64) -> f64 {
    assert!((-1022..=1023).contains(&e), "2^{e} is no normal double");
    f64::from_bits(((e + 1023) as u64) << 52)
}

impl Sign {
    fn bit(self, draw: u64) -> u64 {
        match self {
            Sign::Random => draw >> 63,
            Sign::Plus => 0,
            Sign::Minus => 1,
        }
    }
}

/// Reads the fields of a generator.
struct Reader<'a> {
    name: &'a str,
    value: &'a Value,
}

impl<'a> Reader<'a> {
    fn get(&self, key: &str) -> &'a Value {
        self.value.get(key).unwrap_or_else(|| panic!("{}: the generator has no {key:?}", self.name))
    }

    fn text(&self, key: &str) -> &'a str {
        self.get(key).as_str().unwrap_or_else(|| panic!("{}: {key:?} is no text", self.name))
    }

    fn count(&self, key: &str) -> usize {
        self.get(key).as_u64().unwrap_or_else(|| panic!("{}: {key:?} is no count", self.name)) as usize
    }

    fn integer_or(&self, key: &str, default: i64) -> i64 {
        self.value.get(key).map_or(default, integer)
    }

    fn draw(&self, key: &str) -> Draw {
        Reader { name: self.name, value: self.get(key) }.this_draw()
    }

    fn sign(&self) -> Sign {
        match self.value.get("sign").map_or("random", |_| self.text("sign")) {
            "random" => Sign::Random,
            "+" => Sign::Plus,
            "-" => Sign::Minus,
            other => panic!("{}: unknown sign {other:?}", self.name),
        }
    }

    fn this_draw(&self) -> Draw {
        let scale = || power_of_two(self.integer_or("scale_exp", 0));
        let wide = |clear_low_bits| Draw::Wide {
            emin: integer(self.get("emin")),
            emax: integer(self.get("emax")),
            sign: self.sign(),
            clear_low_bits,
        };
        match self.text("kind") {
            "uniform01" => Draw::Uniform01 { scale: scale() },
            "uniform_pm1" => Draw::UniformPm1 { scale: scale() },
            "wide" => wide(false),
            "ties" => wide(true),
            "exps" => Draw::Exps { exps: array(self.get("exps")).iter().map(integer).collect(), sign: self.sign() },
            "subnormal" => Draw::Subnormal { sign: self.sign() },
            "zeros" => Draw::Zeros,
            "ints" => Draw::Ints { max: self.count("max") as u64 },
            "constant" => Draw::Constant { bits: hex(self.get("bits")) },
            "ramp" => Draw::Ramp { start: self.integer_or("start", 0) as f64 },
            "pow2" => Draw::Pow2 {
                e0: integer(self.get("e0")),
                step: integer(self.get("step")),
                period: self.count("period"),
                alternate: self.value.get("alternate").is_some_and(|v| v.as_bool() == Some(true)),
            },
            "weyl" => Draw::Weyl,
            other => panic!("{}: unknown generator {other:?}", self.name),
        }
    }
}

fn integer(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("not an integer: {value}"))
}
