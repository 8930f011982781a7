//! Tests of the readers of text, and of the choice by name.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use samebits::io::{CHUNK, Chunk};
use tempfile::TempDir;

use super::text::Format;
use super::*;

mod headers;
mod integers;

/// What was read: everything in order, and the blank cells.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Numbers {
    pub(super) f64s: Vec<u64>,
    pub(super) f32s: Vec<u32>,
    pub(super) ints: Vec<i128>,
    pub(super) nulls: u64,
}

pub(super) fn f64s(values: &[f64], nulls: u64) -> Numbers {
    Numbers { f64s: values.iter().map(|v| v.to_bits()).collect(), nulls, ..Numbers::default() }
}

pub(super) fn f32s(values: &[f32], nulls: u64) -> Numbers {
    Numbers { f32s: values.iter().map(|v| v.to_bits()).collect(), nulls, ..Numbers::default() }
}

/// Reads a stream to its end.
pub(super) fn drain(stream: &mut dyn io::Stream) -> Result<Numbers> {
    let (mut all, mut part) = (Numbers::default(), Chunk::new());
    while stream.next(&mut part)? {
        assert!(!part.is_empty() || part.nulls > 0);
        assert_eq!(part.len(), part.f64s.len().max(part.f32s.len()).max(part.ints.len()), "one vector is filled");
        all.f64s.extend(part.f64s.iter().map(|v| v.to_bits()));
        all.f32s.extend(part.f32s.iter().map(|v| v.to_bits()));
        all.ints.extend(&part.ints);
        all.nulls += part.nulls;
    }
    assert!(part.is_empty() && part.nulls == 0);
    assert!(!stream.next(&mut part)?, "the end stays the end");
    Ok(all)
}

pub(super) fn opts() -> ReadOptions {
    ReadOptions::default()
}

pub(super) fn column(name: &str) -> ReadOptions {
    ReadOptions { column: Some(name.to_owned()), ..opts() }
}

fn get(content: impl AsRef<[u8]>, format: Format, opts: &ReadOptions) -> Result<Numbers> {
    let content = content.as_ref();
    let bytes = content.len() as u64;
    let mut text = text::stream(content, Path::new("data"), Some(bytes), format, opts)?;
    let numbers = drain(&mut text)?;
    assert_eq!(io::Stream::position(&text), bytes);
    Ok(numbers)
}

fn csv(content: impl AsRef<[u8]>) -> Result<Numbers> {
    get(content, Format::Csv, &opts())
}

fn plain(content: impl AsRef<[u8]>) -> Result<Numbers> {
    get(content, Format::Plain, &opts())
}

pub(super) fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

/// The place and the text of an error in a text.
fn place<T: std::fmt::Debug>(result: Result<T>) -> (u64, Option<String>, String) {
    match result {
        Err(Error::Text { line, column, what, .. }) => (line, column, what),
        other => panic!("{other:?}"),
    }
}

#[test]
fn m19_decimals_are_rounded_once() {
    let cases = include_str!("../../../../conformance/data/npy/cases.jsonl");
    let case: serde_json::Value = cases
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .find(|c: &serde_json::Value| c["id"] == "M19")
        .unwrap();
    let list = |v: &serde_json::Value| {
        v.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let bits =
        |v: &serde_json::Value| list(v).iter().map(|v| u64::from_str_radix(&v[2..], 16).unwrap()).collect::<Vec<_>>();
    let text = list(&case["input"]["tokens"]).join("\n");
    assert_eq!(plain(&text).unwrap().f64s, bits(&case["expected"]["f64_bits"]));
    let single = ReadOptions { dtype: Some(Dtype::F32), ..opts() };
    let found: Vec<_> = get(&text, Format::Plain, &single).unwrap().f32s.iter().map(|&b| u64::from(b)).collect();
    assert_eq!(found, bits(&case["expected"]["f32_bits"]));
}

#[test]
fn notations_of_numbers() {
    let text = "+1.5\n 2.5 \n-inf\nInf\nINFINITY\n1e5\n.5\n5.\n1.5D+3\n1d-2\n-0\n007\n\"8\"\n-.5E-1\n1e400\n-1e-400\n";
    let inf = f64::INFINITY;
    let values = [1.5, 2.5, -inf, inf, inf, 1e5, 0.5, 5.0, 1500.0, 0.01, -0.0, 7.0, 8.0, -0.05, inf, -0.0];
    assert_eq!(csv(text).unwrap(), f64s(&values, 0));
    assert_eq!(plain(text).unwrap(), f64s(&values, 0));
    for nan in ["nan", "NaN", "NAN", "-nan", "+nan"] {
        let found = csv(format!("1\n{nan}\n")).unwrap();
        assert!(f64::from_bits(found.f64s[1]).is_nan(), "{nan}");
    }
}

#[test]
fn what_is_no_number_is_told_with_its_place() {
    for bad in [
        "0x10", "1_000", "1e", "1e+", "e5", ".", "+", "-", "--1", "1.2.3", "abc", "1 2", "infx", "1d", "1dd2", "d5",
        "1,5", "١", "1\u{a0}", "1e5d2", "nand", "1f", "0b1", "½",
    ] {
        let (line, column, what) = place(csv(format!("x\n1\n\"{bad}\"\n")));
        assert_eq!((line, column.as_deref()), (3, Some("x")), "{bad}");
        assert!(what.contains("is not a number"), "{what}");
    }
    let (_, label, what) = place(csv(b"1\n1\x002\n"));
    assert_eq!((label.as_deref(), what.as_str()), (Some("1"), r"'1\02' is not a number"));
    let (_, _, what) = place(csv(b"1\n\xff\xfe\n"));
    assert_eq!(what, r"'\xff\xfe' is not a number");
    let (_, _, what) = place(csv(format!("1\n{}\n", "z".repeat(100_000))));
    assert!(what.len() < 80 && what.contains(".."), "{what}");
    let shown = message(get("a,b\n1,x\n", Format::Csv, &column("b")));
    assert_eq!(shown, "data:2: column b: 'x' is not a number");
}

#[test]
fn integers_beyond_the_type() {
    let text = "1\n9007199254740992\n9007199254740993\n0.5\n-9223372036854775808\n18446744073709551615\n2\n1.5\n";
    let (line, column, what) = place(csv(text));
    assert_eq!((line, column.as_deref()), (3, Some("1")));
    assert!(what.contains("9007199254740993") && what.contains("2^53") && what.contains("exact"), "{what}");
    let exact = ReadOptions { exact: true, ..opts() };
    let found = get(text, Format::Csv, &exact).unwrap();
    let floats = [1.0, 9007199254740992.0, 0.5, 2.0, 1.5];
    assert_eq!(found.f64s, floats.map(f64::to_bits));
    assert_eq!(found.ints, [9007199254740993, i64::MIN.into(), u64::MAX.into()]);
    // With a point they are decimals too.
    assert_eq!(csv("9007199254740993.0\n").unwrap(), f64s(&[9007199254740992.0], 0));
    let single = ReadOptions { dtype: Some(Dtype::F32), ..opts() };
    assert_eq!(get("16777216\n0.1\n", Format::Csv, &single).unwrap(), f32s(&[16777216.0, 0.1], 0));
    let (line, _, what) = place(get("1\n16777217\n", Format::Csv, &single));
    assert!(line == 2 && what.contains("2^24"), "{what}");
}

#[test]
fn the_order_of_integers_and_floats_is_kept() {
    let exact = ReadOptions { exact: true, ..opts() };
    let text = "0.5\n9007199254740993\n1.5\n2.5\n9007199254740995\n\n9007199254740997\n3.5\n";
    let mut stream = text::stream(text.as_bytes(), Path::new("d"), None, Format::Csv, &exact).unwrap();
    let (mut parts, mut chunk) = (Vec::new(), Chunk::new());
    while io::Stream::next(&mut stream, &mut chunk).unwrap() {
        parts.push((chunk.f64s.clone(), chunk.ints.clone(), chunk.nulls));
    }
    assert_eq!(
        parts,
        [
            (vec![0.5], vec![], 0),
            (vec![], vec![9007199254740993], 0),
            (vec![1.5, 2.5], vec![], 0),
            (vec![], vec![9007199254740995, 9007199254740997], 1),
            (vec![3.5], vec![], 0),
        ]
    );
}

#[test]
fn line_ends_and_blank_lines() {
    assert_eq!(csv("\u{feff}x\r\n1\r\n2").unwrap(), f64s(&[1.0, 2.0], 0));
    assert_eq!(csv("\u{feff}1\r\n2\r\n").unwrap(), f64s(&[1.0, 2.0], 0));
    // Between data a blank line is a blank cell, at the end it is none.
    assert_eq!(csv("1\n\n  \n2\n\n\n").unwrap(), f64s(&[1.0, 2.0], 2));
    assert_eq!(csv("1\r\n\r\n2\r\n\r\n").unwrap(), f64s(&[1.0, 2.0], 1));
    // So it is above the first number, but not above a header.
    assert_eq!(csv("\n\n1\n2\n").unwrap(), f64s(&[1.0, 2.0], 2));
    assert_eq!(csv("\n\nv\n\n2\n").unwrap(), f64s(&[2.0], 1));
    assert_eq!(csv("1\n\"\"\n2\n\"\"\n").unwrap(), f64s(&[1.0, 2.0], 2));
    // In several columns blank lines mean nothing.
    let second = column("2");
    assert_eq!(get("1,2\n\n3,4\n\n", Format::Csv, &second).unwrap(), f64s(&[2.0, 4.0], 0));
    assert_eq!(get("1,2\n3,\n, 5\n6,\" \"\n", Format::Csv, &second).unwrap(), f64s(&[2.0, 5.0], 2));
    assert_eq!(get("a\tb\n1\t2\n\t\n", Format::Tsv, &second).unwrap(), f64s(&[2.0], 1));
}

#[test]
fn no_data_is_no_error() {
    for text in ["", "\n\n", "x\n", "x", "\u{feff}", "x,y\n", "x,y\n\n\n"] {
        let all = ReadOptions { column: text.contains(',').then(|| "2".to_owned()), ..opts() };
        assert_eq!(get(text, Format::Csv, &all).unwrap(), f64s(&[], 0), "{text:?}");
        assert_eq!(get(text.replace(',', "\t"), Format::Tsv, &all).unwrap(), f64s(&[], 0), "{text:?}");
    }
    for text in ["", "\n\n", "\u{feff}", "# only this\n", "#\n\n#"] {
        assert_eq!(plain(text).unwrap(), f64s(&[], 0), "{text:?}");
    }
}

#[test]
fn a_word_alone_is_no_header_of_plain_text() {
    for text in ["hello\n", "hello", "\u{feff}hello\r\n\r\n \n", "hello\n# no data\n\n"] {
        let (line, label, what) = place(plain(text));
        assert_eq!((line, label.as_deref()), (1, Some("1")), "{text:?}");
        assert!(what.starts_with("'hello' is not a number"), "{what}");
        // A name on the command line tells that it is one; a number tells nothing of it.
        assert_eq!(get(text, Format::Plain, &column("hello")).unwrap(), f64s(&[], 0), "{text:?}");
        assert_eq!(place(get(text, Format::Plain, &column("1"))).0, 1);
    }
    assert_eq!(plain("hello\n1\n").unwrap(), f64s(&[1.0], 0));
    assert_eq!(plain("hello\n\"\"\n").unwrap(), f64s(&[], 1));
    assert_eq!(place(plain("# first\n\nhello\n")).0, 3);
    assert_eq!(place(plain("hello\nworld\n")).0, 2);
    // A number in the chosen column is data, whatever its neighbours are.
    assert_eq!(get("1 b", Format::Plain, &column("1")).unwrap(), f64s(&[1.0], 0));
    assert_eq!(place(get("1 b", Format::Plain, &column("2"))).1.as_deref(), Some("2"));
}

#[test]
fn binary_data_is_no_header() {
    for format in [Format::Csv, Format::Tsv, Format::Plain] {
        for opts in [opts(), column("1")] {
            for bytes in
                [&b"\x00\x01\x02"[..], b"\x00", b"\xff\xfe1\x00\n\x00", b"\x80\n1\n", b"x\x00\n1\n", b"\"\x00\"\n1\n"]
            {
                let (line, label, what) = place(get(bytes, format, &opts));
                assert_eq!((line, label.as_deref()), (1, Some("1")), "{bytes:?}");
                assert!(what.contains("is not a number"), "{what}");
            }
        }
        let (_, column, what) = place(get(b"a;b\x93;c\n1;2;3\n", format, &ReadOptions { sep: Some(b';'), ..opts() }));
        assert_eq!((column.as_deref(), what.contains(r"'b\x93'")), (Some("2"), true), "{what}");
    }
    assert_eq!(place(plain(b"\x01\x02\x03")).0, 1);
    assert_eq!(csv("Größe\n1\n").unwrap(), f64s(&[1.0], 0));
}

#[test]
fn runs_of_blanks_and_comments() {
    let text = "# made by hand\n  a   b\n 1 \t 2\n\n   # more\n3 4\n";
    assert_eq!(get(text, Format::Plain, &column("b")).unwrap(), f64s(&[2.0, 4.0], 0));
    assert_eq!(get("\"x y\" \"z\"\n\"1\" 2\n3 \"4\"\n", Format::Plain, &column("x y")).unwrap(), f64s(&[1.0, 3.0], 0));
    let (line, column, what) = place(plain("1\n2 3\n"));
    assert_eq!((line, column, what.as_str()), (2, None, "2 cells, and the first record on line 1 has 1"));
    // A comma is no blank.
    assert!(message(plain("1\n2,\n")).contains("'2,' is not a number"));
    let semicolons = ReadOptions { sep: Some(b';'), column: Some("q".to_owned()), ..opts() };
    for format in [Format::Csv, Format::Tsv, Format::Plain] {
        assert_eq!(get("p;q\n1;2\n", format, &semicolons).unwrap(), f64s(&[2.0], 0));
    }
    assert!(matches!(get("1", Format::Csv, &ReadOptions { sep: Some(b'"'), ..opts() }), Err(Error::Argument { .. })));
}

#[test]
fn columns_by_name_or_number() {
    let text = "a,b,2\n1,10,100\n2,20,200\n";
    let first = |name: &str| get(text, Format::Csv, &column(name)).map(|n| f64::from_bits(n.f64s[0]));
    // A name goes before a number; a number in the chosen column is data.
    assert_eq!(
        (first("a").unwrap(), first("2").unwrap(), first("1").unwrap(), first("3").unwrap()),
        (1.0, 100.0, 1.0, 2.0)
    );
    for (name, fact) in [("c", "no column 'c'"), ("0", "no column '0'"), ("4", "no column '4'"), ("-1", "'-1'")] {
        let told = message(first(name));
        assert!(told.contains(fact) && told.contains("a, b, 2"), "{told}");
    }
    let told = message(csv(text));
    assert!(told.contains("several columns") && told.contains("a, b, 2"), "{told}");
    let told = message(get("1,2,3\n", Format::Csv, &column("x")));
    assert!(told.contains("columns 1 to 3"), "{told}");
    let told = message(get("a,b,a\n1,2,3\n", Format::Csv, &column("a")));
    assert!(told.contains("columns 1 and 3 are both named 'a'"), "{told}");
    assert_eq!(get("a,b,a\n1,2,3\n", Format::Csv, &column("3")).unwrap(), f64s(&[3.0], 0));
    assert_eq!(get("x\n1\n", Format::Csv, &column("x")).unwrap(), f64s(&[1.0], 0));
    // A column whose name is a number is told from data by its neighbours.
    assert_eq!(get("2019,year\n1,2\n", Format::Csv, &column("2019")).unwrap(), f64s(&[1.0], 0));
}

#[test]
fn records_of_other_lengths_are_errors() {
    for (text, line, cells) in
        [("a,b\n1,2\n3\n", 3, "1 cell,"), ("a,b\n1,2\n\n3,4,5\n", 4, "3 cells,"), ("1,2\n3,4\n5,6,\n", 3, "3 cells,")]
    {
        let (found, column, what) = place(get(text, Format::Csv, &column("1")));
        assert_eq!((found, column), (line, None));
        assert!(what.starts_with(cells) && what.contains("on line 1 has 2"), "{what}");
    }
}

#[test]
fn quotes_hold_anything_and_lines_stay_right() {
    let text = "name,x\n\"a, \"\"b\"\"\nand c\r\n\", 1\n\"plain\" , \"2\"\nsaid \"no\",3\n";
    assert_eq!(get(text, Format::Csv, &column("x")).unwrap(), f64s(&[1.0, 2.0, 3.0], 0));
    let (line, _, _) = place(get(format!("{text}z,oops\n"), Format::Csv, &column("x")));
    assert_eq!(line, 7);
    let (line, _, what) = place(get("x\n1\n\"2\n3\n", Format::Csv, &opts()));
    assert_eq!((line, what.contains("never closed")), (3, true));
    // Spreadsheets break lines inside header cells.
    assert_eq!(get("\"a\nb\",c\n1,2\n", Format::Csv, &column("c")).unwrap(), f64s(&[2.0], 0));
}

#[test]
fn long_columns_come_in_parts() {
    let values: Vec<f64> = (0..200_000u32).map(|v| f64::from(v.wrapping_mul(2_654_435_761)) / 7.0).collect();
    let text = values.iter().map(|v| format!("{v:?}\n")).collect::<String>();
    assert_eq!(csv(&text).unwrap(), f64s(&values, 0));
    let mut stream = text::stream(text.as_bytes(), Path::new("d"), None, Format::Csv, &opts()).unwrap();
    let mut chunk = Chunk::new();
    while io::Stream::next(&mut stream, &mut chunk).unwrap() {
        assert!(chunk.len() <= CHUNK);
    }
    assert_eq!(csv(format!("1\n{}", "\"\"\n".repeat(200_000))).unwrap(), f64s(&[1.0], 200_000));
}

/// Endless text of one kind.
struct Endless(&'static [u8]);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len() - buffer.len() % self.0.len();
        buffer[..n].chunks_exact_mut(self.0.len()).for_each(|part| part.copy_from_slice(self.0));
        Ok(n)
    }
}

#[test]
fn endless_records_end() {
    for (start, text) in [("", &b"1"[..]), ("", b"1,"), ("\"", b"a\n"), ("\"", b"\"\"")] {
        let input = start.as_bytes().chain(Endless(text));
        let (line, _, what) = place(text::stream(input, Path::new("d"), None, Format::Csv, &opts()));
        assert!(line == 1 && what.contains("64 MiB"), "{what}");
    }
    // Within quotes it is the line where the record began.
    let mut text =
        text::stream(b"1\n2\n\"".chain(Endless(b"a\n")), Path::new("d"), None, Format::Csv, &opts()).unwrap();
    let (line, _, what) = place(drain(&mut text));
    assert!(line == 3 && what.contains("64 MiB") && what.contains("quote"), "{what}");
}

#[test]
fn names_decide() {
    let desk = TempDir::new().unwrap();
    let file = |name: &str, content: &[u8]| -> PathBuf {
        let path = desk.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let all = |path: &Path, opts: &ReadOptions| match open(path, opts)?.source {
        Source::Stream(mut stream) => drain(&mut *stream),
        Source::Flat(flat) => {
            let mut chunk = Chunk::new();
            flat.read_at(0, &mut chunk, flat.count() as usize)?;
            Ok(f64s(&chunk.f64s, 0))
        }
    };
    assert_eq!(all(&file("a.CSV", b"1,2\n"), &column("2")).unwrap(), f64s(&[2.0], 0));
    assert_eq!(all(&file("a.tsv", b"1\t2\n"), &column("2")).unwrap(), f64s(&[2.0], 0));
    assert_eq!(all(&file("a.txt", b"1  2\n"), &column("2")).unwrap(), f64s(&[2.0], 0));
    assert_eq!(all(&file("a.f64", &1.5f64.to_le_bytes()), &opts()).unwrap(), f64s(&[1.5], 0));
    let typed = ReadOptions { dtype: Some(Dtype::F64), ..opts() };
    for name in ["raw", "a.raw", "a.bin"] {
        let path = file(name, &1.5f64.to_le_bytes());
        assert_eq!(all(&path, &typed).unwrap(), f64s(&[1.5], 0));
        let told = message(all(&path, &opts()));
        assert!(told.contains(".csv") && told.contains("--dtype"), "{told}");
    }
    let told = message(all(&file("a.xlsx", b""), &typed));
    assert!(told.contains("'.xlsx'") && told.contains(".parquet"), "{told}");
    assert!(message(all(&file("b.f64", b""), &column("1"))).contains("--column"));
    let named = ReadOptions { array: Some("x".to_owned()), ..opts() };
    assert!(message(all(&file("b.npy", b""), &named)).contains("--array"));
    for name in ["no.csv", "no.parquet", "no.npy", "no", "no.xlsx"] {
        assert!(matches!(open(&desk.path().join(name), &opts()), Err(Error::File { .. })), "{name}");
    }
    fs::create_dir(desk.path().join("dir.csv")).unwrap();
    assert!(matches!(open(&desk.path().join("dir.csv"), &opts()), Err(Error::File { .. })));
}

#[test]
fn any_text_is_read_or_refused() {
    // All short texts over the characters that mean something.
    let alphabet = b"1\",\n\r #x-";
    let mut texts = vec![Vec::new()];
    for _ in 0..5 {
        texts = texts
            .iter()
            .flat_map(|text: &Vec<u8>| {
                alphabet.iter().map(|&b| text.iter().copied().chain([b]).collect()).chain([text.clone()])
            })
            .collect();
    }
    texts.sort();
    texts.dedup();
    for text in &texts {
        for format in [Format::Csv, Format::Plain] {
            for opts in [opts(), column("1"), column("2")] {
                let _ = get(text, format, &opts);
            }
        }
    }
}
