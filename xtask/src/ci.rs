//! `cargo xtask ci`: everything that has to hold before a change is taken. `.ci/run` calls it.
//!
//! Every step runs even when an earlier one failed, so that one run shows all that is wrong.

use crate::Outcome;
use crate::repository::Repository;
use crate::steps::{self, Step};

/// Which part of the run is wanted.
#[derive(Debug, Default, clap::Args)]
pub struct Options {
    /// A folder with real descriptions and known outcomes; left out when it is not there.
    #[arg(long, value_name = "PATH")]
    corpus: Option<String>,
    /// Only the steps with these names.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
}

/// Runs the steps; all is well when every one is.
pub fn run(repository: &Repository, options: &Options) -> Outcome {
    let mut all_ended = Vec::new();
    for step in all_steps(repository, options) {
        if options.only.is_empty() || options.only.contains(&step.name) {
            all_ended.push(steps::run(repository, &step)?);
        }
    }
    println!("\nsteps");
    for ended in &all_ended {
        println!("  {}", ended.summary());
    }
    let total: f64 = all_ended.iter().map(|ended| ended.time.as_secs_f64()).sum();
    println!("  {:<28} {:<6} {total:>7.1} s\n", "all", "");
    // The closing lines of the test runs once more, where they are easily found.
    for line in all_ended.iter().flat_map(|ended| &ended.lines) {
        if line.starts_with("test result:") || line.contains(" passed, ") {
            println!("{line}");
        }
    }
    Ok(all_ended.iter().all(|ended| ended.good))
}

fn all_steps(repository: &Repository, options: &Options) -> Vec<Step> {
    let mut steps = vec![
        Step::new("test", "cargo test --workspace --no-fail-fast"),
        Step::new("fmt", "cargo fmt --all --check"),
        Step::new("clippy", "cargo clippy --workspace --all-targets --all-features -- -D warnings"),
        Step::new("doc", "cargo doc --workspace --no-deps").with("RUSTDOCFLAGS", "-D warnings"),
        Step::new("tidy", "cargo xtask tidy"),
        Step::new("papers", "cargo xtask papers --check"),
        Step::new("deny", "cargo xtask deny"),
        Step::new("long", "cargo xtask long --short"),
    ];
    if let Some(corpus) = options.corpus.as_ref().filter(|path| repository.exists(path)) {
        steps.push(Step::new("corpus", &format!("cargo xtask corpus {corpus}")));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_is_asked_only_when_it_is_there() {
        let repository = Repository::find().unwrap();
        let with = |corpus: &str| {
            let options = Options { corpus: Some(corpus.to_owned()), only: Vec::new() };
            all_steps(&repository, &options).iter().any(|step| step.name == "corpus")
        };
        assert!(!with("no/such/folder"));
        assert!(with("xtask"));
    }
}
