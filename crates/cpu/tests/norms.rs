//! Every instruction set of this machine, on one thread and on several, passes the suite of norms.

use samebits_conformance::{assert_biteq, orders, seed_vector, suite::norm};
use samebits_core::{Norm2, NormInf};
use samebits_cpu::{Cpu, Isa};
use samebits_device::Norms;

fn rooms(threads: &[usize]) -> Vec<Cpu> {
    let cpu = |isa, n| Cpu::new().expect("a CPU").with_isa(isa).with_threads(n);
    Isa::available().into_iter().flat_map(|isa| threads.iter().map(move |&n| cpu(isa, n))).collect()
}

#[test]
fn golden() {
    for cpu in rooms(&[1, 2]) {
        assert_eq!(norm::golden(&cpu), 45 * 6);
    }
}

#[test]
fn faults() {
    for cpu in rooms(&[1, 2]) {
        assert!(norm::faults(&cpu) > 33 * 12);
    }
}

#[test]
fn hard_inputs_f64() {
    for cpu in rooms(&[1]) {
        assert!(norm::hard_inputs::<f64>(&cpu, &[3, 6, 2, 4, 5, 26]) > 1000);
    }
}

#[test]
fn hard_inputs_f32() {
    for cpu in rooms(&[1]) {
        assert!(norm::hard_inputs::<f32>(&cpu, &[3, 6, 2, 4, 5, 11]) > 1000);
    }
}

#[test]
fn random_inputs() {
    for cpu in rooms(&[1]) {
        assert!(norm::random_inputs::<f64>(&cpu, 5, 150, 5000) > 1000);
        assert!(norm::random_inputs::<f32>(&cpu, 6, 150, 9000) > 1000);
    }
}

#[test]
fn every_fold_count() {
    for cpu in rooms(&[1]) {
        assert!(norm::every_fold::<f64>(&cpu) > 1000);
        assert!(norm::every_fold::<f32>(&cpu) > 1000);
    }
}

#[test]
fn any_number_of_threads() {
    let x = seed_vector();
    let y: Vec<f32> = x.iter().map(|&v| v as f32).collect();
    let (mut expected, mut single) = (Norm2::<f64>::new(3).unwrap(), Norm2::<f32>::new(2).unwrap());
    expected.extend(&x).unwrap();
    single.extend(&y).unwrap();
    let largest = x.iter().fold(0.0f64, |max, v| max.max(v.abs()));
    for cpu in rooms(&[1, 2, 3]) {
        for x in [x.clone(), orders::shuffled(&x, 4)] {
            let (mut acc, mut max) = (Norm2::new(3).unwrap(), NormInf::new());
            cpu.norm2_f64(&x, &mut acc).unwrap();
            cpu.norm_inf_f64(&x, &mut max).unwrap();
            assert_eq!(acc, expected);
            assert_biteq!(max.value(), largest);
        }
        let mut acc = Norm2::new(2).unwrap();
        cpu.norm2_f32(&y, &mut acc).unwrap();
        assert_eq!(acc, single);
    }
}
