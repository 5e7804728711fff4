//! `windlass completions SHELL`: a completion script.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Failure;
use crate::{exit_code, output};

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "windlass", &mut script);
    output::stdout(&String::from_utf8_lossy(&script))?;
    Ok(exit_code::GOOD)
}
