//! Tests of the readers: bits are compared, and messages are looked at for the facts a user needs.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

mod npy;
mod npz;
mod raw;

/// A directory of its own, and files in it.
pub(super) struct Desk(TempDir);

impl Desk {
    pub(super) fn new() -> Self {
        Desk(TempDir::new().unwrap())
    }

    pub(super) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

/// What a source delivers, as bits.
#[derive(Debug, PartialEq)]
pub(super) enum Numbers {
    F64(Vec<u64>),
    F32(Vec<u32>),
    Ints(Vec<i128>),
}

pub(super) fn f64s(values: &[f64]) -> Numbers {
    Numbers::F64(values.iter().map(|v| v.to_bits()).collect())
}

pub(super) fn f32s(values: &[f32]) -> Numbers {
    Numbers::F32(values.iter().map(|v| v.to_bits()).collect())
}

fn numbers(chunk: &Chunk, dtype: Dtype) -> Numbers {
    let filled = [chunk.f64s.len(), chunk.f32s.len(), chunk.ints.len()].iter().filter(|&&n| n > 0).count();
    assert!(filled <= 1, "exactly one vector is filled");
    match dtype {
        _ if !chunk.ints.is_empty() => Numbers::Ints(chunk.ints.clone()),
        Dtype::F64 => f64s(&chunk.f64s),
        Dtype::F32 => f32s(&chunk.f32s),
    }
}

/// Reads everything; flat sources also in pieces from several threads, which must agree.
pub(super) fn read(source: Source) -> Result<Numbers> {
    let dtype = source.dtype();
    let mut all = Chunk::new();
    match source {
        Source::Flat(flat) => {
            let n = flat.count() as usize;
            flat.read_at(0, &mut all, n)?;
            if all.ints.is_empty() {
                pieces(&flat, &numbers(&all, dtype));
            }
        }
        Source::Stream(mut stream) => {
            let mut part = Chunk::new();
            while stream.next(&mut part)? {
                assert!(part.len() <= CHUNK);
                all.f64s.extend_from_slice(&part.f64s);
                all.f32s.extend_from_slice(&part.f32s);
                all.ints.extend_from_slice(&part.ints);
            }
            assert!(part.is_empty());
            assert!(!stream.next(&mut part)?, "the end stays the end");
        }
    }
    Ok(numbers(&all, dtype))
}

fn pieces(flat: &Flat, whole: &Numbers) {
    std::thread::scope(|scope| {
        for size in [1usize, 2, 3, 7, 1000] {
            scope.spawn(move || {
                let (mut chunk, mut bits) = (Chunk::new(), Vec::new());
                let mut start = 0;
                while start < flat.count() {
                    let n = size.min((flat.count() - start) as usize);
                    flat.read_at(start, &mut chunk, n).unwrap();
                    match numbers(&chunk, flat.dtype()) {
                        Numbers::F64(part) => bits.extend(part),
                        Numbers::F32(part) => bits.extend(part.into_iter().map(u64::from)),
                        Numbers::Ints(_) => unreachable!(),
                    }
                    start += n as u64;
                }
                let whole: Vec<u64> = match whole {
                    Numbers::F64(whole) => whole.clone(),
                    Numbers::F32(whole) => whole.iter().map(|&b| u64::from(b)).collect(),
                    Numbers::Ints(_) => unreachable!(),
                };
                assert_eq!(bits, whole);
            });
        }
    });
    let mut chunk = Chunk::new();
    assert!(matches!(flat.read_at(flat.count(), &mut chunk, 1), Err(Error::Argument { .. })));
    assert!(matches!(flat.read_at(u64::MAX, &mut chunk, 1), Err(Error::Argument { .. })));
    flat.read_at(flat.count(), &mut chunk, 0).unwrap();
    assert!(chunk.is_empty());
}

pub(super) fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

/// A `.npy` file of version 1 with this header and data.
pub(super) fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(data);
    file
}

/// The same with the usual dictionary.
pub(super) fn array(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"), data)
}

#[test]
fn names_decide() {
    let desk = Desk::new();
    let data = 1.5f64.to_le_bytes();
    let options = Options::new();
    assert_eq!(read(open(desk.file("a.F64", &data), &options).unwrap()).unwrap(), f64s(&[1.5]));
    for name in ["a.bin", "a.raw", "a"] {
        let path = desk.file(name, &data);
        assert!(message(open(&path, &options)).contains("--dtype"), "{name}");
        assert_eq!(read(open(&path, &options.clone().dtype(Dtype::F64)).unwrap()).unwrap(), f64s(&[1.5]));
    }
    let told = message(open(desk.file("a.mtx", &data), &options.clone().dtype(Dtype::F64)));
    assert!(told.contains("'.mtx'") && told.contains(".npy"), "{told}");
}

#[test]
fn what_cannot_be_opened_is_named() {
    let desk = Desk::new();
    for name in ["missing.npy", "missing.npz", "missing.f64", "missing", "missing.xyz"] {
        let path = desk.0.path().join(name);
        match open(&path, &Options::new()) {
            Err(Error::File { path: told, source }) => {
                assert_eq!(told, path);
                assert_eq!(source.kind(), io::ErrorKind::NotFound);
            }
            other => panic!("{other:?}"),
        }
    }
    for name in ["dir.npy", "dir.npz", "dir.f32", "dir"] {
        let path = desk.0.path().join(name);
        fs::create_dir(&path).unwrap();
        assert!(matches!(open(&path, &Options::new()), Err(Error::File { .. })), "{name}");
    }
}
