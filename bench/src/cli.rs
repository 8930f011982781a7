//! The suite `cli`: how long the program takes to sum a file, against `cat`, which only reads it.

use crate::cases::DATA;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What is to be timed.
pub(crate) struct Plan {
    /// The file. One is made, and removed afterwards, if there is none.
    pub(crate) file: Option<PathBuf>,
    /// How large a file to make, 10^9 bytes.
    pub(crate) gb: f64,
    /// The program; without it, the one next to this one.
    pub(crate) bin: Option<PathBuf>,
    pub(crate) repeats: usize,
}

pub(crate) fn run(plan: &Plan) -> Result<(), String> {
    let bin = program(plan.bin.as_deref())?;
    let made;
    let file = match plan.file.as_deref().filter(|file| file.exists()) {
        Some(file) => file,
        None => {
            println!("no file: making one of {} GB, removed at the end", plan.gb);
            made = make((plan.gb * 1e9 / 8.0) as usize).map_err(|e| format!("a temporary file: {e}"))?;
            made.path()
        }
    };
    let bytes = std::fs::metadata(file).map_err(|e| format!("{}: {e}", file.display()))?.len();
    let mut cat = Command::new("cat");
    cat.arg(file);
    let mut sum = Command::new(&bin);
    sum.arg("sum").arg(file);
    // Once untimed, so that the file is in the page cache for both, if it fits there at all.
    println!("{}", timed(&mut cat, "cat").and_then(|_| said(&mut sum))?);
    let (mut cats, mut sums) = (Vec::new(), Vec::new());
    for _ in 0..plan.repeats.max(1) {
        cats.push(timed(&mut cat, "cat")?);
        sums.push(timed(&mut sum, "samebits sum")?);
    }
    let (cat, sum) = (median(cats), median(sums));
    let speed = |seconds: f64| bytes as f64 / seconds / 1e9;
    println!("{bytes} bytes, median of {} in turns", plan.repeats.max(1));
    println!("  cat FILE           {cat:8.3} s  {:6.2} GB/s", speed(cat));
    println!("  samebits sum FILE  {sum:8.3} s  {:6.2} GB/s", speed(sum));
    println!("  ratio              {:8.2}", sum / cat);
    Ok(())
}

fn program(asked: Option<&Path>) -> Result<PathBuf, String> {
    let next_to_this = || std::env::current_exe().ok().map(|path| path.with_file_name("samebits"));
    let path = asked.map(Path::to_owned).or_else(next_to_this).unwrap_or_else(|| "target/release/samebits".into());
    // In full, so that a name without a folder is not looked up in PATH.
    path.canonicalize().map_err(|e| {
        format!("{}: {e}; `cargo build --release -p samebits-cli` makes it, --bin names another", path.display())
    })
}

fn timed(command: &mut Command, name: &str) -> Result<f64, String> {
    command.stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().map_err(|e| format!("{name}: {e}"))?;
    let seconds = start.elapsed().as_secs_f64();
    if status.success() { Ok(seconds) } else { Err(format!("{name}: {status}")) }
}

fn said(command: &mut Command) -> Result<String, String> {
    let output = command.stdout(Stdio::piped()).output().map_err(|e| e.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    } else {
        Err(format!("samebits sum: {}", String::from_utf8_lossy(&output.stderr).trim_end()))
    }
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    (seconds[(seconds.len() - 1) / 2] + seconds[seconds.len() / 2]) / 2.0
}

/// A .npy file of `n` doubles: a few million drawn ones, over and over.
fn make(n: usize) -> std::io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().suffix(".npy").tempfile()?;
    file.write_all(&npy_header(n))?;
    let part = DATA[0].make::<f64>(n.min(1 << 22));
    let mut left = n;
    while left > 0 {
        let part = &part.as_slice()[..left.min(1 << 22)];
        let bytes: &[u8] = bytemuck::cast_slice(part);
        file.write_all(bytes)?;
        left -= part.len();
    }
    // Written to the disk before the clock runs, not while it does.
    file.as_file().sync_all()?;
    Ok(file)
}

/// NumPy's format 1.0: the header is padded so that the data begins at a multiple of 64 bytes.
fn npy_header(n: usize) -> Vec<u8> {
    let order = if cfg!(target_endian = "little") { '<' } else { '>' };
    let dictionary = format!("{{'descr': '{order}f8', 'fortran_order': False, 'shape': ({n},), }}");
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{dictionary:<width$}\n", width = length - 1).bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_one_that_the_library_reads() {
        let n = 5000;
        let file = make(n).expect("a file");
        assert_eq!(npy_header(n).len() % 64, 0);
        let bytes = std::fs::read(file.path()).expect("read");
        assert_eq!(bytes.len(), npy_header(n).len() + 8 * n);
        let found = samebits::io::open(file.path(), &samebits::io::Options::default()).expect("opened");
        let samebits::io::Source::Flat(flat) = found else { panic!("not read in place") };
        let mut chunk = samebits::io::Chunk::new();
        flat.read_at(0, &mut chunk, n).expect("read");
        let expected = DATA[0].make::<f64>(n);
        assert!(chunk.f64s.iter().map(|x| x.to_bits()).eq(expected.as_slice().iter().map(|x| x.to_bits())));
    }
}
