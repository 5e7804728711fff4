//! Each file is read once and parsed once for one command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use windlass::source::ReadLog;

use super::Loader;
use crate::args::Cli;
use crate::files::csar;

/// Carries a command out, and gives its exit code and what was counted. `stdin` stands for standard
/// input.
fn carried_out(words: &[&str], stdin: Option<&str>) -> (u8, ReadLog) {
    let cli = Cli::try_parse_from(["windlass"].iter().chain(words)).expect("a command");
    let loader = Loader::of(&cli.command).unwrap_or_else(|_| panic!("{words:?}"));
    if let Some(text) = stdin {
        loader.options.files.put("-", text.as_bytes());
    }
    let log = loader.options.files.log().clone();
    let code = crate::execute(cli.command, &loader);
    (code.unwrap_or_else(|failure| failure.exit_code), log)
}

/// Carries out a command that succeeds, and gives what was counted.
fn counted(words: &[&str]) -> ReadLog {
    let (code, log) = carried_out(words, None);
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
    all_once(words, &counted(words), files);
}

/// Asserts that each of these files was read and parsed once, and none more often.
fn all_once(words: &[&str], log: &ReadLog, files: &[&Path]) {
    for (name, times) in log.reads().into_iter().chain(log.parses()) {
        assert_eq!(times, 1, "{words:?}: `{name}`: {log:?}");
    }
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

const COMPOSE: &str = "\
include: [other.yaml]
services:
  web:
    image: nginx
    extends: { file: base.yaml, service: base }
";
const TOSCA: &str = "\
tosca_definitions_version: tosca_2_0
imports: [types.yaml, more.yaml, { profile: 'org.own:1' }]
service_template:
  node_templates: {}
";
const HOT: &str = "\
heat_template_version: 2021-04-16
resources:
  a: { type: nested.yaml }
  b: { type: nested.yaml }
";
const OCCI: &str =
    r#"{"resources": [{"id": "a", "kind": "http://windlass.example/occi/tosca#Root"}]}"#;
const CONCERTO: &str =
    r#"{"components": [{"name": "a", "places": ["p"], "start": "p", "transitions": []}]}"#;
const RAMP: &str = r#"{"name": "a", "nodes": [], "piVersion": "GREEDYPI"}"#;
const SETTINGS: &str = "[check]\nignore = [\"WL007\"]\n[tosca]\nquirks = [\"puccini\"]\n";

/// What lies beside the descriptions of the folders below.
const BESIDE: &[(&str, &str)] = &[
    ("other.yaml", "services: { db: { image: postgres } }\n"),
    ("base.yaml", "services: { base: { image: nginx } }\n"),
    ("nested.yaml", "heat_template_version: 2021-04-16\nresources: {}\n"),
    ("types.yaml", "tosca_definitions_version: tosca_2_0\nimports: [more.yaml]\n"),
    ("more.yaml", "tosca_definitions_version: tosca_2_0\n"),
    ("own.yaml", "tosca_definitions_version: tosca_2_0\nprofile: org.own:1\n"),
    ("windlass.toml", SETTINGS),
];

/// Each language: a description, and what it names beside it.
fn languages() -> Vec<(&'static str, String, &'static [&'static str])> {
    let own = std::fs::read_to_string(example("two-components/windlass.yaml")).expect("an example");
    vec![
        ("windlass.yaml", own, &[]),
        ("compose.yaml", COMPOSE.to_owned(), &["other.yaml", "base.yaml"]),
        ("service.yaml", TOSCA.to_owned(), &["types.yaml", "more.yaml", "own.yaml"]),
        ("stack.yaml", HOT.to_owned(), &["nested.yaml"]),
        ("occi.json", OCCI.to_owned(), &[]),
        ("concerto.json", CONCERTO.to_owned(), &[]),
        ("ramp.json", RAMP.to_owned(), &[]),
    ]
}

/// A folder with a description and all that lies beside it.
fn folder_with(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in BESIDE.iter().copied().chain([(name, text)]) {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

#[test]
fn every_command_reads_and_parses_every_language_once() {
    for (name, text, beside) in languages() {
        let folder = folder_with(name, &text);
        let file = folder.path().join(name);
        let plan = folder.path().join("a.plan.yaml");
        let plan_text = std::fs::read(example("web-services/deploy.plan.yaml")).expect("a plan");
        std::fs::write(&plan, plan_text).expect("a file");
        let (app, plan_name) = (file.display().to_string(), plan.display().to_string());
        let mut files: Vec<PathBuf> = beside.iter().map(|name| folder.path().join(name)).collect();
        files.extend([file, folder.path().join("windlass.toml")]);
        let mut files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        let up = ["up", &app, "--world", "simulated", "--dry-run"];
        for words in [&["check", &app][..], &["plan", &app], &up] {
            // What comes out of it, a goal that is missing for example, is no matter here.
            let (_, log) = carried_out(words, None);
            all_once(words, &log, &files);
        }
        files.push(&plan);
        let words = ["verify", &plan_name, "--app", &app];
        let (_, log) = carried_out(&words, None);
        all_once(&words, &log, &files);
    }
}

#[test]
fn standard_input_is_parsed_once_as_plan_and_as_application() {
    let app = example("web-services/windlass.yaml").display().to_string();
    let read = |path: &str| std::fs::read_to_string(example(path)).expect("an example");
    let (own, plan) = (read("web-services/windlass.yaml"), read("web-services/deploy.plan.yaml"));
    let up = ["up", &app, "--plan", "-", "--world", "simulated", "--dry-run"];
    for (words, text) in [
        (&["verify", "-", "--app", &app][..], &plan),
        (&up, &plan),
        (&["plan", "-"], &own),
        (&["up", "-", "--world", "simulated", "--dry-run"], &own),
    ] {
        let (code, log) = carried_out(words, Some(text));
        assert!(code <= 1, "{words:?} ended with {code}");
        assert_eq!(log.reads().get("-"), None, "{words:?}");
        assert_eq!(log.parses().get("-"), Some(&1), "{words:?}: {:?}", log.parses());
    }
}

#[test]
fn a_check_of_a_folder_reads_its_settings_once() {
    let folder = folder_with("windlass.yaml", &languages()[0].1);
    let log = counted(&["check", &folder.path().display().to_string()]);
    let settings = folder.path().join("windlass.toml").display().to_string();
    assert_eq!(log.reads().get(&settings), Some(&1), "{:?}", log.reads());
    assert_eq!(log.parses().get(&settings), Some(&1), "{:?}", log.parses());
    assert!(log.reads().values().all(|times| *times == 1), "{:?}", log.reads());
}

#[test]
fn what_an_archive_holds_is_read_and_parsed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csar");
    for (name, text, beside) in languages() {
        let meta = format!("TOSCA-Meta-Version: 1.1\nEntry-Definitions: {name}\n");
        let mut entries = vec![("TOSCA-Metadata/TOSCA.meta".to_owned(), meta)];
        entries.push((name.to_owned(), text));
        let beside = BESIDE.iter().filter(|(name, _)| beside.contains(name));
        entries.extend(beside.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
        std::fs::write(&path, csar::create(&entries).expect("an archive")).expect("a file");
        let archive = path.display().to_string();
        let entry = path.join(name);
        for words in [&["check", &archive][..], &["plan", &archive]] {
            let (_, log) = carried_out(words, None);
            all_once(words, &log, &[&entry]);
        }
    }
}
