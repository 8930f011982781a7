//! One case: every engine is checked, then those that may be timed are timed in turns.

use crate::engines::Contender;
use crate::measure::{Effort, Timing, in_turns};
use crate::number::{Number, hex};
use crate::report::{Case, Row};

/// An engine in a case.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'static str,
    /// Whether its bits are promised, so that others would be a defect here.
    pub(crate) ours: bool,
    /// The bits it should give, if it claims any.
    pub(crate) expected: Option<u64>,
    pub(crate) contender: Box<dyn Contender + 'a>,
}

/// Fills the rows of the case. Answers with it how many results of ours were wrong; those were not timed.
pub(crate) fn hold<T: Number>(mut case: Case, entries: Vec<Entry<'_>>, effort: Effort) -> (Case, usize) {
    let (mut rows, mut contenders, mut wrong) = (Vec::new(), Vec::new(), 0);
    for mut entry in entries {
        let mut row = Row { engine: entry.name, timing: Timing::default(), bits: String::new(), note: String::new() };
        match judge::<T>(&mut entry) {
            Ok((bits, note)) => (row.bits, row.note) = (hex::<T>(bits), note),
            Err(why) => {
                wrong += usize::from(entry.ours);
                row.note = why;
                rows.push((row, None));
                continue;
            }
        }
        rows.push((row, Some(contenders.len())));
        contenders.push(entry.contender);
    }
    let timings = in_turns(&mut contenders, case.bytes, effort);
    let timed = |(mut row, place): (Row, Option<usize>)| {
        match place.map(|place| timings[place].clone()) {
            Some(Ok(timing)) => row.timing = timing,
            Some(Err(why)) => row.note = why,
            None => {}
        }
        row
    };
    case.rows = rows.into_iter().map(timed).collect();
    (case, wrong)
}

/// The bits, and a note on them. Wrong bits of ours are an error: a wrong result is not worth timing.
fn judge<T: Number>(entry: &mut Entry<'_>) -> Result<(u64, String), String> {
    let bits = entry.contender.bits()?;
    match entry.expected {
        Some(right) if right != bits && entry.ours => {
            Err(format!("WRONG, not timed: {}, the reference says {}", hex::<T>(bits), hex::<T>(right)))
        }
        Some(right) if right != bits => Ok((bits, format!("not the exact result {}", hex::<T>(right)))),
        _ => Ok((bits, String::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Says(u64);

    impl Contender for Says {
        fn bits(&mut self) -> Result<u64, String> {
            Ok(self.0)
        }
        fn time(&mut self, _: u64) -> Result<f64, String> {
            Ok(1.0)
        }
    }

    #[test]
    fn wrong_results_are_not_timed() {
        let judged =
            |ours, expected| judge::<f32>(&mut Entry { name: "", ours, expected, contender: Box::new(Says(1)) });
        let wrong = "WRONG, not timed: 00000001, the reference says 00000002".to_owned();
        assert_eq!(judged(true, Some(2)), Err(wrong));
        assert_eq!(judged(false, Some(2)), Ok((1, "not the exact result 00000002".to_owned())));
        assert_eq!(judged(false, None), Ok((1, String::new())));
    }
}
