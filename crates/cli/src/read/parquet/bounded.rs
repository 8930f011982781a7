//! The file as the `parquet` crate sees it: no claim of the file reaches beyond its end.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::super::shield::contain;

mod claim;
mod depth;
mod hollow;

/// A file of known length; lengths are compared with it before memory is set aside.
#[derive(Clone)]
pub(super) struct Bounded {
    file: Arc<File>,
    len: u64,
    counter: Arc<AtomicU64>,
}

impl Bounded {
    /// `counter` counts the bytes read.
    pub(super) fn new(file: File, len: u64, counter: Arc<AtomicU64>) -> Self {
        Bounded { file: Arc::new(file), len, counter }
    }

    /// Refuses a schema so deeply nested that walking it would exhaust the stack, which nothing could catch, and
    /// lists that nothing would come to the end of.
    pub(super) fn check_footer(&self) -> Result<(), String> {
        const MOST: usize = 1000;
        // The file ends with the metadata, their length and four magic bytes. What is wrong with these is left to
        // the real parser to say.
        let Some(end) = self.len.checked_sub(8) else { return Ok(()) };
        let Ok(Ok(tail)) = contain(|| self.get_bytes(end, 8)) else { return Ok(()) };
        let Some(&[a, b, c, d]) = tail.first_chunk::<4>() else { return Ok(()) };
        let len = u64::from(u32::from_le_bytes([a, b, c, d]));
        let Some(start) = end.checked_sub(len) else { return Ok(()) };
        let Ok(footer) = self.get_bytes(start, len as usize) else { return Ok(()) };
        let hollow = hollow::elements(&footer);
        if hollow > hollow::MOST {
            return Err(format!("corrupt Parquet file: {}", endless(hollow)));
        }
        match depth::of_schema(&footer) {
            Some(depth) if depth > MOST => {
                Err(format!("the schema is nested {depth} levels deep: more than {MOST} are not supported"))
            }
            _ => Ok(()),
        }
    }
}

fn endless(hollow: u64) -> String {
    format!("a list of {hollow} elements without content")
}

impl Length for Bounded {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Bounded {
    type T = BufReader<Part>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        // A page's header begins here, unless it is the file's end.
        let mut header = [0; 1 << 10];
        let n = read_at(&self.file, &mut header, start)?;
        let hollow = hollow::elements(&header[..n]);
        if hollow > hollow::MOST {
            return Err(ParquetError::General(endless(hollow)));
        }
        if start + 8 != self.len
            && let Some(what) = claim::refusal(&header[..n])
        {
            return Err(ParquetError::General(what));
        }
        Ok(BufReader::new(Part { file: self.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len) {
            return Err(ParquetError::EOF(format!(
                "{length} bytes at offset {start} are beyond the end of the file at {}",
                self.len
            )));
        }
        let mut bytes = Vec::with_capacity(length);
        Part { file: self.clone(), at: start }.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF("the file became shorter while it was read".to_owned()));
        }
        Ok(bytes.into())
    }
}

/// The file from some place on, independent of other readers of it.
pub(super) struct Part {
    file: Bounded,
    at: u64,
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = read_at(&self.file.file, buffer, self.at)?;
        self.at += n as u64;
        self.file.counter.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    use std::io::{Seek, SeekFrom};
    // One column is read by one thread at a time, so nobody moves the position in between.
    file.seek(SeekFrom::Start(at))?;
    file.read(buffer)
}
