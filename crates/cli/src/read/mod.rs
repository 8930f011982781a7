//! Opens what the command is given: text and Parquet here, all else through [`samebits::io`].
//!
//! The extension decides. `-` is text on standard input.

pub mod keys;
mod number;
pub mod parquet;
mod records;
pub mod shape;
mod shield;
pub mod text;

use std::path::Path;

use samebits::io::{self, Dtype, Source};
use samebits::{Error, Result};

/// What the command line says about reading.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// `--dtype`: the type of raw and text input, or a wider type for a typed file.
    pub dtype: Option<Dtype>,
    /// `--exact`: integers that the result type cannot hold are delivered in full instead of refused.
    pub exact: bool,
    /// `--column`: a header's name or a number counted from 1.
    pub column: Option<String>,
    /// `--array`: the array of an `.npz` file.
    pub array: Option<String>,
    /// `--sep`: what separates the cells of text.
    pub sep: Option<u8>,
}

/// An opened file.
#[derive(Debug)]
pub struct Opened {
    /// Its numbers.
    pub source: Source,
    /// The type of the result.
    pub dtype: Dtype,
    /// Bytes that will be read in all, if known.
    pub bytes: Option<u64>,
}

impl From<Source> for Opened {
    fn from(source: Source) -> Self {
        Opened { dtype: source.dtype(), bytes: source.bytes(), source }
    }
}

/// An opened file of rows: keys and numbers.
#[derive(Debug)]
pub struct OpenedRows {
    /// Its rows.
    pub source: Box<dyn keys::Keyed>,
    /// The type of the result.
    pub dtype: Dtype,
    /// Bytes that will be read in all, if known.
    pub bytes: Option<u64>,
}

/// Opens a text or Parquet file for its rows: numbers, and keys from the column `by`, which is a header's name or a
/// number counted from 1. Of a file with two columns the other one holds the numbers unless an option says otherwise.
///
/// # Errors
/// As [`open`]; [`Error::Format`] for a file without columns.
pub fn open_rows(path: &Path, by: &str, opts: &ReadOptions) -> Result<OpenedRows> {
    if path.as_os_str() == "-" {
        return text::keyed::stdin(by, opts);
    }
    match extension(path).as_str() {
        "csv" => text::keyed::open(path, text::Format::Csv, by, opts),
        "tsv" => text::keyed::open(path, text::Format::Tsv, by, opts),
        "txt" => text::keyed::open(path, text::Format::Plain, by, opts),
        "parquet" => parquet::open_rows(path, by, opts),
        _ => {
            open_file(path)?;
            let what = format!("--by {by}: only text and Parquet files have columns");
            Err(Error::Format { path: path.to_owned(), what })
        }
    }
}

/// The extension in lower case, empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

const KNOWN: &str = "known are .npy, .npz, .csv, .tsv, .txt, .parquet, .f64, .f32, '-' for text on standard input, \
    and .bin, .raw or no extension for raw numbers with --dtype f64 or --dtype f32";

/// Opens a file by its extension, or standard input for `-`.
///
/// # Errors
/// [`Error::File`] where the system refuses, [`Error::Format`] and [`Error::Text`] where the content or the name is
/// of no use, or where an option makes no sense for this kind of file.
pub fn open(path: &Path, opts: &ReadOptions) -> Result<Opened> {
    let format_error = |what: String| Error::Format { path: path.to_owned(), what };
    if path.as_os_str() == "-" {
        return text::stdin(opts);
    }
    let extension = extension(path);
    let extension = extension.as_str();
    // An option that is silently left out would give the sum of something else than what was asked for.
    let columns = matches!(extension, "csv" | "tsv" | "txt" | "parquet");
    if let (Some(column), false) = (&opts.column, columns) {
        return Err(format_error(format!("--column {column}: only text and Parquet files have columns")));
    }
    if let (Some(array), true) = (&opts.array, extension != "npz") {
        return Err(format_error(format!("--array {array}: only .npz files have named arrays")));
    }
    match extension {
        "csv" => text::open(path, text::Format::Csv, opts),
        "tsv" => text::open(path, text::Format::Tsv, opts),
        "txt" => text::open(path, text::Format::Plain, opts),
        "parquet" => parquet::open(path, opts),
        "npy" | "npz" | "f64" | "f32" => typed(path, opts),
        "" | "bin" | "raw" if opts.dtype.is_some() => typed(path, opts),
        _ => {
            // A name that does not exist should be told so, before anything is said about its type.
            open_file(path)?;
            Err(format_error(match extension {
                "" | "bin" | "raw" => format!("the name does not tell what the file holds: {KNOWN}"),
                other => format!("extension '.{other}' is not known: {KNOWN}"),
            }))
        }
    }
}

fn typed(path: &Path, opts: &ReadOptions) -> Result<Opened> {
    let mut options = io::Options::new().exact(opts.exact);
    options.dtype = opts.dtype;
    options.array = opts.array.clone();
    Ok(io::open(path, &options)?.into())
}

/// Opens a file; the length is `None` for pipes and devices. Directories are refused here, where the message can
/// still say so.
fn open_file(path: &Path) -> Result<(std::fs::File, Option<u64>)> {
    let refuse = |source| Error::File { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(refuse)?;
    let metadata = file.metadata().map_err(refuse)?;
    if metadata.is_dir() {
        return Err(refuse(std::io::ErrorKind::IsADirectory.into()));
    }
    let len = metadata.is_file().then_some(metadata.len());
    Ok((file, len))
}

#[cfg(test)]
mod tests;
