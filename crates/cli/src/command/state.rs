//! `samebits state`, and the writing of state files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::sum::read_sums;
use crate::accumulate::Total;
use crate::args::{Op, StateOp, Summing};
use crate::failure::Failure;
use crate::output::{Origin, Output};
use crate::queues;

pub(super) fn run(op: StateOp, output: &Path, args: &Summing, out: &mut Output) -> Result<u8, Failure> {
    let op = match op {
        StateOp::Sum => Op::Sum,
        StateOp::Norm => Op::Norm,
    };
    check_name(output)?;
    let mode = args.method.mode()?;
    let files = args.input.checked()?;
    check_apart(output, files)?;
    let queues = queues::open(args)?;
    let [queue] = &queues[..] else {
        return Err(Failure::usage("a state is the same bytes on every device: give one --device"));
    };
    let mut whole: Option<Total> = None;
    let mut nulls = 0;
    for file in files {
        let sums = read_sums(file, op, mode, args, &queues, !out.json())?;
        nulls += sums.nulls;
        for part in sums.totals {
            match &mut whole {
                None => whole = Some(part),
                Some(whole) if whole.dtype() != part.dtype() => {
                    let (ours, theirs) = (whole.dtype(), part.dtype());
                    let what = format!("is {theirs} after files of {ours}: --dtype f64 makes one state of both");
                    return Err(Failure::input(file, what));
                }
                Some(whole) => whole.merge(&part).map_err(|what| Failure::input(file, what))?,
            }
        }
    }
    let Some(whole) = whole else { return Ok(0) };
    write(output, &whole)?;
    if out.json() {
        let device = queue.device().to_string();
        let origin = Origin { file: output, op, key: None, nulls, device: &device, threads: queue.threads() };
        out.figure(origin, whole.figure(op), false)?;
    }
    Ok(0)
}

/// A state is no text, and goes to a file only.
pub(super) fn check_name(path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::usage("-o takes the name of a file: a state is not written to standard output"));
    }
    Ok(())
}

/// The data that a state is made of must outlive it.
fn check_apart(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let Ok(target) = fs::canonicalize(output) else { return Ok(()) };
    if inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == target)) {
        return Err(Failure::usage(format!("-o {} would overwrite an input", output.display())));
    }
    Ok(())
}

/// Writes a state file as a whole or not at all.
pub(super) fn write(path: &Path, total: &Total) -> Result<(), Failure> {
    let refuse = |error: io::Error| Failure::input(path, error);
    let bytes = total.to_bytes();
    // What a link points to is replaced, not the link; and a pipe or a device is written to, not replaced by a file.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let known = fs::metadata(&target);
    match &known {
        Ok(known) if known.is_dir() => return Err(refuse(io::ErrorKind::IsADirectory.into())),
        Ok(known) if !known.is_file() => {
            let mut file = OpenOptions::new().write(true).open(&target).map_err(refuse)?;
            return file.write_all(&bytes).map_err(refuse);
        }
        // Renaming would replace it all the same.
        Ok(known) if known.permissions().readonly() => {
            return Err(Failure::input(path, "is read-only and is not replaced"));
        }
        _ => {}
    }
    let (beside, mut file) = create_beside(&target).map_err(refuse)?;
    let keep = |()| known.map_or(Ok(()), |known| fs::set_permissions(&beside, known.permissions()));
    let written = file.write_all(&bytes).and_then(keep).and_then(|()| file.sync_all());
    let written = written.and_then(|()| fs::rename(&beside, &target));
    written.map_err(|error| {
        // Its own failure would hide the one that matters.
        let _ = fs::remove_file(&beside);
        refuse(error)
    })
}

/// A new file in the target's directory, so that the renaming stays within one file system.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut attempt = 0;
    loop {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}", std::process::id()));
        let beside = target.with_file_name(hidden);
        match File::create_new(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}
