//! Any bytes as a `.npz` file, every array of it read to the end; and as a `.npy` file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::io::{Dtype, Options, npy, npz};
use samebits_fuzz::{file, read};
use std::io::Cursor;

fuzz_target!(|data: &[u8]| {
    let Some((&flags, data)) = data.split_first() else { return };
    let mut options = Options::new().exact(flags & 1 != 0);
    options.dtype = [None, None, Some(Dtype::F64), Some(Dtype::F32)][usize::from(flags >> 1 & 3)];
    let step = 7usize << (flags >> 3 & 15);

    let Ok(file) = file(data) else { return };
    let arrays = npz::list(Cursor::new(data), data.len() as u64).unwrap_or_default();
    // An archive can have thousands of members that are all the same few bytes.
    for array in arrays.iter().take(4) {
        if let Ok(source) = npz::open(file.path(), &options.clone().array(&array.name)) {
            read(source, step);
        }
    }
    if let Ok(source) = npz::open(file.path(), &options) {
        assert_eq!(arrays.len(), 1);
        read(source, step);
    }
    if let Ok(source) = npy::open(file.path(), &options) {
        read(source, step);
    }
});
