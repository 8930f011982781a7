//! Text cut into records and cells, with the line each record begins on.
//!
//! Not a general CSV reader: it keeps one record at a time, knows blank lines from records of blank cells (which a
//! column of numbers needs), and counts the file's real lines, also those within quotes.

use std::io::{self, BufRead, BufReader, Read};

use memchr::{memchr, memchr_iter};

/// What separates cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// This byte.
    Byte(u8),
    /// Runs of blanks and tabs.
    Blanks,
}

impl Separator {
    fn is(self, byte: u8) -> bool {
        match self {
            Separator::Byte(separator) => byte == separator,
            Separator::Blanks => is_blank(byte),
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A record longer than this is a file that is not what it seems; it would have to fit in memory.
const LONGEST: usize = 64 << 20;

/// Why there is no next record.
#[derive(Debug)]
pub(super) enum Stop {
    /// The reader failed.
    Io(io::Error),
    /// The text is broken, on this line.
    Text {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

/// The records of a text, one at a time.
pub(super) struct Records<R> {
    input: BufReader<R>,
    separator: Separator,
    comments: bool,
    /// The record, without its line end.
    record: Vec<u8>,
    quoted: bool,
    /// Cells of a record with quotes: their text one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    lines: u64,
    position: u64,
}

/// Where a scan for quotes stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    /// At the begin of a cell, blanks aside.
    Begin,
    /// In a cell without quotes, or behind a closing quote.
    Plain,
    /// Within quotes.
    Inside,
    /// Behind a quote that may be the closing one or the first of a doubled one.
    Behind,
}

impl Quoting {
    fn step(self, byte: u8, separator: Separator) -> Quoting {
        match self {
            Quoting::Inside if byte == b'"' => Quoting::Behind,
            Quoting::Inside => Quoting::Inside,
            Quoting::Behind if byte == b'"' => Quoting::Inside,
            Quoting::Begin if byte == b'"' => Quoting::Inside,
            _ if separator.is(byte) => Quoting::Begin,
            Quoting::Begin if is_blank(byte) => Quoting::Begin,
            _ => Quoting::Plain,
        }
    }
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R, separator: Separator, comments: bool) -> Self {
        Records {
            input: BufReader::with_capacity(1 << 18, input),
            separator,
            comments,
            record: Vec::new(),
            quoted: false,
            text: Vec::new(),
            ends: Vec::new(),
            lines: 0,
            position: 0,
        }
    }

    /// What separates its cells.
    pub(super) fn separator(&self) -> Separator {
        self.separator
    }

    /// Bytes taken from the input.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Goes to the next record and gives the line it begins on; `None` at the end. Comment lines are passed over,
    /// blank lines are records.
    pub(super) fn advance(&mut self) -> Result<Option<u64>, Stop> {
        loop {
            self.record.clear();
            if !self.append_line()? {
                return Ok(None);
            }
            let first = self.lines;
            if first == 1 && self.record.starts_with(b"\xef\xbb\xbf") {
                self.record.drain(..3);
            }
            if self.comments && self.record.trim_ascii_start().starts_with(b"#") {
                continue;
            }
            self.quoted = memchr(b'"', &self.record).is_some();
            if self.quoted {
                self.close_quotes(first)?;
            }
            // The line's end.
            for end in *b"\n\r" {
                if self.record.last() == Some(&end) {
                    self.record.pop();
                }
            }
            return Ok(Some(first));
        }
    }

    /// Appends lines until no quote is open. Each byte is looked at once, however many lines there are.
    fn close_quotes(&mut self, first: u64) -> Result<(), Stop> {
        let (mut state, mut from) = (Quoting::Begin, 0);
        loop {
            let separator = self.separator;
            state = self.record[from..].iter().fold(state, |state, &byte| state.step(byte, separator));
            if state != Quoting::Inside {
                return Ok(());
            }
            from = self.record.len();
            let more = self.append_line().map_err(|stop| match stop {
                Stop::Text { what, .. } => {
                    Stop::Text { line: first, what: format!("{what} begins here: is a quote not closed?") }
                }
                stop => stop,
            })?;
            if !more {
                return Err(Stop::Text { line: first, what: "a quote is opened here and never closed".to_owned() });
            }
        }
    }

    /// Appends a line with its end; `false` if there is none.
    fn append_line(&mut self) -> Result<bool, Stop> {
        let mut found = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Stop::Io(error)),
            };
            if bytes.is_empty() {
                self.lines += u64::from(found);
                return Ok(found);
            }
            found = true;
            let end = memchr(b'\n', bytes);
            let n = end.map_or(bytes.len(), |end| end + 1);
            self.record.extend_from_slice(&bytes[..n]);
            self.input.consume(n);
            self.position += n as u64;
            self.lines += u64::from(end.is_some());
            if self.record.len() > LONGEST {
                let line = self.lines + u64::from(end.is_none());
                return Err(Stop::Text { line, what: format!("a record of more than {} MiB", LONGEST >> 20) });
            }
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Whether the record is a blank line, as opposed to one of blank cells.
    pub(super) fn is_blank(&self) -> bool {
        self.record.iter().all(|&b| b == b'\r' || is_blank(b) && self.separator != Separator::Byte(b))
    }

    /// The number of cells, and those asked for (counted from 0).
    pub(super) fn pick<const N: usize>(&mut self, wanted: [usize; N]) -> (usize, [Option<&[u8]>; N]) {
        let mut picked = [None; N];
        if self.quoted {
            self.split_quoted();
            for (cell, wanted) in picked.iter_mut().zip(wanted) {
                *cell = self.ends.get(wanted).map(|&end| {
                    let start = wanted.checked_sub(1).map_or(0, |before| self.ends[before]);
                    &self.text[start..end]
                });
            }
            return (self.ends.len(), picked);
        }
        let mut count = 0;
        let mut see = |found| {
            for (cell, wanted) in picked.iter_mut().zip(wanted) {
                if count == wanted {
                    *cell = Some(found);
                }
            }
            count += 1;
        };
        let record = self.record.as_slice();
        match self.separator {
            Separator::Byte(separator) => {
                let mut start = 0;
                for end in memchr_iter(separator, record).chain([record.len()]) {
                    see(&record[start..end]);
                    start = end + 1;
                }
            }
            Separator::Blanks => {
                record.split(|&b| is_blank(b)).filter(|word| !word.is_empty()).for_each(see);
            }
        }
        (count, picked)
    }

    fn split_quoted(&mut self) {
        self.text.clear();
        self.ends.clear();
        let mut state = Quoting::Begin;
        // For runs of blanks: whether a cell has begun that the next blank ends.
        let mut begun = false;
        for &byte in &self.record {
            let next = state.step(byte, self.separator);
            let ends = state != Quoting::Inside && next == Quoting::Begin && self.separator.is(byte);
            if ends {
                if begun || self.separator != Separator::Blanks {
                    self.ends.push(self.text.len());
                }
                begun = false;
            } else {
                begun = true;
                // Quotes that open or close are no text; the second of a doubled one is.
                let mark = matches!((state, next), (Quoting::Begin, Quoting::Inside) | (_, Quoting::Behind));
                if !mark {
                    self.text.push(byte);
                }
            }
            state = next;
        }
        if begun || self.separator != Separator::Blanks {
            self.ends.push(self.text.len());
        }
    }

    /// All cells of the record.
    pub(super) fn cells(&mut self) -> Vec<Vec<u8>> {
        if self.quoted {
            self.split_quoted();
            let starts = [0].into_iter().chain(self.ends.iter().copied());
            return starts.zip(&self.ends).map(|(start, &end)| self.text[start..end].to_vec()).collect();
        }
        let cells = self.record.split(|&b| self.separator.is(b));
        match self.separator {
            Separator::Byte(_) => cells.map(<[u8]>::to_vec).collect(),
            Separator::Blanks => cells.filter(|cell| !cell.is_empty()).map(<[u8]>::to_vec).collect(),
        }
    }
}
