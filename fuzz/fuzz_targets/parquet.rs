//! Any bytes as a Parquet file, its columns read to the end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::io::Dtype;
use samebits_cli::read::{ReadOptions, parquet};
use samebits_fuzz::{file, read};

fuzz_target!(|data: &[u8]| {
    let Some((&flags, data)) = data.split_first() else { return };
    let Ok(file) = file(data) else { return };
    for column in [None, Some("1"), Some("2"), Some("x.list.element")] {
        let opts = ReadOptions {
            dtype: (flags & 2 != 0).then_some(Dtype::F64),
            exact: flags & 1 != 0,
            column: column.map(str::to_owned),
            ..ReadOptions::default()
        };
        match parquet::open(file.path(), &opts) {
            Ok(opened) => drop(read(opened.source, 1)),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
