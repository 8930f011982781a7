//! Segments and groups: the bits of `sum` over the same values, for any order, threads and partition.

use proptest::prelude::*;
use samebits::{Binned, Exact, GroupAccumulator, Grouped, Kind, Mode, Queue, Sum, group_sums, segment_sums};
use samebits_conformance::{SplitMix64, assert_biteq, hard_f64, orders};
use std::collections::BTreeMap;

fn queues() -> Vec<Queue> {
    let mut all = vec![Queue::new(samebits::Device::Reference).unwrap()];
    all.extend([1, 2, 3].map(|threads| Queue::cpu().unwrap().with_threads(threads).unwrap()));
    all
}

fn rows(n: usize, groups: usize, seed: u64) -> Vec<(u32, f64)> {
    let mut draws = SplitMix64::new(seed);
    let row = |_| (draws.below(groups) as u32, draws.next() as i64 as f64 * 2f64.powi(draws.below(60) as i32));
    (0..n).map(row).collect()
}

#[test]
fn groups_do_not_remember_the_order_of_rows() {
    let rows = rows(200_000, 50, 1);
    for mode in [Mode::default(), Mode::folds(2).unwrap(), Mode::folds(9).unwrap(), Mode::exact()] {
        let mut expected = None;
        for queue in queues() {
            for seed in 0..2 {
                let (keys, x): (Vec<u32>, Vec<f64>) = orders::shuffled(&rows, seed).into_iter().unzip();
                let sums = Sum::new().mode(mode).run_groups(&queue, &keys, &x, 50).unwrap();
                let bits: Vec<u64> = sums.iter().map(|s| s.to_bits()).collect();
                assert_eq!(*expected.get_or_insert(bits.clone()), bits, "{mode:?}, {queue:?}");
            }
        }
        let x: Vec<f64> = rows.iter().filter(|row| row.0 == 7).map(|row| row.1).collect();
        let alone = Sum::new().mode(mode).run(&queues()[1], &x).unwrap();
        assert_eq!(expected.unwrap()[7], alone.to_bits(), "{mode:?}");
    }
}

#[test]
fn hard_inputs_in_groups_and_segments() {
    for queue in queues() {
        for (name, x) in hard_f64().into_iter().filter(|(_, x)| x.len() < 3000) {
            let keys: Vec<u32> = (0..x.len()).map(|i| (i % 3) as u32).collect();
            for sum in [Sum::new(), Sum::exact(), Sum::asum()] {
                let sums = sum.run_groups(&queue, &keys, &x, 4).unwrap();
                for (key, &got) in sums.iter().enumerate() {
                    let part: Vec<f64> = x.iter().copied().skip(key).step_by(3).filter(|_| key < 3).collect();
                    assert_biteq!(got, sum.run(&queue, &part).unwrap(), "{name}, group {key}, {queue:?}");
                }
                let n = x.len();
                let offsets = [0, n / 3, n / 3, n];
                let mut out = [f64::NAN; 3];
                sum.run_segments(&queue, &x, &offsets, &mut out).unwrap();
                for (i, &got) in out.iter().enumerate() {
                    let expected = sum.run(&queue, &x[offsets[i]..offsets[i + 1]]).unwrap();
                    assert_biteq!(got, expected, "{name}, segment {i}, {queue:?}");
                }
            }
        }
    }
}

#[test]
fn segments_of_every_size_at_once() {
    let x: Vec<f64> = rows(400_000, 1, 2).into_iter().map(|row| row.1).collect();
    let mut draws = SplitMix64::new(3);
    let mut offsets = vec![1];
    while *offsets.last().unwrap() < x.len() {
        let most = [4, 40, 3000, 150_000][draws.below(4)];
        offsets.push((offsets.last().unwrap() + draws.below(most)).min(x.len()));
    }
    let mut first = vec![0.0; offsets.len() - 1];
    segment_sums(&x, &offsets, &mut first).unwrap();
    for queue in queues() {
        let mut out = vec![f64::NAN; first.len()];
        Sum::new().run_segments(&queue, &x, &offsets, &mut out).unwrap();
        out.iter().zip(&first).for_each(|(&a, &b)| assert_biteq!(a, b, "{queue:?}"));
    }
}

#[test]
fn errors_name_row_and_key() {
    let says = |error: samebits::Error, words: &[&str]| {
        let text = error.to_string();
        words.iter().for_each(|w| assert!(text.contains(w), "'{text}' does not say '{w}'"));
    };
    says(group_sums(&[0, 5], &[1.0, 2.0], 5).unwrap_err(), &["5 in row 1", "5 groups"]);
    says(group_sums(&[0], &[1.0, 2.0], 5).unwrap_err(), &["keys", "1 for 2 values"]);
    says(group_sums(&[0], &[1.0f32], 0).unwrap_err(), &["0 in row 0", "0 groups"]);
    says(Sum::new().folds(30).unwrap().run_groups(&queues()[1], &[0], &[1.0f32], 1).unwrap_err(), &["30 folds"]);
    says(
        Sum::new().folds(30).unwrap().run_segments(&queues()[1], &[1.0f32], &[0, 1], &mut [0.0]).unwrap_err(),
        &["30 folds"],
    );
    assert_eq!(group_sums::<f64>(&[], &[], 0).unwrap(), [0.0; 0]);
    let mut out = [0.0; 2];
    says(segment_sums(&[1.0; 3], &[0, 2, 1], &mut out).unwrap_err(), &["offset 2 is 1", "below 2"]);
    says(segment_sums(&[1.0; 3], &[0, 2, 4], &mut out).unwrap_err(), &["offset 2 is 4", "3 values"]);
    says(segment_sums(&[1.0; 3], &[0, 2], &mut out).unwrap_err(), &["2 of them for 2 sums"]);
    for mode in [Mode::default(), Mode::exact()] {
        let mut acc = GroupAccumulator::<f64>::with_columns(Kind::Sum, mode, 2, 2).unwrap();
        says(acc.extend(&[0], &[1.0]).unwrap_err(), &["columns", "1 given"]);
        says(acc.extend_columns(&[0, 1], &[&[1.0, 2.0], &[1.0]]).unwrap_err(), &["2 for 1 values"]);
        says(acc.extend_columns(&[0, 2], &[&[1.0, 2.0], &[1.0, 2.0]]).unwrap_err(), &["2 in row 1"]);
        assert_eq!((acc.count(0), acc.value_in(0, 0), acc.value_in(1, 0)), (0, 0.0, 0.0));
        says(acc.merge(&GroupAccumulator::new(mode, 2).unwrap()).unwrap_err(), &["columns"]);
        says(acc.merge(&GroupAccumulator::with_columns(Kind::Sum, mode, 3, 2).unwrap()).unwrap_err(), &["groups"]);
        says(acc.merge(&GroupAccumulator::with_columns(Kind::Asum, mode, 2, 2).unwrap()).unwrap_err(), &["kind"]);
        let mode = if mode.is_exact() { Mode::default() } else { Mode::exact() };
        says(acc.merge(&GroupAccumulator::with_columns(Kind::Sum, mode, 2, 2).unwrap()).unwrap_err(), &["folds"]);
    }
    let mut sums = Grouped::<u8, f64>::new(Mode::default()).unwrap();
    says(sums.extend(&[1, 2], &[1.0]).unwrap_err(), &["2 for 1 values"]);
    assert!(sums.is_empty());
}

#[test]
fn several_columns_are_several_sums() {
    let rows = rows(30_000, 11, 4);
    let (keys, x): (Vec<u32>, Vec<f64>) = rows.into_iter().unzip();
    let y: Vec<f64> = x.iter().map(|v| -v * 3.0).collect();
    for mode in [Mode::default(), Mode::exact()] {
        let mut both = GroupAccumulator::with_columns(Kind::Sum, mode, 11, 2).unwrap();
        both.extend_columns_on(&queues()[2], &keys, &[&x, &y]).unwrap();
        let mut one = GroupAccumulator::new(mode, 11).unwrap();
        one.extend(&keys, &y).unwrap();
        for i in 0..11 {
            assert_biteq!(both.value_in(1, i), one.value(i), "{mode:?}");
            assert_eq!(both.accumulator(1, i), one.accumulator(0, i));
            assert_eq!((both.count(i), both.columns(), both.groups()), (one.count(i), 2, 11));
        }
    }
}

#[test]
fn groups_grow() {
    for mode in [Mode::default(), Mode::exact()] {
        let mut acc = GroupAccumulator::<f32>::new(mode, 0).unwrap();
        for i in 0..100u32 {
            acc.grow(i as usize + 1).unwrap();
            acc.extend(&[i, i / 2, 0], &[1.0, 0.5, f32::MAX]).unwrap();
        }
        acc.grow(5).unwrap();
        let mut fixed = GroupAccumulator::new(mode, 100).unwrap();
        (0..100u32).for_each(|i| fixed.extend(&[0, i / 2, i], &[f32::MAX, 0.5, 1.0]).unwrap());
        (0..100).for_each(|i| assert_eq!(acc.accumulator(0, i), fixed.accumulator(0, i), "{mode:?}"));
        assert_eq!(acc.groups(), 100);
    }
}

fn values() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        -1e3..1e3,
        Just(-0.0),
        Just(f64::MAX),
        Just(f64::INFINITY),
        Just(f64::from_bits(1))
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Against a plain map of plain accumulators.
    #[test]
    fn any_rows(rows in prop::collection::vec((0u8..20, values()), 0..300), cut in 0usize..300, threads in 1usize..4) {
        let mut binned = BTreeMap::new();
        let mut exact = BTreeMap::new();
        for &(key, x) in &rows {
            binned.entry(key).or_insert(Binned::<f64>::new(3).unwrap()).deposit(x).unwrap();
            exact.entry(key).or_insert(Exact::<f64>::new()).deposit(x).unwrap();
        }
        let queue = Queue::cpu().unwrap().with_threads(threads).unwrap();
        let bits = |sorted: Vec<(&u8, f64)>| sorted.into_iter().map(|(k, v)| (*k, v.to_bits())).collect::<Vec<_>>();
        for mode in [Mode::default(), Mode::exact()] {
            let (keys, x): (Vec<u8>, Vec<f64>) = rows.iter().copied().unzip();
            let cut = cut.min(x.len());
            let mut a = Grouped::new(mode).unwrap();
            let mut b = Grouped::new(mode).unwrap();
            a.extend_on(&queue, &keys[..cut], &x[..cut]).unwrap();
            b.extend(&keys[cut..], &x[cut..]).unwrap();
            a.merge(&b).unwrap();
            let expected: Vec<_> = match mode.is_exact() {
                false => binned.iter().map(|(k, acc)| (*k, acc.value().to_bits())).collect(),
                true => exact.iter().map(|(k, acc)| (*k, acc.value().to_bits())).collect(),
            };
            prop_assert_eq!(bits(a.sorted()), expected);
            for (key, acc) in &binned {
                prop_assert_eq!(a.count(key), acc.count());
            }
        }
    }
}

#[test]
fn groups_that_cannot_be_are_errors() {
    for mode in [Mode::default(), Mode::exact()] {
        for kind in [Kind::Dot, Kind::Moments, Kind::Norm2] {
            assert!(GroupAccumulator::<f64>::with_columns(kind, mode, 2, 1).is_err(), "{kind:?}, {mode:?}");
            assert!(Grouped::<u64, f64>::with_columns(kind, mode, 1).is_err(), "{kind:?}, {mode:?}");
        }
        assert!(GroupAccumulator::<f64>::with_columns(Kind::Sum, mode, 2, 0).is_err(), "no column, {mode:?}");
    }
    let mut a = GroupAccumulator::<f64>::with_columns(Kind::Sum, Mode::default(), 2, 1).unwrap();
    let b = GroupAccumulator::with_columns(Kind::Asum, Mode::default(), 2, 1).unwrap();
    let error = a.merge(&b).unwrap_err().to_string();
    assert!(error.contains("sum and asum"), "{error}");
}
