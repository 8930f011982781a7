//! Which crate may depend on which.

use super::{Finding, Source, Verdict, sources};

/// The crates from the bottom up: each may depend only on crates that stand in an earlier row.
const LAYERS: [&[&str]; 5] = [
    &["samebits-core"],
    &["samebits-device"],
    &["samebits-cpu", "samebits-gpu"],
    &["samebits"],
    &["samebits-cli", "samebits-mpi", "samebits-capi", "samebits-py"],
];

pub(super) fn arrows() -> Verdict {
    let manifests = sources(&["Cargo.toml"]);
    let crates = manifests.iter().filter(|m| m.path.starts_with("crates/"));
    Verdict::Findings(crates.flat_map(wrong_arrows).collect())
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

fn wrong_arrows(manifest: &Source) -> Vec<Finding> {
    let Some(name) = package(&manifest.text) else {
        return vec![manifest.finding(1, "no package name")];
    };
    let Some(own) = layer(&name) else {
        let what = format!("{name} has no layer: give it one in xtask/src/guard/manifests.rs");
        return vec![manifest.finding(1, what)];
    };
    let mut findings = Vec::new();
    for (line, dependency) in dependencies(&manifest.text) {
        let wrong = if name == "samebits-core" {
            Some("has no dependencies: what decides the bits stands alone".to_owned())
        } else if !dependency.starts_with("samebits") {
            None
        } else {
            match layer(&dependency) {
                Some(below) if below < own => None,
                Some(_) => Some(format!("must not depend on {dependency}, which stands above or beside it")),
                None => Some(format!("must not depend on {dependency}, except for tests ([dev-dependencies])")),
            }
        };
        findings.extend(wrong.map(|what| manifest.finding(line, format!("{name} {what}"))));
    }
    findings
}

fn package(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("name"))?;
    Some(line.split_once('=')?.1.trim().trim_matches('"').to_owned())
}

/// The dependencies that are no dev-dependencies, with their lines. Enough of TOML for how manifests are written here.
fn dependencies(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let (table, name) = match section.rsplit_once("dependencies.") {
                Some((table, name)) => (format!("{table}dependencies"), Some(name)),
                None => (section.to_owned(), None),
            };
            let kind = table.rsplit('.').next().unwrap_or_default();
            let wanted = matches!(kind, "dependencies" | "build-dependencies");
            inside = wanted && name.is_none();
            if let (true, Some(name)) = (wanted, name) {
                found.push((at + 1, name.trim_matches('"').to_owned()));
            }
        } else if inside && !line.starts_with('#') && line.contains('=') {
            let name = line.split(['=', '.']).next().unwrap_or_default();
            found.push((at + 1, name.trim().trim_matches('"').to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let manifest = Source { path: "crates/x/Cargo.toml".into(), text: text.into() };
        wrong_arrows(&manifest).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn downwards_is_fine() {
        let text = "[package]\nname = \"samebits-cpu\"\n[dependencies]\nsamebits-core.workspace = true\nrayon = \"1\"\n\
                    [dev-dependencies]\nsamebits-conformance.workspace = true\n";
        assert!(said(text).is_empty());
    }

    #[test]
    fn upwards_and_sideways_are_not() {
        let text = "[package]\nname = \"samebits-cpu\"\n[dependencies]\nsamebits = { path = \"..\" }\n\
                    [target.'cfg(unix)'.dependencies.samebits-gpu]\n[build-dependencies]\nsamebits-conformance = \"1\"\n";
        let places: Vec<String> = said(text).iter().map(|s| s.split(' ').next().unwrap_or_default().into()).collect();
        assert_eq!(places, ["crates/x/Cargo.toml:4:", "crates/x/Cargo.toml:5:", "crates/x/Cargo.toml:7:"]);
    }

    #[test]
    fn the_core_stands_alone() {
        assert_eq!(said("name = \"samebits-core\"\n[dependencies]\nlibm = \"1\"\n").len(), 1);
        assert_eq!(said("name = \"samebits-new\"\n").len(), 1);
    }
}
