use std::fs;
use std::path::Path;

use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArrayType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tempfile::TempDir;

use super::super::tests::{Numbers, column, drain, f32s, f64s, message, opts};
use super::*;

fn writer(schema: &str, properties: WriterProperties) -> SerializedFileWriter<Vec<u8>> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap()
}

/// A column's values, and where there are any its definition and repetition levels.
type Cells<'a, T> = (&'a [T], Option<&'a [i16]>, Option<&'a [i16]>);

/// Writes one row group.
fn group<T: DataType>(file: &mut SerializedFileWriter<Vec<u8>>, columns: &[Cells<'_, T::T>]) {
    let mut group = file.next_row_group().unwrap();
    for (values, definition, repetition) in columns {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<T>().write_batch(values, *definition, *repetition).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
}

fn one<T: DataType>(schema: &str, values: &[T::T], definition: Option<&[i16]>) -> Vec<u8> {
    let mut file = writer(schema, WriterProperties::new());
    group::<T>(&mut file, &[(values, definition, None)]);
    file.into_inner().unwrap()
}

fn get(content: &[u8], opts: &ReadOptions) -> Result<Numbers> {
    let desk = TempDir::new().unwrap();
    let path = desk.path().join("a.parquet");
    fs::write(&path, content).unwrap();
    match super::super::open(&path, opts)?.source {
        Source::Stream(mut stream) => drain(&mut *stream),
        Source::Flat(_) => unreachable!(),
    }
}

#[test]
fn floats_with_nulls() {
    let nullable = [1, 0, 1, 1, 0];
    let file = one::<DoubleType>("message m { optional double x; }", &[1.5, -0.0, f64::NAN], Some(&nullable));
    assert_eq!(get(&file, &opts()).unwrap(), f64s(&[1.5, -0.0, f64::NAN], 2));
    assert_eq!(get(&file, &column("x")).unwrap(), f64s(&[1.5, -0.0, f64::NAN], 2));
    let narrow = ReadOptions { dtype: Some(Dtype::F32), ..opts() };
    assert!(message(get(&file, &narrow)).contains("never narrowed"));

    let file = one::<FloatType>("message m { required float x; }", &[0.1, 1e-45], None);
    assert_eq!(get(&file, &opts()).unwrap(), f32s(&[0.1, 1e-45], 0));
    let wide = ReadOptions { dtype: Some(Dtype::F64), ..opts() };
    assert_eq!(get(&file, &wide).unwrap(), f64s(&[f64::from(0.1f32), f64::from(1e-45f32)], 0));

    let file = one::<DoubleType>("message m { optional double x; }", &[], Some(&[0, 0, 0]));
    assert_eq!(get(&file, &opts()).unwrap(), f64s(&[], 3));
    let file = writer("message m { optional double x; }", WriterProperties::new()).into_inner().unwrap();
    assert_eq!(get(&file, &opts()).unwrap(), f64s(&[], 0));
}

#[test]
fn integers_signed_and_unsigned() {
    let exact = ReadOptions { exact: true, ..opts() };
    let ints = |ints: &[i128]| Numbers { ints: ints.to_vec(), ..Numbers::default() };
    for schema in ["int32 x", "int32 x (INT_32)", "int32 x (INTEGER(8, true))"] {
        let file = one::<Int32Type>(&format!("message m {{ required {schema}; }}"), &[-1, 7], None);
        assert_eq!(get(&file, &opts()).unwrap(), f64s(&[-1.0, 7.0], 0), "{schema}");
    }
    for schema in ["int32 x (UINT_32)", "int32 x (INTEGER(32, false))"] {
        let file = one::<Int32Type>(&format!("message m {{ required {schema}; }}"), &[-1, 7], None);
        assert_eq!(get(&file, &opts()).unwrap(), f64s(&[4294967295.0, 7.0], 0), "{schema}");
    }
    let file = one::<Int64Type>("message m { required int64 x; }", &[1 << 53, -(1 << 53)], None);
    assert_eq!(get(&file, &opts()).unwrap(), f64s(&[9007199254740992.0, -9007199254740992.0], 0));
    let file = one::<Int64Type>("message m { required int64 x; }", &[1, i64::MIN], None);
    assert!(matches!(get(&file, &opts()), Err(Error::Integer { value, .. }) if value == i64::MIN.into()));
    assert_eq!(get(&file, &exact).unwrap(), ints(&[1, i64::MIN.into()]));
    for schema in ["int64 x (UINT_64)", "int64 x (INTEGER(64, false))"] {
        let file = one::<Int64Type>(&format!("message m {{ required {schema}; }}"), &[-1, 5], None);
        assert!(matches!(get(&file, &opts()), Err(Error::Integer { value, .. }) if value == u64::MAX.into()));
        assert_eq!(get(&file, &exact).unwrap(), ints(&[u64::MAX.into(), 5]));
    }
}

#[test]
fn booleans_count_as_zero_and_one() {
    let file = one::<BoolType>("message m { optional boolean x; }", &[true, false, true], Some(&[1, 1, 0, 1]));
    assert_eq!(get(&file, &opts()).unwrap(), f64s(&[1.0, 0.0, 1.0], 1));
    let narrow = ReadOptions { dtype: Some(Dtype::F32), ..opts() };
    assert_eq!(get(&file, &narrow).unwrap(), f32s(&[1.0, 0.0, 1.0], 1));
}

#[test]
fn columns_by_path_or_number() {
    let schema = "message m { required double a; required group g { required double b; required double a; } }";
    let mut file = writer(schema, WriterProperties::new());
    group::<DoubleType>(&mut file, &[(&[1.0], None, None), (&[2.0], None, None), (&[3.0], None, None)]);
    let file = file.into_inner().unwrap();
    for (name, value) in [("a", 1.0), ("g.b", 2.0), ("g.a", 3.0), ("1", 1.0), ("3", 3.0)] {
        assert_eq!(get(&file, &column(name)).unwrap(), f64s(&[value], 0), "{name}");
    }
    for (opts, fact) in [(opts(), "several columns"), (column("b"), "no column 'b'"), (column("4"), "'4'")] {
        let told = message(get(&file, &opts));
        assert!(told.contains(fact) && told.contains("a, g.b, g.a"), "{told}");
    }
}

#[test]
fn lists_count_element_by_element() {
    let schema = "message m { optional group l (LIST) { repeated group list { optional double element; } } }";
    let mut file = writer(schema, WriterProperties::new());
    // [1, NULL], [], NULL, [2, 3]
    group::<DoubleType>(&mut file, &[(&[1.0, 2.0, 3.0], Some(&[3, 2, 1, 0, 3, 3]), Some(&[0, 1, 0, 0, 0, 1]))]);
    // One list longer than a part.
    let long: Vec<f64> = (0..150_000).map(f64::from).collect();
    let mut repetition = vec![1; long.len()];
    repetition[0] = 0;
    let mut properties = writer(schema, WriterProperties::new());
    group::<DoubleType>(&mut properties, &[(&long, Some(&vec![3; long.len()]), Some(&repetition))]);
    assert_eq!(get(&file.into_inner().unwrap(), &column("1")).unwrap(), f64s(&[1.0, 2.0, 3.0], 1));
    let found = get(&properties.into_inner().unwrap(), &column("l.list.element")).unwrap();
    assert_eq!(found, f64s(&long, 0));
}

#[test]
fn row_groups_pages_and_compression() {
    let values: Vec<f64> = (0..100_000u32).map(|v| f64::from(v.wrapping_mul(2_654_435_761) >> 12) * 0.1).collect();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
        Compression::BROTLI(Default::default()),
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder()
                .set_compression(compression)
                .set_writer_version(version)
                .set_data_page_size_limit(20_000)
                .set_dictionary_page_size_limit(50_000)
                .build();
            let mut file = writer("message m { required double x; }", properties);
            for _ in 0..2 {
                group::<DoubleType>(&mut file, &[(&values, None, None)]);
            }
            let twice = [values.clone(), values.clone()].concat();
            assert_eq!(get(&file.into_inner().unwrap(), &opts()).unwrap(), f64s(&twice, 0), "{compression}");
        }
    }
}

#[test]
fn types_that_are_no_numbers_are_named() {
    fn check<T: DataType>(schema: &str, fact: &str) {
        let file = one::<T>(&format!("message m {{ required {schema}; }}"), &[], None);
        let told = message(get(&file, &opts()));
        assert!(told.contains(fact) && told.contains("column 'x'"), "{schema}: {told}");
    }
    check::<Int96Type>("int96 x", "INT96");
    check::<ByteArrayType>("binary x", "BYTE_ARRAY");
    check::<ByteArrayType>("binary x (UTF8)", "BYTE_ARRAY");
    check::<FixedLenByteArrayType>("fixed_len_byte_array(2) x (FLOAT16)", "Float16");
    check::<Int32Type>("int32 x (DECIMAL(5, 2))", "Decimal");
    check::<Int64Type>("int64 x (DECIMAL(15, 2))", "Decimal");
    check::<Int32Type>("int32 x (DATE)", "Date");
    check::<Int64Type>("int64 x (TIMESTAMP(MICROS, true))", "Timestamp");
    check::<Int64Type>("int64 x (TIMESTAMP_MILLIS)", "TIMESTAMP_MILLIS");
    check::<Int32Type>("int32 x (TIME(MILLIS, true))", "Time");
}

#[test]
fn broken_files_are_errors_and_never_panics() {
    assert!(message(get(b"", &opts())).contains("empty"));
    assert!(message(get(b"PAR1", &opts())).contains("Parquet"));
    assert!(message(get(&[b'x'; 1000], &opts())).contains("not a readable Parquet file"));
    assert!(message(get(b"PAR1\xff\xff\xff\x7fPAR1", &opts())).contains("Parquet"));
    let nullable: Vec<i16> = (0..300).map(|i| i16::from(i % 3 != 0)).collect();
    let values: Vec<f64> = (0..200).map(|i| f64::from(i % 50) * 0.1).collect();
    let good = one::<DoubleType>("message m { optional double x; }", &values, Some(&nullable));
    assert_eq!(get(&good, &opts()).unwrap(), f64s(&values, 100));
    for n in (0..good.len()).step_by(3) {
        assert!(get(&good[..n], &opts()).is_err(), "{n}");
    }
    for n in 0..good.len() {
        for flip in [0xff, 1] {
            let mut bad = good.clone();
            bad[n] ^= flip;
            // Not every damage can be seen; but an error or numbers it must be.
            let _ = get(&bad, &column("1"));
        }
    }
}

#[test]
fn broken_files_of_rows_are_errors_and_never_panics() {
    use super::super::keys::Rows;
    let mut file = writer("message m { optional binary k (UTF8); optional double v; }", WriterProperties::new());
    let mut group = file.next_row_group().unwrap();
    let keys: Vec<_> =
        (0..200).map(|i| parquet::data_type::ByteArray::from(format!("key {}", i % 7).as_str())).collect();
    let values: Vec<f64> = (0..200).map(|i| f64::from(i % 50) * 0.1).collect();
    let levels = |step| (0..300).map(|i| i16::from(i % 3 != step)).collect::<Vec<i16>>();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&keys, Some(&levels(1)), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&values, Some(&levels(2)), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    let good = file.into_inner().unwrap();
    let desk = TempDir::new().unwrap();
    let path = desk.path().join("a.parquet");
    let count = |content: &[u8]| -> Result<usize> {
        fs::write(&path, content).unwrap();
        let mut opened = super::super::open_rows(&path, "1", &opts())?;
        let (mut rows, mut found) = (Rows::default(), 0);
        while opened.source.next(&mut rows)? {
            assert_eq!(rows.keys.len(), rows.values.len());
            let most = opened.source.keys().len() as u32;
            assert!(rows.keys.iter().chain(&rows.blanks).all(|&key| key < most));
            found += rows.len();
        }
        Ok(found)
    };
    assert_eq!(count(&good).unwrap(), 300);
    for n in (0..good.len()).step_by(3) {
        assert!(count(&good[..n]).is_err(), "{n}");
    }
    for n in (0..good.len()).step_by(4) {
        for flip in [0xff, 1] {
            let mut bad = good.clone();
            bad[n] ^= flip;
            // Not every damage can be seen; but an error or rows it must be.
            let _ = count(&bad);
        }
    }
}

#[test]
fn a_dictionary_is_as_long_as_its_bytes() {
    let mut file = one::<Int64Type>("message m { required int64 x; }", &[1, 1, 5], None);
    assert_eq!(get(&file, &opts()).unwrap(), f64s(&[1.0, 1.0, 5.0], 0));
    // Thrift's compact protocol: the dictionary's header, and in it the number of values, 2, as a zigzag varint.
    let header = [0x4c, 0x15, 4];
    let at = file.windows(3).position(|bytes| bytes == header).unwrap();
    file[at + 2] = 63 << 1;
    let told = message(get(&file, &opts()));
    assert!(told.contains("corrupt Parquet file: a dictionary of 63 values in 16 bytes"), "{told}");
}

#[test]
fn a_page_is_not_unpacked_to_whatever_size_it_claims() {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).set_dictionary_enabled(false);
    let mut file = writer("message m { required double x; }", properties.build());
    group::<DoubleType>(&mut file, &[(&[0.5; 64], None, None)]);
    let mut file = file.into_inner().unwrap();
    assert_eq!(get(&file, &opts()).unwrap(), f64s(&[0.5; 64], 0));
    // The first page's header in Thrift's compact protocol: its kind, then 512 bytes, as a zigzag varint.
    assert_eq!(file[4..9], [0x15, 0, 0x15, 0x80, 8]);
    file.splice(7..9, [0x80, 0x80, 0x80, 0x80, 8]);
    let told = message(get(&file, &opts()));
    assert!(told.contains("corrupt Parquet file: a page of ") && told.contains("1073741824 bytes"), "{told}");
}

#[test]
fn a_list_without_end_is_refused() {
    // In Thrift's compact protocol: version 1, then an unknown field that is a list of booleans.
    let footer = [0x15, 2, 0x89, 0xf1, 0xff, 0xff, 0xff, 0xff, 7, 0];
    let mut file = b"PAR1".to_vec();
    file.extend(footer);
    file.extend((footer.len() as u32).to_le_bytes());
    file.extend(b"PAR1");
    let told = message(get(&file, &opts()));
    assert!(told.contains("corrupt Parquet file: a list of 2147483647 elements"), "{told}");

    // The same in a page: behind the header's known fields, in place of its end and what follows.
    let mut file = one::<DoubleType>("message m { required double x; }", &[0.5; 64], None);
    assert!(get(&file, &opts()).is_ok());
    let header = [0x15, 4, 0x89, 0xf1, 0xff, 0xff, 0xff, 0xff, 7];
    file[4..4 + header.len()].copy_from_slice(&header);
    let told = message(get(&file, &opts()));
    assert!(told.contains("corrupt Parquet file: a list of 2147483647 elements"), "{told}");
}

#[test]
fn a_deeply_nested_schema_does_not_exhaust_the_stack() {
    // In Thrift's compact protocol: version 1, then a list of groups within groups.
    let depth = 2_000_000u32;
    let mut footer = vec![0x15, 2, 0x19, 0xfc];
    let mut count = depth;
    while count >= 0x80 {
        footer.push(count as u8 | 0x80);
        count >>= 7;
    }
    footer.push(count as u8);
    for _ in 0..depth {
        footer.extend_from_slice(&[0x48, 1, b'g', 0x15, 2, 0]);
    }
    let mut file = b"PAR1".to_vec();
    let len = footer.len() as u32;
    file.extend(footer);
    file.extend(len.to_le_bytes());
    file.extend(b"PAR1");
    let told = message(get(&file, &opts()));
    assert!(told.contains("2000000 levels deep"), "{told}");
}

#[test]
fn progress_ends_at_the_total() {
    let values: Vec<f64> = (0..50_000).map(f64::from).collect();
    let content = one::<DoubleType>("message m { required double x; }", &values, None);
    let desk = TempDir::new().unwrap();
    let path = desk.path().join("a.parquet");
    fs::write(&path, content).unwrap();
    let opened = super::super::open(Path::new(&path), &opts()).unwrap();
    let Source::Stream(mut stream) = opened.source else { unreachable!() };
    assert_eq!(stream.position(), 0);
    drain(&mut *stream).unwrap();
    assert_eq!(Some(stream.position()), opened.bytes);
}
