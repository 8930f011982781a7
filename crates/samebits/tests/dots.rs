//! What users call: dots, variances and deviations by every way of feeding, on every device, with errors that say what
//! to do.

use samebits::{
    Accumulator, Dot, DotAccumulator, Element, Error, Kind, Mode, Norm2Accumulator, Queue, Variance,
    VarianceAccumulator, devices,
};
use samebits_conformance::{Bits, assert_biteq, hard_f32, hard_f64, oracle, orders, seed_vector};

fn fed_in_every_way<T: Element + Bits>(name: &str, x: &[T]) {
    let queue = Queue::cpu().unwrap();
    let y = orders::reversed(x);
    let step = x.len().div_ceil(3).max(1);
    for mode in [Mode::folds(2).unwrap(), Mode::default(), Mode::folds(7).unwrap(), Mode::exact()] {
        let whole = Dot::new().mode(mode).accumulate(&queue, x, &y).unwrap();
        let mut pushed = DotAccumulator::new(mode).unwrap();
        x.iter().zip(&y).rev().for_each(|(&a, &b)| pushed.push(b, a).unwrap());
        assert_eq!(pushed.to_bytes(), whole.to_bytes(), "{name}, {mode:?}");
        let mut merged = DotAccumulator::new(mode).unwrap();
        for (x, y) in x.chunks(step).zip(y.chunks(step)) {
            let mut acc = DotAccumulator::new(mode).unwrap();
            acc.extend(x, y).unwrap();
            merged.merge(&DotAccumulator::from_bytes(&acc.to_bytes()).unwrap()).unwrap();
        }
        assert_eq!(merged, whole, "{name}, {mode:?}");
        assert_biteq!(Dot::new().mode(mode).run(&queue, &y, x).unwrap(), whole.value(), "{name}, {mode:?}");
    }
    let mut merged = VarianceAccumulator::<T>::new();
    for part in x.chunks(step) {
        let mut acc = VarianceAccumulator::new();
        acc.extend(part).unwrap();
        merged.merge(&VarianceAccumulator::from_bytes(&acc.to_bytes()).unwrap()).unwrap();
    }
    let mut pushed = VarianceAccumulator::new();
    x.iter().rev().for_each(|&v| pushed.push(v).unwrap());
    assert_eq!(merged.to_bytes(), pushed.to_bytes(), "{name}");
    assert_biteq!(samebits::variance(x).unwrap(), merged.variance(1), "{name}");
    assert_biteq!(samebits::std_dev(x).unwrap(), merged.std_dev(1), "{name}");
    let exact_mean = samebits::Sum::exact().mean(&queue, x).unwrap();
    assert_biteq!(merged.mean(), exact_mean, "{name}");
}

#[test]
fn accumulators_do_not_remember_how_they_were_fed() {
    for (name, x) in hard_f64().into_iter().filter(|(_, x)| x.len() < 1500) {
        fed_in_every_way(&name, &x);
    }
    for (name, x) in hard_f32().into_iter().filter(|(_, x)| x.len() < 1500) {
        fed_in_every_way(&name, &x);
    }
}

#[test]
fn every_device_and_thread_count() {
    let all = seed_vector();
    let (x, y) = (&all[..150_000], &all[150_000..300_000]);
    let pairs: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    let reference = Queue::new(samebits::Device::Reference).unwrap();
    let exact = oracle::dot(&x[..5000], &y[..5000]);
    assert_biteq!(Dot::exact().run(&reference, &x[..5000], &y[..5000]).unwrap(), exact);
    for dot in [Dot::new(), Dot::exact(), Dot::new().folds(5).unwrap()] {
        let expected = dot.run(&reference, x, y).unwrap();
        let spread = Variance::new().std_dev(&reference, x).unwrap();
        for isa in devices().unwrap()[0].isas.iter() {
            for threads in [1, 2, 3] {
                let queue = Queue::cpu().unwrap().with_isa(isa).unwrap();
                let (x, y): (Vec<f64>, Vec<f64>) = orders::shuffled(&pairs, threads as u64).into_iter().unzip();
                let report = dot.threads(threads).report(&queue, &x, &y).unwrap();
                assert_biteq!(report.value, expected, "{dot:?}, {isa}, {threads} threads");
                assert_eq!((report.count, report.threads, report.bits), (150_000, threads, expected.to_bits()));
                assert!(report.bound.is_finite() && report.bound >= 0.0);
                assert_biteq!(samebits::weighted_sum(&y, &x).unwrap(), samebits::dot(&x, &y).unwrap());
                let found = Variance::new().threads(threads).std_dev(&queue, &x).unwrap();
                assert_biteq!(found, spread, "deviation, {isa}, {threads} threads");
            }
        }
    }
}

#[test]
fn exact_subtracts_and_binned_refuses() {
    let of = |mode, x: &[f64], y: &[f64]| {
        let mut acc = DotAccumulator::new(mode).unwrap();
        acc.extend(x, y).unwrap();
        acc
    };
    let mut acc = of(Mode::exact(), &[1e300, 1.0, 0.0], &[1e300, 2.0, f64::INFINITY]);
    acc.subtract(&of(Mode::exact(), &[1e300, 0.0], &[1e300, f64::INFINITY])).unwrap();
    assert_eq!(acc, of(Mode::exact(), &[1.0], &[2.0]));
    let mut acc = of(Mode::default(), &[1.0], &[2.0]);
    let error = acc.subtract(&acc.clone()).unwrap_err();
    assert!(error.to_string().contains("exact mode"), "{error}");
    assert!(acc.merge(&of(Mode::exact(), &[1.0], &[1.0])).is_err());
}

#[test]
fn errors_say_what_to_do() {
    let says = |error: Error, words: &[&str]| {
        let text = error.to_string();
        words.iter().for_each(|w| assert!(text.contains(w), "'{text}' does not say '{w}'"));
    };
    says(samebits::dot(&[1.0, 2.0], &[1.0]).unwrap_err(), &["2 and 1", "same length"]);
    says(Dot::new().folds(1).unwrap_err(), &["1 folds", "2 to 52"]);
    says(DotAccumulator::<f32>::new(Mode::folds(22).unwrap()).unwrap_err(), &["22 folds", "2 to 21"]);
    for kind in [Kind::Dot, Kind::Moments] {
        for mode in [Mode::exact(), Mode::default()] {
            says(Accumulator::<f64>::with_kind(kind, mode).unwrap_err(), &["kind"]);
        }
    }
    let asum = Accumulator::<f64>::with_kind(Kind::Asum, Mode::default()).unwrap().to_bytes();
    says(DotAccumulator::<f64>::from_bytes(&asum).unwrap_err(), &["kind", "asum"]);
    let sum = Accumulator::<f64>::new(Mode::exact()).unwrap().to_bytes();
    says(DotAccumulator::<f64>::from_bytes(&sum).unwrap_err(), &["kind", "sum"]);
    let dot = DotAccumulator::<f64>::new(Mode::exact()).unwrap().to_bytes();
    says(VarianceAccumulator::<f64>::from_bytes(&dot).unwrap_err(), &["kind"]);
    says(Accumulator::<f64>::from_bytes(&dot).unwrap_err(), &["kind"]);
    says(Norm2Accumulator::<f64>::from_bytes(&dot).unwrap_err(), &["kind"]);
    says(DotAccumulator::<f32>::from_bytes(&dot).unwrap_err(), &["type"]);
}
