//! Raw little-endian numbers: no header, the length of the file is the count.

use std::path::Path;
use std::sync::Arc;

use super::chunk::{Layout, Target};
use super::stream::{Counted, Elements};
use super::{Flat, Options, Order, Scalar, Source, format_error, open_file};
use crate::Result;

/// Opens a file of raw little-endian elements. An empty file holds no numbers, which is no error.
///
/// # Errors
/// [`crate::Error::Format`] if the length is no multiple of the element size, or if f64 elements were asked to
/// become f32.
pub fn open(path: &Path, scalar: Scalar, options: &Options) -> Result<Source> {
    let (file, len) = open_file(path)?;
    let dtype = scalar.result(options.dtype).map_err(|what| format_error(path, what))?;
    let layout = Layout { scalar, order: Order::Little, target: Target::new(dtype, options.exact) };
    let Some(len) = len else {
        let counter = Arc::default();
        return Ok(Source::Stream(Box::new(Elements {
            input: Counted { input: file, counter: Arc::clone(&counter) },
            path: path.to_owned(),
            layout,
            left: None,
            promise: None,
            counter,
            bytes: None,
            drain: false,
            buffer: Vec::new(),
        })));
    };
    let size = scalar.size() as u64;
    if !len.is_multiple_of(size) {
        return Err(format_error(path, uneven(len, scalar)));
    }
    Ok(Source::Flat(Flat::new(file, path, 0, len / size, layout)))
}

pub(crate) fn uneven(len: u64, scalar: Scalar) -> String {
    let size = scalar.size() as u64;
    format!("{len} bytes are no whole number of {scalar} elements of {size} bytes: {} bytes are left over", len % size)
}
