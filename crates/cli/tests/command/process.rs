//! Runs the command and writes the files it reads.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// The lines of standard output, after a check that all went well and nothing was complained about.
    pub(crate) fn lines(&self) -> Vec<&str> {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{self:?}");
        self.out.lines().collect()
    }

    /// The JSON objects on standard output.
    pub(crate) fn objects(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Fails with this code, says nothing on standard output and one line on standard error, which contains all `words`.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        self.complains(words);
    }

    /// One line on standard error, which contains all `words`.
    #[track_caller]
    pub(crate) fn complains(&self, words: &[&str]) {
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        assert!(self.err.starts_with("samebits: "), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in {self:?}");
        }
    }
}

/// The command, in a folder, without what the environment may have set.
pub(crate) fn command(files: &Files) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_samebits"));
    command.current_dir(files.dir.path()).env_remove("SAMEBITS_ISA").stdin(Stdio::null());
    command
}

/// A folder of files that vanishes at the end of the test.
#[derive(Debug)]
pub(crate) struct Files {
    dir: TempDir,
}

impl Files {
    pub(crate) fn new() -> Self {
        Files { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn f64(&self, name: &str, values: &[f64]) {
        self.write(name, doubles(values));
    }

    pub(crate) fn f32(&self, name: &str, values: &[f32]) {
        self.write(name, singles(values));
    }

    /// Runs the command in the folder.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        finish(command(self).args(args), b"")
    }

    /// Runs the command with text on standard input.
    pub(crate) fn pipe<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>, input: impl AsRef<[u8]>) -> Run {
        finish(command(self).args(args), input.as_ref())
    }
}

pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that ends without reading all is fine.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub(crate) fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub(crate) fn singles(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A .npy file around the bytes of its elements.
pub(crate) fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// A .npz file of arrays.
pub(crate) fn npz(members: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
    let method = if deflated { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Numbers of many sizes and both signs, whose plain sum depends on the order.
pub(crate) fn numbers(n: usize) -> Vec<f64> {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    (0..n)
        .map(|_| {
            let exponent = random() % 40;
            (random() as f64 - (1u64 << 52) as f64) / (1u64 << exponent) as f64
        })
        .collect()
}
