//! `samebits completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output::Output;

pub(super) fn run(shell: Shell, out: &mut Output) -> Result<u8, Failure> {
    // Into memory first: the generator panics where the reader of a pipe went away.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "samebits", &mut script);
    out.bytes(&script)?;
    Ok(0)
}
