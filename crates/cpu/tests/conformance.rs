//! Every instruction set of this machine, on one thread and on several, passes the suite of sums.

use samebits_conformance::suite;
use samebits_core::Float;
use samebits_cpu::{Cpu, Isa};

fn rooms(threads: &[usize]) -> Vec<Cpu> {
    let cpu = |isa, n| Cpu::new().expect("a CPU").with_isa(isa).with_threads(n);
    Isa::available().into_iter().flat_map(|isa| threads.iter().map(move |&n| cpu(isa, n))).collect()
}

#[test]
fn golden() {
    for cpu in rooms(&[1, 2]) {
        assert!(suite::golden(&cpu) > 1000);
    }
}

#[test]
fn faults() {
    for cpu in rooms(&[1, 2]) {
        assert!(suite::faults(&cpu) > 100);
    }
}

#[test]
fn published_result() {
    for cpu in rooms(&[1, 2, 3]) {
        assert_eq!(suite::published(&cpu), 12);
    }
}

#[test]
fn hard_inputs_f64() {
    for cpu in rooms(&[1]) {
        assert!(suite::hard_inputs::<f64>(&cpu, &[3, 6, 2, 4, 5, 9, 52]) > 1000);
    }
}

#[test]
fn hard_inputs_f32() {
    for cpu in rooms(&[1]) {
        assert!(suite::hard_inputs::<f32>(&cpu, &[3, 6, 2, 4, 5, 8, 17, 21]) > 1000);
    }
}

#[test]
fn random_inputs() {
    for cpu in rooms(&[1]) {
        assert!(suite::random_inputs::<f64>(&cpu, 1, 150, 5000) > 1000);
        assert!(suite::random_inputs::<f32>(&cpu, 2, 150, 9000) > 1000);
    }
}

#[test]
fn every_fold_count() {
    let folds_f64: Vec<usize> = (f64::MIN_FOLDS..=f64::MAX_FOLDS).collect();
    let folds_f32: Vec<usize> = (f32::MIN_FOLDS..=f32::MAX_FOLDS).collect();
    for cpu in rooms(&[1]) {
        assert!(suite::every_fold::<f64>(&cpu, &folds_f64) > 1000);
        assert!(suite::every_fold::<f32>(&cpu, &folds_f32) > 1000);
    }
}

#[test]
fn segments() {
    for cpu in rooms(&[1, 3]) {
        assert!(suite::segments::<f64>(&cpu, &[3, 2, 4, 7]) > 1000);
        assert!(suite::segments::<f32>(&cpu, &[3, 2, 4, 7]) > 1000);
    }
}

#[test]
fn groups() {
    for cpu in rooms(&[1, 3]) {
        assert!(suite::scattered::<f64>(&cpu, &[3, 2, 4, 7]) > 1000);
        assert!(suite::scattered::<f32>(&cpu, &[3, 2, 4, 21]) > 1000);
    }
}
