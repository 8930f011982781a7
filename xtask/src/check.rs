//! `cargo xtask check`: runs every guard and counts them.

use crate::guard::{self, Verdict};

pub(crate) fn run() -> bool {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for guard in guard::ALL {
        match (guard.run)() {
            Verdict::Skipped(why) => {
                skipped += 1;
                crate::process::skipped(guard.name, &why);
            }
            Verdict::Findings(findings) if findings.is_empty() => {
                passed += 1;
                println!("ok: {}", guard.name);
            }
            Verdict::Findings(findings) => {
                failed += 1;
                for finding in &findings {
                    println!("{finding}");
                }
                println!("failed: {}", guard.name);
            }
        }
    }
    let skips = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
    println!("check: {passed} guards passed, {failed} failed{skips}");
    failed == 0
}
