//! The suite `sum`: every engine on every kind of data, type, size and thread count asked for.

use crate::cases::{CALL_SIZES, DATA, Data};
use crate::contest::{Entry, hold};
use crate::engines::{ENGINES, Engine, Setup, Work};
use crate::measure::Effort;
use crate::number::Number;
use crate::peers::Python;
use crate::report::{Case, Report};
use samebits::Queue;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What is to be measured.
pub(crate) struct Plan {
    pub(crate) sizes: Vec<usize>,
    pub(crate) types: Vec<&'static str>,
    pub(crate) threads: Vec<usize>,
    pub(crate) data: Vec<&'static Data>,
    pub(crate) engines: Vec<&'static Engine>,
    pub(crate) isa: String,
    pub(crate) effort: Effort,
    /// Whether to time calls with hardly any data as well.
    pub(crate) calls: bool,
}

impl Plan {
    /// Everything, with the best instruction set or the one asked for.
    pub(crate) fn new(isa: Option<&str>) -> Result<Plan, String> {
        let queue = Queue::cpu().and_then(|queue| match isa {
            Some(isa) => queue.with_isa(isa),
            None => Ok(queue),
        });
        Ok(Plan {
            sizes: crate::cases::SIZES.to_vec(),
            types: vec!["f64", "f32"],
            threads: vec![1, 2],
            data: DATA.iter().collect(),
            engines: ENGINES.iter().collect(),
            isa: queue.map_err(|e| e.to_string())?.isa().to_owned(),
            effort: Effort::FULL,
            calls: true,
        })
    }

    /// For the record.
    pub(crate) fn settings(&self) -> Value {
        let about: BTreeMap<&str, &str> = self.engines.iter().map(|e| (e.name, e.about)).collect();
        let data: BTreeMap<&str, &str> = self.data.iter().map(|d| (d.name, d.about)).collect();
        json!({
            "isa": self.isa,
            "engines": about,
            "data": data,
            "seconds_per_engine": self.effort.seconds,
            "sample_ms": self.effort.sample_ns / 1e6,
            "alignment": 64,
        })
    }
}

/// Runs the plan. Answers how many sums of ours were wrong; those were not timed.
pub(crate) fn run(plan: &Plan, report: &mut Report) -> Result<usize, String> {
    let mut wrong = 0;
    for kind in &plan.types {
        wrong += match *kind {
            "f32" => of_type::<f32>(plan, report)?,
            _ => of_type::<f64>(plan, report)?,
        };
    }
    if wrong > 0 {
        report.remark(&format!("{wrong} sums of samebits differ from the reference: see above"));
    }
    Ok(wrong)
}

fn of_type<T: Number>(plan: &Plan, report: &mut Report) -> Result<usize, String> {
    let setups: Result<Vec<Setup<T>>, String> = plan.threads.iter().map(|&n| Setup::new(&plan.isa, n)).collect();
    let setups = setups?;
    let mut wrong = 0;
    for data in plan.data.iter().filter(|data| data.suits::<T>()) {
        for &n in &plan.sizes {
            wrong += Group::new(plan, data, n, report).of_setups(&setups, report)?;
        }
    }
    if plan.calls {
        let single = [Setup::<T>::new(&plan.isa, 1)?];
        for &n in CALL_SIZES {
            let mut group = Group::new(plan, &DATA[0], n, report);
            group.engines.retain(|e| matches!(e.work, Work::Plain | Work::IterSum | Work::Folds(3) | Work::Exact));
            wrong += group.of_setups(&single, report)?;
        }
    }
    Ok(wrong)
}

/// The cases that share their numbers.
struct Group<T: Number> {
    data: &'static Data,
    n: usize,
    x: crate::cases::Aligned<T>,
    engines: Vec<&'static Engine>,
    python: Option<Python>,
    effort: Effort,
    /// What the reference device says, by engine; under no name the exact sum.
    reference: BTreeMap<&'static str, u64>,
}

impl<T: Number> Group<T> {
    fn new(plan: &Plan, data: &'static Data, n: usize, report: &mut Report) -> Group<T> {
        let suits = |engine: &&Engine| (engine.nan || !data.nan) && n <= engine.most;
        let engines: Vec<&'static Engine> = plan.engines.iter().copied().filter(suits).collect();
        let x = data.make(n);
        let remote = engines.iter().any(|e| e.work == Work::Python) && plan.threads.contains(&1) && n > 100;
        let started = remote.then(|| Python::start::<T>("sum", 1, &[bytemuck::cast_slice(x.as_slice())]));
        let python = match started {
            Some(Ok(python)) => {
                report.remark(&python.about);
                Some(python)
            }
            Some(Err(why)) => {
                report.remark(&why);
                None
            }
            None => None,
        };
        Group { data, n, x, engines, python, effort: plan.effort, reference: BTreeMap::new() }
    }

    fn of_setups(&mut self, setups: &[Setup<T>], report: &mut Report) -> Result<usize, String> {
        let mut wrong = 0;
        for setup in setups {
            let (case, faults) = self.case(setup)?;
            report.case(&case);
            wrong += faults;
        }
        Ok(wrong)
    }

    /// What the engine should give: ours its mode's bits, an exact peer the exact sum, others nothing.
    fn expected(&mut self, engine: &'static Engine) -> Result<Option<u64>, String> {
        if !engine.is_ours() && !engine.exact {
            return Ok(None);
        }
        let key = if engine.exact { "" } else { engine.name };
        if let Some(&bits) = self.reference.get(key) {
            return Ok(Some(bits));
        }
        let bits = engine.reference(self.x.as_slice())?;
        self.reference.insert(key, bits);
        Ok(Some(bits))
    }

    /// Checks every engine's sum, then times those that may be timed.
    fn case(&mut self, setup: &Setup<T>) -> Result<(Case, usize), String> {
        let threads = setup.queue.threads();
        let engines: Vec<&'static Engine> =
            self.engines.iter().copied().filter(|engine| threads == 1 || engine.threads).collect();
        let mut expected = Vec::new();
        for &engine in &engines {
            expected.push(self.expected(engine)?);
        }
        let x = self.x.as_slice();
        let mut entries = Vec::new();
        for (engine, expected) in engines.into_iter().zip(expected) {
            let within = engine.contender(setup, x)?;
            let remote = || self.python.as_ref().and_then(|python| python.contender(engine.name));
            let Some(contender) = within.or_else(remote) else { continue };
            entries.push(Entry { name: engine.name, ours: engine.is_ours(), expected, contender });
        }
        let data = self.data.name.to_owned();
        let (bytes, isa) = (size_of_val(x), setup.queue.isa());
        let case = Case { kind: T::NAME, data, n: self.n, bytes, threads, isa, rows: Vec::new() };
        Ok(hold::<T>(case, entries, self.effort))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole suite, on every instruction set, long enough for two threads to share the work.
    #[test]
    fn every_engine_runs_and_ours_are_right() {
        let devices = samebits::devices().expect("devices");
        for isa in devices.into_iter().flat_map(|device| device.isas) {
            let mut plan = Plan::new(Some(isa)).expect("a plan");
            plan.sizes = vec![101, 66_000];
            plan.effort = Effort { sample_ns: 1.0, fewest_cached: 1, fewest_in_memory: 1, most: 1, seconds: 0.0 };
            let mut report = Report::new("sum", plan.settings());
            assert_eq!(run(&plan, &mut report), Ok(0), "{isa}");
        }
    }
}
