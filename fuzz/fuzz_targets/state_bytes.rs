//! Any bytes as the state of an accumulator: refused, or read and written back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::{Accumulator, AnyAccumulator, DotAccumulator, Element, Norm2Accumulator, VarianceAccumulator};
use samebits_fuzz::fnv1a64;

fuzz_target!(|data: &[u8]| {
    check(data);
    // The hash at the end keeps almost every mutation out; put the right one there.
    if let Some(body) = data.len().checked_sub(8) {
        let mut signed = data[..body].to_vec();
        signed.extend(fnv1a64(&data[..body]).to_le_bytes());
        check(&signed);
    }
});

fn check(bytes: &[u8]) {
    match AnyAccumulator::from_bytes(bytes) {
        Ok(AnyAccumulator::F32(acc)) => use_it(acc, bytes),
        Ok(AnyAccumulator::F64(acc)) => use_it(acc, bytes),
        Ok(_) => unreachable!("a type that this target does not know"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    check_norm::<f64>(bytes);
    check_norm::<f32>(bytes);
    check_dot::<f64>(bytes);
    check_dot::<f32>(bytes);
    check_variance::<f64>(bytes);
    check_variance::<f32>(bytes);
}

fn check_dot<T: Element>(bytes: &[u8]) {
    let dot = match DotAccumulator::<T>::from_bytes(bytes) {
        Ok(dot) => dot,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(dot.to_bytes(), bytes);
    assert!(dot.nan_count() + dot.pos_inf_count() + dot.neg_inf_count() <= dot.count());
    let mut twice = dot;
    match twice.merge(&dot) {
        Ok(()) => assert_eq!(twice.count(), 2 * dot.count()),
        Err(_) => assert_eq!(twice, dot, "after an error nothing was added"),
    }
    let (mut more, max) = (dot, T::from_bits(T::INFINITY.bits() - 1));
    if more.extend(&[T::from_bits(1), max, T::NAN], &[T::from_bits(1), max, max]).is_ok() {
        assert_eq!(more.count(), dot.count() + 3);
    }
    let mut less = twice;
    let left = if less.subtract(&dot).is_ok() { less } else { dot };
    assert!(left == dot || twice == dot, "what was added twice and taken back once is there once");
    for dot in [dot, twice, more] {
        let _ = (dot.value(), dot.error_bound());
        assert_eq!(DotAccumulator::from_bytes(&dot.to_bytes()).expect("what was written can be read"), dot);
    }
}

fn check_variance<T: Element>(bytes: &[u8]) {
    let state = match VarianceAccumulator::<T>::from_bytes(bytes) {
        Ok(state) => state,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(state.to_bytes(), bytes);
    let mut twice = state;
    match twice.merge(&state) {
        Ok(()) => assert_eq!(twice.count(), 2 * state.count()),
        Err(_) => assert_eq!(twice, state, "after an error nothing was added"),
    }
    let mut more = state;
    if more.extend(&[T::from_bits(1), T::from_bits(T::INFINITY.bits() - 1)]).is_ok() {
        assert_eq!(more.count(), state.count() + 2);
    }
    for state in [state, twice, more] {
        for found in [state.variance(0), state.variance(1), state.std_dev(0), state.std_dev(1)] {
            assert!(found.bits() >> (T::BITS - 1) == 0, "a variance is not negative");
        }
        let _ = state.mean();
        assert_eq!(VarianceAccumulator::from_bytes(&state.to_bytes()).expect("what was written can be read"), state);
    }
}

fn check_norm<T: Element>(bytes: &[u8]) {
    let norm = match Norm2Accumulator::<T>::from_bytes(bytes) {
        Ok(norm) => norm,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(norm.to_bytes(), bytes);
    assert!(norm.nan_count() + norm.inf_count() <= norm.count());
    let mut twice = norm;
    match twice.merge(&norm) {
        Ok(()) => assert_eq!(twice.count(), 2 * norm.count()),
        Err(_) => assert_eq!(twice, norm, "after an error nothing was added"),
    }
    let mut more = norm;
    if more.extend(&[T::from_bits(1), T::from_bits(T::INFINITY.bits() - 1), T::NAN]).is_ok() {
        assert_eq!(more.count(), norm.count() + 3);
    }
    for norm in [norm, twice, more] {
        let _ = (norm.value(), norm.error_bound());
        assert_eq!(Norm2Accumulator::from_bytes(&norm.to_bytes()).expect("what was written can be read"), norm);
    }
}

fn use_it<T: Element>(acc: Accumulator<T>, bytes: &[u8]) {
    assert_eq!(acc.to_bytes(), bytes);
    let _ = (acc.value(), acc.mean(), acc.error_bound());
    assert!(acc.nan_count() + acc.pos_inf_count() + acc.neg_inf_count() <= acc.count());

    let mut twice = acc.clone();
    match twice.merge(&acc) {
        Ok(()) => assert_eq!(twice.count(), 2 * acc.count()),
        Err(_) => assert_eq!(twice.to_bytes(), bytes, "after an error nothing was added"),
    }
    round_trip(&twice);
    if twice.subtract(&acc).is_ok() {
        round_trip(&twice);
    }

    let mut more = acc.clone();
    if more.extend(&[T::from_bits(1), T::from_bits(T::INFINITY.bits() - 1), T::NAN]).is_ok() {
        assert_eq!(more.count(), acc.count() + 3);
        round_trip(&more);
    }
}

fn round_trip<T: Element>(acc: &Accumulator<T>) {
    let _ = (acc.value(), acc.mean(), acc.error_bound());
    let bytes = acc.to_bytes();
    let back = Accumulator::<T>::from_bytes(&bytes).expect("what was written can be read");
    assert_eq!(back.to_bytes(), bytes);
}
