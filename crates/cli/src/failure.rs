//! What ends a command before its result: an exit code and a line for standard error.

use std::path::Path;

use samebits::Error;

/// Exit codes: the larger one wins.
pub(crate) mod code {
    /// A check failed.
    pub(crate) const DIFFERS: u8 = 1;
    /// The command line makes no sense.
    pub(crate) const USAGE: u8 = 2;
    /// Bad input, an unreadable file, or more summands than a mode holds.
    pub(crate) const INPUT: u8 = 3;
    /// A device or an instruction set that cannot be used.
    pub(crate) const DEVICE: u8 = 4;
    /// Out of memory, or a defect of ours.
    pub(crate) const INTERNAL: u8 = 5;
}

/// A failure, and what the user is told.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: u8,
    /// One line; empty if there is nobody left to tell.
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { code: code::USAGE, message: message.into() }
    }

    pub(crate) fn input(path: &Path, what: impl std::fmt::Display) -> Self {
        Failure { code: code::INPUT, message: format!("{}: {what}", path.display()) }
    }

    /// The reader of our results went away: there is nothing to say, and nothing went wrong.
    pub(crate) fn closed() -> Self {
        Failure { code: 0, message: String::new() }
    }

    /// An error met while working on a file. The message names the file once.
    pub(crate) fn at(path: &Path, error: Error) -> Self {
        let names_file =
            matches!(error, Error::File { .. } | Error::Format { .. } | Error::Text { .. } | Error::Integer { .. });
        let failure = Failure::from(error);
        if names_file {
            return failure;
        }
        Failure { message: format!("{}: {}", path.display(), failure.message), ..failure }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Argument { .. } | Error::DeviceName { .. } => code::USAGE,
            Error::DeviceUnavailable { .. } | Error::Isa { .. } => code::DEVICE,
            Error::Core(_) | Error::File { .. } | Error::Format { .. } | Error::Text { .. } | Error::Integer { .. } => {
                code::INPUT
            }
            _ => code::INTERNAL,
        };
        Failure { code, message: error.to_string() }
    }
}
