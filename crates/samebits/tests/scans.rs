//! Running sums as users call them: every result is the sum of its prefix, however the data is fed.

use samebits::{Accumulator, Cumsum, Element, Error, Mode, Queue, Sum, cumsum, cumsum_in_place};
use samebits_conformance::{Bits, assert_biteq, hard_f32, hard_f64};

/// The sum of each prefix, computed by the sum itself.
fn sums<T: Element>(queue: &Queue, mode: Mode, x: &[T]) -> Vec<T> {
    (0..=x.len()).map(|n| Sum::new().mode(mode).run(queue, &x[..n]).unwrap()).collect()
}

fn every_prefix<T: Element + Bits>(name: &str, x: &[T]) {
    let queue = Queue::cpu().unwrap().with_threads(1).unwrap();
    for mode in [Mode::default(), Mode::folds(5).unwrap(), Mode::exact()] {
        let expected = sums(&queue, mode, x);
        let scan = Cumsum::new().mode(mode);
        let mut y = vec![T::NAN; x.len()];
        scan.run(&queue, x, &mut y).unwrap();
        let mut before = vec![T::NAN; x.len()];
        scan.exclusive().run(&queue, x, &mut before).unwrap();
        for i in 0..x.len() {
            assert_biteq!(y[i], expected[i + 1], "{name}, result {i}, {mode:?}");
            assert_biteq!(before[i], expected[i], "{name}, exclusive result {i}, {mode:?}");
        }
        let mut stream = scan.start().unwrap();
        let mut pieces = x.to_vec();
        for piece in pieces.chunks_mut(37) {
            stream.next_in_place(&queue, piece).unwrap();
        }
        assert!(pieces.iter().zip(&y).all(|(a, b)| a.bits() == b.bits()), "{name} in pieces, {mode:?}");
        assert_biteq!(stream.accumulator().value(), expected[x.len()], "{name}, the total, {mode:?}");
        assert_eq!(stream.accumulator().count(), x.len() as u64);
    }
}

#[test]
fn results_are_sums_of_prefixes() {
    for (name, x) in hard_f64().into_iter().filter(|(_, x)| x.len() < 300) {
        every_prefix(&name, &x);
    }
    for (name, x) in hard_f32().into_iter().filter(|(_, x)| x.len() < 300) {
        every_prefix(&name, &x);
    }
}

#[test]
fn one_call() {
    let x = [0.5, f64::INFINITY, 1.0, f64::NEG_INFINITY];
    let mut y = [0.0; 4];
    cumsum(&x, &mut y).unwrap();
    assert_eq!(
        y.map(f64::to_bits),
        [0.5, f64::INFINITY, f64::INFINITY, f64::from_bits(0x7ff8 << 48)].map(f64::to_bits)
    );
    let mut x = x;
    cumsum_in_place(&mut x).unwrap();
    assert_eq!(x.map(f64::to_bits), y.map(f64::to_bits));
    cumsum::<f64>(&[], &mut []).unwrap();
}

#[test]
fn goes_on_from_a_total_of_another_place() {
    let mut total = Accumulator::<f64>::new(Mode::exact()).unwrap();
    total.extend(&[1e300, 0.25]).unwrap();
    let mut scan = samebits::Scan::after(Accumulator::from_bytes(&total.to_bytes()).unwrap());
    let mut y = [-1e300, 1.0];
    scan.next_in_place(&Queue::cpu().unwrap(), &mut y).unwrap();
    assert_eq!(y, [0.25, 1.25]);
    let mut scan = samebits::Scan::after(scan.accumulator().clone()).exclusive().threads(2);
    scan.next_in_place(&Queue::cpu().unwrap(), &mut y).unwrap();
    assert_eq!(y, [1.25, 1.5]);
}

#[test]
fn nothing_is_written_after_an_error() {
    let queue = Queue::cpu().unwrap();
    let mut y = [7.0; 2];
    let error = cumsum(&[1.0; 3], &mut y).unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
    assert!(matches!(Cumsum::new().folds(53).unwrap_err(), Error::Core(_)));
    let too_many = Cumsum::new().folds(30).unwrap();
    assert!(matches!(too_many.run(&queue, &[1f32; 2], &mut [0.0; 2]).unwrap_err(), Error::Core(_)));
    assert_eq!(y, [7.0; 2]);
}
