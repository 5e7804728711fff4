//! The command `windlass`: one file per command, one file per output format.
//!
//! Only this crate knows terminals, JSON and exit codes. A command returns an exit code or a
//! [`Failure`]; nothing else ends the program.

#![forbid(unsafe_code)]

mod args;
mod baseline;
mod budget;
mod commands;
mod config;
mod escape;
mod exit_code;
mod failure;
mod files;
mod fingerprint;
mod fix;
mod hot;
mod input;
mod load;
mod output;
mod paths;
mod read_options;
mod render;
mod replace;
mod report;
#[cfg(test)]
mod schemas;
mod serve;
mod suppress;

use std::ffi::OsString;
use std::panic::{self, PanicHookInfo, UnwindSafe};
use std::process::ExitCode;

use args::{Cli, Command, Format};
use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};
use failure::Failure;
use load::Loader;
use windlass_run::world::process;

fn main() -> ExitCode {
    panic::set_hook(Box::new(|info| output::stderr(&internal_error(info))));
    if let Some(ended) = beside_an_engine() {
        return ended;
    }
    process::block_sigchld();
    ExitCode::from(guarded(|| match parsed() {
        Ok((cli, is_json)) => {
            let loader = Loader::of(&cli.command);
            let done = loader.and_then(|loader| execute(cli.command, &loader));
            done.unwrap_or_else(|failure| report(&failure, is_json))
        }
        Err(error) => usage(&error),
    }))
}

/// What the command line asks for, and whether the answer is for a program.
fn parsed() -> Result<(Cli, bool), clap::Error> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let matches = Cli::command().try_get_matches_from(&words).or_else(|error| {
        let is_missing = error.kind() == ErrorKind::MissingRequiredArgument;
        let first = is_missing.then(|| first_file_is_the_description(words)).flatten();
        let again = first.and_then(|words| Cli::command().try_get_matches_from(words).ok());
        again.ok_or(error)
    })?;
    let format = matches
        .subcommand()
        .and_then(|(_, command)| command.try_get_one::<Format>("format").ok().flatten().copied());
    let cli = Cli::from_arg_matches(&matches)?;
    Ok((cli, format == Some(Format::Json)))
}

/// Users of `docker compose -f one.yaml -f two.yaml` name every file alike: without a
/// description in its own place the first of them is it.
fn first_file_is_the_description(mut words: Vec<OsString>) -> Option<Vec<OsString>> {
    let first = words.iter().position(|word| word == "-f" || word == "--file")?;
    words.remove(first);
    Some(words)
}

/// An engine starts this program to hide secrets in what a command writes, and to keep commands
/// that must not run twice: these are no commands for people.
fn beside_an_engine() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    let ended = if first == process::HIDE_SECRETS {
        process::hide_secrets(words.next()?.as_ref())
    } else if first == process::KEEP_COMMANDS {
        process::keep_commands(words)
    } else {
        return None;
    };
    Some(ended.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS))
}

/// A panic is a defect of ours; it ends with a code of its own.
fn guarded(program: impl FnOnce() -> u8 + UnwindSafe) -> u8 {
    panic::catch_unwind(program).unwrap_or(exit_code::INTERNAL)
}

/// Says why a command could not do what it was asked to.
fn report(failure: &Failure, is_json: bool) -> u8 {
    failure.print();
    if is_json {
        failure.print_json();
    }
    failure.exit_code
}

/// Carries out a command with what it reads with.
fn execute(command: Command, loader: &Loader) -> Result<u8, Failure> {
    match command {
        Command::Check(args) => commands::check::run(&args, loader),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Show(args) => commands::show::run(&args, loader),
        Command::Verify(args) => commands::verify::run(&args, loader),
        Command::Plan(args) => commands::plan::run(&args, loader),
        Command::Step(args) => commands::step::run(&args, loader),
        Command::Analyze(args) => commands::analyze::run(&args, loader),
        Command::Prove(args) => commands::prove::run(&args, loader),
        Command::Simulate(args) => commands::simulate::run(&args, loader),
        Command::Up(args) => commands::up::exec(&args, loader),
        Command::Scale(args) => commands::scale::exec(&args),
        Command::Restart(args) => commands::restart::exec(&args),
        Command::Down(args) => commands::down::exec(&args),
        Command::Status(args) => commands::status::exec(&args),
        Command::Resume(args) => commands::resume::exec(&args),
        Command::History(args) => commands::history::exec(&args),
        Command::Logs(args) => commands::logs::exec(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Convert(args) => commands::convert::run(&args, loader),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}

/// Prints help, the version, or what is wrong with the command line.
fn usage(error: &clap::Error) -> u8 {
    let text = error.render();
    if error.use_stderr() {
        let plain = text.to_string();
        // clap repeats what was typed. Colors stay unless the user typed something hidden.
        let safe = escape::visible_lines(&plain);
        output::stderr(&if safe == plain { text.ansi().to_string() } else { safe });
        exit_code::USAGE
    } else {
        match output::stdout(&text.ansi().to_string()) {
            Ok(()) => exit_code::GOOD,
            Err(error) => report(&Failure::from(error), false),
        }
    }
}

/// What the user sees instead of a backtrace.
fn internal_error(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map(|at| format!(" at {}:{}", at.file(), at.line()));
    let message = info.payload_as_str().unwrap_or("unknown panic");
    format!(
        "internal error: {}{}\n\
         This is a defect of windlass {}, not of your files. \
         Please report it with the command and the file that led to it.\n",
        escape::visible(message),
        place.unwrap_or_default(),
        env!("CARGO_PKG_VERSION"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_error_and_nothing_else_is() {
        assert_eq!(guarded(|| exit_code::FINDINGS), 1);
        assert_eq!(guarded(|| panic!("a defect")), 70);
    }
}
