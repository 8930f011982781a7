//! Rows of text: a key and a number each.

use std::fmt;
use std::io::Read;
use std::path::Path;

use samebits::Result;
use samebits::io::{CHUNK, Dtype};

use super::super::keys::{Keyed, Keys, Rows};
use super::super::number::{self, Cell};
use super::super::{OpenedRows, ReadOptions, open_file};
use super::{Format, Text, join, shorten};

/// Opens a text file for its rows; `by` chooses the column of the keys.
///
/// # Errors
/// As [`stream`]; [`samebits::Error::File`] where the system refuses.
pub fn open(path: &Path, format: Format, by: &str, opts: &ReadOptions) -> Result<OpenedRows> {
    let (file, len) = open_file(path)?;
    let rows = stream(file, path, len, format, by, opts)?;
    Ok(OpenedRows { dtype: rows.dtype(), bytes: len, source: Box::new(rows) })
}

/// Reads rows of text on standard input.
///
/// # Errors
/// As [`stream`].
pub fn stdin(by: &str, opts: &ReadOptions) -> Result<OpenedRows> {
    let rows = stream(std::io::stdin(), Path::new("-"), None, Format::Plain, by, opts)?;
    Ok(OpenedRows { dtype: rows.dtype(), bytes: None, source: Box::new(rows) })
}

/// Reads rows of text from anything. Blanks around a key are no part of it.
///
/// # Errors
/// As [`super::stream`].
pub fn stream<R: Read>(
    input: R,
    path: &Path,
    bytes: Option<u64>,
    format: Format,
    by: &str,
    opts: &ReadOptions,
) -> Result<KeyedText<R>> {
    let mut text = Text::new(input, path, bytes, format, opts)?;
    text.begin(opts.column.as_deref(), Some(by), format)?;
    Ok(KeyedText { text, keys: Keys::default(), held: None })
}

/// Two columns of a text.
pub struct KeyedText<R> {
    text: Text<R>,
    keys: Keys,
    /// A row that could not join the others of its part.
    held: Option<(u32, Cell)>,
}

impl<R> fmt::Debug for KeyedText<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedText").field("text", &self.text).finish_non_exhaustive()
    }
}

impl<R: Read> KeyedText<R> {
    fn row(&mut self) -> Result<Option<(u32, Cell)>> {
        let text = &mut self.text;
        let Some(line) = text.record()? else { return Ok(None) };
        let (count, [Some(cell), Some(key)]) = text.records.pick([text.column, text.by]) else {
            let (count, _) = text.records.pick([0]);
            return Err(text.ragged(line, count));
        };
        if count != text.columns {
            return Err(text.ragged(line, count));
        }
        let Some(cell) = number::parse(cell, text.dtype) else {
            let what = format!("'{}' is not a number", shorten(cell));
            return Err(text.text_error(line, what));
        };
        let key = match key.trim_ascii() {
            b"" => self.keys.of_blank()?,
            key => self.keys.of_text(key)?,
        };
        text.check(cell, line)?;
        Ok(Some((key, cell)))
    }

    fn fill(&mut self, out: &mut Rows) -> Result<()> {
        if let Some((key, cell)) = self.held.take() {
            put(key, cell, out);
        }
        while !self.text.done && out.len() < CHUNK {
            let Some((key, cell)) = self.row()? else {
                self.text.done = true;
                break;
            };
            if !put(key, cell, out) {
                self.held = Some((key, cell));
                break;
            }
        }
        Ok(())
    }
}

/// Puts a row into the part, unless that would mix integers and floats: their order would be lost.
fn put(key: u32, cell: Cell, out: &mut Rows) -> bool {
    if cell == Cell::Blank {
        out.blanks.push(key);
        return true;
    }
    let joined = join(cell, &mut out.values);
    if joined {
        out.keys.push(key);
    }
    joined
}

impl<R: Read + Send> Keyed for KeyedText<R> {
    fn next(&mut self, out: &mut Rows) -> Result<bool> {
        out.clear();
        self.fill(out).inspect_err(|_| {
            self.text.done = true;
            out.clear();
        })?;
        Ok(!out.is_empty())
    }

    fn dtype(&self) -> Dtype {
        self.text.dtype
    }

    fn position(&self) -> u64 {
        self.text.records.position()
    }

    fn keys(&self) -> &Keys {
        &self.keys
    }

    fn into_keys(self: Box<Self>) -> Keys {
        self.keys
    }
}
