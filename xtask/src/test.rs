//! `cargo xtask test`: everything, and one line of totals at the end.

use crate::asan;
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
    match asan::command() {
        Err(why) => {
            totals.skipped += 1;
            skipped("AddressSanitizer", why);
        }
        Ok(_) if !fine => {
            totals.skipped += 1;
            skipped("AddressSanitizer", "the plain tests failed already");
        }
        Ok(mut command) => {
            if run_watched(&mut command, |_| {}) {
                totals.passed += 1;
            } else {
                println!("failed: the tests under AddressSanitizer; `cargo xtask asan` runs them alone");
                totals.failed += 1;
            }
        }
    }
    println!("{totals}");
    totals.failed == 0
}
