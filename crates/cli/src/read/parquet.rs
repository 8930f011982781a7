//! Columns of numbers in Parquet files.
//!
//! Read through the column reader, so NULLs are definition levels and no table is ever built. Lists count element by
//! element; an empty or missing list has none. The `parquet` crate trusts files more than this command may: its
//! panics become errors, it never gets to ask for bytes beyond the file's end, and never to make room for values that a
//! page merely claims.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use samebits::io::{CHUNK, Chunk, Dtype, Scalar, Source, Stream, Target};
use samebits::{Error, Result};

use super::shield::contain;
use super::{Opened, ReadOptions, open_file, text};

mod bounded;
mod keyed;
mod pages;
use bounded::Bounded;
pub use keyed::open_rows;
use pages::Checked;

/// Opens a column of a Parquet file: by its path (`a.b` for nested ones), or by its number counted from 1.
///
/// # Errors
/// [`Error::Format`], with the columns there are, if the choice is not clear, if the column does not hold numbers,
/// or if the file is broken.
pub fn open(path: &Path, opts: &ReadOptions) -> Result<Opened> {
    let table = Table::open(path)?;
    let column = choose(table.schema(), opts.column.as_deref()).map_err(|what| table.fault(what))?;
    Ok(Source::Stream(Box::new(Column::new(table, column, opts)?)).into())
}

/// An opened file, of which columns may be read.
struct Table {
    path: PathBuf,
    file: SerializedFileReader<Bounded>,
    counter: Arc<AtomicU64>,
}

impl Table {
    fn open(path: &Path) -> Result<Table> {
        let fault = |what: String| Error::Format { path: path.to_owned(), what };
        let (file, len) = open_file(path)?;
        let Some(len) = len else {
            return Err(fault("a Parquet file cannot be read from a pipe or device: save it to a file first".into()));
        };
        if len == 0 {
            return Err(fault("the file is empty (0 bytes), not a Parquet file".into()));
        }
        let counter = Arc::new(AtomicU64::new(0));
        let bounded = Bounded::new(file, len, Arc::clone(&counter));
        bounded.check_footer().map_err(fault)?;
        let file = match contain(|| SerializedFileReader::new(bounded)) {
            Ok(Ok(file)) => file,
            Ok(Err(error)) => return Err(fault(format!("not a readable Parquet file: {}", message(error)))),
            Err(panic) => return Err(fault(format!("corrupt Parquet file: {panic}"))),
        };
        counter.store(0, Ordering::Relaxed);
        Ok(Table { path: path.to_owned(), file, counter })
    }

    fn fault(&self, what: String) -> Error {
        Error::Format { path: self.path.clone(), what }
    }

    fn schema(&self) -> &SchemaDescriptor {
        self.file.metadata().file_metadata().schema_descr()
    }

    /// Bytes of a column in the file, as its metadata says.
    fn bytes(&self, column: usize) -> u64 {
        let chunks = self.file.metadata().row_groups().iter();
        chunks.filter_map(|g| u64::try_from(g.columns().get(column)?.compressed_size()).ok()).sum()
    }

    /// The pages of a column in a row group, and how many values and NULLs these hold.
    fn pages(&self, group: usize, column: usize, width: usize) -> Result<(ColumnReader, u64), Failure> {
        let reader = self.file.get_row_group(group)?;
        let chunk = reader.metadata().columns().get(column);
        let values = chunk.map(|chunk| chunk.num_values()).and_then(|n| u64::try_from(n).ok());
        let values = values.ok_or_else(|| Failure::Corrupt(format!("row group {} has no such column", group + 1)))?;
        let pages = Checked { pages: reader.get_column_page_reader(column)?, width };
        Ok((get_column_reader(reader.metadata().schema_descr().column(column), Box::new(pages)), values))
    }
}

/// How the numbers of a column are stored.
fn scalar(column: &ColumnDescriptor) -> Option<Scalar> {
    let plain = matches!(column.logical_type_ref(), None | Some(LogicalType::Integer(_)));
    let unsigned = match column.logical_type_ref() {
        Some(LogicalType::Integer(integer)) => !integer.is_signed,
        _ => match column.converted_type() {
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => true,
            ConvertedType::NONE
            | ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64 => false,
            _ => return None,
        },
    };
    match (column.physical_type(), unsigned) {
        _ if !plain => None,
        (Type::BOOLEAN, _) => Some(Scalar::Bool),
        (Type::FLOAT, _) => Some(Scalar::F32),
        (Type::DOUBLE, _) => Some(Scalar::F64),
        (Type::INT32, false) => Some(Scalar::I32),
        (Type::INT32, true) => Some(Scalar::U32),
        (Type::INT64, false) => Some(Scalar::I64),
        (Type::INT64, true) => Some(Scalar::U64),
        _ => None,
    }
}

/// The type of a column for messages.
fn describe(column: &ColumnDescriptor) -> String {
    let physical = column.physical_type();
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(logical), _) => format!("{physical} ({logical:?})"),
        (None, ConvertedType::NONE) => physical.to_string(),
        (None, converted) => format!("{physical} ({converted})"),
    }
}

fn choose(schema: &SchemaDescriptor, wanted: Option<&str>) -> Result<usize, String> {
    let columns = schema.columns();
    let there = || text::list(&columns.iter().map(|c| c.path().string()).collect::<Vec<_>>());
    let Some(wanted) = wanted else {
        return match columns.len() {
            0 => Err("the file has no columns".to_owned()),
            1 => Ok(0),
            _ => Err(format!("several columns, choose one with --column: {}", there())),
        };
    };
    let mut found = (0..columns.len()).filter(|&i| columns[i].path().string() == wanted);
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => {
            Err(format!("columns {} and {} are both named '{wanted}': choose one by its number", first + 1, second + 1))
        }
        (Some(only), None) => Ok(only),
        (None, _) => match wanted.parse::<usize>() {
            Ok(number) if (1..=columns.len()).contains(&number) => Ok(number - 1),
            _ => Err(format!("no column '{wanted}'; there are: {}", there())),
        },
    }
}

/// A column of numbers in a Parquet file.
struct Column {
    table: Table,
    bytes: Option<u64>,
    column: usize,
    scalar: Scalar,
    target: Target,
    /// The next row group, and the one being read.
    group: usize,
    open: Option<Group>,
    levels: Levels,
    values: Values,
    done: bool,
}

/// A row group being read.
struct Group {
    reader: ColumnReader,
    /// Values and NULLs still to come, as the file's metadata says.
    left: u64,
    /// How many records make about one part.
    step: usize,
}

/// Definition and repetition levels, and what they mean.
#[derive(Default)]
struct Levels {
    definition: Vec<i16>,
    repetition: Vec<i16>,
    /// The level of a value.
    full: i16,
    /// The level from which on there is an element, be it NULL.
    element: i16,
}

/// Buffers for values as they are stored.
#[derive(Default)]
struct Values {
    bools: Vec<bool>,
    singles: Vec<f32>,
    i32s: Vec<i32>,
    i64s: Vec<i64>,
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("path", &self.table.path).field("column", &self.column).finish_non_exhaustive()
    }
}

impl Column {
    fn new(table: Table, column: usize, opts: &ReadOptions) -> Result<Column> {
        let descriptor = table.schema().column(column);
        let name = descriptor.path().string();
        let scalar = scalar(&descriptor).ok_or_else(|| {
            table.fault(format!(
                "column '{name}' is of the type {}: FLOAT, DOUBLE, INT32, INT64 (also unsigned) and BOOLEAN can be read",
                describe(&descriptor)
            ))
        })?;
        let dtype = scalar.result(opts.dtype).map_err(|what| table.fault(format!("column '{name}': {what}")))?;
        let levels = Levels {
            full: descriptor.max_def_level(),
            element: if descriptor.max_rep_level() > 0 { descriptor.repeated_ancestor_def_level() } else { 0 },
            ..Levels::default()
        };
        Ok(Column {
            bytes: Some(table.bytes(column)),
            table,
            column,
            scalar,
            target: Target::new(dtype, opts.exact),
            group: 0,
            open: None,
            levels,
            values: Values::default(),
            done: false,
        })
    }

    /// Reads on; `false` at the end. Whatever fails here is the file's fault.
    fn advance(&mut self, out: &mut Chunk) -> Result<bool, Failure> {
        loop {
            let Some(group) = &mut self.open else {
                if self.group == self.table.file.num_row_groups() {
                    return Ok(false);
                }
                self.open = Some(self.next_group()?);
                self.group += 1;
                continue;
            };
            let (records, levels) = read(group, self.scalar, &mut self.levels, &mut self.values, out)?;
            let Some(left) = group.left.checked_sub(levels as u64) else {
                return Err(Failure::Corrupt(format!("row group {} holds more values than it says", self.group)));
            };
            group.left = left;
            if records == 0 {
                if left != 0 {
                    return Err(Failure::Corrupt(format!("row group {} lacks {left} values", self.group)));
                }
                self.open = None;
                continue;
            }
            let Values { bools, singles, i32s, i64s } = &self.values;
            let nulls = self.levels.nulls();
            let path = &self.table.path;
            match self.scalar {
                Scalar::Bool => self.target.integers(bytemuck::cast_slice::<bool, u8>(bools), out, path)?,
                Scalar::F64 => {}
                Scalar::F32 => self.target.singles(singles, out)?,
                Scalar::I32 => self.target.integers(i32s, out, path)?,
                Scalar::U32 => self.target.integers(bytemuck::cast_slice::<i32, u32>(i32s), out, path)?,
                Scalar::U64 => self.target.integers(bytemuck::cast_slice::<i64, u64>(i64s), out, path)?,
                _ => self.target.integers(i64s, out, path)?,
            }
            out.nulls = nulls;
            if !out.is_empty() || nulls != 0 {
                return Ok(true);
            }
        }
    }

    fn next_group(&self) -> Result<Group, Failure> {
        let (reader, values) = self.table.pages(self.group, self.column, self.scalar.size())?;
        let records = self.table.file.metadata().row_group(self.group).num_rows();
        let records = u64::try_from(records).unwrap_or(0).max(1);
        let part = CHUNK as u64;
        // A record of a list column has many values; a part should not.
        let step = if values > records { (part / values.div_ceil(records)).max(1) } else { part };
        Ok(Group { reader, left: values, step: step as usize })
    }
}

/// Reads some records; returns how many, and how many levels (values and NULLs) these had.
fn read(
    group: &mut Group,
    scalar: Scalar,
    levels: &mut Levels,
    values: &mut Values,
    out: &mut Chunk,
) -> Result<(usize, usize), Failure> {
    fn some<T: DataType>(
        reader: &mut ColumnReaderImpl<T>,
        records: usize,
        levels: &mut Levels,
        values: &mut Vec<T::T>,
    ) -> Result<(usize, usize), Failure> {
        levels.definition.clear();
        levels.repetition.clear();
        values.clear();
        let (records, _, read) =
            reader.read_records(records, Some(&mut levels.definition), Some(&mut levels.repetition), values)?;
        Ok((records, read))
    }
    out.clear();
    let step = group.step;
    match (&mut group.reader, scalar) {
        (ColumnReader::DoubleColumnReader(reader), Scalar::F64) => some(reader, step, levels, &mut out.f64s),
        (ColumnReader::BoolColumnReader(reader), Scalar::Bool) => some(reader, step, levels, &mut values.bools),
        (ColumnReader::FloatColumnReader(reader), Scalar::F32) => some(reader, step, levels, &mut values.singles),
        (ColumnReader::Int32ColumnReader(reader), Scalar::I32 | Scalar::U32) => {
            some(reader, step, levels, &mut values.i32s)
        }
        (ColumnReader::Int64ColumnReader(reader), Scalar::I64 | Scalar::U64) => {
            some(reader, step, levels, &mut values.i64s)
        }
        _ => Err(Failure::Corrupt("a row group has another type than the file".to_owned())),
    }
}

impl Levels {
    fn nulls(&self) -> u64 {
        self.definition.iter().filter(|&&level| (self.element..self.full).contains(&level)).count() as u64
    }
}

impl Stream for Column {
    fn next(&mut self, out: &mut Chunk) -> Result<bool> {
        if self.done {
            out.clear();
            return Ok(false);
        }
        let failure = match contain(|| self.advance(out)) {
            Ok(Ok(true)) => return Ok(true),
            Ok(Ok(false)) => None,
            Ok(Err(failure)) => Some(failure),
            Err(panic) => Some(Failure::Corrupt(panic)),
        };
        self.done = true;
        self.open = None;
        out.clear();
        match failure {
            None => Ok(false),
            Some(Failure::Numbers(error)) => Err(error),
            Some(Failure::Corrupt(what)) => Err(self.table.fault(format!("corrupt Parquet file: {what}"))),
        }
    }

    fn dtype(&self) -> Dtype {
        self.target.dtype
    }

    fn position(&self) -> u64 {
        // Page headers are read in blocks and count a little more than they are.
        self.table.counter.load(Ordering::Relaxed).min(self.bytes.unwrap_or(u64::MAX))
    }

    fn bytes(&self) -> Option<u64> {
        self.bytes
    }
}

/// Why reading stopped.
enum Failure {
    /// The file is broken.
    Corrupt(String),
    /// Its numbers are not wanted, or memory ran out.
    Numbers(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Numbers(error)
    }
}

impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Self {
        Failure::Corrupt(message(error))
    }
}

fn message(error: ParquetError) -> String {
    match error {
        ParquetError::General(what) | ParquetError::EOF(what) | ParquetError::NYI(what) => what,
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
