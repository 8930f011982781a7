//! `samebits merge`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use samebits::{Device, Error};

use crate::acc::Total;
use crate::args::{Op, SpreadOfStates};
use crate::beside::{check_apart, check_name, write};
use crate::failure::Failure;
use crate::output::{Origin, Output};

/// No state is nearly as long; of a longer file no more than this is read.
const MOST_BYTES: u64 = 4096;

pub(super) fn run(
    states: &[PathBuf],
    output: Option<&Path>,
    spread: SpreadOfStates,
    out: &mut Output,
) -> Result<u8, Failure> {
    output.map_or(Ok(()), check_name)?;
    if states.iter().any(|file| file.as_os_str() == "-") {
        return Err(Failure::usage("states cannot be read from standard input: give the names of files"));
    }
    output.map_or(Ok(()), |output| check_apart(output, states))?;
    let mut whole: Option<Total> = None;
    for file in states {
        let part = read(file)?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => whole.merge(&part).map_err(|what| Failure::input(file, what))?,
        }
    }
    let Some(whole) = whole else { return Ok(0) };
    let op = whole.op(spread.spread());
    if spread.is_given() && !matches!(op, Op::Var(_)) {
        return Err(Failure::usage(format!("--ddof and --std go with states of a variance, not of a {}", op.name())));
    }
    if let Some(output) = output {
        write(output, &whole.to_bytes().unwrap_or_default())?;
    }
    let file = match (output, states) {
        (Some(output), _) => output,
        (None, [only]) => only,
        (None, _) => Path::new("merged"),
    };
    let device = Device::Cpu.to_string();
    out.figure(Origin { file, op, key: None, nulls: 0, device: &device, threads: 1 }, whole.figure(op), false)?;
    Ok(0)
}

/// Reads a file that must hold one state and nothing else.
fn read(path: &Path) -> Result<Total, Failure> {
    let refuse = |source| Failure::at(path, Error::File { path: path.to_owned(), source });
    let file = File::open(path).map_err(refuse)?;
    if file.metadata().map_err(refuse)?.is_dir() {
        return Err(refuse(std::io::ErrorKind::IsADirectory.into()));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(refuse)?;
    Total::from_bytes(&bytes).map_err(|error| Failure::input(path, error))
}
