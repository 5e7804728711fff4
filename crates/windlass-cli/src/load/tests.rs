//! Each file is read once and parsed once for one command.
//!
//! Standard input can only be read once, so that the programs that take `-` show it by themselves:
//! see the tests of the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use windlass::source::ReadLog;

use super::Loader;
use crate::args::Cli;

/// Carries a command out and gives what was counted.
fn counted(words: &[&str]) -> ReadLog {
    let cli = Cli::try_parse_from(["windlass"].iter().chain(words)).expect("a command");
    let loader = Loader::of(&cli.command).unwrap_or_else(|_| panic!("{words:?}"));
    let log = loader.options.log.clone();
    let code = crate::execute(cli.command, &loader);
    let code = code.unwrap_or_else(|failure| panic!("{words:?}: exit code {}", failure.exit_code));
    assert!(code <= 1, "{words:?} ended with {code}");
    log
}

/// The counts of these files, by their names without folders.
fn of(counts: &BTreeMap<String, usize>, files: &[&Path]) -> Vec<(String, usize)> {
    let count = |file: &&Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, counts.get(&file.display().to_string()).copied().unwrap_or_default())
    };
    files.iter().map(count).collect()
}

/// Asserts that a command reads and parses each of these files once.
fn once(words: &[&str], files: &[&Path]) {
    let log = counted(words);
    for (what, counts) in [("read", log.reads()), ("parsed", log.parses())] {
        for (name, times) in of(&counts, files) {
            assert_eq!(times, 1, "{words:?}: `{name}` was {what} {times} times: {counts:?}");
        }
    }
}

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path)
}

#[test]
fn a_check_reads_and_parses_a_file_once_whatever_its_language() {
    for path in [
        "web-services/windlass.yaml",
        "web-services/deploy.plan.yaml",
        "compose/shop/compose.yaml",
        "hot/two-vms.yaml",
        "tosca/notes/service.yaml",
    ] {
        let file = example(path);
        once(&["check", &file.display().to_string()], &[&file]);
    }
}

#[test]
fn a_question_about_a_plan_reads_and_parses_both_files_once() {
    let (app, plan) =
        (example("web-services/windlass.yaml"), example("web-services/deploy.plan.yaml"));
    let (app_name, plan_name) = (app.display().to_string(), plan.display().to_string());
    once(&["verify", &plan_name, "--app", &app_name], &[&app, &plan]);
    once(&["plan", &app_name], &[&app]);
    let up = ["up", &app_name, "--plan", &plan_name, "--world", "simulated", "--dry-run"];
    once(&up, &[&app, &plan]);
    once(&["up", &app_name, "--world", "simulated", "--dry-run"], &[&app]);
}

#[test]
fn a_service_whose_workflow_is_the_plan_is_read_and_parsed_once() {
    let file = example("tosca/notes/service.yaml");
    let name = file.display().to_string();
    once(&["plan", &name], &[&file]);
    let compose = example("compose/shop/compose.yaml");
    once(&["plan", &compose.display().to_string()], &[&compose]);
}
