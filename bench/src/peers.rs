//! The peers in Python: a process that holds the same numbers and works on them on request.

use crate::engines::Contender;
use crate::number::Number;
use serde_json::Value;
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SCRIPT: &str = include_str!("../peers/peers.py");

/// A Python process.
pub(crate) struct Python {
    child: Child,
    talk: RefCell<Talk>,
    /// The engines that it has.
    engines: Vec<String>,
    /// Versions, and what is not there.
    pub(crate) about: String,
}

struct Talk {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Python {
    /// Starts one for a suite, with these arrays of numbers. The error says what is missing.
    pub(crate) fn start<T: Number>(suite: &str, threads: usize, arrays: &[&[u8]]) -> Result<Python, String> {
        // The process has read the files when it first answers, so that they need not outlive this function.
        let fault = |e| format!("a temporary file: {e}");
        let mut files = Vec::new();
        for array in arrays {
            let mut file = tempfile::NamedTempFile::new().map_err(fault)?;
            file.write_all(array).map_err(fault)?;
            files.push(file);
        }
        let mut command = Command::new("python3");
        command.args(["-c", SCRIPT, suite, T::NAME]).args(files.iter().map(tempfile::NamedTempFile::path));
        for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"] {
            command.env(variable, threads.to_string());
        }
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = spawned.map_err(|_| "python3: not here, the peers in Python skipped".to_owned())?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("python3: no pipes, skipped".to_owned());
        };
        let mut talk = Talk { to, from: BufReader::new(from) };
        let hello = match talk.answer() {
            Ok(hello) => hello,
            Err(why) => {
                let _ = child.wait();
                return Err(format!("python3: {why}, the peers in Python skipped"));
            }
        };
        let text = |name: &str| hello[name].as_str().map(str::to_owned);
        let engines = hello["engines"].as_array().into_iter().flatten();
        let engines = engines.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let python = text("python").unwrap_or_default();
        let version = |name: &str, module: &str| match text(module) {
            Some(version) => format!("{name} {version}"),
            None => format!("{module}: not here, skipped"),
        };
        let mut about = format!("Python {python}, {}", version("NumPy", "numpy"));
        if suite == "group" {
            about += &format!(", {}", version("Polars", "polars"));
        }
        Ok(Python { child, talk: RefCell::new(talk), engines, about })
    }

    /// One of its engines, if it has it.
    pub(crate) fn contender(&self, name: &'static str) -> Option<Box<dyn Contender + '_>> {
        self.engines.iter().any(|engine| engine == name).then(|| Box::new(Remote { python: self, name }) as Box<_>)
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It waits for a request that will not come.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Talk {
    fn answer(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        match self.from.read_line(&mut line) {
            Ok(0) => Err("ended without an answer".to_owned()),
            Ok(_) => serde_json::from_str(&line).map_err(|e| format!("answered {line:?}: {e}")),
            Err(e) => Err(e.to_string()),
        }
    }
}

struct Remote<'a> {
    python: &'a Python,
    name: &'static str,
}

impl Remote<'_> {
    fn ask(&self, loops: u64) -> Result<Value, String> {
        let mut talk = self.python.talk.borrow_mut();
        writeln!(talk.to, "{} {loops}", self.name).and_then(|()| talk.to.flush()).map_err(|e| e.to_string())?;
        let answer = talk.answer()?;
        match answer["error"].as_str() {
            Some(why) => Err(why.to_owned()),
            None => Ok(answer),
        }
    }
}

impl Contender for Remote<'_> {
    fn bits(&mut self) -> Result<u64, String> {
        let answer = self.ask(1)?;
        let bits = answer["bits"].as_str().and_then(|bits| u64::from_str_radix(bits, 16).ok());
        bits.ok_or_else(|| format!("no bits in {answer}"))
    }

    fn time(&mut self, loops: u64) -> Result<f64, String> {
        let answer = self.ask(loops)?;
        answer["ns"].as_f64().ok_or_else(|| format!("no time in {answer}"))
    }
}
