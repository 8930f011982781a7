//! Running sums, binned and exact: every result against the definition.

use super::sum::random_values;
use crate::{Bits, Case, Dtype, Op, SplitMix64, assert_biteq, cases, fnv1a64, orders};
use samebits_core::{Binned, Counts, Exact, Float};
use samebits_device::{Backend, Bound, Element, Reference, Span};

const BOUNDS: [Bound; 2] = [Bound::Inclusive, Bound::Exclusive];

/// An accumulator of either kind.
trait Total<T>: Clone + PartialEq + std::fmt::Debug {
    fn scan(&mut self, backend: &dyn Backend, span: Span<'_, T>, bound: Bound);
}

impl<T: Element> Total<T> for Binned<T> {
    fn scan(&mut self, backend: &dyn Backend, span: Span<'_, T>, bound: Bound) {
        T::binned_scan(backend.scans(), span, bound, self).expect("an input within the capacity");
    }
}

impl<T: Element> Total<T> for Exact<T> {
    fn scan(&mut self, backend: &dyn Backend, span: Span<'_, T>, bound: Bound) {
        T::exact_scan(backend.scans(), span, bound, self).expect("an input within the capacity");
    }
}

/// What surrounds the results, and must still be there afterwards.
const CANARY: u64 = 0x5a5a_5a5a_5a5a_5a5a;

/// The running sum into a slice at an odd address, in the given pieces; whatever lies around the slice stays.
fn into<T: Element + Bits, A: Total<T>>(
    backend: &dyn Backend,
    x: &[T],
    acc: &mut A,
    bound: Bound,
    cuts: &[usize],
) -> Vec<T> {
    let canary = <T as Float>::from_bits(CANARY);
    let mut y = vec![canary; x.len() + 2];
    let mut from = 0;
    for &cut in cuts.iter().chain(&[x.len()]) {
        acc.scan(backend, Span::Into { x: &x[from..cut], y: &mut y[from + 1..cut + 1] }, bound);
        from = cut;
    }
    assert_biteq!(y[0], canary, "before the results");
    assert_biteq!(y[x.len() + 1], canary, "after the results");
    y[1..=x.len()].to_vec()
}

fn in_place<T: Element + Bits, A: Total<T>>(backend: &dyn Backend, x: &[T], acc: &mut A, bound: Bound) -> Vec<T> {
    let mut y = x.to_vec();
    acc.scan(backend, Span::InPlace(&mut y), bound);
    y
}

/// Every case with known bits.
pub fn golden(backend: &dyn Backend) -> usize {
    let check = |case: &Case| match case.dtype {
        Dtype::F64 => golden_case::<f64>(backend, case),
        Dtype::F32 => golden_case::<f32>(backend, case),
    };
    cases(Op::Cumsum).iter().map(check).sum()
}

fn golden_case<T: Element + Bits>(backend: &dyn Backend, case: &Case) -> usize {
    let x: Vec<T> = case.inputs();
    let known = case.prefixes.as_ref().expect("a running sum");
    let mut binned = Binned::<T>::new(case.fold).expect("a fold count of the type");
    let y = in_place(backend, &x, &mut binned, Bound::Inclusive);
    for &(at, bits) in &known.bits {
        assert_biteq!(y[at], <T as Float>::from_bits(bits), "{}, result {at}, on {}", case.name, backend.name());
    }
    assert_eq!(fnv1a64(&y), known.fnv1a64, "all results of {} on {}", case.name, backend.name());
    let y = in_place(backend, &x, &mut Exact::<T>::new(), Bound::Inclusive);
    for (at, &bits) in known.exact_bits.iter().flatten().enumerate() {
        assert_biteq!(y[at], <T as Float>::from_bits(bits), "{}, exact, result {at}, on {}", case.name, backend.name());
    }
    assert_eq!(fnv1a64(&y), known.exact_fnv1a64, "all exact results of {} on {}", case.name, backend.name());
    known.bits.len() + 2
}

/// Hard inputs, each result of each against the definition. Long inputs take only the first two folds.
pub fn hard_inputs<T: Element + Bits>(backend: &dyn Backend, folds: &[usize]) -> usize {
    let mut checks = 0;
    for (name, x) in crate::hard::<T>().into_iter().filter(|(_, x)| x.len() < 5000) {
        let folds = if x.len() > 300 { &folds[..2] } else { folds };
        checks += against_reference(backend, &name, &x, folds);
        if x.len() < 600 {
            // Long enough for tiles, the second time in an order in which the window rises most often.
            let mut longer = orders::shuffled(&x, 5);
            longer.extend(x.iter().cycle().take(if x.is_empty() { 0 } else { 200 }));
            let sorted = orders::sorted_by_magnitude(&longer);
            checks += against_reference(backend, &format!("{name}, longer"), &longer, &folds[..2]);
            checks += against_reference(backend, &format!("{name}, sorted"), &sorted, &folds[..1]);
        }
    }
    checks
}

/// `rounds` random inputs: random bit patterns, clusters of exponents, ties, specials, at random lengths up to `max_len`.
pub fn random_inputs<T: Element + Bits>(backend: &dyn Backend, seed: u64, rounds: usize, max_len: usize) -> usize {
    let mut random = SplitMix64::new(seed);
    let mut checks = 0;
    for round in 0..rounds {
        let len = (random.next() % (max_len as u64 + 1)) as usize;
        let x: Vec<T> = random_values(&mut random, len);
        let folds = [2 + round % 3, 2 + (random.next() % (T::MAX_FOLDS as u64 - 1)) as usize];
        checks += against_reference(backend, &format!("random input, seed {seed}, round {round}"), &x, &folds);
    }
    checks
}

/// Lengths about those at which kernels and threads change their path.
pub fn lengths<T: Element + Bits>(backend: &dyn Backend) -> usize {
    let sizes = [
        1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 511, 512, 513, 2047, 2048, 2049, 4095, 4097, 32767,
        32769,
    ];
    sizes
        .iter()
        .map(|&n| {
            let mut random = SplitMix64::new(n as u64);
            let x: Vec<T> = (0..n).map(|_| ordinary(&mut random)).collect();
            against_reference(backend, "ordinary data", &x, &[3, 2])
        })
        .sum()
}

/// Signed, over a dozen binades.
fn ordinary<T: Element>(random: &mut SplitMix64) -> T {
    let (a, mantissa_bits) = (random.next(), T::PRECISION - 1);
    let bias = (1u64 << (T::BITS - T::PRECISION - 1)) - 1;
    let field = bias - (a >> 1) % 12;
    <T as Float>::from_bits((a & 1) << (T::BITS - 1) | field << mantissa_bits | a >> 8 & ((1 << mantissa_bits) - 1))
}

/// Running sums that go on from totals that only huge inputs reach: near the limits of lanes, of windows, of the format.
pub fn large_totals<T: Element + Bits>(backend: &dyn Backend) -> usize {
    let mut random = SplitMix64::new(17);
    let mut checks = 0;
    let x: Vec<T> = (0..700).map(|_| ordinary(&mut random)).collect();
    let one = samebits_core::bin_index(x[0]);
    for bits in [20, 40, 48, 49, 50, 51, 52, 59, 60, 61, 62, 63, 64, 70, 90, 99, 100] {
        let summands = T::CAPACITY / 2;
        if bits > 63 - summands.leading_zeros() + <T as Float>::WIDTH - 1 {
            continue;
        }
        for folds in [2usize, 3, 4] {
            for case in 0..6u32 {
                let total = |k: u32| {
                    let near = (1i128 << bits) - i128::from(random.next() as i64 >> 20 >> (bits.min(40)));
                    if case >> (k % 2) & 1 == 0 { near } else { -near }
                };
                let totals: Vec<i128> = (0..folds as u32).map(total).collect();
                let mut start = Binned::<T>::new(folds).expect("a fold count of the type");
                let index = one - (case as usize % 2);
                let counts = Counts { summands, ..Counts::default() };
                start.absorb(index, &totals, counts).expect("a part");
                let mut exact = Exact::<T>::new();
                exact.count_in(&counts).expect("a count");
                for (k, &s) in totals.iter().enumerate() {
                    exact.add_scaled(s, T::unit_exponent(index + k));
                }
                let name = format!("after totals of 2^{bits}, case {case}, {folds} folds");
                checks += one_total(backend, &name, &x, &start) + one_total(backend, &name, &x, &exact);
            }
        }
    }
    checks
}

/// Exact results that are ties but for a tiny value far before them, and others that fall back to it.
pub fn far_below<T: Element + Bits>(backend: &dyn Backend) -> usize {
    let bias = (1i32 << (T::BITS - T::PRECISION - 1)) - 1;
    let power = |e: i32| <T as Float>::from_bits(((e + bias) as u64) << (T::PRECISION - 1));
    let negative = |x: T| <T as Float>::from_bits(x.bits() | 1 << (T::BITS - 1));
    let (zero, one, large) = (T::default(), power(0), power(T::PRECISION as i32));
    let mut checks = 0;
    for tiny in [power(1 - bias), <T as Float>::from_bits(1), negative(power(-60))] {
        for sign in [|x: T| x, |x: T| <T as Float>::from_bits(x.bits() ^ 1 << (T::BITS - 1))] {
            // Every second result is half way between two neighbours, a little above or below.
            let mut x = vec![tiny];
            x.extend([zero; 400]);
            x.push(sign(large));
            x.extend([sign(one); 600]);
            checks += one_total(backend, "ties far above a tiny value", &x, &Exact::<T>::new());
            // And back to nothing but the tiny value, several times.
            for _ in 0..3 {
                x.extend([sign(large), negative(sign(large)), sign(one), negative(sign(one))].repeat(30));
                x.extend([negative(sign(one)); 300]);
            }
            checks += one_total(backend, "cancellation down to a tiny value", &x, &Exact::<T>::new());
        }
    }
    checks
}

/// Results at the ends of blocks do not depend on the order within the blocks.
pub fn block_ends(backend: &dyn Backend) -> usize {
    let mut random = SplitMix64::new(3);
    let x: Vec<f64> =
        (0..257 * 40).map(|i| ordinary::<f64>(&mut random) * if i % 97 == 0 { 1e200 } else { 1.0 }).collect();
    let mut checks = 0;
    let first = in_place(backend, &x, &mut Binned::new(3).expect("three folds"), Bound::Inclusive);
    for seed in 0..4 {
        let shuffled: Vec<f64> = x.chunks(257).flat_map(|block| orders::shuffled(block, seed)).collect();
        let y = in_place(backend, &shuffled, &mut Binned::new(3).expect("three folds"), Bound::Inclusive);
        for at in (256..y.len()).step_by(257) {
            assert_biteq!(y[at], first[at], "result {at}, seed {seed}, on {}", backend.name());
            checks += 1;
        }
    }
    checks
}

/// Running sums that other systems got wrong.
pub fn faults(backend: &dyn Backend) -> usize {
    let exact = |x: &[f32]| in_place(backend, x, &mut Exact::new(), Bound::Inclusive);
    // A running sum of ones in single precision that stops at 2^24: ties to even there, one up, one down.
    let y = exact(&vec![1.0f32; 16_777_219]);
    for (at, bits) in
        [(16_777_215, 0x4b80_0000), (16_777_216, 0x4b80_0000), (16_777_217, 0x4b80_0001), (16_777_218, 0x4b80_0002)]
    {
        assert_biteq!(y[at], f32::from_bits(bits), "ones, result {at}, on {}", backend.name());
    }
    let ones =
        in_place(backend, &vec![1.0f32; 16_777_219], &mut Binned::new(3).expect("three folds"), Bound::Inclusive);
    assert!(ones.iter().zip(&y).all(|(a, b)| a.bits() == b.bits()), "three folds hold ones exactly");
    // A running sum that differed from run to run.
    let x: Vec<f32> =
        (0..100_000u64).map(|i| ((i * 2_654_435_761 % (1 << 32)) as f64 / 4_294_967_296.0) as f32).collect();
    let y = exact(&x);
    for (at, bits) in [
        (0, 0),
        (1, 0x3f1e_377a),
        (1023, 0x43ff_af4a),
        (1024, 0x4400_0f1f),
        (38399, 0x4695_ff07),
        (38400, 0x4696_000a),
        (65535, 0x46ff_ff86),
        (99999, 0x4743_5028),
    ] {
        assert_biteq!(y[at], f32::from_bits(bits), "fractions, result {at}, on {}", backend.name());
    }
    // Two keyed running sums of tenths that disagreed.
    let y = in_place(backend, &vec![0.1f64; 250_000], &mut Exact::new(), Bound::Inclusive);
    for (count, bits) in [
        (1, 0x3fb9_9999_9999_999a_u64),
        (2, 0x3fc9_9999_9999_999a),
        (3, 0x3fd3_3333_3333_3334),
        (6, 0x3fe3_3333_3333_3334),
        (7, 0x3fe6_6666_6666_6667),
        (10, 0x3ff0_0000_0000_0000),
        (1000, 0x4059_0000_0000_0000),
        (250_000, 0x40d8_6a00_0000_0000),
    ] {
        assert_biteq!(y[count - 1], f64::from_bits(bits), "{count} tenths, on {}", backend.name());
    }
    21
}

fn against_reference<T: Element + Bits>(backend: &dyn Backend, name: &str, x: &[T], folds: &[usize]) -> usize {
    let mut checks = one_total(backend, name, x, &Exact::<T>::new());
    for &k in folds {
        checks += one_total(backend, name, x, &Binned::<T>::new(k).expect("a fold count of the type"));
    }
    checks
}

/// Each result and the state at the end: whole, in pieces, in place, inclusive and exclusive.
fn one_total<T: Element + Bits, A: Total<T>>(backend: &dyn Backend, name: &str, x: &[T], start: &A) -> usize {
    for bound in BOUNDS {
        let mut end = start.clone();
        let expected = in_place(&Reference, x, &mut end, bound);
        let third = x.len() / 3;
        for way in ["whole", "in pieces", "in place"] {
            let mut acc = start.clone();
            let y = match way {
                "whole" => into(backend, x, &mut acc, bound, &[]),
                "in pieces" => into(backend, x, &mut acc, bound, &[third, third, third + third / 2]),
                _ => in_place(backend, x, &mut acc, bound),
            };
            for (i, (got, want)) in y.iter().zip(&expected).enumerate() {
                let on = backend.name();
                assert_biteq!(*got, *want, "{name}, n={}, {bound:?}, {way}, result {i}, on {on}, {start:?}", x.len());
            }
            assert_eq!(acc, end, "state after {name}, n={}, {bound:?}, {way}, on {}", x.len(), backend.name());
        }
    }
    6 * (x.len() + 1)
}
