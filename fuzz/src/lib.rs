//! What the fuzz targets share: reading a source to its end, and a file for those readers that need one.
//!
//! A target gets any bytes, and fails if something panics or if one of its own claims does not hold.
#![forbid(unsafe_code)]

use samebits::io::{CHUNK, Chunk, Source, Stream};
use samebits::{Error, Result};
use std::io::{Read, Write};
use tempfile::NamedTempFile;

/// What was read, as bits and in order, or what was wrong.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Numbers of a sum of `f64`.
    pub f64s: Vec<u64>,
    /// Numbers of a sum of `f32`.
    pub f32s: Vec<u32>,
    /// Integers in full.
    pub ints: Vec<i128>,
    /// Blank cells and NULLs.
    pub nulls: u64,
    /// The error that ended it, as users see it.
    pub error: Option<String>,
}

impl Numbers {
    fn take(&mut self, part: &Chunk) {
        let filled = part.f64s.len().max(part.f32s.len()).max(part.ints.len());
        assert_eq!(part.len(), filled, "one vector is filled");
        self.f64s.extend(part.f64s.iter().map(|v| v.to_bits()));
        self.f32s.extend(part.f32s.iter().map(|v| v.to_bits()));
        self.ints.extend(&part.ints);
        self.nulls += part.nulls;
    }

    fn end(&mut self, error: &Error) {
        // An error that cannot be shown is no error.
        self.error = Some(error.to_string());
    }
}

/// Reads a stream to its end or to its first error.
pub fn drain(stream: &mut dyn Stream, longest_part: usize) -> Numbers {
    let (mut all, mut part) = (Numbers::default(), Chunk::new());
    loop {
        match stream.next(&mut part) {
            Ok(true) => {
                assert!(!part.is_empty() || part.nulls > 0, "a part of nothing is the end");
                assert!(part.len() <= longest_part);
                all.take(&part);
            }
            Ok(false) => {
                assert!(part.is_empty() && part.nulls == 0);
                assert!(matches!(stream.next(&mut part), Ok(false)), "the end stays the end");
                return all;
            }
            Err(error) => {
                all.end(&error);
                return all;
            }
        }
    }
}

/// Reads a source to its end. A flat one is read in parts of `step`, the last part first.
pub fn read(source: Source, step: usize) -> Numbers {
    match source {
        Source::Stream(mut stream) => drain(&mut *stream, usize::MAX),
        Source::Flat(flat) => {
            let (mut all, mut part) = (Numbers::default(), Chunk::new());
            let step = step.clamp(1, CHUNK) as u64;
            let mut end = flat.count();
            while end > 0 {
                let start = (end - 1) / step * step;
                match flat.read_at(start, &mut part, (end - start) as usize) {
                    Ok(()) => {
                        assert_eq!(part.len() as u64, end - start);
                        all.take(&part);
                    }
                    Err(error) => {
                        all.end(&error);
                        break;
                    }
                }
                end = start;
            }
            assert!(flat.read_at(flat.count(), &mut part, 1).is_err(), "beyond the end is an error");
            all
        }
    }
}

/// A file with this content, for as long as the value lives.
///
/// # Errors
/// Whatever the system says.
pub fn file(content: &[u8]) -> Result<NamedTempFile, std::io::Error> {
    let mut file = NamedTempFile::new()?;
    file.write_all(content)?;
    file.flush()?;
    Ok(file)
}

/// Reads in parts of a few bytes, as a pipe may.
pub struct Drops<'a>(pub &'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(1 + self.0.len() % 3);
        self.0.read(&mut buffer[..n])
    }
}

/// The hash that ends a state, for targets that make states of their own.
pub fn fnv1a64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
