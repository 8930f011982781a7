//! Every format of files, by what its sum is.

use std::sync::Arc;

use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::process::{Files, doubles, npy, npz, numbers, singles};

const SIX: &str = "4018000000000000  6.0  ";

/// Bits and value of each file must be those of 6.0.
#[track_caller]
fn six(files: &Files, args: &[&str], name: &str) {
    let run = files.run(["sum", name].iter().chain(args));
    assert_eq!(run.lines(), [format!("{SIX}{name}")], "{args:?}");
}

#[test]
fn arrays() {
    let files = Files::new();
    let values = [1.0, 2.0, 3.0];
    let big: Vec<u8> = values.iter().flat_map(|v: &f64| v.to_be_bytes()).collect();
    files.write("little.npy", npy("<f8", false, "(3,)", &doubles(&values)));
    files.write("big.npy", npy(">f8", false, "(3,)", &big));
    files.write("fortran.npy", npy("<f8", true, "(3, 1)", &doubles(&values)));
    files.write("bytes.npy", npy("|u1", false, "(3,)", &[1, 2, 3]));
    files.write("single.npy", npy("<f4", false, "(3,)", &singles(&[1.0, 2.0, 3.0])));
    files.write("scalar.npy", npy("<f8", false, "()", &doubles(&[6.0])));
    for name in ["little.npy", "big.npy", "fortran.npy", "bytes.npy", "scalar.npy"] {
        six(&files, &[], name);
    }
    six(&files, &["--dtype", "f64"], "single.npy");
    assert_eq!(files.run(["sum", "single.npy"]).lines(), ["40c00000  6.0  single.npy"]);
    files.run(["sum", "little.npy", "--dtype", "f32"]).fails(3, &["little.npy", "f64", "never narrowed"]);
}

#[test]
fn archives() {
    let files = Files::new();
    let x = npy("<f8", false, "(3,)", &doubles(&[1.0, 2.0, 3.0]));
    let y = npy("<f8", false, "(1,)", &doubles(&[1.0]));
    files.write("one.npz", npz(&[("x", x.clone())], false));
    files.write("packed.npz", npz(&[("x", x.clone())], true));
    files.write("two.npz", npz(&[("x", x), ("y", y)], true));
    six(&files, &[], "one.npz");
    six(&files, &[], "packed.npz");
    six(&files, &["--array", "x"], "two.npz");
    files.run(["sum", "two.npz"]).fails(3, &["two.npz", "--array", "x, y"]);
    files.run(["sum", "two.npz", "--array", "z"]).fails(3, &["two.npz", "'z'", "x, y"]);
}

#[test]
fn text() {
    let files = Files::new();
    files.write("one.csv", "value\n1\n2\n3\n");
    files.write("two.csv", "\u{feff}name,value\na,1\r\nb,2\nc,3");
    files.write("semicolons.csv", "1;2\n5;4\n");
    files.write("tabs.tsv", "k\tv\na\t1\nb\t5\n");
    files.write("blanks.txt", "# comment\n 1  9\n5   9\n");
    six(&files, &[], "one.csv");
    six(&files, &["--column", "value"], "two.csv");
    six(&files, &["--column", "2"], "two.csv");
    six(&files, &["--sep", ";", "--column", "2"], "semicolons.csv");
    six(&files, &["--column", "v"], "tabs.tsv");
    six(&files, &["--column", "1"], "blanks.txt");
    assert_eq!(files.pipe(["sum", "-"], "1\n2\n3\n").lines(), [format!("{SIX}-")]);
    // Rounded once, directly to f32.
    let tie = "1.00000017881393432617187499999999999999\n";
    assert_eq!(files.pipe(["sum", "-", "--dtype", "f32"], tie).lines(), ["3f800001  1.0000001  -"]);
    files.run(["sum", "two.csv"]).fails(3, &["two.csv", "--column", "name, value"]);
    files.run(["sum", "two.csv", "--column", "price"]).fails(3, &["'price'", "name, value"]);
    files.run(["sum", "two.csv", "--column", "name"]).fails(3, &["two.csv:2", "'a' is not a number"]);
}

#[test]
fn parquet_with_nulls() {
    let files = Files::new();
    let schema = Arc::new(parse_message_type("message m { optional double v; required double w; }").unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::new())).unwrap();
    let mut group = file.next_row_group().unwrap();
    for (values, levels) in [(&[2.0, 4.0] as &[f64], Some(&[1i16, 0, 1] as &[i16])), (&[1.0, 2.0, 3.0], None)] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(values, levels, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    files.write("t.parquet", file.into_inner().unwrap());
    six(&files, &["--column", "w"], "t.parquet");
    let run = files.run(["sum", "t.parquet", "--column", "v", "--json"]);
    let object = &run.objects()[0];
    assert_eq!(
        (object["nulls"].as_u64(), object["n"].as_u64(), object["value"].as_f64()),
        (Some(1), Some(2), Some(6.0))
    );
    run.complains(&["t.parquet", "1 NULL value skipped"]);
    files.run(["sum", "t.parquet"]).fails(3, &["t.parquet", "v, w"]);
}

#[test]
fn raw() {
    let files = Files::new();
    files.f64("x.f64", &[1.0, 2.0, 3.0]);
    files.f64("x.bin", &[1.0, 2.0, 3.0]);
    files.f64("x", &[1.0, 2.0, 3.0]);
    files.f32("y.f32", &[1.0, 2.0, 3.0]);
    six(&files, &[], "x.f64");
    six(&files, &["--dtype", "f64"], "x.bin");
    six(&files, &["--dtype", "f64"], "x");
    six(&files, &["--dtype", "f64"], "y.f32");
    files.run(["sum", "x.bin"]).fails(3, &["x.bin", "--dtype"]);
    files.run(["sum", "x.f64", "--dtype", "f32"]).fails(3, &["x.f64", "never narrowed"]);
}

#[test]
fn all_formats_give_the_same_bits() {
    let files = Files::new();
    let values = numbers(70_000);
    let array = npy("<f8", false, "(70000,)", &doubles(&values));
    files.f64("x.f64", &values);
    files.write("x.npz", npz(&[("x", array.clone())], false));
    files.write("y.npz", npz(&[("x", array.clone())], true));
    files.write("x.npy", array);
    files.write("x.csv", values.iter().map(|v| format!("{v:?}\n")).collect::<String>());
    let run = files.run(["sum", "x.f64", "x.npz", "y.npz", "x.npy", "x.csv", "--threads", "3"]);
    let lines = run.lines();
    assert_eq!(lines.len(), 5);
    assert!(lines.iter().all(|line| line[..16] == lines[0][..16]), "{lines:?}");
}

#[test]
fn integers_are_exact_or_refused() {
    let files = Files::new();
    let integers: Vec<u8> = [1i64 << 53, 1, 1 << 60, -(1 << 60)].iter().flat_map(|v| v.to_le_bytes()).collect();
    files.write("i.npy", npy("<i8", false, "(4,)", &integers));
    files.write("i.csv", "9007199254740993\n9007199254740993\n2\n");
    files.run(["sum", "i.npy"]).fails(3, &["i.npy", "--exact"]);
    files.run(["sum", "i.csv"]).fails(3, &["i.csv:1", "9007199254740993", "--exact"]);
    // 2^53 + 1 is a tie and goes to even. 2 (2^53 + 1) + 2 is a float; rounding each summand first would lose 4.
    assert_eq!(files.run(["sum", "i.npy", "--exact"]).lines(), ["4340000000000000  9007199254740992.0  i.npy"]);
    assert_eq!(
        files.run(["sum", "i.csv", "--exact"]).lines(),
        [format!("{:016x}  1.8014398509481988e16  i.csv", 18_014_398_509_481_988.0f64.to_bits())]
    );
    assert_eq!(files.run(["verify", "i.csv", "--exact"]).code, 0);
}

#[test]
fn empty_data_is_plus_zero() {
    let files = Files::new();
    files.write("e.f64", "");
    files.write("e.f32", "");
    files.write("e.csv", "v\n");
    files.write("e.txt", "");
    files.write("e.npy", npy("<f8", false, "(0,)", b""));
    files.write("e.npz", npz(&[("x", npy("<f8", false, "(0,)", b""))], false));
    let names = ["e.f64", "e.csv", "e.txt", "e.npy", "e.npz"];
    let expected = names.map(|name| format!("0000000000000000  0.0  {name}"));
    assert_eq!(files.run(["sum"].iter().chain(&names)).lines(), expected);
    assert_eq!(files.run(["sum", "--exact"].iter().chain(&names)).lines(), expected);
    assert_eq!(files.run(["sum", "e.f32"]).lines(), ["00000000  0.0  e.f32"]);
    assert_eq!(files.pipe(["sum", "-"], "").lines(), ["0000000000000000  0.0  -"]);
}
