//! NumPy's `.npz`: a zip archive of `.npy` members, stored or deflated.
//!
//! A stored member is a flat source within the archive, and its checksum is compared once every part has been read
//! (in any order, by any number of threads). A deflated member is a stream, and its checksum is compared at the end.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use crc32fast::Hasher;
use flate2::bufread::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive, result::ZipError};

use super::checksum::Ledger;
use super::npy::{self, Header};
use super::stream::Counted;
use super::{Fault, Flat, Options, Source, format_error, open_file};
use crate::{Error, Result};

/// An array of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The array's name: that of the member without `.npy`.
    pub name: String,
    /// Where its bytes begin in the file.
    pub start: u64,
    /// How many bytes it takes there.
    pub packed: u64,
    /// How many bytes it has unpacked, as the archive claims.
    pub size: u64,
    /// The checksum of the unpacked bytes.
    pub crc32: u32,
    /// Whether it is deflated rather than stored.
    pub deflated: bool,
    /// Why it cannot be read, if that is already clear from the archive's directory.
    pub unreadable: Option<String>,
}

/// Lists the arrays of an archive of `len` bytes, in its order. Members that are not `.npy` are left out.
///
/// # Errors
/// [`Fault::Bad`] if this is no zip archive, or one with two members of one name or members that reach beyond it.
pub fn list<R: Read + Seek>(input: R, len: u64) -> std::result::Result<Vec<Member>, Fault> {
    if len == 0 {
        return Err(Fault::bad("the file is empty (0 bytes), not an .npz file"));
    }
    let mut archive = ZipArchive::new(input).map_err(zip_fault)?;
    if archive.has_duplicate_names() {
        return Err(Fault::bad("two members of the archive have the same name"));
    }
    let mut members = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(zip_fault)?;
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        let Some(name) = name.strip_suffix(".npy") else { continue };
        let method = file.compression();
        let mut member = Member {
            name: name.to_owned(),
            start: file.data_start().unwrap_or(u64::MAX),
            packed: file.compressed_size(),
            size: file.size(),
            crc32: file.crc32(),
            deflated: method == CompressionMethod::Deflated,
            unreadable: None,
        };
        if file.encrypted() {
            member.unreadable = Some("it is encrypted".to_owned());
        } else if !member.deflated && method != CompressionMethod::Stored {
            member.unreadable = Some(format!("its compression ({method}) is not supported: stored and deflated are"));
        } else if !member.deflated && member.packed != member.size {
            member.unreadable =
                Some(format!("it is stored, yet has {} bytes and claims {}", member.packed, member.size));
        }
        if member.start.checked_add(member.packed).is_none_or(|end| end > len) {
            member.unreadable = Some(format!(
                "cut short: it needs {} bytes from offset {} on, and the file has {len}",
                member.packed, member.start
            ));
        }
        members.push(member);
    }
    Ok(members)
}

fn zip_fault(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => Fault::from(error),
        error => Fault::bad(format!("not a readable .npz (zip) file: {error}")),
    }
}

/// Opens an array of a `.npz` file: the one that [`Options::array`] names (with or without `.npy`), or the only one.
///
/// # Errors
/// [`Error::Format`], with the names there are, if the choice is not clear; or if the archive is not readable.
pub fn open(path: &Path, options: &Options) -> Result<Source> {
    let (mut file, len) = open_file(path)?;
    let Some(len) = len else {
        return Err(format_error(path, "an .npz file cannot be read from a pipe or device: save it to a file first"));
    };
    let members = list(BufReader::new(&mut file), len).map_err(|fault| fault.at(path))?;
    let member = choose(&members, options.array.as_deref()).map_err(|what| format_error(path, what))?;
    let within = |what: String| format_error(path, format!("array '{}': {what}", member.name));
    if let Some(why) = &member.unreadable {
        return Err(within(why.clone()));
    }
    let fault = |fault: Fault| match fault {
        Fault::Bad(what) => within(what),
        Fault::Io(source) => Error::File { path: path.to_owned(), source },
    };
    file.seek(SeekFrom::Start(member.start)).map_err(|error| fault(error.into()))?;
    if member.deflated { inflate(file, path, member, options) } else { stored(file, path, member, options) }
        .map_err(fault)
}

fn choose<'a>(members: &'a [Member], wanted: Option<&str>) -> std::result::Result<&'a Member, String> {
    const SHOWN: usize = 50;
    let mut names = members.iter().take(SHOWN).map(|m| m.name.as_str()).collect::<Vec<_>>().join(", ");
    if members.len() > SHOWN {
        names.push_str(&format!(" and {} more", members.len() - SHOWN));
    }
    let find = |name: &str| members.iter().find(|m| m.name == name);
    match (wanted, members) {
        (_, []) => Err("the archive holds no .npy array".to_owned()),
        (None, [only]) => Ok(only),
        (None, _) => Err(format!("several arrays, choose one with --array: {names}")),
        (Some(name), _) => find(name)
            .or_else(|| find(name.strip_suffix(".npy")?))
            .ok_or_else(|| format!("no array '{name}'; there are: {names}")),
    }
}

fn stored(mut file: File, path: &Path, member: &Member, options: &Options) -> std::result::Result<Source, Fault> {
    let header = npy::read_header(&mut (&mut file).take(member.size), Some(member.size))?;
    header.check_len(member.size)?;
    let layout = header.layout(options)?;
    let ledger = Ledger::new(member.start, member.start + member.size, member.crc32);
    // Everything but the elements goes into the checksum now.
    let data_end = header.data_offset + header.data_len();
    for (from, to) in [(0, header.data_offset), (data_end, member.size)] {
        let mut at = member.start + from;
        file.seek(SeekFrom::Start(at))?;
        let mut rest = (&mut file).take(to - from);
        let mut bytes = vec![0; 1 << 16];
        loop {
            let n = rest.read(&mut bytes)?;
            if n == 0 {
                break;
            }
            ledger.add(at, &bytes[..n])?;
            at += n as u64;
        }
    }
    Ok(Source::Flat(Flat::new(file, path, member.start + header.data_offset, header.count, layout).with_ledger(ledger)))
}

fn inflate(file: File, path: &Path, member: &Member, options: &Options) -> std::result::Result<Source, Fault> {
    let counter = Arc::default();
    let packed = Counted { input: file.take(member.packed), counter: Arc::clone(&counter) };
    let mut input = Verified {
        input: DeflateDecoder::new(BufReader::with_capacity(1 << 16, packed)),
        crc: Hasher::new(),
        found: 0,
        size: member.size,
        crc32: member.crc32,
    };
    let header: Header = npy::read_header(&mut input, Some(member.size))?;
    header.check_len(member.size)?;
    let layout = header.layout(options)?;
    let mut elements = header.elements(input, path, layout);
    elements.counter = counter;
    elements.bytes = Some(member.packed);
    elements.drain = true;
    Ok(Source::Stream(Box::new(elements)))
}

/// Compares length and checksum with what the archive says, at the end of the data.
struct Verified<R> {
    input: R,
    crc: Hasher,
    found: u64,
    size: u64,
    crc32: u32,
}

impl<R: Read> Read for Verified<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let n = self
            .input
            .read(buffer)
            .map_err(|error| io::Error::new(error.kind(), format!("damaged deflated data: {error}")))?;
        self.crc.update(&buffer[..n]);
        self.found += n as u64;
        if self.found > self.size || n == 0 && !buffer.is_empty() && self.found < self.size {
            return Err(invalid(format!(
                "damaged: the archive promises {} unpacked bytes, and there are {}{}",
                self.size,
                if self.found > self.size { "at least " } else { "" },
                self.found
            )));
        }
        if n == 0 && !buffer.is_empty() {
            let found = self.crc.clone().finalize();
            if found != self.crc32 {
                return Err(invalid(format!(
                    "the data is damaged: its checksum (CRC-32) is {found:08x}, and the archive says {:08x}",
                    self.crc32
                )));
            }
        }
        Ok(n)
    }
}
