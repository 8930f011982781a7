//! Tests of what the first record is.

use super::*;

#[test]
fn the_chosen_column_tells_whether_there_is_a_header() {
    let read = |text: &str, name: &str| get(text, Format::Csv, &column(name));
    assert_eq!(read("alice,5\nbob,2", "2").unwrap(), f64s(&[5.0, 2.0], 0));
    assert_eq!(read("name,x\nbob,2", "2").unwrap(), f64s(&[2.0], 0));
    assert_eq!(read("alice,\nbob,2", "2").unwrap(), f64s(&[2.0], 1));
    assert_eq!(get(b"J\xf6rg,5\nbob,2", Format::Csv, &column("2")).unwrap(), f64s(&[5.0, 2.0], 0));
    // A number that is a column's is never the name of a number.
    assert_eq!(read("2,1\n3,4", "1").unwrap(), f64s(&[2.0, 3.0], 0));
    // Beyond the columns it is, as of years.
    assert_eq!(read("2019,2020\n3,4", "2020").unwrap(), f64s(&[4.0], 0));
    assert_eq!(read("a,b,2\n1,10,100", "2").unwrap(), f64s(&[100.0], 0));
    assert!(message(read("0,5\n1,6", "0")).contains("no column '0'"));
    assert!(message(read("2019,2019\n3,4", "2019")).contains("both named"));
    assert!(message(csv("alice,5\nbob,2")).contains("several columns"));
    assert!(message(csv("1,5\n3,2")).contains("several columns"));
}

#[test]
fn malformed_numbers_are_no_headers() {
    for text in [
        "12O\n5",
        "1.2.3\n4",
        "0x10\n2",
        "5%\n6",
        "$5.00\n6",
        "\"1,234.50\"\n\"2.00\"",
        "€5\n6",
        "£5\n6",
        "-5x\n6",
        "+5x\n6",
        ".5.\n6",
        "-$5\n6",
    ] {
        for opts in [opts(), column("1")] {
            let (line, label, what) = place(get(text, Format::Csv, &opts));
            assert_eq!((line, label.as_deref()), (1, Some("1")), "{text}");
            assert!(what.contains("is not a number") && what.contains("--column"), "{what}");
        }
    }
    assert_eq!(place(get("5%,1\n6,7", Format::Csv, &column("1"))).0, 1);
    // A name on the command line is one, and other columns are free.
    assert_eq!(get("5%\n6", Format::Csv, &column("5%")).unwrap(), f64s(&[6.0], 0));
    assert_eq!(get("5%,x\n6,7", Format::Csv, &column("2")).unwrap(), f64s(&[7.0], 0));
    assert_eq!(csv("-x\n6").unwrap(), f64s(&[6.0], 0));
}

#[test]
fn control_characters_are_no_header() {
    for format in [Format::Csv, Format::Tsv, Format::Plain] {
        for text in ["1\r2\r3\r", "x\r1\r2\r", "\"x\r1\"\n2\n"] {
            let (line, _, what) = place(get(text, format, &opts()));
            assert!(line == 1 && what.contains("carriage return"), "{what}");
        }
        assert!(place(get("x\u{1b}\n1\n", format, &opts())).2.contains("control character"));
    }
    // The tail of such a file must not be dropped either.
    for text in ["1,2\r3,4\r", "1,\r2,\r"] {
        assert!(place(get(text, Format::Csv, &column("1"))).2.contains("carriage return"));
    }
    assert_eq!(csv("\"a\tb\"\r\n1\r\r\n").unwrap(), f64s(&[1.0], 0));
    assert_eq!(get("\"a\r\nb\",5\n\"c\",6", Format::Csv, &column("2")).unwrap(), f64s(&[5.0, 6.0], 0));
}

#[test]
fn wide_records_take_linear_time() {
    // Quadratic, this would be 10^11 steps.
    let wide = "1,".repeat(300_000);
    assert_eq!(get(format!("{wide}2\n"), Format::Csv, &column("300001")).unwrap(), f64s(&[2.0], 0));
    assert_eq!(get(format!("{wide}\"2\"\n"), Format::Csv, &column("300001")).unwrap(), f64s(&[2.0], 0));
    let blanks = wide.replace(',', " \t");
    assert_eq!(get(format!("{blanks}2\n"), Format::Plain, &column("300001")).unwrap(), f64s(&[2.0], 0));
}

#[test]
fn commas_in_plain_text_suggest_a_separator() {
    for text in ["a,b\n1,2\n", "a;b\n1;2\n"] {
        for name in ["b", "2"] {
            let told = message(get(text, Format::Plain, &column(name)));
            assert!(told.contains("--sep ,"), "{told}");
        }
    }
    assert!(!message(get("a b\n1 2\n", Format::Plain, &column("c"))).contains("--sep"));
    assert!(!message(get("a,b\n1,2\n", Format::Csv, &column("c"))).contains("--sep"));
}
