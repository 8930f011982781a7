//! The subcommands, one a file.

mod by;
mod completions;
mod cumsum;
mod demo;
mod devices;
mod dot;
mod mean;
mod merge;
mod norm;
mod state;
mod sum;
mod var;
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
        Command::Var { spread, input, places } => var::run(*spread, input, places, out),
        Command::Dot(dotting) => dot::run(dotting, out),
        Command::Cumsum { output, exclusive, summing } => cumsum::run(output, *exclusive, summing, out),
        Command::State { op, kind, second, output, summing } => state::run(*op, *kind, output, second, summing, out),
        Command::Merge { states, output, spread } => merge::run(states, output.as_deref(), *spread, out),
        Command::Verify(verifying) => verify::run(verifying, out),
        Command::Completions { shell } => completions::run(*shell, out),
    }
}
