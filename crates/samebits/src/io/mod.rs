//! Numbers from files: `.npy`, `.npz` and raw `.f64`/`.f32`, larger than memory if need be.
//!
//! A file becomes a [`Source`]: a [`Flat`] one, which many threads may read at any place at once, or a [`Stream`],
//! which hands out its parts in order. Both fill a reusable [`Chunk`]. Nothing here adds numbers up, and nothing
//! here rounds except where a type is named: integers arrive exactly or are refused.
//!
//! What the readers do not do: they never unpickle objects, never allocate what a header merely claims, and never
//! narrow a typed file.

mod checksum;
mod chunk;
mod fault;
mod flat;
pub mod npy;
pub mod npz;
pub mod raw;
mod scalar;
mod stream;

pub use chunk::{Chunk, Target};
pub use fault::Fault;
pub use flat::Flat;
pub use scalar::{Dtype, Order, Scalar};
pub use stream::{CHUNK, Stream};

use std::fs::File;
use std::io;
use std::path::Path;

use crate::{Error, Result};

/// Where numbers come from.
#[derive(Debug)]
pub enum Source {
    /// Elements of one size in a file, readable at any place by several threads at once.
    Flat(Flat),
    /// A source that can only be read in order.
    Stream(Box<dyn Stream + Send>),
}

impl Source {
    /// The type of the result.
    pub fn dtype(&self) -> Dtype {
        match self {
            Source::Flat(flat) => flat.dtype(),
            Source::Stream(stream) => stream.dtype(),
        }
    }

    /// How many bytes will be read in all, where that is known: the scale of a progress display.
    ///
    /// For a flat source the bytes done are elements times [`Scalar::size`], for a stream [`Stream::position`].
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Source::Flat(flat) => Some(flat.count() * flat.scalar().size() as u64),
            Source::Stream(stream) => stream.bytes(),
        }
    }
}

/// How a file is to be read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The type of raw data, or a wider type for a typed file. `None`: what the file says.
    pub dtype: Option<Dtype>,
    /// Deliver integers in full (as [`Chunk::ints`]) where the result type cannot hold them, instead of refusing.
    pub exact: bool,
    /// The array of an `.npz` file; not needed where it has only one.
    pub array: Option<String>,
}

impl Options {
    /// What the file says, integers refused where they would be rounded.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`Options::dtype`].
    pub fn dtype(mut self, dtype: Dtype) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// Sets [`Options::exact`].
    pub fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Sets [`Options::array`].
    pub fn array(mut self, name: impl Into<String>) -> Self {
        self.array = Some(name.into());
        self
    }
}

/// Opens a file by its extension: `.npy`, `.npz`, `.f64`, `.f32`; with [`Options::dtype`] also `.bin`, `.raw` and
/// names without an extension, as raw little-endian numbers of that type.
///
/// # Errors
/// [`Error::File`] where the system refuses, [`Error::Format`] where the content or the name is of no use.
pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Source> {
    let path = path.as_ref();
    match extension(path).as_str() {
        "npy" => npy::open(path, options),
        "npz" => npz::open(path, options),
        "f64" => raw::open(path, Scalar::F64, options),
        "f32" => raw::open(path, Scalar::F32, options),
        "" | "bin" | "raw" => match options.dtype {
            Some(dtype) => raw::open(path, dtype.scalar(), options),
            None => {
                // A name that does not exist should be told so, before anything is said about its type.
                open_file(path)?;
                Err(format_error(path, UNTYPED))
            }
        },
        other => {
            open_file(path)?;
            Err(format_error(path, format!("extension '.{other}' is not known here: {KNOWN}")))
        }
    }
}

const KNOWN: &str = "known are .npy, .npz, .f64, .f32, and .bin, .raw or no extension for raw numbers with --dtype";
const UNTYPED: &str = "the name does not tell the type of the numbers: give --dtype f64 or --dtype f32 to read it as \
    raw little-endian numbers, or use one of the extensions .npy, .npz, .f64, .f32";

/// The extension in lower case, empty if there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Opens a file and refuses directories here, where the message can still say so. The length is `None` for what
/// has none: pipes and devices.
pub(crate) fn open_file(path: &Path) -> Result<(File, Option<u64>)> {
    let refuse = |source| Error::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(refuse)?;
    let metadata = file.metadata().map_err(refuse)?;
    if metadata.is_dir() {
        return Err(refuse(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let len = metadata.is_file().then_some(metadata.len());
    Ok((file, len))
}

pub(crate) fn format_error(path: &Path, what: impl Into<String>) -> Error {
    Error::Format { path: path.to_owned(), what: what.into() }
}

#[cfg(test)]
mod tests;
