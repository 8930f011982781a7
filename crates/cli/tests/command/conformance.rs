//! The published cases, through files and the command.

use std::collections::BTreeMap;

use samebits_conformance::{Case, Dtype, Op, cases, faults};

use crate::process::{Files, doubles, npy, singles};

/// Writes a case and tells the file's name. Every tenth is a .npy file.
fn write(files: &Files, case: &Case, number: usize) -> String {
    let (bytes, extension, descr) = match case.dtype {
        Dtype::F64 => (doubles(&case.inputs_f64()), "f64", "<f8"),
        Dtype::F32 => (singles(&case.inputs_f32()), "f32", "<f4"),
    };
    if number.is_multiple_of(10) {
        let name = format!("{}.npy", case.name);
        files.write(&name, npy(descr, false, &format!("({},)", case.n), &bytes));
        return name;
    }
    let name = format!("{}.{extension}", case.name);
    files.write(&name, bytes);
    name
}

fn hex(dtype: Dtype, bits: u64) -> String {
    match dtype {
        Dtype::F64 => format!("{bits:016x}"),
        Dtype::F32 => format!("{bits:08x}"),
    }
}

/// One call for each mode, with all its files; and each line must begin with the right bits.
fn check(op: Op, command: &[&str]) {
    let files = Files::new();
    let mut calls: BTreeMap<Vec<String>, Vec<(String, String)>> = BTreeMap::new();
    for (number, case) in cases(op).iter().enumerate() {
        let name = write(&files, case, number);
        let folds = vec!["--folds".to_owned(), case.fold.to_string()];
        calls.entry(folds).or_default().push((name.clone(), hex(case.dtype, case.expected_bits)));
        if let Some(bits) = case.exact_bits {
            calls.entry(vec!["--exact".to_owned()]).or_default().push((name, hex(case.dtype, bits)));
        }
    }
    assert!(calls.len() > 1);
    for (mode, expected) in calls {
        let args = command.iter().map(|arg| (*arg).to_owned()).chain(mode.clone());
        let run = files.run(args.chain(expected.iter().map(|(name, _)| name.clone())));
        let lines = run.lines();
        assert_eq!(lines.len(), expected.len());
        for (line, (name, bits)) in lines.iter().zip(&expected) {
            assert!(
                line.starts_with(&format!("{bits}  ")) && line.ends_with(&format!("  {name}")),
                "{mode:?}: {bits}: {line}"
            );
        }
    }
}

#[test]
fn sums() {
    check(Op::Sum, &["sum"]);
}

#[test]
fn sums_of_absolute_values() {
    check(Op::Asum, &["norm", "--kind", "1"]);
}

#[test]
fn norms_of_squares() {
    check(Op::Norm2, &["norm", "--kind", "2"]);
}

#[test]
fn dots() {
    let files = Files::new();
    for (number, case) in cases(Op::Dot).iter().enumerate() {
        let x = write(&files, case, number);
        let y = format!("{number}.y.{}", if case.dtype == Dtype::F64 { "f64" } else { "f32" });
        match case.dtype {
            Dtype::F64 => files.f64(&y, &case.inputs_y::<f64>()),
            Dtype::F32 => files.f32(&y, &case.inputs_y::<f32>()),
        }
        let folds = format!("--folds={}", case.fold);
        for (mode, bits) in [(folds.as_str(), Some(case.expected_bits)), ("--exact", case.exact_bits)] {
            let Some(bits) = bits else { continue };
            let run = files.run(["dot", &x, &y, mode]);
            assert!(
                run.lines()[0].starts_with(&format!("{}  ", hex(case.dtype, bits))),
                "{}: {mode}: {run:?}",
                case.name
            );
        }
    }
}

/// The running sums that are known at all places, through files.
#[test]
fn running_sums() {
    let files = Files::new();
    for (number, case) in cases(Op::Cumsum).iter().enumerate().filter(|(_, case)| case.n <= 100_000) {
        let Some(prefixes) = &case.prefixes else { continue };
        let file = write(&files, case, number);
        let size = if case.dtype == Dtype::F64 { 8 } else { 4 };
        let sums = |mode: &str| -> Vec<u64> {
            files.run(["cumsum", &file, mode, "-o", "y.npy"]).lines();
            let bytes = std::fs::read(files.path("y.npy")).unwrap();
            let word = |word: &[u8]| word.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            bytes[128..].chunks(size).map(word).collect()
        };
        let binned = sums(&format!("--folds={}", case.fold));
        assert_eq!(binned.len(), case.n);
        assert!(prefixes.bits.iter().all(|&(place, bits)| binned[place] == bits), "{}", case.name);
        if let Some(bits) = &prefixes.exact_bits {
            assert!(sums("--exact") == *bits, "{}", case.name);
        }
    }
}

/// Sums that other systems got wrong, the short ones: in parts that meet as state files.
#[test]
fn known_faults() {
    let files = Files::new();
    for fault in faults().iter().filter(|fault| fault.n <= 100_000) {
        let (bytes, size, extension) = match fault.dtype {
            Dtype::F64 => (doubles(&fault.inputs_f64()), 8, "f64"),
            Dtype::F32 => (singles(&fault.inputs_f32()), 4, "f32"),
        };
        for (mode, bits) in [("--exact", Some(fault.exact_bits)), ("--folds=3", fault.binned_bits)] {
            let Some(bits) = bits else { continue };
            let mut rest = &bytes[..];
            let mut states = Vec::new();
            for length in &fault.parts {
                let (part, others) = rest.split_at(length * size);
                rest = others;
                let name = format!("{}.{extension}", states.len());
                let state = format!("{}.sb", states.len());
                files.write(&name, part);
                files.run(["state", mode, &name, "-o", &state]).lines();
                states.push(state);
            }
            let run = files.run(["merge"].into_iter().chain(states.iter().rev().map(String::as_str)));
            let expected = format!("{}  ", hex(fault.dtype, bits));
            assert!(run.lines()[0].starts_with(&expected), "{}: {mode}: {expected}: {run:?}", fault.name);
        }
    }
}
