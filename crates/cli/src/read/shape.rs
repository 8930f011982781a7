//! How an array lies in its file.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::DeflateDecoder;
use samebits::Result;
use samebits::io::{Fault, npy, npz};

use super::{extension, open_file};

/// The shape of an array, and the order of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The extent of each dimension; empty for a single number.
    pub extents: Vec<u64>,
    /// Whether the first index runs fastest.
    pub fortran: bool,
}

impl Shape {
    /// Whether the elements at equal places of both files have equal indices. Where no more than one dimension is longer
    /// than 1, both orders are the same.
    pub fn pairs_with(&self, other: &Shape) -> bool {
        let flat = self.extents.iter().filter(|&&extent| extent > 1).count() <= 1;
        self.extents == other.extents && (flat || self.fortran == other.fortran)
    }
}

/// In NumPy's notation, with the order where there is more than one.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let shown: Vec<_> = self.extents.iter().take(SHOWN).map(u64::to_string).collect();
        let end = match self.extents.len() {
            1 => ",",
            n if n > SHOWN => ", ..",
            _ => "",
        };
        write!(f, "({}{end})", shown.join(", "))?;
        match (self.extents.len(), self.fortran) {
            (0 | 1, _) => Ok(()),
            (_, false) => f.write_str(" in C order"),
            (_, true) => f.write_str(" in Fortran order"),
        }
    }
}

/// The shape of the array in an `.npy` or `.npz` file that can be opened; `None` for other files, and for pipes, whose
/// header can be read only once.
///
/// # Errors
/// As [`super::open`].
pub fn shape(path: &Path, array: Option<&str>) -> Result<Option<Shape>> {
    let archive = match extension(path).as_str() {
        "npy" => false,
        "npz" => true,
        _ => return Ok(None),
    };
    // To open a pipe would take what is in it.
    if !std::fs::metadata(path).is_ok_and(|known| known.is_file()) {
        return Ok(None);
    }
    let (file, Some(len)) = open_file(path)? else { return Ok(None) };
    let found = if archive { member(file, len, array) } else { header(BufReader::new(file), len).map(Some) };
    found.map_err(|fault| fault.at(path))
}

fn header(mut input: impl Read, len: u64) -> Result<Shape, Fault> {
    let header = npy::read_header(&mut input, Some(len))?;
    Ok(Shape { extents: header.shape, fortran: header.fortran })
}

fn member(mut file: File, len: u64, array: Option<&str>) -> Result<Option<Shape>, Fault> {
    let members = npz::list(BufReader::new(&mut file), len)?;
    let find = |name: &str| members.iter().find(|member| member.name == name);
    let found = match array {
        None => members.first(),
        Some(name) => find(name).or_else(|| find(name.strip_suffix(".npy")?)),
    };
    // That there is none, or more than one, is told by whoever opens it.
    let Some(member) = found else { return Ok(None) };
    file.seek(SeekFrom::Start(member.start))?;
    let packed = BufReader::new(file).take(member.packed);
    let shape =
        if member.deflated { header(DeflateDecoder::new(packed), member.size) } else { header(packed, member.size) };
    shape.map(Some)
}
