//! Sources that can only be read in order.

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chunk::Layout;
use super::{Chunk, Dtype, Fault, format_error};
use crate::{Error, Result};

/// The most elements a stream hands out at once, a longer list within one record of a file aside.
pub const CHUNK: usize = 1 << 16;

/// A source that can only be read in order.
pub trait Stream: fmt::Debug {
    /// The next part of the data, at most [`CHUNK`] elements (a record that holds a longer list comes whole).
    /// `false` at the end, where the chunk is empty. A part may hold no element and only [`Chunk::nulls`].
    ///
    /// # Errors
    /// What is wrong with the file from here on. After an error the stream is of no further use.
    fn next(&mut self, out: &mut Chunk) -> Result<bool>;

    /// The type of the result.
    fn dtype(&self) -> Dtype;

    /// Bytes of the underlying file read so far.
    fn position(&self) -> u64;

    /// Bytes of the underlying file in all, if known.
    fn bytes(&self) -> Option<u64>;
}

/// Elements of one size from any reader.
pub(crate) struct Elements<R> {
    pub(crate) input: R,
    pub(crate) path: PathBuf,
    pub(crate) layout: Layout,
    /// Elements still to come; `None`: until the input ends.
    pub(crate) left: Option<u64>,
    /// What the header promised, for messages: its own words and the number of bytes.
    pub(crate) promise: Option<(String, u64)>,
    pub(crate) counter: Arc<AtomicU64>,
    pub(crate) bytes: Option<u64>,
    /// Read on to the end after the last element: the checksum is compared there.
    pub(crate) drain: bool,
    pub(crate) buffer: Vec<u8>,
}

impl<R> fmt::Debug for Elements<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elements").field("path", &self.path).field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl<R: Read> Elements<R> {
    /// Fills the buffer with up to `want` bytes; fewer only at the end of the input.
    fn fill(&mut self, want: usize) -> Result<()> {
        self.buffer.clear();
        (&mut self.input)
            .take(want as u64)
            .read_to_end(&mut self.buffer)
            .map_err(|error| Fault::from(error).at(&self.path))?;
        Ok(())
    }
}

impl<R: Read> Stream for Elements<R> {
    fn next(&mut self, out: &mut Chunk) -> Result<bool> {
        out.clear();
        let size = self.layout.scalar.size();
        let elements = self.left.map_or(CHUNK as u64, |left| left.min(CHUNK as u64)) as usize;
        self.fill(elements * size)?;
        let found = self.buffer.len();
        if let Some(left) = &mut self.left {
            if found < elements * size {
                let (shape, expected) = self.promise.clone().unwrap_or_default();
                let found = expected - *left * size as u64 + found as u64;
                return Err(format_error(
                    &self.path,
                    format!("cut short: {expected} bytes of data expected for {shape}, {found} found"),
                ));
            }
            *left -= elements as u64;
        } else if !found.is_multiple_of(size) {
            let total = self.position();
            return Err(format_error(&self.path, super::raw::uneven(total, self.layout.scalar)));
        }
        if found == 0 {
            if self.drain {
                io::copy(&mut self.input, &mut io::sink()).map_err(|error| Fault::from(error).at(&self.path))?;
            }
            return Ok(false);
        }
        let buffer = &self.buffer;
        self.layout.read(found / size, out, &self.path, |bytes| {
            bytes.copy_from_slice(buffer);
            Ok::<(), Error>(())
        })?;
        Ok(true)
    }

    fn dtype(&self) -> Dtype {
        self.layout.target.dtype
    }

    fn position(&self) -> u64 {
        self.counter.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> Option<u64> {
        self.bytes
    }
}

/// Counts what passes through, for [`Stream::position`].
pub(crate) struct Counted<R> {
    pub(crate) input: R,
    pub(crate) counter: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        self.counter.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
