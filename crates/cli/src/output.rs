//! The one place that formats results, and the one that writes to standard output and standard error.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use samebits::Mode;
use samebits_cli::read::keys::Key;
use serde::{Serialize, Serializer};

use crate::args::Op;
use crate::failure::{Failure, code};

/// A result of either type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    F32(f32),
    F64(f64),
}

impl Number {
    /// The bit pattern as 8 or 16 digits.
    pub(crate) fn hex(self) -> String {
        match self {
            Number::F32(v) => format!("{:08x}", v.to_bits()),
            Number::F64(v) => format!("{:016x}", v.to_bits()),
        }
    }

    pub(crate) fn dtype(self) -> &'static str {
        match self {
            Number::F32(_) => "f32",
            Number::F64(_) => "f64",
        }
    }

    pub(crate) fn is_nan(self) -> bool {
        match self {
            Number::F32(v) => v.is_nan(),
            Number::F64(v) => v.is_nan(),
        }
    }

    pub(crate) fn is_finite(self) -> bool {
        match self {
            Number::F32(v) => v.is_finite(),
            Number::F64(v) => v.is_finite(),
        }
    }
}

impl fmt::Display for Number {
    /// The shortest decimal that reads back to the same bits; `NaN`, `inf`, `-inf`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::F32(v) => write!(f, "{v:?}"),
            Number::F64(v) => write!(f, "{v:?}"),
        }
    }
}

impl Serialize for Number {
    /// A number of its own type, since an f32 widened first would show digits that nobody computed; a string for what
    /// JSON has no number for.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            _ if !self.is_finite() => serializer.collect_str(self),
            Number::F32(v) => serializer.serialize_f32(*v),
            Number::F64(v) => serializer.serialize_f64(*v),
        }
    }
}

/// A result and what goes with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    pub(crate) value: Number,
    /// Summands.
    pub(crate) count: u64,
    /// A bound of its error.
    pub(crate) bound: f64,
    pub(crate) mode: Mode,
}

/// What every JSON object begins with.
#[derive(Debug, Serialize)]
pub(crate) struct Stamp {
    schema: u32,
    epoch: u32,
    version: &'static str,
}

impl Stamp {
    pub(crate) fn new() -> Self {
        Stamp { schema: 1, epoch: samebits::EPOCH, version: env!("CARGO_PKG_VERSION") }
    }
}

/// Where a result comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) file: &'a Path,
    pub(crate) op: Op,
    /// The group, if it is one of several.
    pub(crate) key: Option<&'a Key>,
    pub(crate) nulls: u64,
    pub(crate) device: &'a str,
    pub(crate) threads: usize,
}

/// What the line of a group says beside its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    /// The file: there are several.
    pub(crate) file: bool,
    /// The device: there are several.
    pub(crate) device: bool,
}

/// A result as a JSON object.
#[derive(Debug, Serialize)]
pub(crate) struct Record<'a> {
    #[serde(flatten)]
    stamp: Stamp,
    file: Cow<'a, str>,
    op: &'static str,
    /// Which norm.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ddof: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<JsonKey<'a>>,
    dtype: &'static str,
    n: u64,
    nulls: u64,
    folds: Option<usize>,
    exact: bool,
    value: Number,
    bits: String,
    bound: Number,
    device: &'a str,
    threads: usize,
}

impl<'a> Record<'a> {
    pub(crate) fn new(origin: Origin<'a>, figure: Figure) -> Self {
        Record {
            stamp: Stamp::new(),
            file: origin.file.to_string_lossy(),
            op: origin.op.name(),
            kind: if let Op::Norm(kind) = origin.op { Some(kind.name()) } else { None },
            ddof: if let Op::Var(spread) = origin.op { Some(spread.ddof) } else { None },
            key: origin.key.map(JsonKey),
            dtype: figure.value.dtype(),
            n: figure.count,
            nulls: origin.nulls,
            folds: figure.mode.fold_count(),
            exact: figure.mode.is_exact(),
            value: figure.value,
            bits: figure.value.hex(),
            bound: Number::F64(figure.bound),
            device: origin.device,
            threads: origin.threads,
        }
    }
}

/// A key as JSON: a string, the number of a typed column, or null.
#[derive(Debug)]
struct JsonKey<'a>(&'a Key);

impl Serialize for JsonKey<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Key::Blank => serializer.serialize_none(),
            Key::Integer(value) => serializer.serialize_i128(*value),
            Key::Text(text) => serializer.serialize_str(&String::from_utf8_lossy(text)),
        }
    }
}

/// Standard output.
#[derive(Debug)]
pub(crate) struct Output {
    out: io::StdoutLock<'static>,
    json: bool,
    /// Lines that wait for others, so that a million of them are not a million calls of the system.
    waiting: Vec<u8>,
    /// The worst exit code so far: that nobody reads the rest does not make it better.
    worst: u8,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Output { out: io::stdout().lock(), json, waiting: Vec::new(), worst: 0 }
    }

    /// Notes an exit code, which stays even if the output is closed from now on.
    pub(crate) fn note(&mut self, code: u8) {
        self.worst = self.worst.max(code);
    }

    /// Were JSON objects asked for?
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// The line or the object of a result. With several devices the line says which.
    pub(crate) fn figure(&mut self, origin: Origin<'_>, figure: Figure, show_device: bool) -> Result<(), Failure> {
        if self.json {
            return self.object(&Record::new(origin, figure));
        }
        let shown = Shown { file: true, device: show_device };
        self.bytes(&line(origin, figure, shown))
    }

    /// The same for a group; it may wait until [`Output::flush`].
    pub(crate) fn group(&mut self, origin: Origin<'_>, figure: Figure, shown: Shown) -> Result<(), Failure> {
        const MOST_WAITING: usize = 1 << 16;
        let line = if self.json { json(&Record::new(origin, figure))? } else { line(origin, figure, shown) };
        self.waiting.extend(line);
        if self.waiting.len() < MOST_WAITING { Ok(()) } else { self.flush() }
    }

    /// Writes the lines that wait.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let waiting = std::mem::take(&mut self.waiting);
        self.bytes(&waiting)
    }

    /// A JSON object on a line of its own.
    pub(crate) fn object(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        self.bytes(&json(object)?)
    }

    /// A line of text.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// A file's name on a line of its own.
    pub(crate) fn name(&mut self, file: &Path) -> Result<(), Failure> {
        let mut line = printable(file.as_os_str().as_encoded_bytes());
        line.push(b'\n');
        self.bytes(&line)
    }

    /// Rows as aligned columns.
    pub(crate) fn table(&mut self, rows: &[Vec<String>]) -> Result<(), Failure> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|c| rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        for row in rows {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
            self.line(cells.join("  ").trim_end())?;
        }
        Ok(())
    }

    /// Bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.out.write_all(bytes).and_then(|()| self.out.flush()).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure { code: self.worst, ..Failure::closed() },
            _ => Failure { code: code::INPUT, message: format!("standard output: {error}") },
        })
    }
}

fn json(object: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut line = serde_json::to_vec(object)
        .map_err(|error| Failure { code: code::INTERNAL, message: format!("JSON: {error}") })?;
    line.push(b'\n');
    Ok(line)
}

/// `BITS  VALUE`, the key of a group, and what else is to be shown.
fn line(origin: Origin<'_>, figure: Figure, shown: Shown) -> Vec<u8> {
    let mut line = format!("{}  {}", figure.value.hex(), figure.value).into_bytes();
    let mut add = |cell: &[u8]| {
        line.extend(b"  ");
        line.extend(printable(cell));
    };
    match origin.key {
        None => {}
        Some(Key::Blank) => add(b""),
        Some(Key::Integer(value)) => add(value.to_string().as_bytes()),
        Some(Key::Text(text)) => add(text),
    }
    if shown.file {
        add(origin.file.as_os_str().as_encoded_bytes());
    }
    if shown.device {
        add(origin.device.as_bytes());
    }
    line.push(b'\n');
    line
}

/// A name as it is, except that a control character must not break the line.
fn printable(bytes: &[u8]) -> Vec<u8> {
    let escape = |&byte: &u8| match byte {
        b if b.is_ascii_control() => b.escape_ascii().collect(),
        b => vec![b],
    };
    bytes.iter().flat_map(escape).collect()
}

/// One line on standard error. That nobody reads it is no reason to stop.
pub(crate) fn warn(message: &str) {
    let line: String = message
        .chars()
        .flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] })
        .collect();
    let _ = writeln!(io::stderr().lock(), "samebits: {line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_own_type() {
        let json = |n| serde_json::to_string(&n).unwrap();
        assert_eq!(json(Number::F32(0.1)), "0.1");
        assert_eq!(json(Number::F64(0.1)), "0.1");
        assert_eq!(json(Number::F64(f64::from(0.1f32))), "0.10000000149011612");
        assert_eq!(json(Number::F32(f32::NAN)), "\"NaN\"");
        assert_eq!(json(Number::F64(f64::NEG_INFINITY)), "\"-inf\"");
        assert_eq!(Number::F64(-0.0).to_string(), "-0.0");
        assert_eq!(Number::F32(1.0).hex(), "3f800000");
    }

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(printable(b"a\nb c"), b"a\\nb c");
    }
}
