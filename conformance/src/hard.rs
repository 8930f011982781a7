//! Inputs that are likely to break a sum: specials, bin borders, ties, late large values, lengths about block sizes.

use crate::{Bits, Dtype, SplitMix64};

/// The numbers of the binned format that its hard inputs turn on.
struct Bins {
    /// Binades of a bin.
    width: i32,
    /// The last bin.
    last: i32,
    /// The unit of bin `j` is 2^(`unit` - `width` * j).
    unit: i32,
    /// Bin `j` holds magnitudes below 2^(`border` - `width` * j).
    border: i32,
}

const fn bins(dtype: Dtype) -> Bins {
    match dtype {
        Dtype::F64 => Bins { width: 40, last: 51, unit: 985, border: 1024 },
        Dtype::F32 => Bins { width: 13, last: 20, unit: 116, border: 128 },
    }
}

/// Hard inputs of type f64, each with a name.
pub fn hard_f64() -> Vec<(String, Vec<f64>)> {
    hard()
}

/// Hard inputs of type f32, each with a name.
pub fn hard_f32() -> Vec<(String, Vec<f32>)> {
    hard()
}

/// Hard inputs of either type, each with a name.
pub fn hard<T: Bits>() -> Vec<(String, Vec<T>)> {
    let mut all = Inputs(Vec::new());
    all.plain();
    all.specials();
    all.ties();
    all.borders();
    all.rising();
    all.ranges();
    all.cancelling();
    all.lengths();
    all.0
}

/// `mantissa` * 2^`exponent`, if the type has it.
fn dyadic<T: Bits>(mantissa: u64, exponent: i32) -> Option<T> {
    let top = mantissa.ilog2() as i32 + exponent;
    let lowest = 1 - T::BIAS - T::MANTISSA as i32;
    if top > T::BIAS {
        return None;
    }
    let exponent_of_unit = (top - T::MANTISSA as i32).max(lowest);
    let shift = exponent - exponent_of_unit;
    let fraction = if shift >= 0 {
        mantissa << shift
    } else if mantissa.trailing_zeros() as i32 >= -shift {
        mantissa >> -shift
    } else {
        return None;
    };
    // The exponent field starts at 1 for the lowest unit's normal numbers; their hidden bit, added in, makes that 1.
    let field = (exponent_of_unit - lowest) as u64;
    Some(T::from_pattern((field << T::MANTISSA) + fraction))
}

fn power<T: Bits>(exponent: i32) -> T {
    dyadic(1, exponent).unwrap_or_else(|| panic!("2^{exponent} is outside the type's range"))
}

fn neg<T: Bits>(x: T) -> T {
    T::from_pattern(x.pattern() ^ 1 << (T::WIDTH - 1))
}

fn both_signs<T: Bits>(values: &[T]) -> Vec<T> {
    values.iter().flat_map(|x| [*x, neg(*x)]).collect()
}

fn infinity<T: Bits>() -> T {
    T::from_pattern(((1 << (T::WIDTH - 1 - T::MANTISSA)) - 1) << T::MANTISSA)
}

fn max<T: Bits>() -> T {
    T::from_pattern(infinity::<T>().pattern() - 1)
}

fn nan<T: Bits>() -> T {
    T::from_pattern(infinity::<T>().pattern() | 1 << (T::MANTISSA - 1))
}

/// `n` values of about magnitude 2^`exponent` of either sign, with full mantissas.
fn noise<T: Bits>(n: usize, exponent: i32, seed: u64) -> Vec<T> {
    let mut draws = SplitMix64::new(seed);
    let one = |draws: &mut SplitMix64| {
        let draw = draws.next();
        let magnitude: T = dyadic(draw >> (64 - T::MANTISSA) | 1 << T::MANTISSA, exponent - T::MANTISSA as i32)
            .unwrap_or_else(|| panic!("2^{exponent} with a full mantissa is outside the type's range"));
        if draws.next() >> 63 == 1 { neg(magnitude) } else { magnitude }
    };
    (0..n).map(|_| one(&mut draws)).collect()
}

struct Inputs<T>(Vec<(String, Vec<T>)>);

impl<T: Bits> Inputs<T> {
    fn add(&mut self, name: impl Into<String>, values: Vec<T>) {
        self.0.push((name.into(), values));
    }

    fn plain(&mut self) {
        let at = T::from_pattern;
        let zero = at(0);
        let min_normal = at(1 << T::MANTISSA);
        let subnormals = [1, 2, 3, (1 << T::MANTISSA) - 1, 1 << (T::MANTISSA - 1)];
        self.add("empty", vec![]);
        self.add("one", vec![power(0)]);
        self.add("third", vec![T::nearest(1.0 / 3.0)]);
        self.add("minus_zero", vec![neg(zero)]);
        self.add("minus_zeros", vec![neg(zero); 70]);
        self.add("zeros", vec![zero; 70]);
        self.add("mixed_zeros", both_signs(&[zero; 35]));
        self.add("one_among_zeros", [vec![neg(zero); 40], vec![power(0)], vec![zero; 40]].concat());
        self.add("subnormals", subnormals.map(at).to_vec());
        self.add("subnormals_of_both_signs", both_signs(&subnormals.map(at)));
        for pattern in subnormals {
            self.add(format!("subnormal_{pattern:x}"), vec![at(pattern)]);
            self.add(format!("subnormal_{pattern:x}_many"), vec![at(pattern); 1000]);
            self.add(format!("subnormal_{pattern:x}_and_one"), vec![power(0), at(pattern)]);
        }
        self.add("min_normal", vec![min_normal]);
        self.add("min_normal_less_subnormal", vec![min_normal, neg(at(1))]);
        self.add("max", vec![max()]);
        self.add("minus_max", vec![neg(max::<T>())]);
        self.add("max_and_subnormal", vec![max(), at(1), neg(max::<T>())]);
        self.add("overflow", vec![max(); 3]);
        self.add("overflow_negative", vec![neg(max::<T>()); 3]);
        self.add("overflow_and_back", vec![max(), max(), neg(max::<T>())]);
        self.add("overflow_and_back_to_zero", [vec![max(); 300], vec![neg(max::<T>()); 300]].concat());
        self.add("overflow_and_back_to_one", [vec![max(); 300], vec![power(0)], vec![neg(max::<T>()); 300]].concat());
        self.add("ones", vec![power(0); 5000]);
    }

    fn specials(&mut self) {
        let inf = infinity::<T>();
        let nans = [
            ("quiet", nan::<T>()),
            ("negative", neg(nan::<T>())),
            ("payload", T::from_pattern(nan::<T>().pattern() | 0x123)),
            ("signalling", T::from_pattern(inf.pattern() | 1)),
            ("negative_signalling", neg(T::from_pattern(inf.pattern() | 0x55))),
            ("all_ones", T::from_pattern(u64::MAX >> (64 - T::WIDTH))),
        ];
        for (tag, x) in nans.into_iter().chain([("infinity", inf), ("minus_infinity", neg(inf))]) {
            self.add(format!("{tag}_alone"), vec![x]);
            self.add(format!("{tag}_twice"), vec![x, x]);
            self.add(format!("{tag}_and_max"), vec![max(), x, max(), max()]);
            self.add(format!("{tag}_and_zero"), vec![T::from_pattern(0), x]);
            for place in [0, 17, 99] {
                let mut values = noise(100, 3, 9);
                values[place] = x;
                self.add(format!("{tag}_among_finite_at_{place}"), values);
            }
        }
        self.add("every_nan", nans.map(|(_, x)| x).to_vec());
        self.add("both_infinities", vec![inf, neg(inf)]);
        self.add("both_infinities_apart", [vec![neg(inf)], noise(500, 0, 10), vec![inf]].concat());
        self.add("infinities_and_nan", [vec![inf], noise(70, 0, 11), vec![nan(), neg(inf)]].concat());
        self.add("infinity_against_overflow", vec![max(), max(), neg(inf), max()]);
    }

    /// Values half way between two multiples of a bin's unit.
    fn ties(&mut self) {
        let Bins { width, last, unit, border } = bins(T::DTYPE);
        let halves = [0, 1, 2, 5, (1 << (width - 2)) - 1, (1 << (width - 2)) + 2, (1 << (width - 1)) - 1];
        for bin in 0..=last {
            let half_unit = unit - width * bin - 1;
            let ties: Vec<T> = halves.iter().filter_map(|m| dyadic(2 * m + 1, half_unit)).collect();
            let beside: Vec<T> = ties
                .iter()
                .flat_map(|x| [x.pattern() - 1, x.pattern(), x.pattern() + 1])
                .map(T::from_pattern)
                .collect();
            for (i, tie) in ties.iter().enumerate() {
                self.add(format!("tie_bin{bin}_{i}"), vec![*tie]);
                self.add(format!("tie_bin{bin}_{i}_negative"), vec![neg(*tie)]);
            }
            self.add(format!("ties_bin{bin}"), ties.clone());
            self.add(format!("ties_bin{bin}_of_both_signs"), both_signs(&ties));
            self.add(format!("beside_ties_bin{bin}"), beside.clone());
            // A larger value moves the window, so that the tied bin is a later fold, or the one after the last.
            for above in 0..=3 {
                let Some(anchor) = (bin >= above).then(|| power(border - 1 - width * (bin - above))) else { continue };
                self.add(format!("ties_bin{bin}_under_{above}"), [&[anchor], &ties[..], &beside[..]].concat());
                let negative: Vec<T> = ties.iter().map(|x| neg(*x)).collect();
                self.add(format!("ties_bin{bin}_negative_under_{above}"), [&negative[..], &[anchor]].concat());
            }
        }
    }

    /// Powers of two at which the bin changes, and their neighbours.
    fn borders(&mut self) {
        let Bins { width, last, border, .. } = bins(T::DTYPE);
        let mut everything = Vec::new();
        for bin in 0..=last + 1 {
            let Some(at) = dyadic::<T>(1, border - width * bin) else { continue };
            let [below, above] = [at.pattern() - 1, at.pattern() + 1].map(T::from_pattern);
            for (tag, x) in [("below", below), ("at", at), ("above", above)] {
                self.add(format!("border{bin}_{tag}"), vec![x]);
                self.add(format!("border{bin}_{tag}_negative"), vec![neg(x)]);
                self.add(format!("border{bin}_{tag}_and_one"), vec![power(0), x]);
            }
            self.add(format!("border{bin}_all"), both_signs(&[above, at, below, at]));
            self.add(format!("border{bin}_rising"), [vec![below; 33], vec![at], vec![below; 33]].concat());
            everything.extend([below, at, above]);
        }
        self.add("borders_falling", everything.clone());
        everything.reverse();
        self.add("borders_rising", everything);
    }

    /// A large value after small ones, at places about those where a kernel looks again at its window.
    fn rising(&mut self) {
        let Bins { width, .. } = bins(T::DTYPE);
        for place in [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 511, 512, 599] {
            for bins_up in [1, 2, 3, 5] {
                let mut values = noise(600, 0, 20);
                values[place] = power(width * bins_up + 3);
                self.add(format!("rise_by_{bins_up}_at_{place}"), values);
            }
        }
        for place in [2047, 2048, 2049, 4095, 4096, 4999] {
            let mut values = noise(5000, -width, 21);
            values[place] = power(width + 1);
            self.add(format!("rise_at_{place}"), values);
        }
        let steps: Vec<T> = (0..8).flat_map(|i| noise(70, (i - 4) * width, 22 + i as u64)).collect();
        self.add("rise_in_steps", steps.clone());
        self.add("fall_in_steps", steps.into_iter().rev().collect());
    }

    fn ranges(&mut self) {
        let all: Vec<T> = (1 - T::BIAS..=T::BIAS).flat_map(|e| noise(1, e, 40 + e.unsigned_abs() as u64)).collect();
        self.add("every_exponent_rising", all.clone());
        self.add("every_exponent_falling", all.iter().rev().copied().collect());
        self.add("every_exponent_mixed", crate::orders::shuffled(&all, 41));
        self.add("every_power_of_two_of_both_signs", both_signs(&all_powers()));
        self.add("every_power_of_two", all_powers());
    }

    fn cancelling(&mut self) {
        let Bins { width, .. } = bins(T::DTYPE);
        for up in [1, width - 1, width, 2 * width, 2 * width + 1, 3 * width, 4 * width] {
            for (tag, small) in [("one", power(0)), ("third", T::nearest(1.0 / 3.0)), ("tie", T::nearest(1.5))] {
                let x = power(up);
                self.add(format!("cancel_2_{up}_around_{tag}"), vec![x, small, neg(x)]);
                self.add(format!("cancel_2_{up}_after_{tag}"), vec![small, x, neg(x)]);
            }
        }
        let large: Vec<T> = noise(1000, 2 * width, 50);
        let rest: Vec<T> = noise(37, 0, 51);
        let back: Vec<T> = large.iter().rev().map(|x| neg(*x)).collect();
        self.add("cancel_many", [&large[..], &rest[..], &back[..]].concat());
        self.add("cancel_to_zero", [&large[..], &back[..]].concat());
    }

    fn lengths(&mut self) {
        for n in 0..=20 {
            self.add(format!("length_{n}"), noise(n, 1, 60 + n as u64));
        }
        for middle in [64, 256, 512, 1024, 2048, 4096, 8192, 65536] {
            for n in [middle - 1, middle, middle + 1] {
                let values = noise::<T>(n, 1, 61);
                let huge = power(T::BIAS - 1);
                for (tag, x) in [("nan", nan()), ("inf", infinity()), ("minus_inf", neg(infinity())), ("huge", huge)] {
                    for (place, at) in [("first", 0), ("middle", n / 2), ("last", n - 1)] {
                        let mut values = values.clone();
                        values[at] = x;
                        self.add(format!("length_{n}_{tag}_{place}"), values);
                    }
                }
                self.add(format!("length_{n}"), values);
            }
        }
    }
}

fn all_powers<T: Bits>() -> Vec<T> {
    (1 - T::BIAS - T::MANTISSA as i32..=T::BIAS).map(power).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn dyadic_agrees_with_arithmetic() {
        assert_eq!(dyadic::<f64>(3, -1), Some(1.5));
        assert_eq!(dyadic::<f32>(5, 2), Some(20.0));
        assert_eq!(dyadic::<f64>(1, -1074), Some(f64::from_bits(1)));
        assert_eq!(dyadic::<f64>(1, -1075), None);
        assert_eq!(dyadic::<f64>(2, -1075), Some(f64::from_bits(1)));
        assert_eq!(dyadic::<f64>(1, -1022), Some(f64::MIN_POSITIVE));
        assert_eq!(dyadic::<f64>(3, -1023), Some(1.5 * f64::MIN_POSITIVE));
        assert_eq!(dyadic::<f32>(1, 128), None);
        assert_eq!(dyadic::<f32>((1 << 24) - 1, 104), Some(f32::MAX));
        assert_eq!(dyadic::<f32>(1 << 30, -30), Some(1.0));
    }

    #[test]
    fn names_are_unique_and_the_ends_are_there() {
        fn check<T: Bits>() {
            let all = hard::<T>();
            let names: HashSet<&String> = all.iter().map(|(name, _)| name).collect();
            assert_eq!(names.len(), all.len());
            let find = |name: &str| &all.iter().find(|(n, _)| n == name).expect(name).1;
            let last = bins(T::DTYPE).last;
            assert_eq!(find(&format!("tie_bin{last}_0")).len(), 1);
            assert_eq!(find("max")[0].pattern() + 1, infinity::<T>().pattern());
            assert_eq!(find("every_exponent_rising").len() as i32, 2 * T::BIAS);
            assert!(find("length_0").is_empty());
        }
        check::<f64>();
        check::<f32>();
    }
}
