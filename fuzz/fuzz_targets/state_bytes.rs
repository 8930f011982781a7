//! Any bytes as the state of an accumulator: refused, or read and written back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::{Accumulator, AnyAccumulator, Element, Norm2Accumulator};
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
