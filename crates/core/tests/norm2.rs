//! The 2-norm and the infinity norm: known bits, the scaled form that is published, any order, partition and bytes.

use samebits_conformance::{Bits, Dtype, Op, assert_biteq, cases, hard, orders};
use samebits_core::{
    Binned, Class, Counts, Error, ExactDot, ExactNorm2, Float, Kind, Norm2, NormInf, bin_index, classify,
};

fn norm2<T: Float>(folds: usize, x: &[T]) -> Norm2<T> {
    let mut acc = Norm2::new(folds).unwrap();
    acc.extend(x).unwrap();
    acc
}

fn bytes<T: Float>(acc: &Norm2<T>) -> Vec<u8> {
    let mut bytes = vec![0; Norm2::<T>::byte_len(acc.folds())];
    acc.write_bytes(&mut bytes).unwrap();
    bytes
}

#[test]
fn known_bits() {
    fn check<T: Float + Bits>(name: &str, folds: usize, x: &[T], expected: T) {
        assert_biteq!(norm2(folds, x).value(), expected, "{name}");
        assert_biteq!(norm2(folds, &orders::shuffled(x, 3)).value(), expected, "{name} shuffled");
    }
    for case in cases(Op::Norm2) {
        match case.dtype {
            Dtype::F64 => check::<f64>(&case.name, case.fold, &case.inputs(), case.expected()),
            Dtype::F32 => check::<f32>(&case.name, case.fold, &case.inputs(), case.expected()),
        }
    }
}

#[test]
fn ends_of_the_range() {
    fn check<T: Float + Bits>() {
        let (one, max, inf) = (T::from_pattern(1), T::from_pattern(T::INFINITY.bits() - 1), T::INFINITY);
        for folds in [2, 3, Norm2::<T>::MAX_FOLDS] {
            let value = |x: &[T]| norm2(folds, x).value();
            assert_biteq!(value(&[]), T::from_pattern(0));
            assert_biteq!(value(&[T::from_pattern(1 << (T::BITS - 1)); 9]), T::from_pattern(0), "-0");
            assert_biteq!(value(&[one]), one);
            assert_biteq!(value(&[one; 4]), T::from_pattern(2));
            assert_biteq!(value(&[one; 2]), one, "the root of 2 rounds to 1");
            assert_biteq!(value(&[max, one]), max);
            assert_biteq!(value(&[max, max]), inf);
            assert_biteq!(value(&[inf, max]), inf);
            assert_biteq!(value(&[T::from_pattern(T::INFINITY.bits() | 1 << (T::BITS - 1))]), inf, "-inf");
            assert_biteq!(value(&[inf, T::from_pattern(T::INFINITY.bits() | 5), one]), T::NAN);
            assert!(matches!(Norm2::<T>::new(Norm2::<T>::MAX_FOLDS + 1), Err(Error::Folds { .. })));
            assert!(matches!(Norm2::<T>::new(1), Err(Error::Folds { .. })));
        }
        assert_eq!(norm2(3, &[one]).index(), Norm2::<T>::MAX_INDEX);
        assert_eq!(norm2(3, &[max]).index(), 0);
    }
    check::<f64>();
    check::<f32>();
    assert_eq!((Norm2::<f64>::MAX_FOLDS, Norm2::<f32>::MAX_FOLDS), (26, 11));
}

/// The published way, in float arithmetic: a power of `2^W` near the largest magnitude, by which every value is divided
/// before it is squared; exponents of the scale are cut off towards zero and end before the subnormals. Another scale
/// than that of the definition, and the same bits. (With the most folds a square that underflows can be rounded up to a tie
/// of the last bin there, and here not; no input does it.)
#[test]
fn scaled_sums_of_squares() {
    fn exponent<T: Float>(x: T) -> i32 {
        match classify(x) {
            Class::Finite { m, q } if m != 0 => q + 63 - m.unsigned_abs().leading_zeros() as i32,
            _ => i32::MIN,
        }
    }
    fn check<T: Float + Bits>(
        folds: &[usize],
        lowest: i32,
        square: impl Fn(T, i32) -> T,
        scaled_root: impl Fn(T, i32) -> T,
    ) {
        for (name, x) in hard::<T>() {
            let top = x.iter().map(|&v| exponent(v)).max().unwrap_or(i32::MIN);
            if x.iter().any(|&v| v.bits() << (65 - T::BITS) >= T::INFINITY.bits() << (65 - T::BITS)) || top == i32::MIN
            {
                continue;
            }
            let width = <T as Float>::WIDTH as i32;
            let scale = top.max(lowest) / width * width;
            for &k in folds {
                let mut sum = Binned::new(k).unwrap();
                x.iter().for_each(|&v| sum.deposit(square(v, scale)).unwrap());
                assert_biteq!(norm2(k, &x).value(), scaled_root(sum.value(), scale), "{name}, K={k}");
            }
        }
    }
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    let divide = move |x: f64, e: i32| x * power(-e);
    check::<f64>(&[2, 3, 4, 24, 26], 40 - 1023, |x, e| divide(x, e) * divide(x, e), |y, e| y.sqrt() * power(e));
    check::<f32>(
        &[2, 3, 4, 8, 11],
        13 - 127,
        |x, e| (x * power(-e) as f32) * (x * power(-e) as f32),
        |y, e| (f64::from(y).sqrt() * power(e)) as f32,
    );
}

#[test]
fn order_and_partition_do_not_show() {
    fn check<T: Float + Bits>() {
        for (name, x) in hard::<T>().into_iter().filter(|(_, x)| x.len() < 1000) {
            for folds in [2, 3, 7, Norm2::<T>::MAX_FOLDS] {
                let whole = norm2(folds, &x);
                for order in [orders::reversed(&x), orders::shuffled(&x, 1), orders::sorted_by_magnitude(&x)] {
                    assert_eq!(bytes(&norm2(folds, &order)), bytes(&whole), "{name}, K={folds}");
                    let (a, b) = order.split_at(order.len() / 3);
                    let (mut left, mut right) = (norm2(folds, a), norm2(folds, b));
                    let parts = (left, right);
                    left.merge(&parts.1).unwrap();
                    right.merge(&parts.0).unwrap();
                    assert_eq!((bytes(&left), bytes(&right)), (bytes(&whole), bytes(&whole)), "{name}, K={folds}");
                }
                assert_eq!(Norm2::from_bytes(&bytes(&whole)).unwrap(), whole, "{name}, K={folds}");
                let bound = whole.error_bound();
                assert!(bound >= 0.0 || whole.value().bits() == T::NAN.bits(), "{name}, K={folds}");
            }
        }
    }
    check::<f64>();
    check::<f32>();
}

#[test]
fn capacity_and_mismatches() {
    let mut acc = norm2(3, &[1.0f32]);
    let full = Counts { summands: f32::CAPACITY, ..Counts::default() };
    assert!(matches!(acc.absorb(0, &[1, 0, 0], full), Err(Error::Capacity { .. })));
    assert!(matches!(acc.absorb(0, &[1, 0], Counts::default()), Err(Error::Length { .. })));
    assert!(matches!(acc.absorb(200, &[1, 0, 0], Counts::default()), Err(Error::State { .. })));
    assert!(matches!(acc.merge(&norm2(4, &[1.0])), Err(Error::Mismatch { .. })));
    assert_eq!(acc, norm2(3, &[1.0]), "after an error nothing was added");
    acc.absorb(Norm2::<f32>::MAX_INDEX, &[0; 3], Counts { summands: f32::CAPACITY - 1, ..Counts::default() }).unwrap();
    assert!(matches!(acc.deposit(1.0), Err(Error::Capacity { .. })));
    assert!(matches!(Binned::<f64>::with_kind(Kind::Norm2, 3), Err(Error::Kinds { .. })));
}

fn signed(mut state: Vec<u8>) -> Vec<u8> {
    let end = state.len() - 8;
    let hash =
        state[..end].iter().fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    state[end..].copy_from_slice(&hash.to_le_bytes());
    state
}

/// Bytes with a right hash: refused, or a state that can be used, merged and written back.
#[test]
fn hostile_bytes() {
    let good = bytes(&norm2(3, &[1.0, 3e-20, f64::NAN, 0.25]));
    let change = |at: usize, with: &[u8]| {
        let mut state = good.clone();
        state[at..at + with.len()].copy_from_slice(with);
        Norm2::<f64>::from_bytes(&signed(state))
    };
    for at in 0..good.len() - 8 {
        for value in [0, 1, 2, 3, 0x3f, 0x7f, 0x80, 0xff] {
            let Ok(mut acc) = change(at, &[value]) else { continue };
            let copy = acc;
            // A count near the limit lets nothing be added.
            let _ = (acc.merge(&copy), acc.deposit(1e200));
            let _ = (acc.value(), acc.error_bound());
            assert_eq!(Norm2::from_bytes(&bytes(&acc)).unwrap(), acc);
        }
    }
    let refused = |result: samebits_core::Result<Norm2<f64>>| assert!(result.is_err(), "{result:?}");
    refused(change(9, &[1]));
    refused(change(11, &[27]));
    refused(change(16, &[106]));
    refused(change(16, &[0, 1]));
    refused(change(48, &[1])); // a negative infinity
    refused(change(56, &0i128.to_le_bytes()));
    refused(change(56, &(-1i128).to_le_bytes()));
    refused(change(56, &(3i128 << 39).to_le_bytes().map(|b| b.wrapping_add(1))));
    refused(change(56, &[1i128.to_le_bytes(), (-3i128 << 39).to_le_bytes()].concat()));
    let mut flipped = good.clone();
    flipped[60] ^= 1;
    refused(Norm2::from_bytes(&flipped));
    refused(Norm2::from_bytes(&good[..good.len() - 1]));
    assert!(Binned::<f64>::from_bytes(&good).is_err());
    let mut exact = good[..56].to_vec();
    exact[11] = 0;
    exact.extend([0; 34 * 8 + 8]);
    assert!(samebits_core::Exact::<f64>::from_bytes(&signed(exact)).is_err());
}

#[test]
fn scales() {
    for index in 0..=Norm2::<f64>::MAX_INDEX {
        for bin in [3, 20, 24] {
            let (z, found) = Norm2::<f64>::scale_for(index, bin);
            assert!(found == bin || found == bin + 1);
            assert_eq!(Norm2::<f64>::index_at(z, found), index as i32);
        }
    }
    // At scale 0 the bins of the squares are those of the type.
    assert_eq!(norm2(3, &[1.5f64]).index() as i32, Norm2::<f64>::index_at(0, bin_index(2.25f64)));
    assert_eq!(norm2(3, &[1.5f32]).index() as i32, Norm2::<f32>::index_at(0, bin_index(2.25f32)));
}

#[test]
fn largest_magnitudes() {
    fn check<T: Float + Bits>() {
        for (name, x) in hard::<T>() {
            let nan = x.iter().any(|&v| classify(v) == Class::Nan);
            let largest = x.iter().map(|v| v.bits() & !(1 << (T::BITS - 1))).max().unwrap_or(0);
            let expected = if nan { T::NAN } else { T::from_pattern(largest) };
            let (a, b) = x.split_at(x.len() / 2);
            let (mut left, mut right) = (NormInf::new(), NormInf::new());
            left.extend(a);
            right.extend(b);
            left.merge(&right);
            assert_biteq!(left.value(), expected, "{name}");
        }
    }
    check::<f64>();
    check::<f32>();
}

fn exact<T: Float>(x: &[T]) -> ExactNorm2<T> {
    let mut acc = ExactNorm2::new();
    acc.extend(x).unwrap();
    acc
}

#[test]
fn exact_norms() {
    fn check<T: Float + Bits>() {
        let (one, max) = (T::from_pattern(1), T::from_pattern(T::INFINITY.bits() - 1));
        assert_biteq!(exact(&[one]).value(), one);
        assert_biteq!(exact(&[max, one]).value(), max);
        assert_biteq!(exact(&[max, max]).value(), T::INFINITY);
        assert_biteq!(exact::<T>(&[]).value(), T::from_pattern(0));
        assert_eq!((exact(&[max]).error_bound(), exact::<T>(&[]).error_bound()), (0.0, 0.0));
        assert!(exact(&[max, one]).error_bound() > 0.0);
        assert_eq!(exact(&[max, max]).error_bound(), f64::INFINITY);
        for (name, x) in hard::<T>().into_iter().filter(|(_, x)| x.len() < 300) {
            let whole = exact(&x);
            let mut bytes = vec![0; ExactNorm2::<T>::byte_len()];
            whole.write_bytes(&mut bytes).unwrap();
            assert_eq!(ExactNorm2::from_bytes(&bytes).unwrap(), whole, "{name}");
            assert!(ExactDot::<T>::from_bytes(&bytes).is_err() && Norm2::<T>::from_bytes(&bytes).is_err(), "{name}");
            // The binned norm lies within its bound of the exact one, which lies within its own of the true one.
            let (binned, exact_value) = (norm2(3, &x), whole.value());
            let special = whole.counts().special::<T>().is_some() || exact_value.bits() == T::INFINITY.bits();
            if !special && binned.value().bits() != T::INFINITY.bits() {
                let difference = (binned.value().to_f64() - exact_value.to_f64()).abs();
                // tolerance: the error bounds themselves are what is tested
                assert!(difference <= binned.error_bound() + whole.error_bound(), "{name}: {difference:e}");
            }
        }
    }
    trait ToF64 {
        fn to_f64(self) -> f64;
    }
    impl<T: Float> ToF64 for T {
        fn to_f64(self) -> f64 {
            if T::BITS == 64 { f64::from_bits(self.bits()) } else { f32::from_bits(self.bits() as u32).into() }
        }
    }
    check::<f64>();
    check::<f32>();
    for case in cases(Op::Norm2) {
        let bits = case.exact_bits.unwrap();
        match case.dtype {
            Dtype::F64 => assert_biteq!(exact(&case.inputs_f64()).value(), f64::from_bits(bits), "{}", case.name),
            Dtype::F32 => {
                assert_biteq!(exact(&case.inputs_f32()).value(), f32::from_bits(bits as u32), "{}", case.name)
            }
        }
    }
}

#[test]
fn hostile_bytes_of_exact_norms() {
    let mut good = vec![0; ExactNorm2::<f64>::byte_len()];
    exact(&[1.0, 3e-20, f64::NAN, 0.25]).write_bytes(&mut good).unwrap();
    let change = |at: usize, with: u8| {
        let mut state = good.clone();
        state[at] = with;
        ExactNorm2::<f64>::from_bytes(&signed(state))
    };
    assert!(change(9, 4).is_err(), "a dot");
    assert!(change(11, 3).is_err(), "folds");
    assert!(change(16, 1).is_err(), "an index");
    assert!(change(48, 1).is_err(), "a negative infinity");
    assert!(change(good.len() - 9, 0x80).is_err(), "a negative sum");
    assert!(change(good.len() - 9, 0x40).is_err(), "too large a sum");
    assert!(change(60, 1).is_ok());
}
