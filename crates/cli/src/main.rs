//! The command `samebits`.
#![forbid(unsafe_code)]

mod acc;
mod accumulate;
mod args;
mod beside;
mod command;
mod failure;
mod groups;
mod orders;
mod output;
mod pairs;
mod progress;
mod queues;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;

use crate::failure::code;
use crate::output::{Output, warn};

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
        warn(&format!("internal error: {text}{place}; please report this"));
    }));
    let cli = args::Cli::parse();
    let mut out = Output::new(cli.json);
    let result = catch_unwind(AssertUnwindSafe(|| command::run(&cli.command, &mut out)));
    ExitCode::from(match result {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            if !failure.message.is_empty() {
                warn(&failure.message);
            }
            failure.code
        }
        Err(_) => code::INTERNAL,
    })
}
