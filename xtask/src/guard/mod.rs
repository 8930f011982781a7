//! The rules of the tree, each a function that finds what breaks it.

mod code;
mod manifests;
mod sources;
mod tools;

use std::fmt;
use std::path::{Path, PathBuf};

/// A rule.
pub(crate) struct Guard {
    pub(crate) name: &'static str,
    pub(crate) run: fn() -> Verdict,
}

/// What a guard says.
pub(crate) enum Verdict {
    /// What breaks the rule; nothing, if it holds.
    Findings(Vec<Finding>),
    /// It could not look, and why.
    Skipped(String),
}

/// A place that breaks a rule, and what to do about it.
pub(crate) struct Finding {
    place: String,
    line: usize,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place, self.line, self.what)
    }
}

/// Every guard; those that need no build come first.
pub(crate) const ALL: &[Guard] = &[
    Guard { name: "formatting", run: tools::formatting },
    Guard { name: "crates depend downwards only", run: manifests::arrows },
    Guard { name: "crates that forbid unsafe code say so", run: sources::forbid_unsafe },
    Guard { name: "unsafe code stays in its rooms", run: sources::unsafe_rooms },
    Guard { name: "files are short", run: sources::lengths },
    Guard { name: "files are named after something", run: sources::names },
    Guard { name: "no fused multiply-add outside its rooms", run: sources::fused },
    Guard { name: "tests compare bits", run: sources::tolerances },
    Guard { name: "nothing unfinished or of one machine in the text", run: sources::wording },
    Guard { name: "generated files are up to date", run: tools::generated },
    Guard { name: "lints", run: tools::lints },
    Guard { name: "documentation builds", run: tools::documentation },
];

/// A text file of the tree.
struct Source {
    /// Its path from the root, with forward slashes.
    path: String,
    text: String,
}

impl Source {
    fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { place: self.path.clone(), line, what: what.into() }
    }

    fn under(&self, rooms: &[&str]) -> bool {
        rooms.iter().any(|room| self.path.starts_with(room))
    }
}

/// The tree's own files that end in one of `endings`.
fn sources(endings: &[&str]) -> Vec<Source> {
    let root = crate::process::root();
    let mut paths = Vec::new();
    for folder in ["crates", "conformance", "bench", "xtask", "fuzz", "docs"] {
        walk(&root.join(folder), &mut paths);
    }
    paths.extend(entries(&root).into_iter().filter(|path| path.is_file()));
    paths.sort();
    let named = paths.into_iter().filter(|path| endings.iter().any(|end| path.to_string_lossy().ends_with(end)));
    named.filter_map(|path| read(&root, &path)).collect()
}

fn read(root: &Path, path: &Path) -> Option<Source> {
    let relative = path.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
    Some(Source { path: relative, text: std::fs::read_to_string(path).ok()? })
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // What builds and fuzzing leave behind is no source.
        let left_behind = matches!(name.as_str(), "target" | "artifacts" | "corpus" | "coverage");
        if path.is_dir() && !left_behind && !name.starts_with('.') {
            walk(&path, paths);
        } else if path.is_file() {
            paths.push(path);
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}
