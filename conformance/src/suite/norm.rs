//! The 2-norm and the infinity norm. The 1-norm is the sum of absolute values: the suite of sums.

use super::sum::random_values;
use crate::{Bits, Case, Dtype, Op, SplitMix64, assert_biteq, cases, oracle, orders};
use samebits_core::{Binned, Class, ExactNorm2, Float, Kind, MAX_STATE_BYTES, Norm2, NormInf, classify};
use samebits_device::{Backend, Element, Reference};

/// The state after adding `parts` one after another.
fn norm2<T: Element>(backend: &dyn Backend, folds: usize, parts: &[&[T]]) -> Norm2<T> {
    let mut acc = Norm2::new(folds).expect("a fold count of the norm");
    for part in parts {
        T::norm2(backend.norms(), part, &mut acc).expect("an input within the capacity");
    }
    acc
}

fn exact<T: Element>(backend: &dyn Backend, parts: &[&[T]]) -> ExactNorm2<T> {
    let mut acc = ExactNorm2::new();
    for part in parts {
        T::exact_norm2(backend.norms(), part, &mut acc).expect("an input within the capacity");
    }
    acc
}

fn norm_inf<T: Element>(backend: &dyn Backend, parts: &[&[T]]) -> NormInf<T> {
    let mut acc = NormInf::new();
    for part in parts {
        T::norm_inf(backend.norms(), part, &mut acc).expect("no limit");
    }
    acc
}

fn bytes<T: Element>(acc: &Norm2<T>) -> Vec<u8> {
    let mut bytes = vec![0; MAX_STATE_BYTES];
    let n = acc.write_bytes(&mut bytes).expect("room for any state");
    bytes.truncate(n);
    bytes
}

/// Every norm with known bits, in three orders.
pub fn golden(backend: &dyn Backend) -> usize {
    let all = cases(Op::Norm2).into_iter();
    all.map(|case| match case.dtype {
        Dtype::F64 => golden_case::<f64>(backend, &case),
        Dtype::F32 => golden_case::<f32>(backend, &case),
    })
    .sum()
}

fn golden_case<T: Element + Bits>(backend: &dyn Backend, case: &Case) -> usize {
    let x: Vec<T> = case.inputs();
    let ways = [("as it is", x.clone()), ("reversed", orders::reversed(&x)), ("shuffled", orders::shuffled(&x, 7))];
    for (order, x) in &ways {
        let value = norm2(backend, case.fold, &[x]).value();
        assert_biteq!(value, case.expected::<T>(), "{} on {}, {order}", case.name, backend.name());
        let expected = <T as Float>::from_bits(case.exact_bits.expect("an exact norm"));
        assert_biteq!(exact(backend, &[x]).value(), expected, "{} exact on {}, {order}", case.name, backend.name());
    }
    2 * ways.len()
}

/// 2-norms that other systems got wrong, in several orders and partitions; where special values decide, they decide the
/// other norms alike.
pub fn faults(backend: &dyn Backend) -> usize {
    let fault = |case: &Case| match case.dtype {
        Dtype::F64 => fault_case::<f64>(backend, case),
        Dtype::F32 => fault_case::<f32>(backend, case),
    };
    crate::norm_faults().iter().map(fault).sum()
}

fn fault_case<T: Element + Bits>(backend: &dyn Backend, case: &Case) -> usize {
    let x: Vec<T> = case.inputs();
    let expected = <T as Float>::from_bits(case.exact_bits.expect("an exact norm"));
    let decided = x.is_empty() || x.iter().any(|v| matches!(classify(*v), Class::Nan | Class::PosInf | Class::NegInf));
    for seed in 0..6 {
        let x = if seed == 0 { x.clone() } else { orders::shuffled(&x, seed) };
        let (a, b) = x.split_at(x.len() / 2);
        let place = || format!("{} on {}, order {seed}", case.name, backend.name());
        assert_biteq!(norm2(backend, case.fold, &[b, a]).value(), case.expected::<T>(), "{}", place());
        assert_biteq!(exact(backend, &[b, a]).value(), expected, "exact {}", place());
        if decided {
            assert_biteq!(norm_inf(backend, &[b, a]).value(), expected, "infinity norm of {}", place());
            let mut one = Binned::with_kind(Kind::Asum, 3).expect("three folds");
            T::binned(backend.reduce(), &x, &mut one).expect("an input within the capacity");
            assert_biteq!(one.value(), expected, "1-norm of {}", place());
        }
    }
    6 * if decided { 4 } else { 2 }
}

/// Hard inputs against the reference backend: every byte of the 2-norm's state and every bit of the values must be equal,
/// whole, in pieces and in other orders. Long inputs take only the first two folds.
pub fn hard_inputs<T: Element + Bits>(backend: &dyn Backend, folds: &[usize]) -> usize {
    let folds_for = |x: &[T]| if x.len() > 3000 { &folds[..2] } else { folds };
    let inputs = crate::hard::<T>().into_iter().chain(scales());
    inputs.map(|(name, x)| against_reference(backend, &name, &x, folds_for(&x))).sum()
}

/// The short hard inputs with every fold count of the norm.
pub fn every_fold<T: Element + Bits>(backend: &dyn Backend) -> usize {
    let folds: Vec<usize> = (T::MIN_FOLDS..=Norm2::<T>::MAX_FOLDS).collect();
    let short = crate::hard::<T>().into_iter().chain(scales()).filter(|(_, x)| x.len() < 300);
    short.map(|(name, x)| against_reference(backend, &name, &x, &folds)).sum()
}

/// `rounds` random inputs against the reference backend, at random lengths up to `max_len`.
pub fn random_inputs<T: Element + Bits>(backend: &dyn Backend, seed: u64, rounds: usize, max_len: usize) -> usize {
    let mut random = SplitMix64::new(seed);
    let mut checks = 0;
    for round in 0..rounds {
        let len = (random.next() % (max_len as u64 + 1)) as usize;
        let x: Vec<T> = random_values(&mut random, len);
        let folds = [2 + (random.next() % (Norm2::<T>::MAX_FOLDS as u64 - 1)) as usize, 2 + round % 5];
        checks += against_reference(backend, &format!("random norm, seed {seed}, round {round}"), &x, &folds);
    }
    checks
}

/// Inputs that turn on the scale: around every power of two at which it changes, and around those whose squares begin a
/// bin; small values beside a large one, so that squares end up near the last bins and below them; a rise at each length
/// at which a kernel looks again.
fn scales<T: Element + Bits>() -> Vec<(String, Vec<T>)> {
    let mut all = Vec::new();
    let width = <T as Float>::WIDTH as i32;
    let (low, high) = (T::QMIN, T::EMAX - 1);
    let power = |e: i32| {
        let mantissa_bits = T::PRECISION - 1;
        let normal = e - T::QMIN - mantissa_bits as i32;
        let bits = if normal >= 0 { (normal as u64 + 1) << mantissa_bits } else { 1 << (e - T::QMIN) };
        <T as Float>::from_bits(bits)
    };
    let beside = |x: T, by: i64| <T as Float>::from_bits(x.bits().wrapping_add_signed(by));
    for e in low + 1..=high {
        if e.rem_euclid(width) > 1 && 2 * e % width > 1 && e - low > 3 {
            continue;
        }
        let around = [beside(power(e), -1), power(e), beside(power(e), 1)];
        all.push((format!("around_2^{e}"), around.to_vec()));
        all.push((format!("rise_to_2^{e}"), [vec![around[0]; 40], vec![around[2]]].concat()));
        for below in [1, width / 2, width, 3 * width, 8 * width, T::EMAX - 2, T::EMAX + 20] {
            let Some(small) = (e - below >= low).then(|| power(e - below)) else { continue };
            let root = beside(small, (1 << (T::PRECISION - 2)) - 1);
            all.push((format!("2^{below}_below_2^{e}"), vec![around[1], small, beside(small, 1), root, around[0]]));
        }
    }
    // Squares that are ties of some bin: an odd multiple of half its unit, hit by rounding.
    for (i, e) in (low / 2..high / 2).step_by(7).enumerate() {
        let x = beside(
            power(e),
            (0x6a09_e667_f3bc_c908_u64 >> (65 - T::PRECISION)) as i64 & ((1 << (T::PRECISION - 1)) - 1),
        );
        all.push((
            format!("root_of_2_at_2^{e}"),
            (-3..=3).map(|by| beside(x, by)).chain([power(e + 1 + i as i32 % 3)]).collect(),
        ));
    }
    for length in [31, 64, 500, 2048, 2049, 5000] {
        for (place, up) in [(0, 1), (length / 2, 2), (length - 1, 9), (length - 1, T::EMAX - 2)] {
            let mut x: Vec<T> = (0..length as i64).map(|i| beside(power(0), i * 12345)).collect();
            x[place] = power((width * up).min(high));
            all.push((format!("length_{length}_rise_at_{place}_by_{up}"), x));
        }
    }
    all
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
    for &k in folds {
        let expected = norm2(&Reference, k, &[x]);
        for (way, parts) in &ways {
            let acc = norm2(backend, k, parts);
            let place = || format!("{name}, n={}, norm2, K={k}, {way}, on {}", x.len(), backend.name());
            assert_biteq!(acc.value(), expected.value(), "{}", place());
            assert_eq!(bytes(&acc), bytes(&expected), "state bytes of {}", place());
            checks += 2;
        }
    }
    let expected = exact(&Reference, &[x]);
    if x.len() < 300 {
        assert_biteq!(expected.value(), oracle::norm2(x), "{name}: the definition against big integers");
    }
    for (way, parts) in &ways {
        let place = || format!("{name}, n={}, exact norm2, {way}, on {}", x.len(), backend.name());
        assert_eq!(exact(backend, parts), expected, "{}", place());
        checks += 1;
    }
    let expected = norm_inf(&Reference, &[x]).value();
    for (way, parts) in &ways {
        let value = norm_inf(backend, parts).value();
        assert_biteq!(value, expected, "{name}, n={}, norm_inf, {way}, on {}", x.len(), backend.name());
        checks += 1;
    }
    checks
}
