use parquet::basic::Compression;
use parquet::data_type::*;
use parquet::file::properties::*;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use samebits::{Accumulator, Mode};
use std::sync::Arc;
fn save(target: &str, name: &str, bytes: &[u8]) {
    let dir = format!("../../fuzz/seeds/{target}");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(format!("{dir}/{name}"), bytes).unwrap();
}
fn one<T: DataType>(name: &str, flags: u8, schema: &str, c: Compression, v: WriterVersion, dict: bool, values: &[T::T], d: Option<&[i16]>, r: Option<&[i16]>) {
    let p = WriterProperties::builder().set_compression(c).set_writer_version(v).set_dictionary_enabled(dict).set_created_by("x".into()).set_statistics_enabled(EnabledStatistics::None).build();
    let mut f = SerializedFileWriter::new(Vec::new(), Arc::new(parse_message_type(schema).unwrap()), Arc::new(p)).unwrap();
    let mut g = f.next_row_group().unwrap();
    let mut col = g.next_column().unwrap().unwrap();
    col.typed::<T>().write_batch(values, d, r).unwrap();
    col.close().unwrap();
    g.close().unwrap();
    let mut bytes = vec![flags];
    bytes.extend(f.into_inner().unwrap());
    save("parquet", name, &bytes);
}
#[test]
fn seeds() {
    use WriterVersion::*;
    one::<DoubleType>("double", 0, "message m { optional double x; }", Compression::UNCOMPRESSED, PARQUET_1_0, false, &[1.5, -0.0, 3.0], Some(&[1, 0, 1, 1]), None);
    one::<DoubleType>("dictionary_snappy", 0, "message m { optional double x; }", Compression::SNAPPY, PARQUET_1_0, true, &[1.5, 1.5, 3.0, 1.5], Some(&[1, 0, 1, 1, 1]), None);
    one::<FloatType>("float_v2_zstd", 2, "message m { required float x; }", Compression::ZSTD(Default::default()), PARQUET_2_0, false, &[1.5, 2.5], None, None);
    one::<Int32Type>("delta_gzip", 1, "message m { required int32 x (UINT_32); }", Compression::GZIP(Default::default()), PARQUET_2_0, false, &[1, -2, 3, 400], None, None);
    one::<Int64Type>("int64_lz4", 1, "message m { required int64 x; }", Compression::LZ4_RAW, PARQUET_1_0, false, &[1, i64::MIN], None, None);
    one::<Int64Type>("int64_brotli", 1, "message m { required int64 x; }", Compression::BROTLI(Default::default()), PARQUET_2_0, true, &[1, 1, 5], None, None);
    one::<DoubleType>("list", 0, "message m { optional group x (LIST) { repeated group list { optional double element; } } }", Compression::UNCOMPRESSED, PARQUET_1_0, false, &[1.5, 2.5], Some(&[3, 2, 0, 1, 3]), Some(&[0, 1, 0, 0, 0]));
    let x = [1.5, -2e300, 3e-300, f64::NAN, f64::INFINITY, 7.0];
    for (name, mode, n) in [("f64_3", Mode::default(), 6), ("f64_empty", Mode::default(), 0), ("f64_52", Mode::folds(52).unwrap(), 3), ("f64_exact", Mode::exact(), 3)] {
        let mut a = Accumulator::<f64>::new(mode).unwrap();
        a.extend(&x[..n]).unwrap();
        save("state_bytes", name, &a.to_bytes());
        let y: Vec<f32> = x[..n].iter().map(|&v| if v.abs() > 1e30 { 1e38 } else { v as f32 }).collect();
        if name != "f64_52" {
            let mut a = Accumulator::<f32>::with_kind(samebits::Kind::Asum, mode).unwrap();
            a.extend(&y).unwrap();
            save("state_bytes", &name.replace("f64", "f32_asum"), &a.to_bytes());
        }
    }
}
