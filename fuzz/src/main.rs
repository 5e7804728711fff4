//! Fuzzes every reader: mutated inputs, no instrumentation, stable Rust.
//!
//! `--seconds N` is shared out among the targets, `--seed S` decides every random choice, and
//! `--target T` picks one. Each target runs in a process of its own, so that an overflowing stack
//! or an aborting allocation ends that process only and is a find like any other. Inputs that
//! were found to break something are kept in `fuzz/artifacts`.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "printing is what this program is for")]

mod artifacts;
mod minimize;
mod mutate;
mod parent;
mod pool;
mod random;
mod targets;
mod worker;

use clap::Parser;
use std::process::ExitCode;

/// Fuzz the readers.
#[derive(Debug, Parser)]
struct Arguments {
    /// Seconds for all targets together.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// The seed of every random choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these targets.
    #[arg(long, value_name = "NAME")]
    target: Vec<String>,
    /// Run one target on one file and say how it ends.
    #[arg(long, value_name = "FILE", requires = "target")]
    replay: Option<std::path::PathBuf>,
    /// Be the process of one target.
    #[arg(long, hide = true)]
    child: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = run(&arguments);
    match outcome {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(message) => {
            println!("fuzz: {message}");
            ExitCode::from(2)
        }
    }
}

/// How many finds there were.
fn run(arguments: &Arguments) -> Result<usize, String> {
    let chosen = targets::chosen(&arguments.target)?;
    if let Some(path) = &arguments.replay {
        let input = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        for target in chosen {
            (target.run)(&input);
            println!("{}: {} bytes, no find", target.name, input.len());
        }
        return Ok(0);
    }
    if arguments.child {
        return worker::run(chosen[0], arguments.seconds, arguments.seed);
    }
    parent::run(&chosen, arguments.seconds, arguments.seed)
}
