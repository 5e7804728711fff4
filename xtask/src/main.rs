//! Chores of the project, written in the project's language: `cargo xtask CHORE`.
//!
//! Each chore is one file; what a chore finds it prints as `file:line: message`, and it ends with
//! exit code 1 when something is wrong.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "printing is what a chore is for")]
#![expect(unreachable_pub, reason = "in a binary, `pub` says: used by other modules")]

mod bench;
mod ci;
mod corpus;
mod deny;
mod dist;
mod hot_types;
mod lexer;
mod long;
mod papers;
mod repository;
mod steps;
mod tidy;
mod ui;

use clap::{Parser, Subcommand};
use repository::Repository;
use std::process::ExitCode;

/// Chores of the Windlass project.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_version_flag = true)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check layering, purity, heads, sizes, words, links and the docs of rules.
    Tidy,
    /// Compare the anchors in the code with `papers/*.toml` and write `docs/papers/*.md`.
    Papers(papers::Options),
    /// Check licences, duplicates and sources of dependencies by `deny.toml`.
    Deny,
    /// Score the binary on a folder of real descriptions with known outcomes.
    Corpus(corpus::Options),
    /// Write the facts about Heat's resource types from a dump.
    HotTypes(hot_types::Options),
    /// Build the pages of `windlass serve`.
    Ui(ui::Options),
    /// Pack a release archive into `target/dist`.
    Dist(dist::Options),
    /// Measure and write `docs/benchmarks.md`.
    Bench(bench::Options),
    /// Everything that has to hold before a change is taken.
    Ci(ci::Options),
    /// The tests that take their time.
    Long(long::Options),
}

/// What a chore answers: whether all is well, or why it could not be done.
type Outcome = Result<bool, String>;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Repository::find().and_then(|repository| match arguments.chore {
        Chore::Tidy => tidy::run(&repository),
        Chore::Papers(options) => papers::run(&repository, &options),
        Chore::Deny => deny::run(&repository),
        Chore::Corpus(options) => corpus::run(&repository, &options),
        Chore::HotTypes(options) => hot_types::run(&repository, &options),
        Chore::Ui(options) => ui::run(&repository, &options),
        Chore::Dist(options) => dist::run(&repository, &options),
        Chore::Bench(options) => bench::run(&repository, &options),
        Chore::Ci(options) => ci::run(&repository, &options),
        Chore::Long(options) => long::run(&repository, &options),
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            println!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}
