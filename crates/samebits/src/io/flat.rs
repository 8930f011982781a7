//! Elements of one size in a regular file, readable from many threads at once.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::checksum::Ledger;
use super::chunk::{Layout, Target};
use super::{Chunk, Dtype, Order, Scalar, format_error};
use crate::{Error, Result};

/// Elements of one size in a regular file. Reading takes `&self`: many threads may read different places at once.
#[derive(Debug)]
pub struct Flat {
    file: Positioned,
    path: PathBuf,
    offset: u64,
    count: u64,
    layout: Layout,
    ledger: Option<Ledger>,
}

impl Flat {
    /// The caller has checked that `count` elements fit between `offset` and the end of the file.
    pub(crate) fn new(file: File, path: &Path, offset: u64, count: u64, layout: Layout) -> Self {
        Flat { file: Positioned::new(file), path: path.to_owned(), offset, count, layout, ledger: None }
    }

    /// Checks the bytes read against a checksum once all have been read.
    pub(crate) fn with_ledger(mut self, ledger: Ledger) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// How many elements there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The type of the elements in the file.
    pub fn scalar(&self) -> Scalar {
        self.layout.scalar
    }

    /// The order of the bytes in the file.
    pub fn order(&self) -> Order {
        self.layout.order
    }

    /// The type of the result.
    pub fn dtype(&self) -> Dtype {
        self.layout.target.dtype
    }

    /// The result type and the treatment of integers.
    pub fn target(&self) -> Target {
        self.layout.target
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the elements from `start` to `start + n` into the chunk, which is emptied first.
    ///
    /// A stored member of an `.npz` file carries a checksum; it is compared when the last part that was missing has
    /// been read, and that call fails if it is wrong.
    ///
    /// # Errors
    /// [`Error::Argument`] for a place beyond the end, [`Error::Format`] if the file became shorter meanwhile,
    /// [`Error::Integer`] for an integer that the result type cannot hold (unless `exact`).
    pub fn read_at(&self, start: u64, out: &mut Chunk, n: usize) -> Result<()> {
        if start.checked_add(n as u64).is_none_or(|end| end > self.count) {
            return Err(Error::Argument {
                what: "place in the file",
                why: format!("{n} elements from {start} on were asked for, and there are {}", self.count),
            });
        }
        let at = self.offset + start * self.layout.scalar.size() as u64;
        self.layout.read(n, out, &self.path, |bytes| {
            self.file.read_exact_at(bytes, at).map_err(|source| match source.kind() {
                io::ErrorKind::UnexpectedEof => format_error(
                    &self.path,
                    format!(
                        "the file became shorter while it was read: {} bytes at offset {at} are no longer all there",
                        bytes.len()
                    ),
                ),
                _ => Error::File { path: self.path.clone(), source },
            })?;
            match &self.ledger {
                Some(ledger) => ledger.add(at, bytes).map_err(|fault| fault.at(&self.path)),
                None => Ok(()),
            }
        })
    }
}

/// A file read at given places, without a shared position that threads would have to agree on.
#[derive(Debug)]
struct Positioned {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

#[cfg(unix)]
impl Positioned {
    fn new(file: File) -> Self {
        Positioned { file }
    }

    fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, at)
    }
}

#[cfg(not(unix))]
impl Positioned {
    fn new(file: File) -> Self {
        Positioned { file: std::sync::Mutex::new(file) }
    }

    fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        // The position is set anew each time, so a panic of another thread leaves nothing broken.
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    }
}
