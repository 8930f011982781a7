//! Tests of integer literals of any length.

use super::*;

#[test]
fn integers_of_any_length_are_refused_or_count_in_full() {
    let exact = ReadOptions { exact: true, ..opts() };
    let exact_single = ReadOptions { dtype: Some(Dtype::F32), ..exact.clone() };
    let single = ReadOptions { dtype: Some(Dtype::F32), ..opts() };
    let least = i128::MIN.to_string();
    for (literal, value) in [
        ("9007199254740993", 9_007_199_254_740_993),
        ("-9007199254740993", -9_007_199_254_740_993),
        ("18446744073709551617", (1 << 64) + 1),
        ("-18446744073709551616", -(1 << 64)),
        ("+123456789012345678901234567890", 123_456_789_012_345_678_901_234_567_890),
        ("000000000000000000000000000000000000000000000018446744073709551617", (1 << 64) + 1),
        ("170141183460469231731687303715884105727", i128::MAX),
        (least.as_str(), i128::MIN),
    ] {
        let text = format!("1\n{literal}\n");
        for refused in [&opts(), &single] {
            let (line, label, what) = place(get(&text, Format::Plain, refused));
            assert_eq!((line, label.as_deref()), (2, Some("1")));
            assert!(what.contains("--exact") && what.contains("decimal point"), "{what}");
        }
        assert_eq!(get(&text, Format::Plain, &exact).unwrap().ints, [value]);
        assert_eq!(get(&text, Format::Plain, &exact_single).unwrap().ints, [value]);
    }
    let longest = "9".repeat(400);
    for literal in ["170141183460469231731687303715884105728", "-170141183460469231731687303715884105729", &longest] {
        for refused in [&opts(), &single, &exact, &exact_single] {
            let (line, label, what) = place(get(format!("1\n{literal}\n"), Format::Csv, refused));
            assert_eq!((line, label.as_deref()), (2, Some("1")));
            assert!(what.contains("more than 38 digits") && what.contains("exponent"), "{what}");
            // In the first record it is no header either.
            assert_eq!(place(get(literal, Format::Csv, refused)).0, 1);
        }
    }
    // A point or an exponent means a rounded decimal, and zeros in front mean nothing.
    let text = "18446744073709551617.\n123456789012345678901234567890e0\n00000000000000000000000000000000000000000000007\n-00\n";
    let values = [18446744073709551616.0, 123456789012345678901234567890.0, 7.0, -0.0];
    assert_eq!(csv(text).unwrap(), f64s(&values, 0));
}
