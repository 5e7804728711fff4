//! The sets of TOSCA: the OASIS suites, tosca-parser, our probes, puccini's examples.
//!
//! An answer is right when `windlass check` finds an error exactly where the oracle says "invalid".
//! The set `tosca-lines` counts the invalid files of the OASIS 1.0 suite whose error is reported at
//! one of the lines that the suite names. A valid file that imports one which the folder does not
//! hold says nothing, and is left out. Verdicts that `docs/corpus/tosca.md` disputes, each with its
//! reason, count as wrong like any other; the sets `...-settled` leave them out, and the sets
//! `...-quirks` ask again with the quirks switched on that stand for their authors' programs.

use super::{Score, process};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Sets, by what the path of a file starts with.
const SETS: &[(&str, &str)] = &[
    ("oasis-open+tosca-community-contributions/tests/tosca_2_0/", "tosca-oasis-2"),
    ("oasis-open+tosca-community-contributions/tests/tosca_simple_yaml_1_0/", "tosca-oasis-1"),
    ("oasis-open+tosca-community-contributions/profiles/", "tosca-oasis-profiles"),
    ("oasis-open+tosca-community-contributions/examples/", "tosca-oasis-examples"),
    ("openstack+tosca-parser/", "tosca-parser"),
    ("tliron+go-puccini/examples/", "tosca-puccini"),
    ("tliron+puccini/examples/", "tosca-puccini"),
];

/// Sets with disputed verdicts, and the quirks that stand for what their authors' programs accept.
const SETTLED: &[(&str, &str)] = &[("tosca-parser", "tosca-parser"), ("tosca-puccini", "puccini")];

/// Where disputed verdicts are listed: rows of a table that begin with a path.
pub const DISPUTED: &str = "docs/corpus/tosca.md";

/// The path that a row of the list speaks of, if it gives a reason.
fn disputed_path(line: &str) -> Option<&str> {
    let (path, reason) = line.strip_prefix("| `")?.split_once("` |")?;
    (!reason.trim().trim_matches('|').trim().is_empty()).then_some(path)
}

/// The paths whose verdicts a page disputes.
pub fn disputed(page: &str) -> BTreeSet<&str> {
    page.lines().filter_map(disputed_path).collect()
}

/// An error that was found.
struct Found {
    code: String,
    line: u64,
    message: String,
}

/// Scores every set that is there.
pub fn scores(
    windlass: &Path,
    folder: &Path,
    disputed: &BTreeSet<&str>,
) -> Result<Vec<Score>, String> {
    let mut scores = BTreeMap::new();
    let tosca = folder.join("tosca");
    let oracle = std::fs::read_to_string(tosca.join("ORACLE.tsv")).unwrap_or_default();
    for row in oracle.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [path, expected, _, lines, ..] = cells[..] else { continue };
        let Some((_, set)) = SETS.iter().find(|(start, _)| path.starts_with(start)) else {
            continue;
        };
        if expected == "unknown" {
            continue;
        }
        let answer = check(windlass, &tosca, &tosca.join(path), None)?;
        let is_invalid = expected == "invalid";
        let lacks_file = |found: &Found| found.code == "FILE001";
        if !is_invalid && answer.as_ref().is_ok_and(|found| found.iter().any(lacks_file)) {
            continue;
        }
        count(&mut scores, set, path, is_invalid, &answer);
        if let Some((_, quirks)) = SETTLED.iter().find(|(settled, _)| settled == set) {
            if !disputed.contains(path) {
                count(&mut scores, &format!("{set}-settled"), path, is_invalid, &answer);
            }
            let tolerated = check(windlass, &tosca, &tosca.join(path), Some(quirks))?;
            count(&mut scores, &format!("{set}-quirks"), path, is_invalid, &tolerated);
        }
        if is_invalid && *set == "tosca-oasis-1" {
            let wanted: Vec<u64> = lines.split(", ").filter_map(|line| line.parse().ok()).collect();
            let found = answer.unwrap_or_default();
            let is_right = found.iter().any(|found| wanted.contains(&found.line));
            let score =
                scores.entry("tosca-lines".to_owned()).or_insert_with(|| empty("tosca-lines"));
            add(score, is_right, || format!("{path}: expected at {lines}"));
        }
    }
    probes(windlass, &tosca.join("probes"), &mut scores)?;
    Ok(scores.into_values().collect())
}

/// Templates with one defect each.
fn probes(
    windlass: &Path,
    folder: &Path,
    scores: &mut BTreeMap<String, Score>,
) -> Result<(), String> {
    let table = std::fs::read_to_string(folder.join("PROBES.tsv")).unwrap_or_default();
    for row in table.lines().skip(1) {
        let mut cells = row.split('\t');
        let (Some(file), Some(expected)) = (cells.next(), cells.next()) else { continue };
        let answer = check(windlass, folder, &folder.join(file), None)?;
        count(scores, "tosca-probes", file, expected.starts_with("invalid"), &answer);
    }
    Ok(())
}

fn count(
    scores: &mut BTreeMap<String, Score>,
    set: &str,
    path: &str,
    is_invalid: bool,
    answer: &Result<Vec<Found>, String>,
) {
    let score = scores.entry(set.to_owned()).or_insert_with(|| empty(set));
    let is_right = answer.as_ref().is_ok_and(|found| found.is_empty() != is_invalid);
    add(score, is_right, || match answer {
        Err(crash) => format!("{path}: {crash}"),
        Ok(found) => match found.first() {
            Some(first) => format!("{path}:{}: {} {}", first.line, first.code, first.message),
            None => format!("{path}: nothing found"),
        },
    });
}

fn add(score: &mut Score, is_right: bool, wrong: impl FnOnce() -> String) {
    score.total += 1;
    if is_right {
        score.right += 1;
    } else {
        score.wrong.push(wrong());
    }
}

fn empty(set: &str) -> Score {
    Score { set: set.to_owned(), right: 0, total: 0, all_must_be_right: false, wrong: Vec::new() }
}

/// The errors in a file or an archive, asked for where its imports may lie; the reason when the
/// program did not answer.
fn check(
    windlass: &Path,
    folder: &Path,
    file: &Path,
    quirks: Option<&str>,
) -> Result<Result<Vec<Found>, String>, String> {
    let name = file.display().to_string();
    let mut words = vec!["check", "--format", "json"];
    words.extend(quirks.into_iter().flat_map(|quirks| ["--quirks", quirks]));
    words.extend(["--", &name]);
    let ended = process::run(windlass, folder, &words)?;
    if let Some(crash) = ended.crash {
        return Ok(Err(crash));
    }
    let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
    let findings = answer["findings"].as_array().cloned().unwrap_or_default();
    let errors = findings.iter().filter(|finding| finding["severity"] == "error");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<Found> = errors
        .map(|finding| Found {
            code: text(&finding["code"]),
            line: finding["line"].as_u64().unwrap_or_default(),
            message: text(&finding["message"]),
        })
        .collect();
    if found.is_empty() && ended.code == Some(2) {
        let message = "this was not read".to_owned();
        found.push(Found { code: String::new(), line: 0, message });
    }
    Ok(Ok(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disputed_verdict_has_a_reason() {
        let page = "| file | reason |\n|---|---|\n| `a/b.yaml` | it is so |\n| `c.yaml` | |\n";
        assert_eq!(disputed(page), BTreeSet::from(["a/b.yaml"]));
    }
}
