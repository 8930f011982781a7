//! Any bytes as text, with options taken from the first of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::io::{CHUNK, Dtype, Stream};
use samebits_cli::read::ReadOptions;
use samebits_cli::read::text::{Format, stream};
use samebits_fuzz::{Drops, Numbers, drain};
use std::io::Read;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let [first, second, data @ ..] = data else { return };
    let format = [Format::Csv, Format::Tsv, Format::Plain, Format::Plain][usize::from(first & 3)];
    let names = [None, None, Some("1"), Some("2"), Some("x"), Some(""), Some("a b"), Some("99999999999999999999")];
    let seps = [None, None, None, Some(b';'), Some(b' '), Some(b'\t'), Some(b'1'), Some(*second)];
    let opts = ReadOptions {
        dtype: [None, None, Some(Dtype::F64), Some(Dtype::F32)][usize::from(first >> 2 & 3)],
        exact: first & 16 != 0,
        column: names[usize::from(first >> 5)].map(str::to_owned),
        sep: seps[usize::from(second >> 5)],
        ..ReadOptions::default()
    };
    let whole = numbers(data, format, &opts, data.len() as u64);
    // However the bytes arrive, the result is the same.
    let drops = numbers(Drops(data), format, &opts, data.len() as u64);
    assert_eq!(whole, drops);
});

fn numbers(input: impl Read, format: Format, opts: &ReadOptions, len: u64) -> Numbers {
    match stream(input, Path::new("text"), Some(len), format, opts) {
        Ok(mut text) => {
            let all = drain(&mut text, CHUNK);
            assert!(text.position() <= len);
            assert!(all.error.is_some() || text.position() == len, "the end is the end of the file");
            assert!(opts.exact || all.ints.is_empty());
            all
        }
        Err(error) => Numbers { error: Some(error.to_string()), ..Numbers::default() },
    }
}
