//! Rows of Parquet files: a column of keys beside one of numbers.

use std::fmt;
use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use samebits::Result;
use samebits::io::{Dtype, Scalar, Stream};

use super::super::keys::{Keyed, Keys, Rows};
use super::super::shield::contain;
use super::super::{OpenedRows, ReadOptions};
use super::{Column, Failure, Table, choose, describe, scalar};

/// Opens a Parquet file for its rows; `by` chooses the column of the keys.
///
/// # Errors
/// As [`super::open`], and if the keys are neither text nor integers nor booleans, or either column holds lists.
pub fn open_rows(path: &Path, by: &str, opts: &ReadOptions) -> Result<OpenedRows> {
    let table = Table::open(path)?;
    let (keys, values) = choose_both(table.schema(), by, opts.column.as_deref()).map_err(|what| table.fault(what))?;
    for column in [keys, values] {
        let descriptor = table.schema().column(column);
        if descriptor.max_rep_level() > 0 {
            let name = descriptor.path().string();
            return Err(table.fault(format!("column '{name}' holds lists: --by takes one key and one number a row")));
        }
    }
    let descriptor = table.schema().column(keys);
    let kind = kind(&descriptor).ok_or_else(|| {
        table.fault(format!(
            "column '{}' is of the type {}: keys can be text, integers and booleans",
            descriptor.path().string(),
            describe(&descriptor)
        ))
    })?;
    let nullable = descriptor.max_def_level();
    let bytes = table.bytes(keys) + table.bytes(values);
    let mut values = Column::new(table, values, opts)?;
    values.bytes = Some(bytes);
    let keys = KeyColumn {
        column: keys,
        kind,
        full: nullable,
        open: None,
        definition: Vec::new(),
        numbers: Vec::new(),
        found: Keys::default(),
    };
    Ok(OpenedRows { dtype: values.dtype(), bytes: Some(bytes), source: Box::new(KeyedColumn { values, keys }) })
}

/// The columns of the keys and of the numbers.
fn choose_both(schema: &SchemaDescriptor, by: &str, wanted: Option<&str>) -> Result<(usize, usize), String> {
    let keys = choose(schema, Some(by))?;
    match (wanted, schema.num_columns()) {
        (None, 1) => Err("only one column, and --by needs one of keys beside that of the numbers".to_owned()),
        (None, 2) => Ok((keys, 1 - keys)),
        _ => Ok((keys, choose(schema, wanted)?)),
    }
}

/// How keys are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Text,
    Bool,
    Integer(Scalar),
}

fn kind(column: &ColumnDescriptor) -> Option<Kind> {
    if column.physical_type() == Type::BYTE_ARRAY {
        let text = match (column.logical_type_ref(), column.converted_type()) {
            (None, converted) => matches!(converted, ConvertedType::NONE | ConvertedType::UTF8 | ConvertedType::ENUM),
            (Some(logical), _) => matches!(logical, LogicalType::String | LogicalType::Enum),
        };
        return text.then_some(Kind::Text);
    }
    match scalar(column)? {
        Scalar::Bool => Some(Kind::Bool),
        Scalar::F32 | Scalar::F64 => None,
        integer => Some(Kind::Integer(integer)),
    }
}

impl Kind {
    /// What an entry of a dictionary takes at least.
    fn width(self) -> usize {
        match self {
            // Its length.
            Kind::Text => 4,
            Kind::Bool => 1,
            Kind::Integer(scalar) => scalar.size(),
        }
    }
}

/// A column of keys.
struct KeyColumn {
    column: usize,
    kind: Kind,
    /// The definition level of a key that is not NULL.
    full: i16,
    /// The row group being read, counted from 0.
    open: Option<(usize, ColumnReader)>,
    definition: Vec<i16>,
    /// The numbers of the keys of a part, NULLs left out.
    numbers: Vec<u32>,
    found: Keys,
}

impl KeyColumn {
    /// Reads the keys of the next rows of a row group.
    fn read(&mut self, table: &Table, group: usize, rows: usize) -> Result<(), Failure> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != group) {
            let (reader, _) = table.pages(group, self.column, self.kind.width())?;
            self.open = Some((group, reader));
        }
        let Some((_, reader)) = &mut self.open else { return Ok(()) };
        let Self { definition, numbers, found, .. } = self;
        definition.clear();
        numbers.clear();
        let mut each = |number: Result<u32>| -> Result<()> {
            numbers.push(number?);
            Ok(())
        };
        let read = match (self.kind, reader) {
            (Kind::Text, ColumnReader::ByteArrayColumnReader(reader)) => {
                let key_of = |key: &ByteArray| match key.data() {
                    // As in text, where an empty cell is a blank one.
                    [] => each(found.of_blank()),
                    text => each(found.of_text(text)),
                };
                keys(reader, rows, definition, key_of)?
            }
            (Kind::Bool, ColumnReader::BoolColumnReader(reader)) => {
                keys(reader, rows, definition, |key: &bool| each(found.of_text(if *key { b"true" } else { b"false" })))?
            }
            (Kind::Integer(Scalar::U32), ColumnReader::Int32ColumnReader(reader)) => {
                keys(reader, rows, definition, |&key| each(found.of_integer((key as u32).into())))?
            }
            (Kind::Integer(_), ColumnReader::Int32ColumnReader(reader)) => {
                keys(reader, rows, definition, |&key| each(found.of_integer(key.into())))?
            }
            (Kind::Integer(Scalar::U64), ColumnReader::Int64ColumnReader(reader)) => {
                keys(reader, rows, definition, |&key| each(found.of_integer((key as u64).into())))?
            }
            (Kind::Integer(_), ColumnReader::Int64ColumnReader(reader)) => {
                keys(reader, rows, definition, |&key| each(found.of_integer(key.into())))?
            }
            _ => return Err(Failure::Corrupt("a row group has another type than the file".to_owned())),
        };
        if read == rows { Ok(()) } else { Err(Failure::Corrupt(format!("row group {} lacks keys", group + 1))) }
    }
}

/// Reads so many rows, hands over the keys that are not NULL, and tells how many rows there were.
fn keys<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    definition: &mut Vec<i16>,
    mut each: impl FnMut(&T::T) -> Result<()>,
) -> Result<usize, Failure> {
    let mut values = Vec::new();
    let (records, _, _) = reader.read_records(rows, Some(definition), None, &mut values)?;
    values.iter().try_for_each(&mut each)?;
    Ok(records)
}

/// The two columns, read in step.
struct KeyedColumn {
    values: Column,
    keys: KeyColumn,
}

impl fmt::Debug for KeyedColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedColumn").field("values", &self.values).finish_non_exhaustive()
    }
}

impl KeyedColumn {
    /// Reads the keys of the rows whose numbers are there, and brings them together.
    fn join(&mut self, out: &mut Rows) -> Result<(), Failure> {
        let rows = out.values.len() + out.values.nulls as usize;
        // The next row group is opened only when its numbers are read, so this is still the one they are from.
        let group = self.values.group - 1;
        self.keys.read(&self.values.table, group, rows)?;
        let levels = &self.values.levels;
        let (mut defined, mut numbers) = (self.keys.definition.iter(), self.keys.numbers.iter());
        let mut valued = levels.definition.iter();
        for _ in 0..rows {
            let known = self.keys.full == 0 || defined.next().is_some_and(|&level| level == self.keys.full);
            let key = match known {
                true => numbers.next().copied().ok_or_else(|| Failure::Corrupt("keys are missing".to_owned()))?,
                false => self.keys.found.of_blank()?,
            };
            let has_value = levels.full == 0 || valued.next().is_some_and(|&level| level == levels.full);
            if has_value { out.keys.push(key) } else { out.blanks.push(key) }
        }
        if out.keys.len() == out.values.len() {
            Ok(())
        } else {
            Err(Failure::Corrupt("keys and numbers do not go together".to_owned()))
        }
    }
}

impl Keyed for KeyedColumn {
    fn next(&mut self, out: &mut Rows) -> Result<bool> {
        out.clear();
        if !self.values.next(&mut out.values)? {
            return Ok(false);
        }
        let failure = match contain(|| self.join(out)) {
            Ok(Ok(())) => return Ok(true),
            Ok(Err(failure)) => failure,
            Err(panic) => Failure::Corrupt(panic),
        };
        self.values.done = true;
        out.clear();
        Err(match failure {
            Failure::Numbers(error) => error,
            Failure::Corrupt(what) => self.values.table.fault(format!("corrupt Parquet file: {what}")),
        })
    }

    fn dtype(&self) -> Dtype {
        self.values.dtype()
    }

    fn position(&self) -> u64 {
        self.values.position()
    }

    fn keys(&self) -> &Keys {
        &self.keys.found
    }

    fn into_keys(self: Box<Self>) -> Keys {
        self.keys.found
    }
}
