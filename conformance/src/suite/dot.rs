//! Dots, binned and exact, and moments.

use super::bytes::bytes_of;
use crate::{Bits, Case, Dtype, Op, SplitMix64, assert_biteq, cases, oracle, orders};
use samebits_core::{Binned, ExactDot, Moments};
use samebits_device::{Backend, Element, Reference};

/// Two vectors of one length.
type Pair<'a, T> = (&'a [T], &'a [T]);

fn binned<T: Element>(backend: &dyn Backend, folds: usize, parts: &[Pair<'_, T>]) -> Binned<T> {
    let mut acc = Binned::new(folds).expect("a fold count of the type");
    for (x, y) in parts {
        T::binned_dot(backend.dots(), x, y, &mut acc).expect("an input within the capacity");
    }
    acc
}

fn exact<T: Element>(backend: &dyn Backend, parts: &[Pair<'_, T>]) -> ExactDot<T> {
    let mut acc = ExactDot::new();
    for (x, y) in parts {
        T::exact_dot(backend.dots(), x, y, &mut acc).expect("an input within the capacity");
    }
    acc
}

fn moments<T: Element>(backend: &dyn Backend, parts: &[&[T]]) -> Moments<T> {
    let mut acc = Moments::new();
    for x in parts {
        T::moments(backend.dots(), x, &mut acc).expect("an input within the capacity");
    }
    acc
}

/// Both vectors in another order, the same for both.
fn shuffled<T: Copy>(x: &[T], y: &[T], seed: u64) -> (Vec<T>, Vec<T>) {
    let pairs: Vec<(T, T)> = x.iter().copied().zip(y.iter().copied()).collect();
    orders::shuffled(&pairs, seed).into_iter().unzip()
}

/// Every case with known bits, in three orders, and with the vectors exchanged.
pub fn golden(backend: &dyn Backend) -> usize {
    let case = |case: &Case| match case.dtype {
        Dtype::F64 => golden_case::<f64>(backend, case),
        Dtype::F32 => golden_case::<f32>(backend, case),
    };
    cases(Op::Dot).iter().map(case).sum()
}

fn golden_case<T: Element + Bits>(backend: &dyn Backend, case: &Case) -> usize {
    let (x, y): (Vec<T>, Vec<T>) = (case.inputs(), case.inputs_y());
    let from_bits = <T as samebits_core::Float>::from_bits;
    for (order, (x, y)) in [
        ("as it is", (x.clone(), y.clone())),
        ("reversed", (orders::reversed(&x), orders::reversed(&y))),
        ("shuffled", shuffled(&x, &y, 7)),
        ("exchanged", (y.clone(), x.clone())),
    ] {
        let place = || format!("{} on {}, {order}", case.name, backend.name());
        assert_biteq!(binned(backend, case.fold, &[(&x, &y)]).value(), case.expected::<T>(), "{}", place());
        let expected = from_bits(case.exact_bits.expect("an exact result"));
        assert_biteq!(exact(backend, &[(&x, &y)]).value(), expected, "exact {}", place());
    }
    8
}

/// Dots that other systems got wrong, in several orders and partitions.
pub fn faults(backend: &dyn Backend) -> usize {
    let fault = |case: &Case| match case.dtype {
        Dtype::F64 => fault_case::<f64>(backend, case),
        Dtype::F32 => fault_case::<f32>(backend, case),
    };
    crate::dot_faults().iter().map(fault).sum()
}

fn fault_case<T: Element + Bits>(backend: &dyn Backend, case: &Case) -> usize {
    let (x, y): (Vec<T>, Vec<T>) = (case.inputs(), case.inputs_y());
    let exact_bits = <T as samebits_core::Float>::from_bits(case.exact_bits.expect("an exact result"));
    for seed in 0..6 {
        let (x, y) = if seed == 0 { (x.clone(), y.clone()) } else { shuffled(&x, &y, seed) };
        let ((a, b), (c, d)) = (x.split_at(x.len() / 2), y.split_at(y.len() / 2));
        let parts = [(b, d), (a, c)];
        assert_biteq!(exact(backend, &parts).value(), exact_bits, "{} exact on {}", case.name, backend.name());
        let value = binned(backend, case.fold, &parts).value();
        assert_biteq!(value, case.expected::<T>(), "{} on {}", case.name, backend.name());
    }
    12
}

/// Hard vectors against themselves, against their reverse and against each other, compared with the reference backend:
/// every byte of every state. Long inputs take only the first fold count.
pub fn hard_inputs<T: Element + Bits>(backend: &dyn Backend, folds: &[usize]) -> usize {
    let all = crate::hard::<T>();
    let mut checks = 0;
    for (i, (name, x)) in all.iter().enumerate() {
        let folds = if x.len() > 3000 { &folds[..1] } else { folds };
        let other = &all[(i * 7 + 3) % all.len()].1;
        let stretched: Vec<T> = x.iter().zip(other.iter().cycle()).map(|(_, &y)| y).collect();
        let others = [("itself", x.clone()), ("its reverse", orders::reversed(x)), ("another", stretched)];
        for (tag, y) in others.iter().filter(|(_, y)| y.len() == x.len()) {
            checks += against_reference(backend, &format!("{name} times {tag}"), x, y, folds);
        }
        checks += moments_against_reference(backend, name, x);
    }
    checks
}

/// `rounds` random pairs of vectors against the reference backend: clusters of exponents whose products lie in range, or
/// overflow or underflow now and then, ties, zeros, specials, at random lengths up to `max_len`. Short ones are
/// compared with big rational numbers as well.
pub fn random_inputs<T: Element + Bits>(backend: &dyn Backend, seed: u64, rounds: usize, max_len: usize) -> usize {
    let mut random = SplitMix64::new(seed);
    let mut checks = 0;
    for round in 0..rounds {
        let len = (random.next() % (max_len as u64 + 1)) as usize >> (4 * (round % 3));
        let (x, y): (Vec<T>, Vec<T>) = random_pairs(&mut random, len);
        let folds = [2 + round % 5, 2 + (random.next() % (T::MAX_FOLDS as u64 - 1)) as usize];
        let name = format!("random input, seed {seed}, round {round}");
        checks += against_reference(backend, &name, &x, &y, &folds) + moments_against_reference(backend, &name, &x);
        if len < 200 {
            assert_biteq!(exact(backend, &[(&x, &y)]).value(), oracle::dot(&x, &y), "{name}");
            let acc = moments(backend, &[&x]);
            assert_biteq!(acc.variance(1), oracle::variance(&x, 1), "{name}");
            assert_biteq!(acc.std_dev(0), oracle::std_dev(&x, 0), "{name}");
            checks += 3;
        }
    }
    checks
}

fn random_pairs<T: Element>(random: &mut SplitMix64, len: usize) -> (Vec<T>, Vec<T>) {
    let mantissa_bits = T::PRECISION - 1;
    let fields = (1u64 << (T::BITS - T::PRECISION)) - 1;
    let middle = fields / 2;
    let mut pick = |choices: &[u64]| choices[(random.next() % choices.len() as u64) as usize];
    // The product has its exponent about the sum of both: in the middle, near either end, or anywhere.
    let spread = pick(&[1, 4, 30, 100, fields]).min(fields);
    let lean = pick(&[0, 0, middle / 2, middle / 4, fields - 1, 3 * middle / 2]);
    let cut = pick(&[0, (mantissa_bits / 2) as u64, mantissa_bits as u64 - 3]) as u32;
    let special_rate = pick(&[u64::MAX, u64::MAX, 1000, 20]);
    let zero_rate = pick(&[u64::MAX, 100, 2]);
    let mut draw = || {
        let (a, b) = (random.next(), random.next());
        if a % zero_rate == zero_rate - 1 {
            return T::from_bits((a >> 63) << (T::BITS - 1));
        }
        let special = a % special_rate == special_rate - 1;
        let field = (middle + lean).wrapping_sub(middle / 2).wrapping_add(b % spread) % fields;
        let field = if special { fields } else { field };
        let mantissa = (b >> 8 & ((1 << mantissa_bits) - 1)) >> cut << cut;
        T::from_bits((a >> 63) << (T::BITS - 1) | field << mantissa_bits | mantissa)
    };
    (0..len).map(|_| (draw(), draw())).unzip()
}

fn against_reference<T: Element + Bits>(backend: &dyn Backend, name: &str, x: &[T], y: &[T], folds: &[usize]) -> usize {
    let (back_x, back_y) = (orders::reversed(x), orders::reversed(y));
    let (mixed_x, mixed_y) = shuffled(x, y, 99);
    let (one, two) = (x.len() / 3, x.len() / 2);
    let part = |from: usize, to: usize| (&x[from..to], &y[from..to]);
    // Pieces begin at odd addresses and are merged in the wrong order.
    let ways: [(&str, Vec<Pair<'_, T>>); 5] = [
        ("whole", vec![(x, y)]),
        ("exchanged", vec![(y, x)]),
        ("reversed", vec![(&back_x, &back_y)]),
        ("shuffled", vec![(&mixed_x, &mixed_y)]),
        ("in pieces", vec![part(two, x.len()), (&[], &[]), part(one, two), part(0, one)]),
    ];
    let place = |what: &str, way: &str| format!("{name}, n={}, {what}, {way}, on {}", x.len(), backend.name());
    for &k in folds {
        let expected = binned(&Reference, k, &[(x, y)]);
        for (way, parts) in &ways {
            let acc = binned(backend, k, parts);
            assert_biteq!(acc.value(), expected.value(), "{}", place(&format!("K={k}"), way));
            assert_eq!(acc, expected, "state of {}", place(&format!("K={k}"), way));
        }
    }
    let expected = exact(&Reference, &[(x, y)]);
    for (way, parts) in &ways {
        let acc = exact(backend, parts);
        assert_biteq!(acc.value(), expected.value(), "{}", place("exact", way));
        let bytes = |acc: &ExactDot<T>| bytes_of(|out| acc.write_bytes(out));
        assert_eq!(bytes(&acc), bytes(&expected), "state bytes of {}", place("exact", way));
    }
    2 * ways.len() * (folds.len() + 1)
}

fn moments_against_reference<T: Element + Bits>(backend: &dyn Backend, name: &str, x: &[T]) -> usize {
    let expected = moments(&Reference, &[x]);
    let (a, b) = x.split_at(x.len() / 3);
    let mixed = orders::shuffled(x, 98);
    for (way, parts) in [("whole", vec![x]), ("shuffled", vec![&mixed[..]]), ("in pieces", vec![b, &[], a])] {
        let acc = moments(backend, &parts);
        let place = || format!("{name}, n={}, moments, {way}, on {}", x.len(), backend.name());
        assert_biteq!(acc.variance(1), expected.variance(1), "{}", place());
        assert_biteq!(acc.std_dev(0), expected.std_dev(0), "{}", place());
        let bytes = |acc: &Moments<T>| bytes_of(|out| acc.write_bytes(out));
        assert_eq!(bytes(&acc), bytes(&expected), "state bytes of {}", place());
    }
    9
}

/// The short hard inputs with every fold count of `folds`.
pub fn every_fold<T: Element + Bits>(backend: &dyn Backend, folds: &[usize]) -> usize {
    let short = crate::hard::<T>().into_iter().filter(|(_, x)| (1..100).contains(&x.len()));
    short.map(|(name, x)| against_reference(backend, &name, &x, &orders::reversed(&x), folds)).sum()
}
