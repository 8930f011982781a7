//! Where and when it was measured: a figure without that is worth nothing.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Instructions that matter to a sum.
const FLAGS: &[&str] = &["sse2", "avx", "fma", "avx2", "avx512f", "avx512dq", "avx512vl", "asimd", "sve"];

/// The facts, by name, in the order in which they are told.
pub(crate) struct Machine {
    facts: Vec<(&'static str, String)>,
    /// A short name of the processor, fit for a folder.
    pub(crate) slug: String,
}

impl Machine {
    /// This machine, now.
    pub(crate) fn here() -> Machine {
        let cpu = cpu_facts();
        let get = |name: &str| cpu.get(name).cloned().unwrap_or_else(unknown);
        let flags = cpu.get("flags").or(cpu.get("Features")).cloned().unwrap_or_default();
        let flags: Vec<&str> = flags.split_whitespace().filter(|flag| FLAGS.contains(flag)).collect();
        let number = |name: &str| cpu.get(name).and_then(|text| text.parse().ok());
        let model = get("model name");
        let cores = std::thread::available_parallelism().map_or_else(|_| unknown(), |n| n.to_string());
        let kernel = |name| line(&format!("/proc/sys/kernel/{name}"));
        let memory = line("/proc/meminfo").trim_start_matches("MemTotal:").trim().to_owned();
        let facts = vec![
            ("date", utc(now())),
            ("git", git()),
            ("system", format!("{} {} {}", kernel("ostype"), kernel("osrelease"), std::env::consts::ARCH)),
            ("cpu", model.clone()),
            ("family, model, stepping", format!("{}, {}, {}", get("cpu family"), get("model"), get("stepping"))),
            ("flags", flags.join(" ")),
            ("cores of this process", cores),
            ("caches of core 0", caches()),
            ("memory", memory),
            ("governor", line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
            ("huge pages", line("/sys/kernel/mm/transparent_hugepage/enabled")),
            ("load", line("/proc/loadavg")),
            ("rustc", env!("BENCH_RUSTC").to_owned()),
            ("rustflags", env!("BENCH_RUSTFLAGS").to_owned()),
        ];
        Machine { facts, slug: slug(&model, number("cpu family"), number("model")) }
    }

    pub(crate) fn day(&self) -> &str {
        self.facts[0].1.split('T').next().unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        self.facts.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
    }

    pub(crate) fn json(&self) -> Value {
        Value::Object(self.facts.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect())
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// The first line of a file.
fn line(path: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().next().map_or_else(unknown, |line| line.trim().to_owned())
}

/// The first processor of /proc/cpuinfo.
fn cpu_facts() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let first = text.split("\n\n").next().unwrap_or_default();
    let pair = |line: &str| line.split_once(':').map(|(name, value)| (name.trim().into(), value.trim().into()));
    first.lines().filter_map(pair).collect()
}

fn caches() -> String {
    let cache = |index: usize| {
        let of = |name| line(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
        let (level, kind, size) = (of("level"), of("type"), of("size"));
        (size != "unknown").then(|| format!("L{level} {kind} {size}"))
    };
    let all: Vec<String> = (0..8).filter_map(cache).collect();
    if all.is_empty() { unknown() } else { all.join(", ") }
}

/// The commit: of the repository if it is here, else of the build.
fn git() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("git");
    command.args(["describe", "--always", "--dirty", "--tags"]).current_dir(root);
    let output = command.output().ok().filter(|output| output.status.success());
    let said = output.and_then(|output| String::from_utf8(output.stdout).ok());
    said.map_or_else(|| env!("BENCH_GIT").to_owned(), |text| text.trim().to_owned())
}

/// `amd-epyc-9b14-zen4`: what cpuinfo says without the decoration, and the generation where the numbers tell it.
fn slug(model: &str, family: Option<u32>, number: Option<u32>) -> String {
    let plain = model.to_lowercase().replace("(r)", " ").replace("(tm)", " ");
    let plain = plain.split('@').next().unwrap_or_default();
    let noise = |word: &&str| !matches!(*word, "cpu" | "processor") && !word.ends_with("-core");
    let mut words: Vec<String> = plain.split_whitespace().filter(noise).map(str::to_owned).collect();
    if words.is_empty() {
        words.push(std::env::consts::ARCH.to_owned());
    }
    if let (true, Some(family), Some(number)) = (words[0] == "amd", family, number) {
        words.extend(zen(family, number).map(str::to_owned));
    }
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    words.join("-").chars().map(safe).collect()
}

/// The generation of an AMD core, by family and model.
fn zen(family: u32, model: u32) -> Option<&'static str> {
    match (family, model) {
        (23, 0..0x30) => Some("zen"),
        (23, _) => Some("zen2"),
        (25, 0x10..0x20 | 0x60..0x80 | 0xa0..0xb0) => Some("zen4"),
        (25, _) => Some("zen3"),
        (26, _) => Some("zen5"),
        _ => None,
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Seconds since 1970 as `2026-01-31T12:00:00Z`.
fn utc(seconds: u64) -> String {
    // Years are counted from March, so that a leap day is a year's last: Hinnant, "chrono-compatible low-level date
    // algorithms".
    let (days, time) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", time / 3600, time / 60 % 60, time % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_right() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_767_225_599), "2025-12-31T23:59:59Z");
    }

    #[test]
    fn names_fit_a_folder() {
        assert_eq!(slug("AMD EPYC", Some(25), Some(1)), "amd-epyc-zen3");
        assert_eq!(slug("AMD EPYC 9B14 96-Core Processor", Some(25), Some(0x11)), "amd-epyc-9b14-zen4");
        assert_eq!(slug("Intel(R) Xeon(R) Platinum 8488C @ 2.4GHz", Some(6), Some(143)), "intel-xeon-platinum-8488c");
        assert_eq!(slug("", None, None), std::env::consts::ARCH.replace('_', "-"));
    }
}
