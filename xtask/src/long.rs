//! `cargo xtask long`: the tests that take their time. Property and differential tests with many
//! cases, fuzzing of every reader.
//!
//! The seed decides every random choice; a run prints commit, seed and commands, so that a
//! reader of the result can reproduce it.

use crate::Outcome;
use crate::repository::Repository;
use crate::steps::{self, Step};
use std::process::Command;

/// How long, from which seed, and which part.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The seed of every random choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A few seconds for each part, as in CI.
    #[arg(long)]
    short: bool,
    /// Only the steps with these names.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
}

/// How many plans the long form compares with the naive reference.
const DIFFERENTIAL_PLANS: u64 = 110_000;

/// How many seeds of the engine the long form simulates.
const SIMULATED_RUNS: u64 = 100_000;

/// The programs of integration tests that may ask for a seed, each with its package.
const PROGRAMS: &[(&str, &str)] =
    &[("windlass", "library"), ("windlass-run", "engine"), ("windlass-cli", "cli")];

/// Runs the steps and prints how many passed.
pub fn run(repository: &Repository, options: &Options) -> Outcome {
    let form = if options.short { "short" } else { "long" };
    println!("commit {}, seed {}, {form} form", commit(repository), options.seed);
    let mut all_ended = Vec::new();
    for step in all_steps(repository, options) {
        if options.only.is_empty() || options.only.contains(&step.name) {
            all_ended.push(steps::run(repository, &quickly_built(step))?);
        }
    }
    for ended in &all_ended {
        println!("{}", ended.summary());
        let figures = ended.lines.iter().filter(|line| is_figure(line));
        figures.for_each(|line| println!("    {line}"));
    }
    let passed = all_ended.iter().filter(|ended| ended.good).count();
    println!("{passed} passed, {} failed", all_ended.len() - passed);
    Ok(passed == all_ended.len())
}

/// A program that is run once is built without optimization across crates: minutes less.
fn quickly_built(step: Step) -> Step {
    step.with("CARGO_PROFILE_RELEASE_LTO", "off").with("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", 16)
}

/// What a step reports about itself: results of tests that ran, and lines marked as figures.
fn is_figure(line: &str) -> bool {
    let ran = line.starts_with("test result:") && !line.contains(" 0 passed; 0 failed");
    ran || line.starts_with("figure: ")
}

/// The commit, with a mark when files differ from it.
fn commit(repository: &Repository) -> String {
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").args(arguments).current_dir(repository.path("")).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return "unknown".to_owned();
    };
    match git(&["status", "--porcelain"]) {
        Some(changes) if changes.is_empty() => commit,
        _ => format!("{commit} with changes"),
    }
}

fn all_steps(repository: &Repository, options: &Options) -> Vec<Step> {
    let mut steps = Vec::new();
    if !options.short {
        steps.push(larger("library", "cargo test --release -p windlass --lib", options));
        let step = larger("command line", "cargo test --release -p windlass-cli", options);
        // The thousand crashes have a step of their own.
        steps.push(step.with("WINDLASS_KILLS", 50));
    }
    for test in random_tests(repository) {
        // In the short form these have been compiled and run already, for the whole workspace (for
        // a package alone, dependencies may have other features, and all is compiled once more);
        // another seed, other cases.
        let built = if options.short {
            "--workspace".to_owned()
        } else {
            format!("--release -p {}", test.package)
        };
        let RandomTest { program, module, .. } = &test;
        let command = format!("cargo test {built} --test {program} -- --nocapture {module}::");
        let step = larger(module, &command, options);
        steps.push(match module.as_str() {
            "differential" if !options.short => step.with("WINDLASS_PLANS", DIFFERENTIAL_PLANS),
            "simulation" if !options.short => step.with("WINDLASS_RUNS", SIMULATED_RUNS),
            _ => step,
        });
    }
    if repository.exists("fuzz/Cargo.toml") {
        let seconds = if options.short { 20 } else { 1_800 };
        let command = format!(
            "cargo run --release -p windlass-fuzz -- --seconds {seconds} --seed {}",
            options.seed
        );
        steps.push(Step::new("fuzz", &command));
    }
    steps
}

/// A step whose tests look at more cases, from another seed.
fn larger(name: &str, command: &str, options: &Options) -> Step {
    let step = Step::new(name, command)
        .with("PROPTEST_RNG_SEED", options.seed)
        .with("WINDLASS_SEED", options.seed);
    if options.short {
        return step;
    }
    step.with("PROPTEST_CASES", 20_000).with("WINDLASS_LONG", 50).with("WINDLASS_PLANS", 20_000)
}

/// A module of integration tests that ask for a seed.
#[derive(Debug, PartialEq, Eq)]
struct RandomTest {
    package: &'static str,
    program: &'static str,
    module: String,
}

/// The modules of integration tests that ask for a seed: `<module>.rs`, or a file in the folder
/// `<module>`, below the folder of the program.
fn random_tests(repository: &Repository) -> Vec<RandomTest> {
    let mut found = Vec::new();
    for (package, program) in PROGRAMS {
        let folder = format!("crates/{package}/tests/{program}/");
        let files = repository.files(&folder).unwrap_or_default();
        for file in &files {
            let asks = file.text.contains("long::seed") || file.text.contains("WINDLASS_SEED");
            let Some(inner) = file.path.strip_prefix(&folder).filter(|_| asks) else { continue };
            let module = inner.split_once('/').map_or(inner, |(module, _)| module);
            let module = module.strip_suffix(".rs").unwrap_or(module).to_owned();
            let test = RandomTest { package, program, module };
            // What tests share is no test.
            if test.module != "support" && !found.contains(&test) {
                found.push(test);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_reaches_every_step() {
        let repository = Repository::find().unwrap();
        let options = Options { seed: 4711, short: false, only: Vec::new() };
        let steps = all_steps(&repository, &options);
        assert!(steps.iter().all(|step| step.typed().contains("4711")));
    }

    #[test]
    fn tests_that_ask_for_a_seed_are_found() {
        let found = random_tests(&Repository::find().unwrap());
        let has = |package: &str, test: &str| {
            found.iter().any(|found| found.package == package && found.module == test)
        };
        assert!(has("windlass", "nets"), "its parts ask: {found:?}");
        assert!(has("windlass", "language") && has("windlass-run", "simulation"), "{found:?}");
        assert!(has("windlass-cli", "crash") && !has("windlass", "rule_docs"), "{found:?}");
    }

    #[test]
    fn figures_are_results_of_tests_that_ran() {
        assert!(is_figure("test result: ok. 3 passed; 0 failed; 0 ignored"));
        assert!(!is_figure("test result: ok. 0 passed; 0 failed; 0 ignored"));
        assert!(is_figure("figure: 12 executions/s"));
    }
}
