//! Properties that must hold for any multiset: random bit patterns, any cut, any order.

use proptest::prelude::*;
use samebits_conformance::orders::shuffled;
use samebits_core::{Binned, BinnedArray, Class, Error, Exact, Float, Head, Kind, bin_index, classify, eft};

/// Floats as people have them and as nobody has them: any bits, or an exponent from a narrow range and few set bits.
fn any_f64() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        (any::<bool>(), 900u64..1100, any::<u64>(), 0u32..53).prop_map(|(negative, field, mantissa, zeros)| {
            f64::from_bits((negative as u64) << 63 | field << 52 | (mantissa >> 12) >> zeros << zeros)
        }),
        prop::sample::select(vec![0.0, -0.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -5e-324]),
    ]
}

fn finite_f32() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_map(|x| if x.is_finite() { x } else { 1.5 })
}

fn binned<T: Float>(kind: Kind, folds: usize, x: &[T]) -> Binned<T> {
    let mut acc = Binned::with_kind(kind, folds).unwrap();
    acc.extend(x).unwrap();
    acc
}

fn bytes<T: Float>(acc: &Binned<T>) -> Vec<u8> {
    let mut bytes = vec![0; Binned::<T>::byte_len(acc.folds())];
    acc.write_bytes(&mut bytes).unwrap();
    bytes
}

proptest! {
    #[test]
    fn order_and_partition_do_not_show(x in prop::collection::vec(any_f64(), 0..60), folds in 2usize..=52, cut in 0usize..60, seed: u64) {
        let whole = binned(Kind::Sum, folds, &x);
        let y = shuffled(&x, seed);
        let (a, b) = y.split_at(cut.min(y.len()));
        let (a, b) = (binned(Kind::Sum, folds, a), binned(Kind::Sum, folds, b));
        let mut merged = b;
        merged.merge(&a).unwrap();
        prop_assert_eq!(bytes(&merged), bytes(&whole));
        let mut merged = a;
        merged.merge(&b).unwrap();
        prop_assert_eq!(bytes(&merged), bytes(&whole));
    }

    #[test]
    fn bytes_and_images_read_back(x in prop::collection::vec(finite_f32(), 0..40), folds in 2usize..=21) {
        for kind in [Kind::Sum, Kind::Asum] {
            let acc = binned(kind, folds, &x);
            prop_assert_eq!(Binned::from_bytes(&bytes(&acc)).unwrap(), acc);
            let mut words = vec![0; Binned::<f32>::image_len(folds)];
            acc.write_image(acc.window_rank(), &mut words).unwrap();
            prop_assert_eq!(Binned::from_image(kind, folds, acc.window_rank(), &words).unwrap(), acc);
        }
    }

    /// What an all-reduce over any number of ranks does: MAX over the windows, SUM over the words.
    #[test]
    fn images_sum_like_merges(parts in prop::collection::vec(prop::collection::vec(any_f64(), 0..8), 1..12), folds in 2usize..=8) {
        let parts: Vec<Binned<f64>> = parts.iter().map(|x| binned(Kind::Sum, folds, x)).collect();
        let rank = parts.iter().map(|p| p.window_rank()).max().unwrap();
        let mut total = vec![0i64; Binned::<f64>::image_len(folds)];
        let mut merged = Binned::<f64>::new(folds).unwrap();
        for part in &parts {
            let mut words = vec![0; total.len()];
            part.write_image(rank, &mut words).unwrap();
            total.iter_mut().zip(words).for_each(|(t, w)| *t += w);
            merged.merge(part).unwrap();
        }
        prop_assert_eq!(Binned::from_image(Kind::Sum, folds, rank, &total).unwrap(), merged);
    }

    #[test]
    fn arrays_equal_single_accumulators(terms in prop::collection::vec((0usize..5, any_f64()), 0..80), folds in 2usize..=6) {
        let (mut heads, mut totals) = (vec![Head::default(); 5], vec![0i128; 5 * folds]);
        let mut array = BinnedArray::<f64>::new(Kind::Sum, folds, &mut heads, &mut totals).unwrap();
        let mut singles = [Binned::<f64>::new(folds).unwrap(); 5];
        for &(key, x) in &terms {
            array.deposit(key, x).unwrap();
            singles[key].deposit(x).unwrap();
        }
        for (i, single) in singles.iter().enumerate() {
            prop_assert_eq!(&array.get(i), single);
            array.absorb(i, single).unwrap();
            let mut twice = *single;
            twice.merge(single).unwrap();
            prop_assert_eq!(array.get(i), twice);
        }
    }

    #[test]
    fn exact_takes_back_what_it_was_given(x in prop::collection::vec(any_f64(), 0..40), y in prop::collection::vec(any_f64(), 0..40)) {
        let sum = |x: &[f64]| { let mut acc = Exact::new(); acc.extend(x).unwrap(); acc };
        let both = [x.clone(), y.clone()].concat();
        let mut acc = sum(&both);
        acc.subtract(&sum(&y)).unwrap();
        prop_assert_eq!(acc, sum(&x));
        let mut acc = sum(&both);
        for &v in &x {
            acc.remove(v).unwrap();
        }
        prop_assert_eq!(acc, sum(&y));
    }

    /// With all bins in the window nothing is lost but what lies below the last unit, so totals times units are the sum.
    #[test]
    fn all_folds_hold_the_exact_sum(x in prop::collection::vec(prop_oneof![Just(1.0), any::<f32>().prop_map(f64::from), 0.0..1e9f64], 1..40)) {
        prop_assume!(x.iter().all(|v| v.is_finite()));
        let acc = binned(Kind::Sum, 52, &x);
        let mut exact = Exact::<f64>::new();
        exact.extend(&x).unwrap();
        prop_assert_eq!(acc.mean().to_bits(), exact.mean().to_bits());
    }

    #[test]
    fn transformations_are_error_free(a in any_f64(), b in any_f64()) {
        let exact_sum = |terms: &[f64]| { let mut acc = Exact::<f64>::new(); acc.extend(terms).unwrap(); acc };
        let (s, e) = eft::two_sum(a, b);
        if s.is_finite() {
            prop_assert_eq!(s.to_bits(), (a + b).to_bits());
            let mut rest = exact_sum(&[a, b]);
            rest.subtract(&{ let mut parts = exact_sum(&[s]); parts.deposit(e).unwrap(); parts }).unwrap();
            prop_assert_eq!(rest.value().to_bits(), 0);
        }
        let (p, e) = eft::two_prod(a, b);
        if (a * b).is_nan() { prop_assert!(p.is_nan()) } else { prop_assert_eq!(p.to_bits(), (a * b).to_bits()) }
        if let Some(e) = e {
            // a * b == p + e, in integers of the unit of the exact product.
            let parts = [a, b, p, e].map(|x| match classify(x) {
                Class::Finite { m, q } => (m as i128, q),
                special => panic!("{special:?} among {a:e} * {b:e}"),
            });
            let [(ma, qa), (mb, qb), p, e] = parts;
            let in_units = |(m, q): (i128, i32)| match q - (qa + qb) {
                _ if m == 0 => 0,
                up @ 0.. => m << up,
                down => m >> -down,
            };
            prop_assert_eq!(ma * mb, in_units(p) + in_units(e));
        }
    }

    /// Any bytes: an error or a state that writes the same bytes again, never a panic.
    #[test]
    fn hostile_bytes(mut state in prop::collection::vec(any::<u8>(), 0..900), real: bool, at in 0usize..112, value: u8) {
        if real {
            state = bytes(&binned(Kind::Sum, 3, &[1.5f64, -7.0, f64::INFINITY]));
            state[at % 112] = value;
        }
        if let Ok(acc) = Binned::<f64>::from_bytes(&state) {
            prop_assert_eq!(bytes(&acc), state.clone());
            let _ = (acc.value(), acc.mean(), acc.error_bound());
        }
        if let Ok(acc) = Exact::<f64>::from_bytes(&state) {
            let _ = (acc.value(), acc.mean(), acc.error_bound());
        }
        let _ = (Binned::<f32>::from_bytes(&state), Exact::<f32>::from_bytes(&state));
    }
}

/// Bytes with a right hash but contents that no multiset has.
#[test]
fn impossible_states_are_refused() {
    let good = bytes(&binned(Kind::Sum, 3, &[1.5f64, -7.0, f64::INFINITY, 2.0]));
    let forged = |at: usize, value: &[u8]| {
        let mut state = good.clone();
        state[at..at + value.len()].copy_from_slice(value);
        let end = state.len() - 8;
        let hash =
            state[..end].iter().fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3));
        state[end..].copy_from_slice(&hash.to_le_bytes());
        Binned::<f64>::from_bytes(&state)
    };
    assert!(forged(16, &[25]).is_ok());
    for (at, value, what) in [
        (8, vec![9], "a version from the future"),
        (9, vec![7], "an unknown kind"),
        (10, vec![5], "an unknown type"),
        (11, vec![1], "one fold"),
        (11, vec![53], "too many folds"),
        (12, vec![9], "another epoch"),
        (16, vec![52], "an index past the last bin"),
        (24, vec![0; 8], "more specials than summands"),
        (24, vec![255; 8], "more summands than the capacity"),
        (32, vec![200], "more NaN than summands"),
        (56 + 6, vec![1], "a total beyond what three summands can reach"),
        (56 + 15, vec![0x80], "the lowest total"),
    ] {
        assert!(forged(at, &value).is_err(), "{what} was accepted");
    }
    assert!(Binned::<f64>::from_bytes(&good[..good.len() - 1]).is_err());
    assert!(Binned::<f64>::from_bytes(&[&good[..], &[0]].concat()).is_err());
    let mut flipped = good.clone();
    flipped[60] ^= 1;
    assert!(matches!(Binned::<f64>::from_bytes(&flipped), Err(Error::State { .. })), "a changed bit was not noticed");
    assert!(matches!(Binned::<f32>::from_bytes(&good), Err(Error::Mismatch { what: "type", .. })));
    assert!(Exact::<f64>::from_bytes(&good).is_err());
}

fn capacity_holds<T: Float>(largest: T) {
    // As many of the largest value as the format holds, by doubling merges: no total may overflow on the way.
    let mut power = binned(Kind::Sum, 3, &[largest]);
    let mut acc = Binned::<T>::new(3).unwrap();
    let mut bits = T::CAPACITY;
    while bits != 0 {
        if bits & 1 == 1 {
            acc.merge(&power).unwrap();
        }
        bits >>= 1;
        if bits != 0 {
            power.merge(&power.clone()).unwrap();
        }
    }
    assert_eq!(acc.count(), T::CAPACITY);
    let mean = acc.mean();
    assert_eq!(mean.bits(), largest.bits(), "the mean of equal values is the value");
    assert_eq!(acc.value().bits(), T::INFINITY.bits());
    // One more is refused, and nothing changes.
    let full = acc;
    assert_eq!(acc.deposit(largest), Err(Error::Capacity { limit: T::CAPACITY }));
    assert_eq!(acc.extend(&[largest]), Err(Error::Capacity { limit: T::CAPACITY }));
    assert_eq!(acc.merge(&binned(Kind::Sum, 3, &[largest])), Err(Error::Capacity { limit: T::CAPACITY }));
    assert_eq!(acc, full);
    assert_eq!(Binned::from_bytes(&bytes(&acc)).unwrap(), acc);
    // The image of a full accumulator, summed over itself and nothing else, still reads back.
    let mut words = vec![0; Binned::<T>::image_len(3)];
    acc.write_image(acc.window_rank(), &mut words).unwrap();
    assert_eq!(Binned::from_image(Kind::Sum, 3, acc.window_rank(), &words).unwrap(), acc);
    words.iter_mut().for_each(|w| *w *= 2);
    assert!(Binned::<T>::from_image(Kind::Sum, 3, acc.window_rank(), &words).is_err());
}

#[test]
fn capacity_f64() {
    assert_eq!(f64::CAPACITY, 9_223_372_036_854_773_760);
    capacity_holds(f64::MAX);
}

#[test]
fn capacity_f32() {
    assert_eq!(f32::CAPACITY, 4_294_966_784);
    capacity_holds(f32::MAX);
}

#[test]
fn folds_out_of_range() {
    for folds in [0, 1, 53, usize::MAX] {
        assert_eq!(Binned::<f64>::new(folds), Err(Error::Folds { given: folds, min: 2, max: 52 }));
    }
    assert_eq!(Binned::<f32>::new(22), Err(Error::Folds { given: 22, min: 2, max: 21 }));
}

#[test]
fn merges_of_unlike_states_are_refused() {
    let mut a = binned(Kind::Sum, 3, &[1.0f64]);
    assert!(a.merge(&binned(Kind::Sum, 4, &[1.0])).is_err());
    assert!(a.merge(&binned(Kind::Asum, 3, &[1.0])).is_err());
    assert_eq!(a.subtract(&a.clone()), Err(Error::CannotSubtract));
    let mut e = Exact::<f64>::new();
    e.deposit(1.0).unwrap();
    assert_eq!(e.remove(f64::NAN), Err(Error::NotHeld));
    assert_eq!(e.count(), 1);
}

#[test]
fn exact_integers_count_in_full() {
    let mut acc = Exact::<f64>::new();
    for n in [i128::MAX, i128::MIN, 9_007_199_254_740_993, 1] {
        acc.add_integer(n).unwrap();
    }
    assert_eq!(acc.value(), 9_007_199_254_740_993i64 as f64);
    let mut acc = Exact::<f32>::new();
    for n in [16_777_217, i128::MAX, i128::MIN, 1] {
        acc.add_integer(n).unwrap();
    }
    assert_eq!(acc.value(), 16_777_217.0);
}

#[test]
fn means_round_once() {
    let mean = |x: &[f64]| {
        let mut acc = Exact::<f64>::new();
        acc.extend(x).unwrap();
        acc.mean().to_bits()
    };
    assert_eq!(mean(&[]), 0x7ff8_0000_0000_0000);
    assert_eq!(mean(&[f64::MAX; 3]), f64::MAX.to_bits());
    assert_eq!(mean(&[5e-324, 0.0]), 0, "half the smallest subnormal ties to even");
    assert_eq!(mean(&[5e-324, 5e-324, 0.0]), 1, "two thirds round up");
    assert_eq!(mean(&[-5e-324, 0.0]), 0, "never -0");
    assert_eq!(mean(&[1.0, 2.0, 2.0]), (5.0f64 / 3.0).to_bits());
    assert_eq!(mean(&[1.0, f64::NEG_INFINITY]), f64::NEG_INFINITY.to_bits());
}

#[test]
fn bin_borders() {
    assert_eq!(bin_index(f64::MAX), 0);
    for j in 1..=51i32 {
        // 2^(1024 - 40 j) is the first value of bin j - 1; the next lower one belongs to bin j.
        let border = if 1024 - 40 * j >= -1022 { f64::from_bits(((1024 - 40 * j + 1023) as u64) << 52) } else { break };
        assert_eq!(bin_index(border), j as usize - 1);
        assert_eq!(bin_index(f64::from_bits(border.to_bits() - 1)), j as usize);
    }
    assert_eq!((bin_index(f64::from_bits(1)), bin_index(0.0f64), bin_index(-0.0f32)), (51, 51, 20));
    assert_eq!((bin_index(f32::from_bits(1)), bin_index(f32::MIN_POSITIVE)), (20, 19));
}
