//! The subcommands, one a file.

mod by;
mod completions;
mod demo;
mod devices;
mod mean;
mod merge;
mod norm;
mod state;
mod sum;
mod verify;

use crate::args::Command;
use crate::failure::Failure;
use crate::output::Output;

/// Runs a subcommand. The number is the exit code.
pub(crate) fn run(command: &Command, out: &mut Output) -> Result<u8, Failure> {
    match command {
        Command::Demo => demo::run(out),
        Command::Devices => devices::run(out),
        Command::Sum { by, summing } => sum::run(by.as_deref(), summing, out),
        Command::Mean(summing) => mean::run(summing, out),
        Command::Norm { kind, summing } => norm::run(*kind, summing, out),
        Command::State { op, output, summing } => state::run(*op, output, summing, out),
        Command::Merge { states, output } => merge::run(states, output.as_deref(), out),
        Command::Verify { op, input, method } => verify::run(*op, input, method, out),
        Command::Completions { shell } => completions::run(*shell, out),
    }
}
