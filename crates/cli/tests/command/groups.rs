//! `sum --by`.

use std::collections::BTreeMap;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::process::{Files, numbers};

const SALES: &str = "shop,price\nwest,1.5\neast,2\nwest,-0.5\neast,1e16\neast,-1e16\n";

#[test]
fn lines_are_sorted_by_key() {
    let files = Files::new();
    files.write("t.csv", SALES);
    let expected = ["4000000000000000  2.0  east", "3ff0000000000000  1.0  west"];
    for by in ["shop", "1"] {
        assert_eq!(files.run(["sum", "t.csv", "--by", by]).lines(), expected);
        assert_eq!(files.run(["sum", "t.csv", "--by", by, "--column", "price", "--exact"]).lines(), expected);
        assert_eq!(files.run(["sum", "t.csv", "--by", by, "--column", "2", "--threads", "1"]).lines(), expected);
    }
    files.write("t.tsv", SALES.replace(',', "\t"));
    assert_eq!(files.run(["sum", "t.tsv", "--by", "shop"]).lines(), expected);
    assert_eq!(files.pipe(["sum", "-", "--by", "shop"], SALES.replace(',', "  ")).lines(), expected);
    // Without a header, both columns by number.
    let bare = "b;1;x\na;2;y\nb;3;z\n";
    let run = files.pipe(["sum", "-", "--sep", ";", "--by", "1", "--column", "2"], bare);
    assert_eq!(run.lines(), ["4000000000000000  2.0  a", "4010000000000000  4.0  b"]);
    // With several files or devices each line says which.
    let lines = files.run(["sum", "t.csv", "t.tsv", "--by", "shop", "--device", "all"]);
    let lines = lines.lines().join("\n");
    assert!(
        lines.starts_with("4000000000000000  2.0  east  t.csv  cpu\n4000000000000000  2.0  east  t.csv  reference\n")
    );
    assert!(lines.ends_with("west  t.tsv  reference"), "{lines}");
}

#[test]
fn integers_sort_by_value() {
    let files = Files::new();
    files.write("t.csv", "v,k\n1,10\n1,9\n1,-3\n1,007\n1,7\n");
    let keys = |run: &crate::process::Run| -> Vec<String> {
        run.lines().iter().map(|line| line.split("  ").nth(2).unwrap().to_owned()).collect()
    };
    assert_eq!(keys(&files.run(["sum", "t.csv", "--by", "k"])), ["-3", "007", "7", "9", "10"]);
    files.write("t.csv", "v,k\n1,10\n1,9\n1,x\n");
    assert_eq!(keys(&files.run(["sum", "t.csv", "--by", "k"])), ["10", "9", "x"]);
    // A key may hold anything, and stays on its line.
    files.write("t.csv", "v,k\n1,\"a, \"\"b\"\"\nc\"\n");
    assert_eq!(keys(&files.run(["sum", "t.csv", "--by", "k"])), ["a, \"b\"\\nc"]);
}

#[test]
fn blank_keys_and_blank_numbers() {
    let files = Files::new();
    files.write("t.csv", "k,v\na,1\n,2\na,\nb,\n ,4\nb,\n");
    let run = files.run(["sum", "t.csv", "--by", "k"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.out, "4018000000000000  6.0  \n3ff0000000000000  1.0  a\n0000000000000000  0.0  b\n");
    let errors: Vec<_> = run.err.lines().collect();
    assert_eq!(
        errors,
        ["samebits: t.csv: 3 blank cells skipped", "samebits: t.csv: 2 rows without a key, a group of their own"]
    );
    let run = files.run(["sum", "t.csv", "--by", "k", "--json", "--exact"]);
    let objects = run.objects();
    let facts: Vec<_> = objects.iter().map(|o| (o["key"].as_str(), o["n"].as_u64(), o["nulls"].as_u64())).collect();
    assert_eq!(facts, [(None, Some(2), Some(0)), (Some("a"), Some(1), Some(1)), (Some("b"), Some(0), Some(2))]);
    assert!(objects[0]["key"].is_null() && objects[0]["exact"] == true && objects[1]["op"] == "sum");
    let mut fields = objects[0].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    fields.retain(|field| field != "key");
    let sum = &files.run(["sum", "t.csv", "--column", "v", "--json"]).objects()[0];
    assert_eq!(fields, sum.as_object().unwrap().keys().cloned().collect::<Vec<_>>());
}

#[test]
fn mistakes_are_told() {
    let files = Files::new();
    files.write("t.csv", SALES);
    files.write("one.csv", "v\n1\n2\n");
    files.write("three.csv", "a,b,c\nx,1,2\n");
    files.write("bad.csv", "k,v\na,1\nb\n");
    files.write("word.csv", "k,v\na,1\nb,two\n");
    files.write("large.csv", "k,v\na,9007199254740993\na,9007199254740993\na,2\nb,1\n");
    files.f64("x.f64", &[1.0]);
    files.run(["sum", "t.csv", "--by", "region"]).fails(3, &["t.csv", "'region'", "shop, price"]);
    files.run(["sum", "t.csv", "--by", "shop", "--column", "cost"]).fails(3, &["'cost'", "shop, price"]);
    files.run(["sum", "one.csv", "--by", "v"]).fails(3, &["one.csv", "only one column"]);
    files.run(["sum", "three.csv", "--by", "a"]).fails(3, &["three.csv", "--column", "a, b, c"]);
    files.run(["sum", "bad.csv", "--by", "k"]).fails(3, &["bad.csv:3", "1 cell"]);
    files.run(["sum", "word.csv", "--by", "k"]).fails(3, &["word.csv:3", "'two'"]);
    files.run(["sum", "x.f64", "--by", "1"]).fails(3, &["x.f64", "--by", "text and Parquet"]);
    files.run(["sum", "none.csv", "--by", "1"]).fails(3, &["none.csv"]);
    files.run(["sum", "large.csv", "--by", "k"]).fails(3, &["large.csv:2", "--exact"]);
    let exact = files.run(["sum", "large.csv", "--by", "k", "--exact"]);
    let expected = format!("{:016x}  1.8014398509481988e16  a", 18_014_398_509_481_988.0f64.to_bits());
    assert_eq!(exact.lines(), [expected.as_str(), "3ff0000000000000  1.0  b"]);
    assert_eq!(files.run(["mean", "t.csv", "--by", "shop"]).code, 2);
    // The good files are printed.
    let run = files.run(["sum", "one.csv", "t.csv", "--by", "shop"]);
    assert_eq!((run.code, run.out.lines().count()), (3, 2));
    // Header alone: no groups.
    files.write("none.csv", "k,v\n");
    assert_eq!(files.run(["sum", "none.csv", "--by", "k"]).lines(), [] as [&str; 0]);
}

/// The sum of each group, in whatever order its rows come, is the sum of its numbers alone.
#[test]
fn groups_have_the_bits_of_their_own_sums() {
    let files = Files::new();
    let values = numbers(70_000);
    let key = |i: usize| format!("k{}", (i * i + i / 7) % 23);
    let row = |i: usize| format!("{},{:?}\n", key(i), values[i]);
    let forward: String = (0..values.len()).map(row).collect();
    let backward: String = (0..values.len()).rev().map(row).collect();
    files.write("a.csv", format!("key,value\n{forward}"));
    files.write("b.csv", format!("key,value\n{backward}"));
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    (0..values.len()).for_each(|i| groups.entry(key(i)).or_default().push(values[i]));
    for (name, values) in &groups {
        files.f64(&format!("{name}.f64"), values);
    }
    let names: Vec<_> = groups.keys().map(|name| format!("{name}.f64")).collect();
    for options in [&[] as &[&str], &["--exact"], &["--folds", "2"], &["--folds", "4"]] {
        let alone = files.run(["sum"].iter().chain(options).copied().chain(names.iter().map(String::as_str)));
        let expected: Vec<_> = alone.lines().iter().map(|line| line.replace(".f64", "")).collect();
        for file in ["a.csv", "b.csv"] {
            for threads in ["1", "2", "3"] {
                let run = files.run(["sum", file, "--by", "key", "--threads", threads].iter().chain(options));
                assert_eq!(run.lines(), expected, "{options:?} {file} {threads}");
            }
        }
    }
}

/// Writes a row group of a column of keys and one of numbers.
fn column<T: DataType>(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: &[T::T], levels: Option<&[i16]>) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, levels, None).unwrap();
    column.close().unwrap();
}

fn parquet(schema: &str, mut rows: impl FnMut(&mut SerializedRowGroupWriter<'_, Vec<u8>>), groups: usize) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::new())).unwrap();
    for _ in 0..groups {
        let mut group = file.next_row_group().unwrap();
        rows(&mut group);
        group.close().unwrap();
    }
    file.into_inner().unwrap()
}

#[test]
fn parquet_keys_of_text_and_integers() {
    let files = Files::new();
    let texts = ["b", "a", "", "b"].map(ByteArray::from);
    let file = parquet(
        "message m { optional binary k (UTF8); optional double v; }",
        |group| {
            column::<ByteArrayType>(group, &texts, Some(&[1, 1, 0, 1, 1]));
            column::<DoubleType>(group, &[1.0, 2.0, 4.0, 8.0], Some(&[1, 0, 1, 1, 1]));
        },
        2,
    );
    files.write("t.parquet", file);
    let run = files.run(["sum", "t.parquet", "--by", "k", "--json"]);
    let facts: Vec<_> = run
        .objects()
        .iter()
        .map(|o| (o["key"].as_str().map(str::to_owned), o["value"].as_f64(), o["nulls"].as_u64()))
        .collect();
    let text = |key: &str| Some(key.to_owned());
    assert_eq!(
        facts,
        [
            // NULL and text without a letter are one group, as a blank cell is in text.
            (None, Some(12.0), Some(0)),
            (text("a"), Some(0.0), Some(2)),
            (text("b"), Some(18.0), Some(0)),
        ]
    );
    assert!(run.err.contains("2 NULL values skipped") && run.err.contains("4 rows without a key"), "{run:?}");

    let rows = 150_000;
    let keys: Vec<i64> = (0..rows).map(|i| i64::MAX - (i % 3)).collect();
    let values: Vec<i32> = (0..rows).map(|i| (i % 3 + 1) as i32).collect();
    let file = parquet(
        "message m { required int64 k (UINT_64); required int32 v; required int32 w; }",
        |group| {
            column::<Int64Type>(group, &keys, None);
            column::<Int32Type>(group, &values, None);
            column::<Int32Type>(group, &values, None);
        },
        2,
    );
    files.write("i.parquet", file);
    files.run(["sum", "i.parquet", "--by", "k"]).fails(3, &["i.parquet", "k, v, w"]);
    let run = files.run(["sum", "i.parquet", "--by", "k", "--column", "v"]);
    let line = |value: f64, key: i64| format!("{:016x}  {value:?}  {key}", value.to_bits());
    let max = i64::MAX;
    assert_eq!(run.lines(), [line(300_000.0, max - 2), line(200_000.0, max - 1), line(100_000.0, max)]);
    let object = &files.run(["sum", "i.parquet", "--by", "k", "--column", "w", "--json"]).objects()[0];
    assert_eq!(object["key"].as_i64(), Some(max - 2));
    // Numbers as keys of text, and floats as keys.
    assert_eq!(files.run(["sum", "i.parquet", "--by", "v", "--column", "v"]).lines().len(), 3);
    files.run(["sum", "t.parquet", "--by", "v"]).fails(3, &["t.parquet", "'v'", "DOUBLE", "text, integers"]);
    files.run(["sum", "t.parquet", "--by", "x"]).fails(3, &["'x'", "k, v"]);
}
