//! Exact dots, moments, and sums of rounded products: against known bits, and against big rational numbers.

use proptest::prelude::*;
use samebits_conformance::orders::{permutations, shuffled};
use samebits_conformance::{Bits, Case, Dtype, Op, assert_biteq, cases, hard, oracle};
use samebits_core::{Binned, Error, Exact, ExactDot, Float, Kind, Moments, eft};

fn dot<T: Float>(x: &[T], y: &[T]) -> ExactDot<T> {
    let mut acc = ExactDot::new();
    acc.extend(x, y).unwrap();
    acc
}

fn moments<T: Float>(x: &[T]) -> Moments<T> {
    let mut acc = Moments::new();
    acc.extend(x).unwrap();
    acc
}

fn dot_bytes<T: Float>(acc: &ExactDot<T>) -> Vec<u8> {
    let mut bytes = vec![0; ExactDot::<T>::byte_len()];
    assert_eq!(acc.write_bytes(&mut bytes), Ok(bytes.len()));
    bytes
}

fn moment_bytes<T: Float>(acc: &Moments<T>) -> Vec<u8> {
    let mut bytes = vec![0; Moments::<T>::byte_len()];
    assert_eq!(acc.write_bytes(&mut bytes), Ok(bytes.len()));
    bytes
}

/// The same bytes with some changed and the right hash at their end.
fn forged(bytes: &[u8], changes: &[(usize, u8)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    changes.iter().for_each(|&(at, value)| bytes[at] = value);
    let end = bytes.len() - 8;
    let hash = samebits_conformance::fnv1a64(&bytes[..end].chunks(8).map(word).collect::<Vec<f64>>());
    bytes[end..].copy_from_slice(&hash.to_le_bytes());
    bytes
}

fn word(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(bytes.try_into().unwrap())
}

fn golden<T: Float + Bits>(case: &Case) {
    let (x, y): (Vec<T>, Vec<T>) = (case.inputs(), case.inputs_y());
    let from_bits = <T as Float>::from_bits;
    assert_biteq!(dot(&x, &y).value(), from_bits(case.exact_bits.unwrap()), "{} exact", case.name);
    let (mut binned, mut exact) = (Binned::<T>::new(case.fold).unwrap(), Exact::<T>::new());
    for (&a, &b) in x.iter().zip(&y) {
        binned.deposit(eft::prod(a, b)).unwrap();
        exact.deposit(eft::prod(a, b)).unwrap();
    }
    assert_biteq!(binned.value(), case.expected::<T>(), "{}", case.name);
    let rounded = case.exact_rounded_products_bits.unwrap();
    assert_biteq!(exact.value(), from_bits(rounded), "{} of rounded products", case.name);
}

#[test]
fn known_bits() {
    let all = cases(Op::Dot);
    assert_eq!(all.len(), 13);
    for case in &all {
        match case.dtype {
            Dtype::F64 => golden::<f64>(case),
            Dtype::F32 => golden::<f32>(case),
        }
    }
}

/// Hard vectors against themselves, reversed, and against ones: dots, variances and deviations of the oracle.
fn hard_inputs<T: Float + Bits>() {
    for (name, x) in hard::<T>().into_iter().filter(|(_, x)| x.len() < 300) {
        let back: Vec<T> = x.iter().rev().copied().collect();
        for y in [&x, &back, &vec![T::nearest(1.0); x.len()]] {
            let acc = dot(&x, y);
            assert_biteq!(acc.value(), oracle::dot(&x, y), "{name}");
            assert_eq!(ExactDot::from_bytes(&dot_bytes(&acc)), Ok(acc), "{name}");
        }
        let acc = moments(&x);
        assert_eq!(Moments::from_bytes(&moment_bytes(&acc)), Ok(acc), "{name}");
        for ddof in [0, 1, 2] {
            assert_biteq!(acc.variance(ddof), oracle::variance(&x, ddof), "{name}, ddof {ddof}");
            assert_biteq!(acc.std_dev(ddof), oracle::std_dev(&x, ddof), "{name}, ddof {ddof}");
        }
    }
}

#[test]
fn hard_inputs_f64() {
    hard_inputs::<f64>();
}

#[test]
fn hard_inputs_f32() {
    hard_inputs::<f32>();
}

/// Any bits; or exponents of a range and few set bits, so that ties, underflow and overflow are common.
fn float<T: Bits>() -> impl Strategy<Value = T> {
    let fields = (1u64 << (T::WIDTH - 1 - T::MANTISSA)) - 1;
    let some = prop_oneof![
        Just((0, 4)),
        Just((fields / 4 - 30, fields / 4 + 30)),
        Just((fields / 2 - 20, fields / 2 + 20)),
        Just((fields / 4 * 3, fields))
    ];
    prop_oneof![
        any::<u64>().prop_map(T::from_pattern),
        (any::<u64>(), some, any::<u64>(), 0..=T::MANTISSA).prop_map(move |(random, (low, high), fraction, zeros)| {
            let field = low + random % (high - low);
            let mantissa = (fraction >> (64 - T::MANTISSA)) >> zeros << zeros;
            T::from_pattern(random >> 63 << (T::WIDTH - 1) | field << T::MANTISSA | mantissa)
        }),
    ]
}

fn finite<T: Bits>() -> impl Strategy<Value = T> {
    float::<T>().prop_map(|x: T| {
        let exponent = ((1u64 << (T::WIDTH - 1 - T::MANTISSA)) - 1) << T::MANTISSA;
        if x.pattern() & exponent == exponent { T::nearest(1.5) } else { x }
    })
}

fn pairs<T: Bits>(most: usize) -> impl Strategy<Value = Vec<(T, T)>> {
    prop_oneof![
        prop::collection::vec((finite::<T>(), finite::<T>()), 0..most),
        prop::collection::vec((float::<T>(), float::<T>()), 0..most)
    ]
}

fn dots_hold<T: Float + Bits>(pairs: Vec<(T, T)>, seed: u64, cut: usize) -> Result<(), TestCaseError> {
    let (x, y): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
    let whole = dot(&x, &y);
    prop_assert_eq!(Bits::pattern(whole.value()), Bits::pattern(oracle::dot(&x, &y)));
    // In another order, in two parts, merged both ways, and taken apart again.
    let (x, y): (Vec<T>, Vec<T>) = shuffled(&pairs, seed).into_iter().unzip();
    let cut = cut.min(x.len());
    let (a, b) = (dot(&x[..cut], &y[..cut]), dot(&x[cut..], &y[cut..]));
    for (mut left, right) in [(a, b), (b, a)] {
        left.merge(&right).unwrap();
        prop_assert_eq!(left, whole);
        left.subtract(&right).unwrap();
        prop_assert_eq!(left, if right == b { a } else { b });
    }
    let mut left = whole;
    for (&p, &q) in x[cut..].iter().zip(&y[cut..]) {
        left.remove(p, q).unwrap();
    }
    prop_assert_eq!(left, a);
    let bytes = dot_bytes(&whole);
    prop_assert_eq!(ExactDot::from_bytes(&bytes), Ok(whole));
    let _ = (whole.error_bound(), whole.root());
    for (&p, &q) in x.iter().zip(&y) {
        let one = eft::prod(p, q);
        let product = dot(&[p], &[q]).value();
        // The product rounded by itself: the same, but for the sign of zero.
        let zero = T::default().bits();
        prop_assert!(
            one.bits() == product.bits()
                || one == T::default() && product.bits() == zero
                || one.bits() == product.bits() | 1 << (T::BITS - 1)
        );
    }
    Ok(())
}

fn moments_hold<T: Float + Bits>(x: Vec<T>, seed: u64, cut: usize) -> Result<(), TestCaseError> {
    let whole = moments(&x);
    for ddof in [0, 1, 3, u64::MAX] {
        prop_assert_eq!(Bits::pattern(whole.variance(ddof)), Bits::pattern(oracle::variance(&x, ddof)));
        prop_assert_eq!(Bits::pattern(whole.std_dev(ddof)), Bits::pattern(oracle::std_dev(&x, ddof)));
    }
    let y = shuffled(&x, seed);
    let (a, b) = y.split_at(cut.min(y.len()));
    let mut merged = moments(b);
    merged.merge(&moments(a)).unwrap();
    prop_assert_eq!(moment_bytes(&merged), moment_bytes(&whole));
    prop_assert_eq!(Moments::from_bytes(&moment_bytes(&whole)), Ok(whole));
    let mut sum = Exact::<T>::new();
    sum.extend(&x).unwrap();
    prop_assert_eq!(Bits::pattern(whole.mean()), Bits::pattern(sum.mean()));
    let mut absorbed = Moments::<T>::new();
    absorbed.absorb(&sum, &dot(&x, &x)).unwrap();
    prop_assert_eq!(absorbed, whole);
    Ok(())
}

proptest! {
    #[test]
    fn dots_f64(pairs in pairs::<f64>(30), seed: u64, cut in 0usize..30) {
        dots_hold(pairs, seed, cut)?;
    }

    #[test]
    fn dots_f32(pairs in pairs::<f32>(30), seed: u64, cut in 0usize..30) {
        dots_hold(pairs, seed, cut)?;
    }

    #[test]
    fn moments_f64(x in prop::collection::vec(finite::<f64>(), 0..30), seed: u64, cut in 0usize..30) {
        moments_hold(x, seed, cut)?;
    }

    #[test]
    fn moments_f32(x in prop::collection::vec(finite::<f32>(), 0..30), seed: u64, cut in 0usize..30) {
        moments_hold(x, seed, cut)?;
    }

    /// A large common part: the textbook formula in floats has nothing left of such a variance.
    #[test]
    fn moments_with_an_offset(x in prop::collection::vec(-1000i64..1000, 2..40), up in 0u32..10) {
        let shifted: Vec<f64> = x.iter().map(|&v| (v + (1 << (42 + up))) as f64).collect();
        let plain: Vec<f64> = x.iter().map(|&v| v as f64).collect();
        prop_assert_eq!(moments(&shifted).variance(1).to_bits(), moments(&plain).variance(1).to_bits());
        prop_assert_eq!(moments(&shifted).std_dev(0).to_bits(), moments(&plain).std_dev(0).to_bits());
    }

    /// The root of an exact sum of squares: that of the oracle, as the deviation of `x` and `-x`.
    #[test]
    fn roots(x in prop::collection::vec(finite::<f64>(), 1..20)) {
        let both: Vec<f64> = x.iter().flat_map(|&v| [v, -v]).collect();
        let squares = dot(&both, &both);
        prop_assert_eq!(oracle::std_dev(&both, both.len() as u64 - 1).to_bits(), squares.root().to_bits());
    }

    /// Any bytes: an error, or a state that writes the same bytes again and computes without a panic.
    #[test]
    fn hostile_bytes(x in prop::collection::vec(finite::<f64>(), 0..6), changes in prop::collection::vec((16usize..600, any::<u8>()), 0..4)) {
        let bytes = forged(&dot_bytes(&dot(&x, &x)), &changes.iter().map(|&(at, v)| (at.min(591), v)).collect::<Vec<_>>());
        if let Ok(acc) = ExactDot::<f64>::from_bytes(&bytes) {
            prop_assert_eq!(dot_bytes(&acc), bytes);
            let _ = (acc.value(), acc.error_bound(), acc.root());
        }
        let bytes = forged(&moment_bytes(&moments(&x)), &changes);
        if let Ok(acc) = Moments::<f64>::from_bytes(&bytes) {
            prop_assert_eq!(moment_bytes(&acc), bytes);
            let (v, s) = (acc.variance(0), acc.std_dev(0));
            prop_assert!(v.is_nan() || v >= 0.0 && s >= 0.0);
        }
    }
}

#[test]
fn special_products() {
    let (inf, nan, max) = (f64::INFINITY, f64::NAN, f64::MAX);
    let counts = |x: &[f64], y: &[f64]| {
        let acc = dot(x, y);
        (acc.nan_count(), acc.pos_inf_count(), acc.neg_inf_count(), acc.value().to_bits())
    };
    let quiet = nan.to_bits();
    assert_eq!(counts(&[0.0], &[inf]), (1, 0, 0, quiet));
    assert_eq!(counts(&[-inf], &[-0.0]), (1, 0, 0, quiet));
    assert_eq!(counts(&[inf, inf], &[-inf, -5e-324]), (0, 0, 2, (-inf).to_bits()));
    assert_eq!(counts(&[inf, inf], &[inf, -1.0]), (0, 1, 1, quiet));
    assert_eq!(counts(&[f64::from_bits(0x7ff0_0000_0000_0001)], &[1.0]), (1, 0, 0, quiet));
    // Overflow and underflow of products and of partial sums are no specials.
    assert_eq!(counts(&[max, max, 1.0], &[max, -max, 3.0]), (0, 0, 0, 3f64.to_bits()));
    assert_eq!(counts(&[max; 2], &[max; 2]), (0, 0, 0, inf.to_bits()));
    assert_eq!(counts(&[5e-324; 4], &[5e-324, 0.125, 0.125, 0.25]), (0, 0, 0, 1), "just above half a subnormal");
    assert_eq!(counts(&[5e-324], &[-5e-324]), (0, 0, 0, 0), "never -0");
    assert_eq!(counts(&[], &[]), (0, 0, 0, 0));
    assert_eq!(counts(&[-0.0], &[0.0]), (0, 0, 0, 0));
    assert_eq!(dot(&[1.0f64], &[-1.0]).root().to_bits(), quiet);
    assert_eq!(dot(&[inf], &[inf]).root(), inf);
}

#[test]
fn unequal_lengths_and_unlike_states_are_refused() {
    let mut acc = dot(&[1.0f64], &[2.0]);
    let before = acc;
    assert!(matches!(acc.extend(&[1.0, 2.0], &[1.0]), Err(Error::Length { given: 1, needed: 2, .. })));
    assert_eq!(acc.remove(f64::NAN, 1.0), Err(Error::NotHeld));
    assert_eq!(acc, before);
    let (exact, dots, moments) = (Exact::<f64>::new(), ExactDot::<f64>::new(), Moments::<f64>::new());
    let mut sum_bytes = vec![0; Exact::<f64>::byte_len()];
    exact.write_bytes(&mut sum_bytes).unwrap();
    assert!(ExactDot::<f64>::from_bytes(&sum_bytes).is_err());
    assert!(Moments::<f64>::from_bytes(&dot_bytes(&dots)).is_err());
    assert!(Exact::<f64>::from_bytes(&moment_bytes(&moments)).is_err());
    assert!(Binned::<f64>::from_bytes(&dot_bytes(&dots)).is_err());
    assert!(ExactDot::<f32>::from_bytes(&dot_bytes(&dots)).is_err());
    for kind in [Kind::Dot, Kind::Moments] {
        assert!(Binned::<f64>::with_kind(kind, 3).is_err());
    }
    let mut unlike = Moments::<f64>::new();
    assert!(unlike.absorb(&exact, &dot(&[1.0], &[1.0])).is_err());
}

/// Right hashes around contents that no multiset has.
#[test]
fn impossible_states_are_refused() {
    let good = dot_bytes(&dot(&[1.5f64, f64::INFINITY, -2.0], &[3.0, 1.0, 7.0]));
    assert!(ExactDot::<f64>::from_bytes(&forged(&good, &[])).is_ok());
    for (changes, what) in [
        (vec![(11, 3)], "folds"),
        (vec![(16, 1)], "an index"),
        (vec![(24, 0)], "more specials than products"),
        (vec![(56 + 8 * 65 + 4, 0x30)], "a total beyond two products"),
        (vec![(56 + 8 * 66 + 7, 0x80)], "the lowest total"),
        (vec![(24, 1), (40, 1)], "a total without a finite product"),
    ] {
        assert!(ExactDot::<f64>::from_bytes(&forged(&good, &changes)).is_err(), "{what} was accepted");
    }
    let good = moment_bytes(&moments(&[1.5f64, -2.0]));
    let squares = 56 + 8 * 34;
    assert!(Moments::<f64>::from_bytes(&forged(&good, &[])).is_ok());
    for (changes, what) in [
        (vec![(11, 2)], "folds"),
        (vec![(56, 1)], "an odd sum of even squares"),
        (vec![(56 + 8 * 17, 0)], "a sum larger than its squares allow"),
        (vec![(squares + 8 * 66 + 7, 0x80)], "a negative sum of squares"),
        (vec![(24, 0)], "totals of nothing"),
    ] {
        assert!(Moments::<f64>::from_bytes(&forged(&good, &changes)).is_err(), "{what} was accepted");
    }
}

#[test]
fn variances_of_few_and_of_special_values() {
    let nan = f64::NAN.to_bits();
    for (x, ddof) in [(Vec::<f64>::new(), 0), (vec![], 1), (vec![3.0], 1), (vec![3.0; 2], 2), (vec![3.0; 5], u64::MAX)]
    {
        assert_eq!((moments(&x).variance(ddof).to_bits(), moments(&x).std_dev(ddof).to_bits()), (nan, nan));
    }
    for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let acc = moments(&[1.0, special, 2.0]);
        assert_eq!((acc.variance(0).to_bits(), acc.std_dev(1).to_bits()), (nan, nan));
    }
    assert_eq!(moments(&[7.25f64]).variance(0).to_bits(), 0);
    for constant in [0.1, -f64::MAX, 5e-324, -0.0] {
        let acc = moments(&[constant; 1000]);
        assert_eq!((acc.variance(1).to_bits(), acc.std_dev(1).to_bits()), (0, 0), "{constant:e}");
    }
    // Beyond the range, although the deviation is not.
    let wide = moments(&[f64::MAX, -f64::MAX]);
    assert_eq!((wide.variance(0), wide.std_dev(0)), (f64::INFINITY, f64::MAX));
    // Below it, although the deviation is not.
    let narrow = moments(&[5e-324f64, -5e-324]);
    assert_eq!((narrow.variance(0).to_bits(), narrow.std_dev(0)), (0, 5e-324));
}

/// Four products far apart in magnitude.
#[test]
fn every_order_of_distant_products() {
    let pairs = [(1e300, 1e300), (-1e300, 1e300), (1e-300, 1e-300), (3.0, 0.1)];
    for order in permutations(4) {
        let mut acc = ExactDot::<f64>::new();
        order.iter().for_each(|&i| acc.deposit(pairs[i].0, pairs[i].1).unwrap());
        assert_biteq!(acc.value(), 3.0 * 0.1, "{order:?}");
    }
}
