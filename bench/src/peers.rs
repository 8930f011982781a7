//! The peers in Python: a process that holds the same numbers and sums them on request.

use crate::engines::Contender;
use crate::number::Number;
use serde_json::Value;
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SCRIPT: &str = include_str!("../peers/sum.py");

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
    /// Starts one with these numbers. The error says what is missing.
    pub(crate) fn start<T: Number>(x: &[T]) -> Result<Python, String> {
        // The process has read the file when it first answers, so that the file need not outlive this function.
        let mut file = tempfile::NamedTempFile::new().map_err(|e| format!("a temporary file: {e}"))?;
        file.write_all(bytemuck::cast_slice(x)).map_err(|e| format!("a temporary file: {e}"))?;
        let mut command = Command::new("python3");
        command.args(["-c", SCRIPT]).arg(file.path()).arg(T::NAME);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = spawned.map_err(|_| "python3: not here, numpy.sum and math.fsum skipped".to_owned())?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("python3: no pipes, skipped".to_owned());
        };
        let mut talk = Talk { to, from: BufReader::new(from) };
        let hello = match talk.answer() {
            Ok(hello) => hello,
            Err(why) => {
                let _ = child.wait();
                return Err(format!("python3: {why}, numpy.sum and math.fsum skipped"));
            }
        };
        let text = |name: &str| hello[name].as_str().map(str::to_owned);
        let engines = hello["engines"].as_array().into_iter().flatten();
        let engines = engines.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let python = text("python").unwrap_or_default();
        let about = match text("numpy") {
            Some(numpy) => format!("Python {python}, NumPy {numpy}"),
            None => format!("numpy: not here, skipped (Python {python})"),
        };
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
