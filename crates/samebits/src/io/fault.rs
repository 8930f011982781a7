//! A fault found before the file's name is known, as by parsers that read any `Read`.

use std::fmt;
use std::io;
use std::path::Path;

use crate::Error;

/// What is wrong with some bytes, without the name of the file they came from.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The reader failed.
    Io(io::Error),
    /// The bytes are not what they should be.
    Bad(String),
}

impl Fault {
    /// The error that names the file.
    pub fn at(self, path: &Path) -> Error {
        match self {
            Fault::Io(source) => Error::File { path: path.to_owned(), source },
            Fault::Bad(what) => Error::Format { path: path.to_owned(), what },
        }
    }

    pub(crate) fn bad(what: impl Into<String>) -> Self {
        Fault::Bad(what.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Io(error) => error.fmt(f),
            Fault::Bad(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        // A decompressor or a checksum reports bad data through `Read`; that is the file's fault, not the system's.
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                Fault::Bad(error.to_string())
            }
            _ => Fault::Io(error),
        }
    }
}
