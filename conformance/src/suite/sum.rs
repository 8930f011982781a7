//! Sums and sums of absolute values, binned and exact.

use crate::{Bits, Case, Dtype, Op, SEED_SUM_BITS, SplitMix64, assert_biteq, cases, orders, seed_vector};
use samebits_core::{Binned, Exact, Kind, MAX_STATE_BYTES};
use samebits_device::{Backend, Element, Reference};

/// The state after adding `parts` one after another.
fn binned<T: Element>(backend: &dyn Backend, kind: Kind, folds: usize, parts: &[&[T]]) -> Binned<T> {
    let mut acc = Binned::with_kind(kind, folds).expect("a fold count of the type");
    for part in parts {
        T::binned(backend.reduce(), part, &mut acc).expect("an input within the capacity");
    }
    acc
}

fn exact<T: Element>(backend: &dyn Backend, kind: Kind, parts: &[&[T]]) -> Exact<T> {
    let mut acc = Exact::with_kind(kind);
    for part in parts {
        T::exact(backend.reduce(), part, &mut acc).expect("an input within the capacity");
    }
    acc
}

fn binned_bytes<T: Element>(acc: &Binned<T>) -> Vec<u8> {
    let mut bytes = vec![0; MAX_STATE_BYTES];
    let n = acc.write_bytes(&mut bytes).expect("room for any state");
    bytes.truncate(n);
    bytes
}

fn exact_bytes<T: Element>(acc: &Exact<T>) -> Vec<u8> {
    let mut bytes = vec![0; MAX_STATE_BYTES];
    let n = acc.write_bytes(&mut bytes).expect("room for any state");
    bytes.truncate(n);
    bytes
}

/// Every case with known bits, in three orders.
pub fn golden(backend: &dyn Backend) -> usize {
    let mut checks = 0;
    for (op, kind) in [(Op::Sum, Kind::Sum), (Op::Asum, Kind::Asum)] {
        for case in cases(op) {
            checks += match case.dtype {
                Dtype::F64 => golden_case::<f64>(backend, kind, &case),
                Dtype::F32 => golden_case::<f32>(backend, kind, &case),
            };
        }
    }
    checks
}

fn golden_case<T: Element + Bits>(backend: &dyn Backend, kind: Kind, case: &Case) -> usize {
    let x: Vec<T> = case.inputs();
    for (order, x) in
        [("as it is", x.clone()), ("reversed", orders::reversed(&x)), ("shuffled", orders::shuffled(&x, 7))]
    {
        let value = binned(backend, kind, case.fold, &[&x]).value();
        assert_biteq!(value, case.expected::<T>(), "{} on {}, {order}", case.name, backend.name());
        if let Some(bits) = case.exact_bits {
            let value = exact(backend, kind, &[&x]).value();
            let expected = <T as samebits_core::Float>::from_bits(bits);
            assert_biteq!(value, expected, "{} exact on {}, {order}", case.name, backend.name());
        }
    }
    3 + 3 * usize::from(case.exact_bits.is_some())
}

/// Sums that other systems got wrong, in several orders and partitions.
pub fn faults(backend: &dyn Backend) -> usize {
    let mut checks = 0;
    for fault in crate::faults() {
        checks += match fault.dtype {
            Dtype::F64 => fault_case::<f64>(backend, &fault),
            Dtype::F32 => fault_case::<f32>(backend, &fault),
        };
    }
    checks
}

fn fault_case<T: Element + Bits>(backend: &dyn Backend, fault: &crate::Fault) -> usize {
    let x: Vec<T> = fault.inputs();
    let from_bits = <T as samebits_core::Float>::from_bits;
    let reference = binned(&Reference, Kind::Sum, 3, &[&x]);
    let mut checks = 0;
    let orders_of = if x.len() > 100_000 { 2 } else { 6 };
    for seed in 0..orders_of {
        let x = if seed == 0 { x.clone() } else { orders::shuffled(&x, seed) };
        let (a, b) = x.split_at(x.len() / 2);
        let acc = binned(backend, Kind::Sum, 3, &[b, a]);
        assert_eq!(acc, reference, "{} on {}: {}", fault.name, backend.name(), fault.what);
        if let Some(bits) = fault.binned_bits {
            assert_biteq!(acc.value(), from_bits(bits), "{} on {}: {}", fault.name, backend.name(), fault.what);
        }
        let value = exact(backend, Kind::Sum, &[b, a]).value();
        assert_biteq!(value, from_bits(fault.exact_bits), "{} exact on {}: {}", fault.name, backend.name(), fault.what);
        checks += 2;
    }
    checks
}

/// The published result for a million uniform doubles: the same bits for K = 2, 3, 4 and 6, in any order.
pub fn published(backend: &dyn Backend) -> usize {
    let x = seed_vector();
    for (order, x) in
        [("as drawn", x.clone()), ("shuffled", orders::shuffled(&x, 1)), ("reversed", orders::reversed(&x))]
    {
        for folds in [2, 3, 4, 6] {
            let value = binned(backend, Kind::Sum, folds, &[&x]).value();
            assert_biteq!(value, f64::from_bits(SEED_SUM_BITS), "K={folds}, {order}, on {}", backend.name());
        }
    }
    12
}

/// Hard inputs against the reference backend: not only the value, every byte of the state must be equal, for the given
/// folds, both kinds and exact mode, whole, in pieces, and in other orders. Long inputs take only the first two folds.
pub fn hard_inputs<T: Element + Bits>(backend: &dyn Backend, folds: &[usize]) -> usize {
    let folds_for = |x: &[T]| if x.len() > 3000 { &folds[..2] } else { folds };
    crate::hard::<T>().into_iter().map(|(name, x)| against_reference(backend, &name, &x, folds_for(&x))).sum()
}

/// `rounds` random inputs against the reference backend: random bit patterns, clusters of exponents, ties, specials,
/// at random lengths up to `max_len`.
pub fn random_inputs<T: Element + Bits>(backend: &dyn Backend, seed: u64, rounds: usize, max_len: usize) -> usize {
    let mut random = SplitMix64::new(seed);
    let mut checks = 0;
    for round in 0..rounds {
        let len = (random.next() % (max_len as u64 + 1)) as usize;
        let x: Vec<T> = random_values(&mut random, len);
        let folds = [2 + (random.next() % (T::MAX_FOLDS as u64 - 1)) as usize, 2 + round % 5];
        checks += against_reference(backend, &format!("random input, seed {seed}, round {round}"), &x, &folds);
    }
    checks
}

pub(super) fn random_values<T: Element>(random: &mut SplitMix64, len: usize) -> Vec<T> {
    let mantissa_bits = T::PRECISION - 1;
    let fields = (1u64 << (T::BITS - T::PRECISION)) - 1;
    let (base, spread) = (random.next() % fields, 1 + random.next() % [1, 4, 60, fields][(random.next() % 4) as usize]);
    let cut = [0, mantissa_bits / 2, mantissa_bits - 3][(random.next() % 3) as usize];
    let special_rate = [u64::MAX, 1000, 20][(random.next() % 3) as usize];
    (0..len)
        .map(|_| {
            let (a, b) = (random.next(), random.next());
            let special = a % special_rate == special_rate - 1;
            let field = if special { fields } else { (base + b % spread) % fields };
            let mantissa = (b >> 8 & ((1 << mantissa_bits) - 1)) >> cut << cut;
            <T as samebits_core::Float>::from_bits((a >> 63) << (T::BITS - 1) | field << mantissa_bits | mantissa)
        })
        .collect()
}

fn against_reference<T: Element + Bits>(backend: &dyn Backend, name: &str, x: &[T], folds: &[usize]) -> usize {
    let mut checks = 0;
    let reversed = orders::reversed(x);
    let shuffled = orders::shuffled(x, 99);
    let (one, two) = (x.len() / 3, x.len() / 2);
    // Pieces begin at odd addresses and are merged in the wrong order.
    let ways: [(&str, Vec<&[T]>); 4] = [
        ("whole", vec![x]),
        ("reversed", vec![&reversed]),
        ("shuffled", vec![&shuffled]),
        ("in pieces", vec![&x[two..], &[], &x[one..two], &x[..one]]),
    ];
    for kind in [Kind::Sum, Kind::Asum] {
        for &k in folds {
            let expected = binned(&Reference, kind, k, &[x]);
            for (way, parts) in &ways {
                let acc = binned(backend, kind, k, parts);
                let place = || format!("{name}, n={}, {}, K={k}, {way}, on {}", x.len(), kind.name(), backend.name());
                assert_biteq!(acc.value(), expected.value(), "{}", place());
                assert_eq!(binned_bytes(&acc), binned_bytes(&expected), "state bytes of {}", place());
                checks += 2;
            }
        }
        let expected = exact(&Reference, kind, &[x]);
        for (way, parts) in &ways {
            let acc = exact(backend, kind, parts);
            let place = || format!("{name}, n={}, {}, exact, {way}, on {}", x.len(), kind.name(), backend.name());
            assert_biteq!(acc.value(), expected.value(), "{}", place());
            assert_eq!(exact_bytes(&acc), exact_bytes(&expected), "state bytes of {}", place());
            checks += 2;
        }
    }
    checks
}

/// The short hard inputs with every fold count of `folds`.
pub fn every_fold<T: Element + Bits>(backend: &dyn Backend, folds: &[usize]) -> usize {
    let short = crate::hard::<T>().into_iter().filter(|(_, x)| x.len() < 300);
    short.map(|(name, x)| against_reference(backend, &name, &x, folds)).sum()
}
