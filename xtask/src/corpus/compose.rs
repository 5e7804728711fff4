//! The sets of Docker Compose: `compose/ORACLE.json` says what Compose 2.40.3 accepts,
//! `EXPECTED.json` what the loader's own tests expect, and `compose-runtime` holds projects that
//! Compose accepts and `up` breaks on.

use super::{Score, process};
use serde_json::Value;
use std::path::Path;

/// What must be said about each project of `compose-runtime` before anything runs; nothing for
/// those that are right, or whose fault shows only when they run.
const RUNTIME: &[(&str, &[&str])] = &[
    ("t1", &[]),
    ("t2", &[]),
    ("t3", &["COMPOSE024"]),
    ("t4", &["COMPOSE020"]),
    // The file has the mistakes of the next three as well: an error hides none of them.
    ("t5", &["COMPOSE011", "COMPOSE021", "COMPOSE022", "COMPOSE023"]),
    ("t6", &["COMPOSE021"]),
    ("t7", &["COMPOSE022"]),
    ("t8", &["COMPOSE023"]),
];

/// Codes that speak of what breaks when a project runs.
const BREAKS: &[&str] = &[
    "COMPOSE011",
    "COMPOSE020",
    "COMPOSE021",
    "COMPOSE022",
    "COMPOSE023",
    "COMPOSE024",
    "COMPOSE025",
];

/// Scores every set that is there.
pub fn scores(windlass: &Path, folder: &Path) -> Result<Vec<Score>, String> {
    let mut scores = Vec::new();
    let compose = folder.join("compose");
    if let Some(oracle) = read(&compose.join("ORACLE.json"))? {
        scores.extend(agreement(windlass, &compose, &oracle)?);
    }
    let go = compose.join("compose-spec_compose-go");
    if let Some(expected) = read(&go.join("EXPECTED.json"))? {
        scores.push(loader(windlass, &go, &expected)?);
    }
    let runtime = folder.join("compose-runtime");
    if runtime.is_dir() {
        scores.push(runs(windlass, &runtime)?);
    }
    Ok(scores)
}

fn read(path: &Path) -> Result<Option<Value>, String> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
    let value = serde_json::from_str(&text);
    value.map(Some).map_err(|error| format!("{}: {error}", path.display()))
}

/// Whether a file is accepted, or how asking ended.
fn accepts(windlass: &Path, folder: &Path, file: &str) -> Result<Result<bool, String>, String> {
    let ended = process::run(windlass, folder, &["check", "--lang", "compose", "--", file])?;
    Ok(match (ended.crash, ended.code) {
        (Some(crash), _) => Err(crash),
        (None, Some(0)) => Ok(true),
        (None, Some(1)) => Ok(false),
        (None, code) => Err(format!("exit code {code:?}")),
    })
}

/// Two sets: what Compose accepts and what it rejects.
fn agreement(windlass: &Path, folder: &Path, oracle: &Value) -> Result<[Score; 2], String> {
    let mut scores = ["compose-accepted", "compose-rejected"].map(empty);
    for (file, verdict) in oracle.as_object().into_iter().flatten() {
        let accepted = verdict["accepted"].as_bool().unwrap_or(false);
        let score = &mut scores[usize::from(!accepted)];
        let found = accepts(windlass, folder, file)?;
        add(score, file, found == Ok(accepted), &format!("{found:?}"));
    }
    Ok(scores)
}

/// The loader's own cases, where its authors and Compose 2.40.3 agree.
fn loader(windlass: &Path, folder: &Path, expected: &Value) -> Result<Score, String> {
    let mut score = empty("compose-loader");
    for case in expected.as_array().into_iter().flatten() {
        let outcome = case["outcome"].as_str().unwrap_or_default();
        let is_definite = matches!(outcome, "valid" | "error")
            && case["docker_compose_2_40_3"].as_str() == Some(outcome);
        let Some(file) = case["file"].as_str().filter(|_| is_definite) else { continue };
        let found = accepts(windlass, folder, file)?;
        add(&mut score, file, found == Ok(outcome == "valid"), &format!("{found:?}"));
    }
    Ok(score)
}

/// The right reason is given, and no other one.
fn runs(windlass: &Path, folder: &Path) -> Result<Score, String> {
    let mut score = empty("compose-runtime");
    for (project, codes) in RUNTIME {
        let file = format!("{project}/compose.yaml");
        let ended = process::run(windlass, folder, &["check", &file, "--format", "json"])?;
        let report: Value = serde_json::from_str(&ended.output).unwrap_or_default();
        let mut found: Vec<&str> = report["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|finding| finding["code"].as_str())
            .filter(|code| BREAKS.contains(code))
            .collect();
        found.sort_unstable();
        found.dedup();
        add(&mut score, project, ended.crash.is_none() && found == *codes, &format!("{found:?}"));
    }
    Ok(score)
}

fn empty(set: &str) -> Score {
    Score { set: set.to_owned(), right: 0, total: 0, all_must_be_right: false, wrong: Vec::new() }
}

fn add(score: &mut Score, file: &str, is_right: bool, found: &str) {
    score.total += 1;
    if is_right {
        score.right += 1;
    } else {
        score.wrong.push(format!("{file}: {found}"));
    }
}
