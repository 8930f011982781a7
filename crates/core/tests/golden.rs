//! The definition against known bits.

use samebits_conformance::{Dtype, Op, assert_biteq, cases, faults, seed_vector};
use samebits_core::{Binned, Exact, Float, Kind};

fn binned<T: Float>(kind: Kind, folds: usize, x: &[T]) -> T {
    let mut acc = Binned::with_kind(kind, folds).unwrap();
    acc.extend(x).unwrap();
    acc.value()
}

fn exact<T: Float>(kind: Kind, x: &[T]) -> T {
    let mut acc = Exact::with_kind(kind);
    acc.extend(x).unwrap();
    acc.value()
}

#[test]
fn sums_and_sums_of_absolute_values() {
    let mut checks = 0;
    for (op, kind) in [(Op::Sum, Kind::Sum), (Op::Asum, Kind::Asum)] {
        for case in cases(op) {
            match case.dtype {
                Dtype::F64 => {
                    let x = case.inputs_f64();
                    assert_biteq!(binned(kind, case.fold, &x), case.expected::<f64>(), "{}", case.name);
                    if let Some(bits) = case.exact_bits {
                        assert_biteq!(exact(kind, &x), f64::from_bits(bits), "{} exact", case.name);
                    }
                }
                Dtype::F32 => {
                    let x = case.inputs_f32();
                    assert_biteq!(binned(kind, case.fold, &x), case.expected::<f32>(), "{}", case.name);
                    if let Some(bits) = case.exact_bits {
                        assert_biteq!(exact(kind, &x), f32::from_bits(bits as u32), "{} exact", case.name);
                    }
                }
            }
            checks += 1;
        }
    }
    assert!(checks >= 276, "only {checks} cases were found");
}

/// The error bound holds for every finite case; the exact sum is known to half a unit.
#[test]
fn error_bounds() {
    let mut checks = 0;
    for case in cases(Op::Sum).into_iter().filter(|c| c.dtype == Dtype::F64 && c.n <= 20_000) {
        let x = case.inputs_f64();
        let mut sum = Binned::<f64>::new(case.fold).unwrap();
        sum.extend(&x).unwrap();
        let bound = sum.error_bound();
        if !sum.value().is_finite() {
            continue;
        }
        // exact - value, exactly: take the value away from the exact sum.
        let mut rest = Exact::<f64>::new();
        rest.extend(&x).unwrap();
        rest.deposit(-sum.value()).unwrap();
        // The rest rounds to nearest: if it exceeds the bound, so does what it rounds to, or equals it.
        // tolerance: the error bound itself is what is tested
        assert!(rest.value().abs() <= bound, "{}: off by {:e}, bound {bound:e}", case.name, rest.value());
        checks += 1;
    }
    assert!(checks > 100, "only {checks} cases were checked");
}

#[test]
fn published_result() {
    let x = seed_vector();
    for folds in [2, 3, 4, 6] {
        assert_biteq!(binned(Kind::Sum, folds, &x), f64::from_bits(0x430f_c878_c605_717f), "K={folds}");
    }
}

#[test]
fn merged_parts_of_faults_in_every_order() {
    for fault in faults().into_iter().filter(|f| f.parts.len() > 1) {
        let x = fault.inputs_f64();
        let parts = samebits_conformance::orders::chunks(&x, &fault.parts);
        for order in samebits_conformance::orders::permutations(parts.len()) {
            let mut acc = Exact::<f64>::new();
            for &i in &order {
                let mut part = Exact::new();
                part.extend(parts[i]).unwrap();
                acc.merge(&part).unwrap();
            }
            assert_biteq!(acc.value(), f64::from_bits(fault.exact_bits), "{} in order {order:?}", fault.name);
        }
    }
}
