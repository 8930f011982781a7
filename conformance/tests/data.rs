//! The data files hold what they say: every input is pinned by its hash, every operation has cases.

use samebits_conformance::{Bits, Case, Dtype, Fault, Op, cases, dot_faults, faults, fnv1a64, norm_faults};
use std::collections::HashSet;

fn check<T: Bits>(name: &str, n: usize, hash: Option<u64>, values: &[T]) -> bool {
    assert_eq!(values.len(), n, "{name}");
    if let Some(hash) = hash {
        assert_eq!(fnv1a64(values), hash, "{name}: the inputs are not those of the file");
    }
    hash.is_some()
}

fn check_case(case: &Case) -> bool {
    match case.dtype {
        Dtype::F64 => check(&case.name, case.n, case.input_fnv1a64, &case.inputs_f64()),
        Dtype::F32 => check(&case.name, case.n, case.input_fnv1a64, &case.inputs_f32()),
    }
}

fn check_fault(fault: &Fault) -> bool {
    assert_eq!(fault.parts.iter().sum::<usize>(), fault.n, "{}", fault.name);
    match fault.dtype {
        Dtype::F64 => check(&fault.name, fault.n, fault.input_fnv1a64, &fault.inputs_f64()),
        Dtype::F32 => check(&fault.name, fault.n, fault.input_fnv1a64, &fault.inputs_f32()),
    }
}

#[test]
fn every_input_has_its_hash() {
    let expected =
        [(Op::Sum, 270, 262), (Op::Asum, 6, 6), (Op::Cumsum, 22, 22), (Op::Dot, 13, 13), (Op::Norm2, 45, 45)];
    assert_eq!(expected.map(|(op, ..)| op), Op::ALL);
    for (op, count, hashed) in expected {
        let all = cases(op);
        assert_eq!(all.len(), count, "{op:?}");
        assert_eq!(all.iter().filter(|case| check_case(case)).count(), hashed, "{op:?}");
    }
}

#[test]
fn every_fault_has_its_hash() {
    let all = faults();
    // Only the inputs too long to hash elsewhere are without a hash.
    assert!(all.iter().all(|fault| check_fault(fault) || fault.n > 100_000));
    assert!(all.iter().all(|fault| fault.binned_bits.is_some()));
    for id in
        ["S01", "S02", "S04", "S06", "S08", "S10", "S11", "S12", "S14", "S16", "S18", "S25", "S27", "S29", "E01", "E05"]
    {
        assert!(all.iter().any(|fault| fault.name.starts_with(id)), "{id} has no case");
    }
}

#[test]
fn every_faulty_norm_has_its_hash() {
    let all = norm_faults();
    assert!(all.iter().all(|case| check_case(case) && case.exact_bits.is_some()));
    for id in ["S19", "S21", "E05"] {
        assert!(all.iter().any(|case| case.name.starts_with(id)), "{id} has no case");
    }
}

#[test]
fn every_faulty_dot_has_its_hash() {
    let all = dot_faults();
    assert!(all.iter().all(|case| check_case(case) && case.exact_bits.is_some()));
    for id in ["S08", "S23", "E03", "E05"] {
        assert!(all.iter().any(|case| case.name.starts_with(id)), "{id} has no case");
    }
}

#[test]
fn names_are_unique() {
    let names: Vec<String> = Op::ALL.iter().flat_map(|op| cases(*op)).map(|case| case.name).collect();
    let names: Vec<String> = names.into_iter().chain(faults().into_iter().map(|fault| fault.name)).collect();
    let names: Vec<String> =
        names.into_iter().chain(dot_faults().into_iter().chain(norm_faults()).map(|case| case.name)).collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
}

#[test]
fn dots_have_two_vectors() {
    for case in cases(Op::Dot).into_iter().chain(dot_faults()) {
        let n = match case.dtype {
            Dtype::F64 => case.inputs_y::<f64>().len(),
            Dtype::F32 => case.inputs_y::<f32>().len(),
        };
        assert_eq!(n, case.n, "{}", case.name);
        assert!(case.exact_rounded_products_bits.is_some(), "{}", case.name);
    }
}

/// Cases of the same values in another order expect the same bits.
#[test]
fn orders_agree() {
    let mut seen = std::collections::HashMap::new();
    for case in cases(Op::Sum).into_iter().filter(|case| case.dtype == Dtype::F64 && case.n <= 100_000) {
        let mut bits: Vec<u64> = case.inputs_f64().iter().map(|x| x.to_bits()).collect();
        bits.sort_unstable();
        let before = *seen.entry((case.fold, bits)).or_insert(case.expected_bits);
        assert_eq!(before, case.expected_bits, "{}", case.name);
    }
    assert!(seen.len() < 183, "no two cases have the same values");
}

/// A running sum's last element is expected, and it has as many places as a short case has elements.
#[test]
fn running_sums_end_where_the_input_ends() {
    for case in cases(Op::Cumsum) {
        let prefixes = case.prefixes.expect("a running sum has prefixes");
        assert_eq!(prefixes.bits.last().map(|last| last.0 + 1), Some(case.n), "{}", case.name);
        if let Some(exact) = prefixes.exact_bits {
            assert_eq!(exact.len(), prefixes.bits.len(), "{}", case.name);
        }
    }
}
