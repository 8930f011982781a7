//! What the suites `scan`, `dot`, `norm` and `group` have in common.

use crate::contest::{Entry, hold};
use crate::engines::{Contender, Setup};
use crate::measure::Effort;
use crate::number::Number;
use crate::peers::Python;
use crate::report::{Case, Report};
use samebits::Queue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// An engine by name, and what it is.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}

/// A suite: its engines, the first of which is what the others are compared with, and how it is run for a type.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    pub(crate) sizes: &'static [usize],
    pub(crate) quick_sizes: &'static [usize],
    pub(crate) engines: &'static [About],
    pub(crate) doubles: fn(&Plan, &mut Report) -> Result<usize, String>,
    pub(crate) singles: fn(&Plan, &mut Report) -> Result<usize, String>,
}

/// What is to be measured.
pub(crate) struct Plan {
    pub(crate) sizes: Vec<usize>,
    pub(crate) types: Vec<&'static str>,
    pub(crate) threads: Vec<usize>,
    pub(crate) engines: Vec<&'static About>,
    /// How many groups, in the suite `group`.
    pub(crate) groups: Vec<usize>,
    pub(crate) isa: String,
    pub(crate) effort: Effort,
}

impl Plan {
    /// All of a suite, with the best instruction set or the one asked for.
    pub(crate) fn new(suite: &Suite, isa: Option<&str>) -> Result<Plan, String> {
        let queue = Queue::cpu().and_then(|queue| match isa {
            Some(isa) => queue.with_isa(isa),
            None => Ok(queue),
        });
        Ok(Plan {
            sizes: suite.sizes.to_vec(),
            types: vec!["f64", "f32"],
            threads: vec![1, 2],
            engines: suite.engines.iter().collect(),
            groups: vec![100, 10_000, 1_000_000],
            isa: queue.map_err(|e| e.to_string())?.isa().to_owned(),
            effort: Effort::FULL,
        })
    }

    /// For the record.
    pub(crate) fn settings(&self) -> Value {
        let about: BTreeMap<&str, &str> = self.engines.iter().map(|engine| (engine.name, engine.about)).collect();
        json!({
            "isa": self.isa,
            "engines": about,
            "data": "uniform in (-1, 1)",
            "seconds_per_engine": self.effort.seconds,
            "sample_ms": self.effort.sample_ns / 1e6,
            "alignment": 64,
        })
    }

    /// Whether an engine is asked for.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.engines.iter().any(|engine| engine.name == name)
    }
}

/// Runs the plan. Answers how many results of ours were wrong; those were not timed.
pub(crate) fn run(suite: &Suite, plan: &Plan, report: &mut Report) -> Result<usize, String> {
    let mut wrong = 0;
    for kind in &plan.types {
        wrong += if *kind == "f32" { (suite.singles)(plan, report)? } else { (suite.doubles)(plan, report)? };
    }
    if wrong > 0 {
        report.remark(&format!("{wrong} results of samebits differ from the reference: see above"));
    }
    Ok(wrong)
}

/// The engines of a case, as they are put together.
pub(crate) struct Field<'a> {
    plan: &'a Plan,
    entries: Vec<Entry<'a>>,
}

impl<'a> Field<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Field<'a> {
        Field { plan, entries: Vec::new() }
    }

    /// Adds an engine whose bits nobody promised, if it is asked for.
    pub(crate) fn peer(&mut self, name: &'static str, work: impl FnMut() -> Result<u64, String> + 'a) {
        self.add(name, false, Box::new(Call { work, check: || Ok(()) }));
    }

    /// Adds an engine of ours, if it is asked for. `check` looks at all it has left behind.
    pub(crate) fn ours(
        &mut self,
        name: &'static str,
        work: impl FnMut() -> Result<u64, String> + 'a,
        check: impl FnMut() -> Result<(), String> + 'a,
    ) {
        self.add(name, true, Box::new(Call { work, check }));
    }

    /// Adds those engines of the Python process that are asked for, and that make use of so many threads.
    pub(crate) fn remote(&mut self, python: Option<&'a Python>, threads: usize) {
        let plan = self.plan;
        for about in plan.engines.iter().filter(|about| threads == 1 || matches!(about.name, "numpy.dot" | "polars")) {
            if let Some(contender) = python.and_then(|python| python.contender(about.name)) {
                self.add(about.name, false, contender);
            }
        }
    }

    fn add(&mut self, name: &'static str, ours: bool, contender: Box<dyn Contender + 'a>) {
        if self.plan.has(name) {
            self.entries.push(Entry { name, ours, expected: None, contender });
        }
    }

    /// Measures them all, on `bytes` of data, in the order in which the suite lists them.
    pub(crate) fn hold<T: Number>(
        mut self,
        (data, n, bytes): (String, usize, usize),
        setup: &Setup<T>,
        report: &mut Report,
    ) -> usize {
        let place = |entry: &Entry<'_>| self.plan.engines.iter().position(|about| about.name == entry.name);
        self.entries.sort_by_key(place);
        let (threads, isa) = (setup.queue.threads(), setup.queue.isa());
        let case = Case { kind: T::NAME, data, n, bytes, threads, isa, rows: Vec::new() };
        let (case, wrong) = hold::<T>(case, self.entries, self.plan.effort);
        report.case(&case);
        wrong
    }
}

/// The Python process for a case, if one of its engines is asked for; the report tells what is not there.
pub(crate) fn python<T: Number>(
    plan: &Plan,
    suite: &str,
    threads: usize,
    arrays: &[&[u8]],
    report: &mut Report,
) -> Option<Python> {
    let wanted = plan.engines.iter().any(|about| about.name.starts_with("numpy") || about.name == "polars");
    match wanted.then(|| Python::start::<T>(suite, threads, arrays))? {
        Ok(python) => {
            report.remark(&python.about);
            Some(python)
        }
        Err(why) => {
            report.remark(&why);
            None
        }
    }
}

/// A contender of this process: a call that does all the work and answers some bits of the result.
struct Call<F, C> {
    work: F,
    check: C,
}

impl<F: FnMut() -> Result<u64, String>, C: FnMut() -> Result<(), String>> Contender for Call<F, C> {
    fn bits(&mut self) -> Result<u64, String> {
        let bits = (self.work)()?;
        (self.check)()?;
        Ok(bits)
    }

    fn time(&mut self, loops: u64) -> Result<f64, String> {
        let start = Instant::now();
        for _ in 0..loops {
            std::hint::black_box((self.work)())?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e9)
    }
}

/// A digest of the bits of many results, in their order.
pub(crate) fn digest<T: Number>(results: &[T]) -> u64 {
    results.iter().fold(0xcbf2_9ce4_8422_2325, |hash, result| {
        (hash ^ result.bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}

/// Compares what came of it, or a digest of it, with that of the reference device.
pub(crate) fn same(found: u64, expected: u64) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err("WRONG, not timed: not what the reference gives".to_owned()) }
}
