//! Counting what test runs report.

use std::fmt;

/// Tests counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Totals {
    /// Counts a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; ..`; other lines count nothing.
    pub(crate) fn see(&mut self, line: &str) {
        let Some(result) = line.trim_start().strip_prefix("test result: ") else { return };
        let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
        for part in counts.split(';') {
            let mut words = part.split_whitespace();
            let (Some(count), Some(what)) = (words.next().and_then(|n| n.parse::<u64>().ok()), words.next()) else {
                continue;
            };
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.skipped += count,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 { write!(f, ", {} skipped", self.skipped) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Totals;

    #[test]
    fn result_lines_add_up() {
        let mut totals = Totals::default();
        for line in [
            "running 3 tests",
            "test result: ok. 13 passed; 0 failed; 2 ignored; 0 measured; 7 filtered out; finished in 0.18s\n",
            "test result: FAILED. 1 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
            "test some::test ... ok",
        ] {
            totals.see(line);
        }
        assert_eq!(totals, Totals { passed: 14, failed: 4, skipped: 2 });
        assert_eq!(totals.to_string(), "14 passed, 4 failed, 2 skipped");
        assert_eq!(Totals { passed: 1, ..Totals::default() }.to_string(), "1 passed, 0 failed");
    }
}
