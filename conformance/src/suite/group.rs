//! Sums by key and by segment.

use crate::{Bits, SplitMix64, assert_biteq, hard};
use samebits_core::{Binned, Exact, Kind};
use samebits_device::{Backend, Element, Error, Groups, Mode};

/// All hard inputs but the long ones one after another, and where each begins.
fn joined<T: Bits>() -> (Vec<T>, Vec<usize>) {
    let mut offsets = vec![0];
    let mut x = Vec::new();
    for (_, part) in hard::<T>().into_iter().filter(|(_, x)| x.len() < 300) {
        x.extend(part);
        offsets.push(x.len());
    }
    (x, offsets)
}

/// Finite values of some decades, with a special now and then if asked for.
fn ordinary<T: Bits>(n: usize, seed: u64, specials: bool) -> Vec<T> {
    let mut draws = SplitMix64::new(seed);
    let one = (T::BIAS as u64) << T::MANTISSA;
    let value = |_| {
        let fraction = draws.next() & ((1 << T::MANTISSA) - 1);
        let sign = (draws.next() & 1) << (T::WIDTH - 1);
        let exponent = (draws.below(12) as u64) << T::MANTISSA;
        let special = specials && draws.below(400) == 0;
        T::from_pattern(sign | if special { (2 * one) | fraction } else { one + exponent + fraction })
    };
    (0..n).map(value).collect()
}

fn oracle<T: Element>(x: &[T], kind: Kind, mode: Mode) -> T {
    match mode.fold_count() {
        Some(folds) => {
            let mut acc = Binned::with_kind(kind, folds).expect("a fold count of the type");
            acc.extend(x).expect("few summands");
            acc.value()
        }
        None => {
            let mut acc = Exact::with_kind(kind);
            acc.extend(x).expect("few summands");
            acc.value()
        }
    }
}

/// Segments of hard and of ordinary values, of all lengths about the sizes of vectors and blocks.
pub fn segments<T: Element + Bits>(backend: &dyn Backend, folds: &[usize]) -> usize {
    let mut checks = 0;
    let (x, whole) = joined::<T>();
    let mut inputs = vec![(x.clone(), whole)];
    for (seed, most) in [(1, 3), (2, 100), (3, 1500)] {
        let mut draws = SplitMix64::new(seed);
        for x in [x.clone(), ordinary(4_000, seed, false), ordinary(4_000, seed, true)] {
            let mut offsets = vec![draws.below(5).min(x.len())];
            while let Some(&at) = offsets.last().filter(|&&at| at < x.len()) {
                offsets.push((at + draws.below(most + 1)).min(x.len()));
            }
            inputs.push((x, offsets));
        }
    }
    let modes = folds.iter().map(|&k| Mode::folds(k).expect("a fold count")).chain([Mode::exact()]);
    for mode in modes {
        for kind in [Kind::Sum, Kind::Asum] {
            for (x, offsets) in &inputs {
                let mut out = vec![T::NAN; offsets.len() - 1];
                T::segments(backend.group(), x, offsets, (kind, mode), &mut out).expect("good offsets");
                for (i, (pair, &sum)) in offsets.windows(2).zip(&out).enumerate() {
                    let expected = oracle(&x[pair[0]..pair[1]], kind, mode);
                    assert_biteq!(sum, expected, "segment {i} at {pair:?}, {mode:?}, {kind:?}, {}", backend.name());
                    checks += 1;
                }
            }
        }
    }
    for (offsets, sums) in [(vec![0, 2, 1], 2), (vec![0, 4], 1), (vec![0], 1), (vec![], 0), (vec![5], 0)] {
        let error = T::segments(backend.group(), &[T::NAN; 3], &offsets, Default::default(), &mut vec![T::NAN; sums]);
        assert!(matches!(error, Err(Error::Argument { what: "offsets", .. })), "{offsets:?}");
        checks += 1;
    }
    checks
}

/// Rows of hard and of ordinary values scattered into few and into many groups, in several calls.
pub fn scattered<T: Element + Bits>(backend: &dyn Backend, folds: &[usize]) -> usize {
    let mut checks = 0;
    let (x, _) = joined::<T>();
    // Long enough for several threads, and for every slot to be drained.
    let inputs = [(x.clone(), 7), (x, 3000), (ordinary(9_000, 5, false), 2), (ordinary(2_000, 6, true), 40)];
    let long = [(ordinary(150_000, 7, true), 3)];
    for &folds in folds {
        for kind in [Kind::Sum, Kind::Asum] {
            let more = if (folds, kind) == (3, Kind::Sum) { &long[..] } else { &[] };
            for (seed, (x, groups)) in inputs.iter().chain(more).enumerate() {
                let mut draws = SplitMix64::new(seed as u64);
                let keys: Vec<u32> = x.iter().map(|_| draws.below(*groups) as u32).collect();
                let mut expected = vec![Binned::<T>::with_kind(kind, folds).expect("a fold count"); *groups];
                for (&key, &v) in keys.iter().zip(x) {
                    expected[key as usize].deposit(v).expect("few summands");
                }
                for cuts in [1, 4] {
                    let mut sums = Groups::new(kind, folds, *groups).expect("a fold count");
                    let size = x.len().div_ceil(cuts).max(1);
                    for (keys, x) in keys.chunks(size).zip(x.chunks(size)) {
                        T::scatter(backend.group(), keys, x, &mut sums).expect("good keys");
                    }
                    for (i, expected) in expected.iter().enumerate() {
                        assert_eq!(sums.get(i), *expected, "group {i} of {groups}, {folds} folds, {}", backend.name());
                        assert_eq!(sums.count(i), expected.count());
                        checks += 1;
                    }
                    // Merged with itself it counts twice.
                    let mut twice = Groups::new(kind, folds, *groups).expect("a fold count");
                    twice.merge(&sums).expect("the same shape");
                    twice.merge(&sums).expect("the same shape");
                    let mut double = expected[0];
                    double.merge(&expected[0]).expect("the same shape");
                    assert_eq!(twice.get(0), double);
                }
            }
        }
    }
    let mut sums = Groups::<T>::new(Kind::Sum, folds[0], 3).expect("a fold count");
    for (keys, rows) in [(&[0, 3, 9][..], 3), (&[u32::MAX], 1), (&[0], 2)] {
        let error = T::scatter(backend.group(), keys, &vec![T::INFINITY; rows], &mut sums);
        assert!(matches!(error, Err(Error::Argument { what: "keys", .. })), "{keys:?}");
        assert!((0..3).all(|i| sums.count(i) == 0), "nothing is added after an error");
        checks += 1;
    }
    checks
}
