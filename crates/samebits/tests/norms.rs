//! What users call: norms by every way of feeding, on every device, with errors that say what to do.

use samebits::{Accumulator, Element, Mode, Norm, Norm2Accumulator, NormInfAccumulator, Queue, devices};
use samebits_conformance::{Bits, assert_biteq, hard_f32, hard_f64, orders, seed_vector};

fn fed_in_every_way<T: Element + Bits>(name: &str, x: &[T]) {
    let queue = Queue::cpu().unwrap();
    for mode in [Mode::folds(2).unwrap(), Mode::default(), Mode::folds(7).unwrap(), Mode::exact()] {
        let mut whole = Norm2Accumulator::<T>::new(mode).unwrap();
        whole.extend_on(&queue, x).unwrap();
        let mut pushed = Norm2Accumulator::new(mode).unwrap();
        x.iter().rev().for_each(|&v| pushed.push(v).unwrap());
        assert_eq!(pushed.to_bytes(), whole.to_bytes(), "{name}, {mode:?}");
        let mut merged = Norm2Accumulator::new(mode).unwrap();
        for part in x.chunks(x.len().div_ceil(3).max(1)) {
            let mut acc = Norm2Accumulator::new(mode).unwrap();
            acc.extend(part).unwrap();
            merged.merge(&Norm2Accumulator::from_bytes(&acc.to_bytes()).unwrap()).unwrap();
        }
        assert_eq!(merged, whole, "{name}, {mode:?}");
        assert_biteq!(Norm::two().mode(mode).run(&queue, x).unwrap(), whole.value(), "{name}, {mode:?}");
    }
    let mut merged = NormInfAccumulator::<T>::new();
    for part in x.chunks(x.len().div_ceil(3).max(1)) {
        let mut acc = NormInfAccumulator::new();
        acc.extend(part).unwrap();
        merged.merge(&acc);
    }
    let mut pushed = NormInfAccumulator::new();
    x.iter().rev().for_each(|&v| pushed.push(v));
    assert_biteq!(merged.value(), pushed.value(), "{name}");
    assert_biteq!(merged.value(), samebits::norm_inf(x).unwrap(), "{name}");
    assert_biteq!(samebits::norm1(x).unwrap(), samebits::asum(x).unwrap(), "{name}");
}

#[test]
fn norms_do_not_remember_how_they_were_fed() {
    for (name, x) in hard_f64().into_iter().filter(|(_, x)| x.len() < 1500) {
        fed_in_every_way(&name, &x);
    }
    for (name, x) in hard_f32().into_iter().filter(|(_, x)| x.len() < 1500) {
        fed_in_every_way(&name, &x);
    }
}

#[test]
fn every_device_and_thread_count() {
    let x = &seed_vector()[..200_000];
    let reference = Queue::new(samebits::Device::Reference).unwrap();
    for norm in [Norm::one(), Norm::two(), Norm::two().exact(), Norm::inf(), Norm::two().folds(5).unwrap()] {
        let expected = norm.run(&reference, x).unwrap();
        for isa in devices().unwrap()[0].isas.iter() {
            for threads in [1, 2, 3] {
                let queue = Queue::cpu().unwrap().with_isa(isa).unwrap();
                let x = orders::shuffled(x, threads as u64);
                let report = norm.threads(threads).report(&queue, &x).unwrap();
                assert_biteq!(report.value, expected, "{norm:?}, {isa}, {threads} threads");
                assert_eq!((report.count, report.threads, report.bits), (200_000, threads, expected.to_bits()));
                assert!(report.bound >= 0.0 && report.bound <= expected * 1e-10, "{norm:?}: {}", report.bound); // tolerance: a bound, not a result
            }
        }
    }
}

#[test]
fn errors_say_what_to_do() {
    let queue = Queue::cpu().unwrap();
    let says = |error: samebits::Error, words: &[&str]| {
        let text = error.to_string();
        words.iter().for_each(|w| assert!(text.contains(w), "'{text}' does not say '{w}'"));
    };
    says(Norm::two().folds(1).unwrap_err(), &["1 folds", "2 to 52"]);
    says(Norm::two().folds(27).unwrap().run(&queue, &[1.0f64]).unwrap_err(), &["27 folds", "2 to 26"]);
    says(Norm::two().folds(12).unwrap().run(&queue, &[1.0f32]).unwrap_err(), &["12 folds", "2 to 11"]);
    let mut exact = Norm2Accumulator::<f64>::new(Mode::exact()).unwrap();
    let binned = Norm2Accumulator::new(Mode::default()).unwrap();
    says(exact.merge(&binned).unwrap_err(), &["folds", "0 and 3"]);
    let sum = Accumulator::<f64>::new(Mode::default()).unwrap();
    says(Norm2Accumulator::<f64>::from_bytes(&sum.to_bytes()).unwrap_err(), &["kind"]);
    says(Accumulator::<f64>::from_bytes(&binned.to_bytes()).unwrap_err(), &["kind"]);
    says(Accumulator::<f64>::from_bytes(&exact.to_bytes()).unwrap_err(), &["kind"]);
    says(Norm2Accumulator::<f32>::from_bytes(&exact.to_bytes()).unwrap_err(), &["type"]);
}
