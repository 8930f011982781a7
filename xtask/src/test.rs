//! `cargo xtask test`: everything, and one line of totals at the end.

use crate::asan::{self, Outcome};
use crate::process::{cargo, run_watched, skipped};
use crate::totals::Totals;

pub(crate) fn run() -> bool {
    let mut totals = Totals::default();
    let mut command = cargo();
    command.args(["test", "--workspace", "--all-features", "--no-fail-fast"]);
    let fine = run_watched(&mut command, |line| totals.see(line));
    if !fine && totals.failed == 0 {
        // No test failed by its own word: the build broke, or a test program died before it could say so.
        println!("failed: the workspace does not build, or a test program crashed; see above");
        totals.failed += 1;
    }

    // The same tests again are one more test, so that the totals still count each test once.
    if !fine {
        totals.skipped += 1;
        skipped("AddressSanitizer", "the plain tests failed already");
    } else {
        match asan::outcome() {
            Outcome::Passed => totals.passed += 1,
            Outcome::Failed => totals.failed += 1,
            Outcome::Skipped => totals.skipped += 1,
        }
    }
    println!("{totals}");
    totals.failed == 0
}
