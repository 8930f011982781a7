//! What is told: tables while it runs, and at the end a record of everything.

use crate::machine::Machine;
use crate::measure::Timing;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What was measured together, and may be compared.
pub(crate) struct Case {
    pub(crate) kind: &'static str,
    pub(crate) data: String,
    pub(crate) n: usize,
    pub(crate) bytes: usize,
    pub(crate) threads: usize,
    pub(crate) isa: &'static str,
    pub(crate) rows: Vec<Row>,
}

/// An engine's line.
pub(crate) struct Row {
    pub(crate) engine: &'static str,
    pub(crate) timing: Timing,
    /// All digits, or nothing if there was no sum.
    pub(crate) bits: String,
    pub(crate) note: String,
}

impl Case {
    /// Up to this size the time of a call is told, beyond it the time of an element.
    const CALL: usize = 100;

    /// What times are divided by.
    fn elements(&self) -> f64 {
        if self.n <= Self::CALL { 1.0 } else { self.n as f64 }
    }

    fn unit(&self) -> &'static str {
        if self.n <= Self::CALL { "ns a call" } else { "ns an element" }
    }

    /// Median over median and minimum over minimum, against the plain code of the same case.
    fn ratios(&self, timing: &Timing) -> Option<(f64, f64)> {
        let plain = &self.rows.iter().find(|row| row.engine == "plain" && !row.timing.samples.is_empty())?.timing;
        (!timing.samples.is_empty()).then(|| (timing.median() / plain.median(), timing.min() / plain.min()))
    }

    pub(crate) fn text(&self) -> String {
        let Case { kind, data, n, threads, isa, .. } = self;
        let size = match self.bytes {
            0..1_000_000 => format!("{} kB", self.bytes as f64 / 1e3),
            _ => format!("{} MB", self.bytes as f64 / 1e6),
        };
        let plural = if *threads == 1 { "" } else { "s" };
        let mut text = format!("\n{kind} {data} n={n} ({size}), {threads} thread{plural}, {isa}, {}\n", self.unit());
        let head = ["engine", "median", "min", "x plain", "x (min)", "GB/s", "samples", "bits"];
        let [engine, rest @ ..] = head;
        let [median, min, ratio, ratio_min, speed, samples, bits] = rest;
        let _ = writeln!(
            text,
            "  {engine:<17} {median:>9} {min:>9} {ratio:>8} {ratio_min:>8} {speed:>7} {samples:>12}  {bits}"
        );
        for row in &self.rows {
            let Row { engine, timing, bits, note } = row;
            if timing.samples.is_empty() {
                let _ = writeln!(text, "  {engine:<17} {:>9}  {note} {bits}", "-");
                continue;
            }
            let (median, min) = (timing.median() / self.elements(), timing.min() / self.elements());
            let ratio = |pick: fn((f64, f64)) -> f64| {
                self.ratios(timing).map_or_else(|| "-".to_owned(), |both| format!("{:.2}", pick(both)))
            };
            let (ratio, ratio_min) = (ratio(|both| both.0), ratio(|both| both.1));
            let speed = self.bytes as f64 / timing.median();
            let note = if note.is_empty() { String::new() } else { format!(" {note}") };
            let samples = format!("{}x{}", timing.samples.len(), timing.loops);
            let _ = writeln!(
                text,
                "  {engine:<17} {median:>9.4} {min:>9.4} {ratio:>8} {ratio_min:>8} {speed:>7.2} {samples:>12}  {bits}{note}"
            );
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let row = |row: &Row| {
            let per = |ns: f64| if ns.is_nan() { Value::Null } else { json!(ns / self.elements()) };
            let ratios = self.ratios(&row.timing);
            json!({
                "engine": row.engine,
                "median_ns": per(row.timing.median()),
                "min_ns": per(row.timing.min()),
                "max_ns": per(row.timing.max()),
                "ratio": ratios.map(|both| both.0),
                "ratio_min": ratios.map(|both| both.1),
                "gb_per_s": (!row.timing.samples.is_empty()).then(|| self.bytes as f64 / row.timing.median()),
                "samples": row.timing.samples.len(),
                "loops": row.timing.loops,
                "bits": row.bits,
                "note": row.note,
            })
        };
        json!({
            "type": self.kind,
            "data": self.data,
            "n": self.n,
            "bytes": self.bytes,
            "threads": self.threads,
            "isa": self.isa,
            "unit": self.unit(),
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

/// Everything that was said and measured.
pub(crate) struct Report {
    suite: &'static str,
    machine: Machine,
    settings: Value,
    text: String,
    cases: Vec<Value>,
    remarks: Vec<String>,
}

impl Report {
    /// Begins with the machine.
    pub(crate) fn new(suite: &'static str, settings: Value) -> Report {
        let machine = Machine::here();
        let mut report = Report { suite, settings, text: String::new(), cases: vec![], remarks: vec![], machine };
        report.say(&report.machine.text());
        if cfg!(debug_assertions) {
            report.remark("a debug build: its times mean nothing");
        }
        report
    }

    fn say(&mut self, text: &str) {
        print!("{text}");
        self.text.push_str(text);
    }

    /// Says something once.
    pub(crate) fn remark(&mut self, remark: &str) {
        if !self.remarks.iter().any(|said| said == remark) {
            self.remarks.push(remark.to_owned());
            self.say(&format!("{remark}\n"));
        }
    }

    pub(crate) fn case(&mut self, case: &Case) {
        self.say(&case.text());
        self.cases.push(case.json());
    }

    /// Writes `SUITE-DATE.json` and `.txt` into the folder of the machine; `name` overrides the folder's. Answers
    /// the path without its ending. What was recorded before stays.
    pub(crate) fn record(&self, name: Option<&str>, isa: &str) -> Result<PathBuf, String> {
        let name = name.map_or_else(|| format!("{}-{isa}", self.machine.slug), str::to_owned);
        self.record_in(&records(), &name)
    }

    fn record_in(&self, records: &Path, name: &str) -> Result<PathBuf, String> {
        let folder = records.join(name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let stem = format!("{}-{}", self.suite, self.machine.day());
        let numbered = (2..).map(|i| format!("{stem}-{i}"));
        let mut stems = std::iter::once(stem.clone()).chain(numbered);
        let free = stems.find(|stem| !folder.join(format!("{stem}.json")).exists()).unwrap_or(stem);
        let record = json!({
            "suite": self.suite,
            "machine": self.machine.json(),
            "settings": self.settings,
            "remarks": self.remarks,
            "cases": self.cases,
        });
        let json = serde_json::to_string_pretty(&record).map_err(|e| e.to_string())? + "\n";
        for (ending, content) in [("json", &json), ("txt", &self.text)] {
            let path = folder.join(format!("{free}.{ending}"));
            std::fs::write(&path, content).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        Ok(folder.join(free))
    }
}

/// The repository's folder of records, or one here if the program was taken elsewhere.
fn records() -> PathBuf {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    if bench.join("Cargo.toml").is_file() { bench.join("record") } else { PathBuf::from("record") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> Case {
        let row = |engine, samples: &[f64]| Row {
            engine,
            timing: Timing { loops: 3, samples: samples.to_vec() },
            bits: "00".to_owned(),
            note: "a note".to_owned(),
        };
        let rows = vec![row("plain", &[1000.0, 2000.0, 3000.0]), row("k3", &[2000.0, 3000.0, 9000.0]), row("x", &[])];
        Case { kind: "f64", data: "uniform".to_owned(), n: 1000, bytes: 8000, threads: 1, isa: "avx2", rows }
    }

    #[test]
    fn figures_are_those_of_an_element() {
        let row = &case().json()["rows"][1];
        assert_eq!((row["median_ns"].as_f64(), row["min_ns"].as_f64()), (Some(3.0), Some(2.0)));
        assert_eq!((row["ratio"].as_f64(), row["ratio_min"].as_f64()), (Some(1.5), Some(2.0)));
        let text = case().text();
        assert!(
            text.contains("k3                   3.0000    2.0000     1.50     2.00    2.67          3x3"),
            "{text}"
        );
        assert!(case().json()["rows"][2]["median_ns"].is_null());
    }

    #[test]
    fn records_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut report = Report::new("sum", json!({}));
        report.case(&case());
        report.remark("once");
        report.remark("once");
        let paths = [(); 2].map(|()| report.record_in(folder.path(), "m").expect("written"));
        assert_eq!(paths[1].display().to_string(), format!("{}-2", paths[0].display()));
        let text = std::fs::read_to_string(paths[0].with_extension("txt")).expect("text");
        assert_eq!(text.matches("once").count(), 1);
        let json = std::fs::read_to_string(paths[1].with_extension("json")).expect("json");
        let json: Value = serde_json::from_str(&json).expect("json");
        assert_eq!(json["cases"][0]["rows"][0]["engine"], "plain");
    }
}
