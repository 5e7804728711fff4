//! Every group of keys of a service, file by file: the hashes are those that Compose 2.40.3 prints
//! for `config --hash '*'`, written down as facts beside the files. With `WINDLASS_COMPOSE` set to
//! a `docker-compose` program the facts are asked for again.
//!
//! `config --hash` hashes the names of files of variables, and `up` what they say: the facts of
//! `env_files.yaml` are labels that `up` gave.
//!
//! `UPDATE=1` with `WINDLASS_COMPOSE` writes the facts again, from what the real program says.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use windlass::lang::Text;
use windlass::lang::compose::{Options, load};
use windlass::source::Sources;
use windlass_run::compose::{ProjectContext, hashes};

/// The only variables that are set.
const VARIABLES: &[(&str, &str)] =
    &[("HOME", "/root"), ("HOME_OF_SECRET", "a"), ("HOME_OF_CONFIG", "b")];

/// The file whose facts `config --hash` does not tell.
const LABELS: &str = "env_files.yaml";

type Hashes = BTreeMap<String, String>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/compose_hash")
}

/// The files of the sweep, by name.
fn files() -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let yaml = paths.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    yaml.map(read).collect()
}

/// What is written down: `FILE SERVICE HASH`, line by line.
fn facts() -> BTreeMap<String, Hashes> {
    let text = std::fs::read_to_string(folder().join("hashes.txt")).unwrap();
    let mut all: BTreeMap<String, Hashes> = BTreeMap::new();
    for line in text.lines() {
        let [file, service, hash] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        all.entry(file.to_owned()).or_default().insert(service.to_owned(), hash.to_owned());
    }
    all
}

fn ours(text: &str) -> Hashes {
    let mut sources = Sources::new();
    let root = sources.add("compose.yaml", text);
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let environment: BTreeMap<String, String> = VARIABLES.iter().map(pair).collect();
    let options = Options {
        environment: environment.clone(),
        project_name: Some("app".to_owned()),
        ..Options::default()
    };
    let loaded = load(Text::new(root), &options, &mut sources, None);
    let project = loaded.project.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    hashes(&project, &ProjectContext { folder: folder(), environment, ..ProjectContext::default() })
}

/// What the real program says about a file.
fn theirs(compose: &Path, file: &str) -> Hashes {
    let output = Command::new(compose)
        .args(["-p", "app", "-f", file, "config", "--hash", "*"])
        .current_dir(folder())
        .env_clear()
        .envs(VARIABLES.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pair = |line: &str| line.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned()));
    text.lines().filter_map(pair).collect()
}

#[test]
fn every_group_of_keys_has_the_hash_of_compose() {
    let (files, facts) = (files(), facts());
    assert_eq!(files.keys().collect::<Vec<_>>(), facts.keys().collect::<Vec<_>>());
    let mut different = Vec::new();
    for (file, text) in &files {
        let (ours, facts) = (ours(text), &facts[file]);
        assert_eq!(ours.keys().collect::<Vec<_>>(), facts.keys().collect::<Vec<_>>(), "{file}");
        let unlike = ours.iter().filter(|(service, hash)| facts[*service] != **hash);
        different.extend(unlike.map(|(service, _)| format!("{file}: {service}")));
    }
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn the_facts_are_what_compose_says() {
    let Some(compose) = std::env::var_os("WINDLASS_COMPOSE") else {
        println!("SKIPPED: `WINDLASS_COMPOSE` names no docker-compose to compare with");
        return;
    };
    let compose = PathBuf::from(compose);
    let mut said: BTreeMap<String, Hashes> = facts();
    for file in files().into_keys().filter(|file| file != LABELS) {
        said.insert(file.clone(), theirs(&compose, &file));
    }
    if std::env::var_os("UPDATE").is_some() {
        let mut lines: Vec<String> = Vec::new();
        for (file, services) in &said {
            lines.extend(services.iter().map(|(service, hash)| format!("{file} {service} {hash}")));
        }
        let text = lines.join("\n") + "\n";
        std::fs::write(folder().join("hashes.txt"), text).unwrap();
        return;
    }
    assert_eq!(said, facts());
}
