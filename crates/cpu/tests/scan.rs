//! Every instruction set of this machine, on one thread and on several, passes the suite of running sums.

use samebits_conformance::suite::scan as suite;
use samebits_cpu::{Cpu, Isa};
use samebits_device::{Backend, Bound, Scans, Span};

fn rooms(threads: &[usize]) -> Vec<Cpu> {
    let cpu = |isa, n| Cpu::new().expect("a CPU").with_isa(isa).with_threads(n);
    Isa::available().into_iter().flat_map(|isa| threads.iter().map(move |&n| cpu(isa, n))).collect()
}

#[test]
fn golden() {
    for cpu in rooms(&[1, 2]) {
        assert!(suite::golden(&cpu) > 500);
    }
}

#[test]
fn hard_inputs_f64() {
    for cpu in rooms(&[1]) {
        assert!(suite::hard_inputs::<f64>(&cpu, &[3, 2, 4, 9, 52]) > 1000);
    }
}

#[test]
fn hard_inputs_f32() {
    for cpu in rooms(&[1]) {
        assert!(suite::hard_inputs::<f32>(&cpu, &[3, 2, 4, 8, 21]) > 1000);
    }
}

#[test]
fn random_inputs() {
    for cpu in rooms(&[1]) {
        assert!(suite::random_inputs::<f64>(&cpu, 1, 60, 2000) > 1000);
        assert!(suite::random_inputs::<f32>(&cpu, 2, 60, 3000) > 1000);
    }
}

#[test]
fn lengths() {
    for cpu in rooms(&[1]) {
        assert!(suite::lengths::<f64>(&cpu) > 1000);
        assert!(suite::lengths::<f32>(&cpu) > 1000);
    }
}

#[test]
fn large_totals() {
    for cpu in rooms(&[1]) {
        assert!(suite::large_totals::<f64>(&cpu) > 1000);
        assert!(suite::large_totals::<f32>(&cpu) > 1000);
    }
}

#[test]
fn far_below() {
    for cpu in rooms(&[1]) {
        assert!(suite::far_below::<f64>(&cpu) > 1000);
        assert!(suite::far_below::<f32>(&cpu) > 1000);
    }
}

#[test]
fn block_ends() {
    for cpu in rooms(&[1, 2]) {
        assert!(suite::block_ends(&cpu) > 100);
    }
}

#[test]
fn faults() {
    for cpu in rooms(&[1, 3]) {
        assert_eq!(suite::faults(&cpu), 21);
    }
}

/// Long enough that every thread has a part of its own.
#[test]
fn threads() {
    let n = 150_001;
    let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin() * if i % 1000 == 999 { 1e30 } else { 1.0 }).collect();
    let run = |cpu: &Cpu, bound, in_place: bool| {
        let mut acc = samebits_core::Binned::new(3).expect("three folds");
        let mut y = x.clone();
        let span = if in_place { Span::InPlace(&mut y) } else { Span::Into { x: &x, y: &mut y } };
        cpu.scans().binned_scan_f64(span, bound, &mut acc).expect("no error");
        (y.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), acc)
    };
    for bound in [Bound::Inclusive, Bound::Exclusive] {
        let expected = run(&Cpu::new().expect("a CPU").with_threads(1), bound, true);
        for cpu in rooms(&[1, 2, 3, 7]) {
            for in_place in [false, true] {
                assert!(
                    run(&cpu, bound, in_place) == expected,
                    "{bound:?} on {}, {} threads",
                    cpu.name(),
                    cpu.threads()
                );
            }
        }
    }
}

#[test]
fn lengths_must_match() {
    for cpu in rooms(&[1]) {
        let mut acc = samebits_core::Binned::new(3).expect("three folds");
        let mut y = [7.0; 3];
        let span = Span::Into { x: &[1.0, 2.0], y: &mut y };
        let error = cpu.binned_scan_f64(span, Bound::Inclusive, &mut acc).expect_err("three results for two summands");
        assert!(error.to_string().contains("3 for 2 summands"), "{error}");
        assert_eq!((acc.count(), y), (0, [7.0; 3]));
    }
}
