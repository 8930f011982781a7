//! Columns of numbers in text: `.csv`, `.tsv`, `.txt` and standard input.
//!
//! The first record is a header if `--column` names one of its cells, or if its cell of the chosen column is neither
//! blank nor a number; what begins like a number is then a mistake, not a name. Every record must have as many cells
//! as the first; blank cells are counted and skipped.
//!
//! A header must be text: NUL bytes and broken UTF-8 mean a file of another kind. In plain text, which has no
//! extension or standard that promises columns, it must also be followed by data or be named by `--column`. Otherwise
//! a word where a number was meant would give the sum of nothing.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use samebits::io::{CHUNK, Chunk, Dtype, Source, Stream};
use samebits::{Error, Result};

use super::number::{self, Cell};
use super::records::{Records, Separator, Stop};
use super::{Opened, ReadOptions, open_file};

pub mod keyed;

/// A kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Cells between commas.
    Csv,
    /// Cells between tabs.
    Tsv,
    /// Cells between runs of blanks and tabs; lines that begin with `#` are comments.
    Plain,
}

/// Opens a text file.
///
/// # Errors
/// As [`stream`]; [`Error::File`] where the system refuses.
pub fn open(path: &Path, format: Format, opts: &ReadOptions) -> Result<Opened> {
    let (file, len) = open_file(path)?;
    let text = stream(file, path, len, format, opts)?;
    Ok(Source::Stream(Box::new(text)).into())
}

/// Reads text on standard input, which messages call `-`.
///
/// # Errors
/// As [`stream`].
pub fn stdin(opts: &ReadOptions) -> Result<Opened> {
    let text = stream(std::io::stdin(), Path::new("-"), None, Format::Plain, opts)?;
    Ok(Source::Stream(Box::new(text)).into())
}

/// Reads text from anything, up to its first record, and chooses the column. `path` is for messages, `bytes` the
/// length if known.
///
/// # Errors
/// [`Error::Format`], with the columns there are, if the choice of the column is not clear; [`Error::Text`] if the
/// text is broken.
pub fn stream<R: Read>(
    input: R,
    path: &Path,
    bytes: Option<u64>,
    format: Format,
    opts: &ReadOptions,
) -> Result<Text<R>> {
    let mut text = Text::new(input, path, bytes, format, opts)?;
    text.begin(opts.column.as_deref(), None, format)?;
    Ok(text)
}

/// A column of numbers in a text.
pub struct Text<R> {
    records: Records<R>,
    path: PathBuf,
    bytes: Option<u64>,
    dtype: Dtype,
    exact: bool,
    /// Counted from 0; that of the keys is used by [`keyed`] alone.
    column: usize,
    by: usize,
    /// Its name, or its number, for messages.
    label: String,
    /// How many cells every record must have, and who says so.
    columns: usize,
    origin: String,
    /// The line of the first record, if that is data.
    first: Option<u64>,
    /// What a header is if no data follows.
    unconfirmed: Option<Error>,
    /// A number that could not join the others of its part.
    held: Option<Cell>,
    /// Blank lines that count only if data follows.
    blank_lines: u64,
    done: bool,
}

impl<R> fmt::Debug for Text<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Text").field("path", &self.path).field("column", &self.label).finish_non_exhaustive()
    }
}

impl<R: Read> Text<R> {
    fn new(input: R, path: &Path, bytes: Option<u64>, format: Format, opts: &ReadOptions) -> Result<Text<R>> {
        let separator = match (opts.sep, format) {
            (Some(b'"' | b'\r' | b'\n'), _) => {
                return Err(Error::Argument {
                    what: "--sep",
                    why: "a quote or a line end cannot separate cells".into(),
                });
            }
            (Some(byte), _) => Separator::Byte(byte),
            (None, Format::Csv) => Separator::Byte(b','),
            (None, Format::Tsv) => Separator::Byte(b'\t'),
            (None, Format::Plain) => Separator::Blanks,
        };
        Ok(Text {
            records: Records::new(input, separator, format == Format::Plain),
            path: path.to_owned(),
            bytes,
            dtype: opts.dtype.unwrap_or(Dtype::F64),
            exact: opts.exact,
            column: 0,
            by: 0,
            label: String::new(),
            columns: 0,
            origin: String::new(),
            first: None,
            unconfirmed: None,
            held: None,
            blank_lines: 0,
            done: false,
        })
    }

    /// Reads the first record and finds the columns: that of the numbers, and that of the keys if there is to be one.
    fn begin(&mut self, wanted: Option<&str>, by: Option<&str>, format: Format) -> Result<()> {
        let mut blank_lines = 0;
        let line = loop {
            match self.records.advance() {
                Ok(Some(_)) if self.records.is_blank() => blank_lines += 1,
                Ok(Some(line)) => break line,
                Ok(None) => {
                    self.done = true;
                    return Ok(());
                }
                Err(stop) => return Err(self.stopped(stop)),
            }
        };
        let cells = self.records.cells();
        let error = |at: usize, what: String| Error::Text {
            path: self.path.clone(),
            line,
            column: Some((at + 1).to_string()),
            what,
        };
        let not_a_number =
            |at: usize, why: &str| error(at, format!("'{}' is not a number, {why}", shorten(&cells[at])));
        // Lines that end in bare carriage returns are one record, whose tail would be dropped without a word.
        if let Some(at) = cells.iter().position(|cell| has_bare_return(cell.trim_ascii_end())) {
            let what = "bare carriage returns in the text: old Mac line ends are not supported";
            return Err(error(at, what.to_owned()));
        }
        let names: Vec<_> = cells.iter().map(|cell| String::from_utf8_lossy(cell.trim_ascii()).into_owned()).collect();
        let words: Vec<_> = cells.iter().map(|cell| number::parse(cell, Dtype::F64).is_none()).collect();
        let choice = choose_both(&names, &words, wanted, by);
        if !matches!(choice, Ok((Choice { header: false, .. }, _))) {
            let binary = cells.iter().position(|cell| cell.contains(&0) || std::str::from_utf8(cell).is_err());
            if let Some(at) = binary {
                return Err(not_a_number(at, "nor is it text that could be a header"));
            }
        }
        let (Choice { column, header, named }, by) = choice.map_err(|mut what| {
            let other = |cell: &Vec<u8>| cell.iter().any(|b| matches!(b, b',' | b';'));
            if wanted.is_some() && self.records.separator() == Separator::Blanks && cells.iter().any(other) {
                what += "; blanks separate the cells here, use --sep , for commas or --sep ';' for semicolons";
            }
            Error::Format { path: self.path.clone(), what }
        })?;
        if header {
            let control = |name: &String| name.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n'));
            if let Some(at) = names.iter().position(control) {
                return Err(error(at, format!("the header '{}' has a control character", shorten(&cells[at]))));
            }
            if !named && number::is_malformed(&names[column]) {
                let why = "and a header may not begin like a number; choose it by name with --column if it is one";
                return Err(not_a_number(column, why));
            }
        }
        self.unconfirmed = (header && !named && format == Format::Plain)
            .then(|| not_a_number(column, "and as a header it has no data below it"));
        self.columns = cells.len();
        self.column = column;
        self.by = by;
        self.label = if header { names[column].clone() } else { String::new() };
        if self.label.is_empty() {
            self.label = (column + 1).to_string();
        }
        self.origin = format!("the {} on line {line}", if header { "header" } else { "first record" });
        self.first = (!header).then_some(line);
        // Blank lines above a header are no rows; above the first number they are as good as any below it.
        if !header && self.columns == 1 {
            self.blank_lines = blank_lines;
        }
        Ok(())
    }

    /// Goes to the next record that is no blank line and gives its line; `None` at the end.
    fn record(&mut self) -> Result<Option<u64>> {
        loop {
            let line = match self.first.take() {
                Some(line) => line,
                None => match self.records.advance() {
                    Ok(Some(line)) => line,
                    Ok(None) => return self.unconfirmed.take().map_or(Ok(None), Err),
                    Err(stop) => return Err(self.stopped(stop)),
                },
            };
            if !self.records.is_blank() {
                self.unconfirmed = None;
                return Ok(Some(line));
            }
            // In a column of its own a blank line is a blank cell, unless it is the end of the file.
            self.blank_lines += u64::from(self.columns == 1);
        }
    }

    /// The next cell of the column, with its line; `None` at the end.
    fn cell(&mut self, nulls: &mut u64) -> Result<Option<(Cell, u64)>> {
        let Some(line) = self.record()? else { return Ok(None) };
        *nulls += std::mem::take(&mut self.blank_lines);
        match self.records.pick([self.column]) {
            (count, [Some(cell)]) if count == self.columns => match number::parse(cell, self.dtype) {
                Some(number) => Ok(Some((number, line))),
                None => {
                    let what = format!("'{}' is not a number", shorten(cell));
                    Err(self.text_error(line, what))
                }
            },
            (count, _) => Err(self.ragged(line, count)),
        }
    }

    /// Whether the number may be counted, as it is on this line.
    fn check(&self, cell: Cell, line: u64) -> Result<()> {
        match cell {
            Cell::Endless => {
                let what = "an integer of more than 38 digits is beyond what even --exact (exact mode) counts in \
                            full; write it as a decimal with a point or an exponent to have it rounded";
                Err(self.text_error(line, what.to_owned()))
            }
            Cell::Integer(value) if !self.exact => {
                let bits = self.dtype.integer_bits();
                let what = format!(
                    "integer {value} is beyond ±2^{bits}, where {} no longer holds every integer; use --exact \
                     (exact mode), which counts integers in full, or write a decimal point to mean a rounded \
                     decimal",
                    self.dtype
                );
                Err(self.text_error(line, what))
            }
            _ => Ok(()),
        }
    }

    fn ragged(&self, line: u64, count: usize) -> Error {
        let cells = if count == 1 { "cell" } else { "cells" };
        let what = format!("{count} {cells}, and {} has {}", self.origin, self.columns);
        Error::Text { path: self.path.clone(), line, column: None, what }
    }

    fn fill(&mut self, out: &mut Chunk) -> Result<()> {
        if let Some(cell) = self.held.take() {
            join(cell, out);
        }
        while !self.done && (out.len() as u64).saturating_add(out.nulls) < CHUNK as u64 {
            let mut nulls = 0;
            let next = self.cell(&mut nulls)?;
            out.nulls += nulls;
            let Some((cell, line)) = next else {
                self.done = true;
                break;
            };
            self.check(cell, line)?;
            if !join(cell, out) {
                self.held = Some(cell);
                break;
            }
        }
        Ok(())
    }

    fn text_error(&self, line: u64, what: String) -> Error {
        Error::Text { path: self.path.clone(), line, column: Some(self.label.clone()), what }
    }

    fn stopped(&self, stop: Stop) -> Error {
        match stop {
            Stop::Io(source) => Error::File { path: self.path.clone(), source },
            Stop::Text { line, what } => Error::Text { path: self.path.clone(), line, column: None, what },
        }
    }
}

/// Puts a cell into the chunk, unless that would mix integers and floats: their order would be lost.
fn join(cell: Cell, out: &mut Chunk) -> bool {
    match cell {
        Cell::Blank => out.nulls += 1,
        Cell::Integer(value) if out.f64s.is_empty() && out.f32s.is_empty() => out.ints.push(value),
        Cell::Double(value) if out.ints.is_empty() => out.f64s.push(value),
        Cell::Single(value) if out.ints.is_empty() => out.f32s.push(value),
        _ => return false,
    }
    true
}

impl<R: Read> Stream for Text<R> {
    fn next(&mut self, out: &mut Chunk) -> Result<bool> {
        out.clear();
        self.fill(out).inspect_err(|_| {
            self.done = true;
            out.clear();
        })?;
        Ok(!out.is_empty() || out.nulls != 0)
    }

    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn position(&self) -> u64 {
        self.records.position()
    }

    fn bytes(&self) -> Option<u64> {
        self.bytes
    }
}

/// What the first record and `--column` say together.
struct Choice {
    /// Counted from 0.
    column: usize,
    /// Whether the first record is a header.
    header: bool,
    /// Whether it is one because it has the name asked for.
    named: bool,
}

/// Chooses the column of the numbers, and that of the keys if there is to be one. A header has to be there where either
/// was named by it.
fn choose_both(
    names: &[String],
    words: &[bool],
    wanted: Option<&str>,
    by: Option<&str>,
) -> Result<(Choice, usize), String> {
    let Some(by) = by else { return Ok((choose(names, words, wanted)?, 0)) };
    if names.len() == 1 {
        return Err("only one column, and --by needs one of keys beside that of the numbers".to_owned());
    }
    // Keys are words even without a header, so a number means a column's number before it means a name.
    let keys = match by.parse::<usize>() {
        Ok(number) if (1..=names.len()).contains(&number) => Choice { column: number - 1, header: false, named: false },
        _ => choose(names, words, Some(by))?,
    };
    let Choice { column, header, named } = if wanted.is_none() && names.len() == 2 {
        let column = 1 - keys.column;
        Choice { column, header: words[column], named: false }
    } else {
        choose(names, words, wanted)?
    };
    Ok((Choice { column, header: header || keys.named, named: named || keys.named }, keys.column))
}

/// Chooses a column. `names` are the cells of the first record, `words` tells which of them are neither blank nor
/// numbers.
fn choose(names: &[String], words: &[bool], wanted: Option<&str>) -> Result<Choice, String> {
    let columns = names.len();
    let any_word = words.contains(&true);
    let there = || if any_word { list(names) } else { format!("columns 1 to {columns}, without a header") };
    let by_number = |column: usize| Choice { column, header: words[column], named: false };
    let Some(wanted) = wanted else {
        return if columns == 1 {
            Ok(by_number(0))
        } else {
            Err(format!("several columns, choose one with --column: {}", there()))
        };
    };
    let number = wanted.parse::<usize>().ok();
    let index = number.filter(|number| (1..=columns).contains(number)).map(|number| number - 1);
    if let Some(index) = index
        && (!words[index] || number::is_malformed(&names[index]))
    {
        return Ok(by_number(index));
    }
    // Those who count from 0 do not mean the first record of numbers as a header with that name.
    let nameless = number == Some(0) && !any_word;
    let mut found = names.iter().enumerate().filter(|(_, name)| *name == wanted && !nameless).map(|(i, _)| i);
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            Err(format!("columns {} and {} are both named '{wanted}': choose one by its number", first + 1, second + 1))
        }
        (Some(column), None) => Ok(Choice { column, header: true, named: true }),
        (None, _) => index.map(by_number).ok_or_else(|| format!("no column '{wanted}'; there are: {}", there())),
    }
}

/// Whether there is a carriage return that no line feed follows.
fn has_bare_return(cell: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', cell).any(|at| cell.get(at + 1) != Some(&b'\n'))
}

/// Names for a message.
pub(super) fn list(names: &[String]) -> String {
    const SHOWN: usize = 50;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| shorten(name.as_bytes())).collect();
    let shown = shown.join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}

/// Text from a file for a message: printable and short.
fn shorten(text: &[u8]) -> String {
    const MOST: usize = 40;
    let escape = |text: &str| {
        text.chars()
            .flat_map(|c| {
                let quote = matches!(c, '"' | '\'');
                c.escape_debug().skip(usize::from(quote))
            })
            .collect::<String>()
    };
    match std::str::from_utf8(text) {
        Ok(text) => match text.char_indices().nth(MOST) {
            Some((end, _)) => escape(&text[..end]) + "..",
            None => escape(text),
        },
        Err(_) => {
            let shown = text[..text.len().min(MOST)].escape_ascii().to_string();
            if text.len() > MOST { shown + ".." } else { shown }
        }
    }
}
