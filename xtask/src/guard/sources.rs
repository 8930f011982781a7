//! Rules about the text of the sources.

use super::code::{code_only, lines_with_word};
use super::{Finding, Source, Verdict, sources};

/// What may hold unsafe code: instruction sets, vendor and foreign interfaces, and the plain sum of the benchmarks.
const UNSAFE_ROOMS: [&str; 6] =
    ["crates/cpu/", "crates/gpu/", "crates/capi/", "crates/mpi/", "crates/py/", "bench/src/plain"];

/// The crate roots that must forbid it.
const SAFE_ROOTS: [&str; 7] = [
    "crates/core/src/lib.rs",
    "crates/device/src/lib.rs",
    "crates/samebits/src/lib.rs",
    "crates/cli/src/lib.rs",
    "crates/cli/src/main.rs",
    "conformance/src/lib.rs",
    "xtask/src/main.rs",
];

const MOST_LINES: usize = 800;

const EMPTY_NAMES: [&str; 7] = ["utils", "util", "helpers", "helper", "common", "misc", "base"];

pub(super) fn forbid_unsafe() -> Verdict {
    let rust = sources(&[".rs"]);
    let roots = rust.iter().filter(|s| SAFE_ROOTS.contains(&s.path.as_str()));
    let mut findings = Vec::new();
    for root in roots {
        if !code_only(&root.text).contains("#![forbid(unsafe_code)]") {
            findings.push(root.finding(1, "add #![forbid(unsafe_code)]: this crate has no unsafe code"));
        }
        if root.path == "crates/core/src/lib.rs" && !code_only(&root.text).contains("no_std") {
            findings.push(root.finding(1, "add #![no_std]: the core runs without an operating system"));
        }
    }
    Verdict::Findings(findings)
}

pub(super) fn unsafe_rooms() -> Verdict {
    words_outside(
        "unsafe",
        &UNSAFE_ROOMS,
        "unsafe code belongs into crates/cpu, gpu, capi, mpi or py; find a safe way here",
    )
}

pub(super) fn fused() -> Verdict {
    let rooms = ["crates/core/src/eft", "crates/cpu/"];
    words_outside(
        "mul_add",
        &rooms,
        "a fused multiply-add rounds once instead of twice, so its bits differ: write the product and the sum apart, or move \
         an exact product to crates/core/src/eft or crates/cpu",
    )
}

fn words_outside(word: &str, rooms: &[&str], what: &str) -> Verdict {
    let rust = sources(&[".rs"]);
    let outside = rust.iter().filter(|source| !source.under(rooms));
    let find = |source: &Source| -> Vec<Finding> {
        lines_with_word(&code_only(&source.text), word).into_iter().map(|line| source.finding(line, what)).collect()
    };
    Verdict::Findings(outside.flat_map(find).collect())
}

pub(super) fn lengths() -> Verdict {
    let rust = sources(&[".rs"]);
    let long = rust.iter().map(|source| (source, source.text.lines().count())).filter(|(_, lines)| *lines > MOST_LINES);
    let what = |lines| format!("{lines} lines, and {MOST_LINES} is the limit: split it by what its parts are about");
    Verdict::Findings(long.map(|(source, lines)| source.finding(MOST_LINES + 1, what(lines))).collect())
}

pub(super) fn names() -> Verdict {
    let all = sources(&[""]);
    let empty = |source: &&Source| {
        let mut parts = source.path.split('/').map(|part| part.split('.').next().unwrap_or_default());
        parts.any(|stem| EMPTY_NAMES.contains(&stem))
    };
    let what = "a name that says nothing: name the file or folder after what is in it";
    Verdict::Findings(all.iter().filter(empty).map(|source| source.finding(1, what)).collect())
}

pub(super) fn tolerances() -> Verdict {
    Verdict::Findings(sources(&[".rs"]).iter().flat_map(tolerances_in).collect())
}

fn tolerances_in(source: &Source) -> Vec<Finding> {
    let all_test = source.path.starts_with("conformance/") || source.path.contains("/tests/");
    let code = code_only(&source.text);
    // By custom the tests of a module are its end.
    let first_test = code.lines().position(|line| line.trim() == "#[cfg(test)]");
    let from = if all_test { 0 } else { first_test.unwrap_or(usize::MAX) };
    let raw: Vec<&str> = source.text.lines().collect();
    let explained = |at: usize| raw[at].contains("// tolerance:") || at > 0 && raw[at - 1].contains("// tolerance:");
    let loose = |line: &str| line.contains("abs() <") || !lines_with_word(line, "EPSILON").is_empty();
    let lines = code.lines().enumerate().filter(|(at, line)| *at >= from && loose(line) && !explained(*at));
    let what =
        "compare bits (assert_biteq!), or say why not in a comment `// tolerance: ...` on this or the line before";
    lines.map(|(at, _)| source.finding(at + 1, what)).collect()
}

pub(super) fn wording() -> Verdict {
    // Put together here, so that this file does not break its own rule.
    let unfinished = [["TO", "DO"], ["FIX", "ME"], ["XX", "X"]].map(|halves| halves.concat());
    let places = [["/ho", "me/"], ["/ro", "ot/"], ["/wo", "rk/"]].map(|halves| halves.concat());
    let mut findings = Vec::new();
    for source in sources(&[".rs", ".md", ".py", ".toml", ".cl", ".h"]) {
        for word in &unfinished {
            let lines = lines_with_word(&source.text, word);
            let what = format!("{word} is left: finish it, or say plainly what is not there yet");
            findings.extend(lines.into_iter().map(|line| source.finding(line, what.clone())));
        }
        for (at, line) in source.text.lines().enumerate() {
            if let Some(place) = places.iter().find(|place| begins_in(line, place)) {
                let what = format!("a path of one machine ({place}): write it from the root of the repository");
                findings.push(source.finding(at + 1, what));
            }
        }
    }
    Verdict::Findings(findings)
}

/// Whether a path beginning with `place` stands in the line; the same folder name inside a longer path is none.
fn begins_in(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.~}>".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_need_a_reason() {
        let lines = |path: &str, text: &str| -> Vec<usize> {
            let source = Source { path: path.into(), text: text.into() };
            tolerances_in(&source).iter().map(|finding| finding.line).collect()
        };
        let text = "(a - b).abs() < c\n// tolerance: it is a bound\n(a - b).abs() <= c\n\"abs() <\"; // EPSILON\nf64::EPSILON\n";
        assert_eq!(lines("crates/cpu/tests/x.rs", text), [1, 5]);
        assert!(lines("crates/cpu/src/x.rs", text).is_empty());
        assert_eq!(lines("crates/cpu/src/x.rs", &format!("{text}#[cfg(test)]\n{text}")), [7, 11]);
    }

    #[test]
    fn only_whole_paths_are_of_one_machine() {
        let place = ["/ro", "ot/"].concat();
        assert!(begins_in(&format!("see `{place}x`"), &place));
        assert!(!begins_in(&format!("src{place}mod.rs"), &place));
    }
}
