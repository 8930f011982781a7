//! A progress bar for long reads, on a terminal only.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bytes of one file, as they are read by any number of threads. Vanishes when dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    display: Option<Display>,
}

#[derive(Debug)]
struct Display {
    label: String,
    total: Option<u64>,
    begun: Instant,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Shows nothing, ever.
    pub(crate) fn none() -> Self {
        Progress { display: None }
    }

    /// For a file of which `total` bytes will be read, if standard error is a terminal.
    pub(crate) fn new(file: &Path, total: Option<u64>) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::none();
        }
        let label = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        Progress {
            display: Some(Display {
                label: label.escape_debug().to_string(),
                total,
                begun: Instant::now(),
                done: AtomicU64::new(0),
                bar: OnceLock::new(),
            }),
        }
    }

    /// So many more bytes are done.
    pub(crate) fn add(&self, bytes: u64) {
        if let Some(display) = &self.display {
            display.show(display.done.fetch_add(bytes, Ordering::Relaxed) + bytes);
        }
    }

    /// So many bytes are done in all.
    pub(crate) fn set(&self, bytes: u64) {
        if let Some(display) = &self.display {
            display.show(bytes);
        }
    }
}

impl Display {
    fn show(&self, done: u64) {
        if self.bar.get().is_some() || self.begun.elapsed() >= PATIENCE {
            self.bar.get_or_init(|| self.make()).set_position(done);
        }
    }

    fn make(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr_with_hz(10));
        let template = match self.total {
            Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{msg} {bytes} {bytes_per_sec} {elapsed}",
        };
        // A template that does not parse would be a defect; the default style is good enough then.
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.with_message(self.label.clone()).with_elapsed(self.begun.elapsed())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.display.as_ref().and_then(|display| display.bar.get()) {
            bar.finish_and_clear();
        }
    }
}
