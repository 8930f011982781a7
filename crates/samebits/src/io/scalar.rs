//! The types of numbers in files and of results.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// The type of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

impl Dtype {
    /// `"f32"` or `"f64"`.
    pub fn name(self) -> &'static str {
        match self {
            Dtype::F32 => "f32",
            Dtype::F64 => "f64",
        }
    }

    /// The element type of raw data of this type.
    pub fn scalar(self) -> Scalar {
        match self {
            Dtype::F32 => Scalar::F32,
            Dtype::F64 => Scalar::F64,
        }
    }

    /// Every integer up to plus or minus two to this power is a value of the type.
    pub fn integer_bits(self) -> u32 {
        match self {
            Dtype::F32 => 24,
            Dtype::F64 => 53,
        }
    }

    /// Whether the type holds every integer up to and including this one.
    pub fn holds(self, value: i128) -> bool {
        value.unsigned_abs() <= 1 << self.integer_bits()
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dtype {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "f32" => Ok(Dtype::F32),
            "f64" => Ok(Dtype::F64),
            _ => Err(Error::Argument { what: "dtype", why: format!("'{name}' is not one of f32 and f64") }),
        }
    }
}

/// The type of the elements as they lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scalar {
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// Signed 8-bit integer.
    I8,
    /// Signed 16-bit integer.
    I16,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 8-bit integer.
    U8,
    /// Unsigned 16-bit integer.
    U16,
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
    /// One byte, counted as 1 unless it is zero.
    Bool,
}

impl Scalar {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::Bool => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::F32 | Scalar::I32 | Scalar::U32 => 4,
            Scalar::F64 | Scalar::I64 | Scalar::U64 => 8,
        }
    }

    /// The name as Rust spells it.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::Bool => "bool",
        }
    }

    /// The result type for elements of this type: what `asked` says if that loses nothing, otherwise f32 for f32
    /// and f64 for all else.
    ///
    /// # Errors
    /// A message, if f64 elements were asked to become f32. Integers may become f32; each is then checked.
    pub fn result(self, asked: Option<Dtype>) -> Result<Dtype, String> {
        match (self, asked) {
            (Scalar::F64, Some(Dtype::F32)) => Err("the file holds f64 numbers, and --dtype f32 would round them: a \
                 typed file can be widened, never narrowed; leave --dtype out"
                .to_owned()),
            (Scalar::F32, None) => Ok(Dtype::F32),
            (_, None) => Ok(Dtype::F64),
            (_, Some(dtype)) => Ok(dtype),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The order of the bytes of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Order {
    /// Whether elements must be turned round on this machine.
    pub(crate) fn is_foreign(self) -> bool {
        (self == Order::Big) != cfg!(target_endian = "big")
    }
}
