//! Every instruction set of this machine, on one thread and on several, passes the suite of dots and moments.

use samebits_conformance::suite::dot;
use samebits_core::{Binned, Error as CoreError, ExactDot, Float, Kind};
use samebits_cpu::{Cpu, Isa};
use samebits_device::{Dots, Error};

fn rooms(threads: &[usize]) -> Vec<Cpu> {
    let cpu = |isa, n| Cpu::new().expect("a CPU").with_isa(isa).with_threads(n);
    Isa::available().into_iter().flat_map(|isa| threads.iter().map(move |&n| cpu(isa, n))).collect()
}

#[test]
fn golden() {
    for cpu in rooms(&[1, 2, 3]) {
        assert_eq!(dot::golden(&cpu), 13 * 8);
    }
}

#[test]
fn faults() {
    for cpu in rooms(&[1]) {
        assert_eq!(dot::faults(&cpu), 11 * 12);
    }
}

#[test]
fn hard_inputs_f64() {
    for cpu in rooms(&[1]) {
        assert!(dot::hard_inputs::<f64>(&cpu, &[3, 6]) > 1000);
    }
}

#[test]
fn hard_inputs_f32() {
    for cpu in rooms(&[1]) {
        assert!(dot::hard_inputs::<f32>(&cpu, &[3, 6]) > 1000);
    }
}

#[test]
fn random_inputs() {
    for cpu in rooms(&[1]) {
        assert!(dot::random_inputs::<f64>(&cpu, 1, 150, 7000) > 1000);
        assert!(dot::random_inputs::<f32>(&cpu, 2, 150, 9000) > 1000);
    }
}

/// Long enough for several tasks.
#[test]
fn threads() {
    for cpu in rooms(&[2, 3]) {
        assert!(dot::random_inputs::<f64>(&cpu, 3, 6, 300_000) > 100);
        assert!(dot::random_inputs::<f32>(&cpu, 4, 6, 300_000) > 100);
    }
}

#[test]
fn every_fold_count() {
    let folds_f64: Vec<usize> = (f64::MIN_FOLDS..=f64::MAX_FOLDS).step_by(3).chain([f64::MAX_FOLDS]).collect();
    let folds_f32: Vec<usize> = (f32::MIN_FOLDS..=f32::MAX_FOLDS).collect();
    for cpu in rooms(&[1]) {
        assert!(dot::every_fold::<f64>(&cpu, &folds_f64) > 1000);
        assert!(dot::every_fold::<f32>(&cpu, &folds_f32) > 1000);
    }
}

#[test]
fn what_cannot_be_added_changes_nothing() {
    for cpu in rooms(&[1]) {
        let mut acc = Binned::<f64>::new(3).unwrap();
        assert!(matches!(cpu.binned_dot_f64(&[1.0], &[], &mut acc), Err(Error::Argument { .. })));
        assert_eq!(acc, Binned::new(3).unwrap());
        let mut acc = ExactDot::<f32>::new();
        assert!(matches!(cpu.exact_dot_f32(&[1.0], &[1.0, 2.0], &mut acc), Err(Error::Argument { .. })));
        assert_eq!(acc, ExactDot::new());
        let mut acc = Binned::<f32>::with_kind(Kind::Asum, 3).unwrap();
        assert!(matches!(cpu.binned_dot_f32(&[1.0], &[1.0], &mut acc), Err(Error::Argument { .. })));
        let full = samebits_core::Counts { summands: u64::MAX, ..Default::default() };
        let mut acc = ExactDot::<f64>::new();
        acc.count_in(&full).unwrap();
        let before = acc;
        let error = cpu.exact_dot_f64(&[1.0], &[1.0], &mut acc).unwrap_err();
        assert!(matches!(error, Error::Core(CoreError::Capacity { .. })));
        assert_eq!(acc, before);
    }
}
