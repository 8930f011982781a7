//! Files that are written as a whole or not at all: beside their place first, then renamed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A file to be put in its place at the end. Dropped before that, it vanishes.
#[derive(Debug)]
pub(crate) struct Beside {
    /// As the user calls it.
    path: PathBuf,
    target: PathBuf,
    /// What is there already.
    known: Option<Metadata>,
    beside: PathBuf,
    file: File,
    placed: bool,
}

impl Beside {
    /// Begins a file. What a link points to will be replaced, not the link; a pipe or a device is refused.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let refuse = |error: io::Error| Failure::input(path, error);
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let known = fs::metadata(&target).ok();
        match &known {
            Some(known) if known.is_dir() => return Err(refuse(io::ErrorKind::IsADirectory.into())),
            Some(known) if !known.is_file() => {
                return Err(Failure::input(path, "is no regular file, and only such a one can be written beside"));
            }
            // Renaming would replace it all the same.
            Some(known) if known.permissions().readonly() => {
                return Err(Failure::input(path, "is read-only and is not replaced"));
            }
            _ => {}
        }
        let (beside, file) = create_beside(&target).map_err(refuse)?;
        Ok(Beside { path: path.to_owned(), target, known, beside, file, placed: false })
    }

    /// The file, to be written.
    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// The failure of a write.
    pub(crate) fn failed(&self, error: io::Error) -> Failure {
        Failure::input(&self.path, error)
    }

    /// Puts the file in its place, with the permissions of what was there.
    pub(crate) fn place(mut self) -> Result<(), Failure> {
        let keep = self.known.take().map_or(Ok(()), |known| fs::set_permissions(&self.beside, known.permissions()));
        let placed = keep.and_then(|()| self.file.sync_all()).and_then(|()| fs::rename(&self.beside, &self.target));
        self.placed = placed.is_ok();
        placed.map_err(|error| self.failed(error))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.placed {
            // Its own failure would hide the one that matters.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// Writes all of a small file; a pipe or a device is written to, not replaced.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let known = fs::metadata(path);
    if known.is_ok_and(|known| !known.is_dir() && !known.is_file()) {
        let file = OpenOptions::new().write(true).open(path);
        return file.and_then(|mut file| file.write_all(bytes)).map_err(|error| Failure::input(path, error));
    }
    let mut beside = Beside::create(path)?;
    let written = beside.file().write_all(bytes);
    written.map_err(|error| beside.failed(error))?;
    beside.place()
}

/// What is written is no text, and goes to a file only.
pub(crate) fn check_name(path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::usage("-o takes the name of a file: this is not written to standard output"));
    }
    Ok(())
}

/// The data that a file is made of must outlive it.
pub(crate) fn check_apart<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    let Ok(target) = fs::canonicalize(output) else { return Ok(()) };
    if inputs.into_iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == target)) {
        return Err(Failure::usage(format!("-o {} would overwrite an input", output.display())));
    }
    Ok(())
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
