//! NumPy's `.npy`: a header in Python's notation, then the elements.
//!
//! Format versions 1, 2 and 3; floats of 4 and 8 bytes, integers of 1 to 8 bytes and booleans, in both byte orders;
//! C and Fortran order and any rank. Objects are never unpickled. Bytes after the data are ignored, as NumPy does.
//! A type without a byte order (or `=`) is read as little-endian, so that a file means the same on every machine.

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::chunk::{Layout, Target};
use super::stream::{Counted, Elements};
use super::{Dtype, Fault, Flat, Options, Order, Scalar, Source, open_file};
use crate::Result;

mod literal;

/// What a `.npy` header says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The format's version.
    pub version: (u8, u8),
    /// The type of the elements.
    pub scalar: Scalar,
    /// The order of their bytes.
    pub order: Order,
    /// Whether the first index runs fastest.
    pub fortran: bool,
    /// The extent of each dimension; empty for a single number.
    pub shape: Vec<u64>,
    /// How many elements that makes.
    pub count: u64,
    /// Where the data begins.
    pub data_offset: u64,
    descr: String,
}

/// The length of what [`header`] makes.
pub const HEADER_LEN: usize = 128;

/// The header of a file that is to hold one dimension of `count` numbers, in this machine's order of bytes. It is as long
/// for any count, so that it can be written once more over itself when the count is known.
///
/// ```
/// use samebits::io::{Dtype, npy};
/// let mut file = npy::header(Dtype::F64, 2).to_vec();
/// file.extend([1.5f64, 2.0].map(f64::to_ne_bytes).concat());
/// let found = npy::read_header(&mut &file[..], Some(file.len() as u64)).expect("a header");
/// assert_eq!((found.shape.as_slice(), found.data_offset), (&[2][..], npy::HEADER_LEN as u64));
/// ```
pub fn header(dtype: Dtype, count: u64) -> [u8; HEADER_LEN] {
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    let size = dtype.scalar().size();
    let dictionary = format!("{{'descr': '{order}f{size}', 'fortran_order': False, 'shape': ({count},), }}");
    let mut header = [b' '; HEADER_LEN];
    header[..8].copy_from_slice(b"\x93NUMPY\x01\x00");
    header[8..10].copy_from_slice(&(HEADER_LEN as u16 - 10).to_le_bytes());
    header[10..10 + dictionary.len()].copy_from_slice(dictionary.as_bytes());
    header[HEADER_LEN - 1] = b'\n';
    header
}

impl Header {
    /// Bytes of the data.
    pub fn data_len(&self) -> u64 {
        // Checked when the header was read.
        self.count * self.scalar.size() as u64
    }

    /// Shape and type for messages, in NumPy's notation.
    fn describe(&self) -> String {
        let mut shape = self.shape.iter().take(8).map(u64::to_string).collect::<Vec<_>>().join(", ");
        if self.shape.len() > 8 {
            shape.push_str(", ..");
        } else if self.shape.len() == 1 {
            shape.push(',');
        }
        format!("shape ({shape}) of {}", self.descr)
    }

    /// Compares what the header promises with the bytes that are there.
    pub(crate) fn check_len(&self, file_len: u64) -> std::result::Result<(), Fault> {
        let (expected, found) = (self.data_len(), file_len.saturating_sub(self.data_offset));
        if found < expected {
            let what = self.describe();
            return Err(Fault::bad(format!("cut short: {expected} bytes of data expected for {what}, {found} found")));
        }
        Ok(())
    }

    pub(crate) fn layout(&self, options: &Options) -> std::result::Result<Layout, Fault> {
        let dtype = self.scalar.result(options.dtype).map_err(Fault::Bad)?;
        Ok(Layout { scalar: self.scalar, order: self.order, target: Target::new(dtype, options.exact) })
    }

    /// The elements that follow the header in this reader.
    pub(crate) fn elements<R: Read>(&self, input: R, path: &Path, layout: Layout) -> Elements<R> {
        Elements {
            input,
            path: path.to_owned(),
            layout,
            left: Some(self.count),
            promise: Some((self.describe(), self.data_len())),
            counter: Arc::default(),
            bytes: Some(self.data_offset + self.data_len()),
            drain: false,
            buffer: Vec::new(),
        }
    }
}

/// No header of a supported type is anywhere near this long; a pipe could claim 4 GiB.
const LONGEST: u64 = 1 << 20;

/// Reads a header, and no byte beyond it. With the file's length, a header that claims to be longer than the file
/// is refused at once; no memory is set aside for a mere claim in either case.
///
/// # Errors
/// [`Fault::Bad`] for anything but a header of numbers, [`Fault::Io`] if the reader fails.
pub fn read_header(input: &mut impl Read, file_len: Option<u64>) -> std::result::Result<Header, Fault> {
    let magic = read_up_to(input, 8)?;
    if magic.is_empty() {
        return Err(Fault::bad("the file is empty (0 bytes), not an .npy file"));
    }
    const MAGIC: &[u8] = b"\x93NUMPY";
    if !MAGIC.starts_with(&magic[..magic.len().min(6)]) {
        return Err(Fault::bad("not an .npy file: it does not begin with the magic bytes \\x93NUMPY"));
    }
    if magic.len() < 8 {
        return Err(Fault::bad(format!("header cut: the file ends after {} bytes", magic.len())));
    }
    let version = (magic[6], magic[7]);
    let width = match version.0 {
        1 => 2,
        2 | 3 => 4,
        _ => {
            return Err(Fault::bad(format!(
                ".npy version {}.{} is not supported: 1, 2 and 3 are",
                version.0, version.1
            )));
        }
    };
    let field = read_up_to(input, width)?;
    if field.len() < width as usize {
        return Err(Fault::bad(format!("header cut: the file ends after {} bytes", magic.len() + field.len())));
    }
    let claimed = field.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
    let start = 8 + width;
    let cut = |found: u64| Fault::bad(format!("header cut: {claimed} bytes of header expected, {found} found"));
    if let Some(len) = file_len
        && len < start + claimed
    {
        return Err(cut(len.saturating_sub(start)));
    }
    if claimed > LONGEST {
        return Err(Fault::bad(format!("a header of {claimed} bytes: more than {LONGEST} are not supported")));
    }
    let text = read_up_to(input, claimed)?;
    if (text.len() as u64) < claimed {
        return Err(cut(text.len() as u64));
    }
    let fields = literal::parse(&text)?;
    let (scalar, order) = element_type(&fields.descr)?;
    let count = count(&fields.shape)
        .filter(|n| n.checked_mul(scalar.size() as u64).is_some_and(|bytes| bytes <= i64::MAX as u64))
        .ok_or_else(|| Fault::bad(format!("shape {} is larger than any file", fields.shape_text)))?;
    Ok(Header {
        version,
        scalar,
        order,
        fortran: fields.fortran,
        shape: fields.shape,
        count,
        data_offset: start + claimed,
        descr: fields.descr,
    })
}

fn count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1u64, |n, &extent| n.checked_mul(extent))
}

fn read_up_to(input: &mut impl Read, n: u64) -> std::result::Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    input.take(n).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn element_type(descr: &str) -> std::result::Result<(Scalar, Order), Fault> {
    let (order, kind) = match descr.as_bytes().first() {
        Some(b'>') => (Order::Big, &descr[1..]),
        Some(b'<' | b'=' | b'|') => (Order::Little, &descr[1..]),
        _ => (Order::Little, descr),
    };
    let scalar = match kind {
        "f4" => Scalar::F32,
        "f8" => Scalar::F64,
        "i1" => Scalar::I8,
        "i2" => Scalar::I16,
        "i4" => Scalar::I32,
        "i8" => Scalar::I64,
        "u1" => Scalar::U8,
        "u2" => Scalar::U16,
        "u4" => Scalar::U32,
        "u8" => Scalar::U64,
        "b1" => Scalar::Bool,
        _ => {
            let why = match kind.as_bytes().first() {
                Some(b'f') if kind.starts_with("float") => {
                    "not a descr of a NumPy file; '<f8' is one of 64-bit floats, '<f4' of 32-bit ones"
                }
                Some(b'O') => "object arrays are never unpickled; save numbers instead",
                Some(b'c') => "complex numbers are not supported; save real and imaginary part apart",
                Some(b'f') if kind == "f2" => "half precision is not supported; convert to f4, which is exact",
                Some(b'f') => "floats other than f4 and f8 are not supported; convert to f8",
                Some(b'S' | b'U' | b'a') => "text is not supported",
                Some(b'M' | b'm') => "dates and times are not supported",
                Some(b'V') => "structured data is not supported; save the field you need",
                _ => "supported are f4, f8, i1 to i8, u1 to u8 and b1",
            };
            return Err(Fault::bad(format!("dtype '{}': {why}", literal::shorten(descr.as_bytes()))));
        }
    };
    Ok((scalar, order))
}

/// Opens a `.npy` file: a flat source, or a stream where the path is a pipe.
///
/// # Errors
/// [`crate::Error::Format`] for anything but an array of numbers that is there in full.
pub fn open(path: &Path, options: &Options) -> Result<Source> {
    let (mut file, len) = open_file(path)?;
    let at = |fault: Fault| fault.at(path);
    if let Some(len) = len {
        let header = read_header(&mut BufReader::new(&mut file), Some(len)).map_err(at)?;
        header.check_len(len).map_err(at)?;
        let layout = header.layout(options).map_err(at)?;
        return Ok(Source::Flat(Flat::new(file, path, header.data_offset, header.count, layout)));
    }
    let counter = Arc::default();
    let mut input = Counted { input: file, counter: Arc::clone(&counter) };
    let header = read_header(&mut input, None).map_err(at)?;
    let layout = header.layout(options).map_err(at)?;
    let mut elements = header.elements(input, path, layout);
    elements.counter = counter;
    Ok(Source::Stream(Box::new(elements)))
}
