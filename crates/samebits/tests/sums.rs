//! What users call: the same bits on every device, thread count and instruction set, and through every way of feeding.

use samebits::{Accumulator, AnyAccumulator, Device, Error, Kind, Mode, Queue, Sum, devices};
use samebits_conformance::{assert_biteq, hard_f32, hard_f64, orders, seed_vector};

#[test]
fn published_result_everywhere() {
    let x = seed_vector();
    let expected = f64::from_bits(0x430f_c878_c605_717f);
    assert_biteq!(samebits::sum(&x).unwrap(), expected, "one call");
    for info in devices().unwrap() {
        let queue = Queue::new(info.device).unwrap();
        assert_biteq!(Sum::new().run(&queue, &x).unwrap(), expected, "{}", info.device);
    }
    for isa in devices().unwrap()[0].isas.iter() {
        for threads in [1, 2, 3] {
            let queue = Queue::cpu().unwrap().with_isa(isa).unwrap().with_threads(threads).unwrap();
            let report = Sum::new().report(&queue, &orders::shuffled(&x, threads as u64)).unwrap();
            assert_biteq!(report.value, expected, "{isa}, {threads} threads");
            assert_eq!((report.count, report.threads, report.device), (1_000_000, threads, Device::Cpu));
            assert_biteq!(Sum::new().threads(4).run(&queue, &x).unwrap(), expected, "overridden threads");
        }
    }
}

fn fed_in_every_way<T: samebits::Element + samebits_conformance::Bits>(name: &str, x: &[T]) {
    let queue = Queue::cpu().unwrap();
    for mode in [Mode::folds(2).unwrap(), Mode::default(), Mode::folds(7).unwrap(), Mode::exact()] {
        for kind in [Kind::Sum, Kind::Asum] {
            let mut whole = Accumulator::<T>::with_kind(kind, mode).unwrap();
            whole.extend_on(&queue, x).unwrap();
            let mut pushed = Accumulator::with_kind(kind, mode).unwrap();
            x.iter().rev().for_each(|&v| pushed.push(v).unwrap());
            assert_eq!(pushed.to_bytes(), whole.to_bytes(), "{name}, {mode:?}, {kind:?}");
            let mut merged = Accumulator::with_kind(kind, mode).unwrap();
            for part in x.chunks(x.len().div_ceil(3).max(1)) {
                let mut acc = Accumulator::with_kind(kind, mode).unwrap();
                acc.extend(part).unwrap();
                merged.merge(&Accumulator::from_bytes(&acc.to_bytes()).unwrap()).unwrap();
            }
            assert_eq!(merged, whole, "{name}, {mode:?}, {kind:?}");
            assert_biteq!(merged.value(), whole.value(), "{name}");
        }
    }
}

#[test]
fn accumulators_do_not_remember_how_they_were_fed() {
    for (name, x) in hard_f64().into_iter().filter(|(_, x)| x.len() < 5000) {
        fed_in_every_way(&name, &x);
    }
    for (name, x) in hard_f32().into_iter().filter(|(_, x)| x.len() < 5000) {
        fed_in_every_way(&name, &x);
    }
}

#[test]
fn exact_subtracts_and_binned_refuses() {
    let sum = |mode, x: &[f64]| {
        let mut acc = Accumulator::new(mode).unwrap();
        acc.extend(x).unwrap();
        acc
    };
    let mut acc = sum(Mode::exact(), &[1e300, 1.0, f64::NAN]);
    acc.subtract(&sum(Mode::exact(), &[1e300, f64::NAN])).unwrap();
    assert_eq!(acc, sum(Mode::exact(), &[1.0]));
    let mut acc = sum(Mode::default(), &[1.0, 2.0]);
    let error = acc.subtract(&sum(Mode::default(), &[2.0])).unwrap_err();
    assert!(error.to_string().contains("exact mode"), "{error}");
    assert!(acc.merge(&sum(Mode::exact(), &[1.0])).is_err());
    assert!(acc.add_integer(1).is_err());
}

#[test]
fn errors_say_what_to_do() {
    let says = |error: Error, words: &[&str]| {
        let text = error.to_string();
        words.iter().for_each(|w| assert!(text.contains(w), "'{text}' does not say '{w}'"));
    };
    says(Sum::new().folds(1).unwrap_err(), &["1 folds", "2 to 52"]);
    says(Accumulator::<f32>::new(Mode::folds(22).unwrap()).unwrap_err(), &["22 folds", "2 to 21"]);
    says("gpu".parse::<Device>().unwrap_err(), &["gpu", "cpu", "cuda:N"]);
    says(Queue::new(Device::Cuda(0)).unwrap_err(), &["cuda:0", "not available"]);
    says(Queue::cpu().unwrap().with_isa("mmx").unwrap_err(), &["mmx", "scalar"]);
    says(Queue::cpu().unwrap().with_threads(0).unwrap_err(), &["threads", "1 to"]);
    says(AnyAccumulator::from_bytes(b"SAMEBIT").unwrap_err(), &["state", "byte 7"]);
}

#[test]
fn the_reference_device_has_no_instruction_sets() {
    let error = Queue::new(Device::Reference).unwrap().with_isa("scalar").unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
}
