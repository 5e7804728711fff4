//! Whole TOSCA files: those in `tosca_files/mistakes` have one mistake each, found once and in the
//! line that names its code; those in `tosca_files/fine` use what is allowed and seldom seen.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use windlass::diagnostic::Diagnostic;
use windlass::lang::{Language, ReadOptions, read_in};
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

/// The names and texts of a folder, in order.
fn texts(folder: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/tosca_files").join(folder);
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut all: Vec<(String, String)> =
        entries.map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect();
    all.sort();
    assert!(!all.is_empty());
    all
}

fn findings(text: &str) -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::new();
    let mut files = MemoryFiles::new(Limits::default())
        .with("service.yaml", text)
        .with("scripts/a.sh", "")
        .with("scripts/b.sh", "");
    let root = sources.add("service.yaml", text);
    let options = ReadOptions::default();
    let tosca = Some(Language::TOSCA);
    let read = read_in(tosca, root, "service.yaml", &mut sources, &mut files, &options);
    (read.findings, sources)
}

/// The code and the line of every finding, and what it says.
fn said(text: &str) -> Vec<(String, usize, String)> {
    let (found, sources) = findings(text);
    let line = |finding: &Diagnostic| {
        let source = sources.get(finding.primary.source);
        source.text[..finding.primary.start as usize].matches('\n').count() + 1
    };
    let all = found.iter().map(|it| (it.code.to_owned(), line(it), it.message.clone()));
    all.collect()
}

#[test]
fn every_finding_says_what_to_do() {
    for (name, text) in texts("mistakes") {
        let (found, _) = findings(&text);
        assert!(found.iter().all(|finding| finding.help.is_some()), "{name}: {found:?}");
    }
}

#[test]
fn each_mistake_is_found_once_and_in_its_line() {
    let mut wrong = Vec::new();
    for (name, text) in texts("mistakes") {
        let mut wanted = text.lines().enumerate().filter_map(|(at, line)| {
            let (_, code) = line.split_once("# TOSCA")?;
            Some((format!("TOSCA{}", code.trim()), at + 1))
        });
        let wanted = wanted.next().expect("a line that names its code");
        let found = said(&text);
        let short: Vec<(String, usize)> =
            found.iter().map(|(code, line, _)| (code.clone(), *line)).collect();
        if short != [wanted.clone()] {
            wrong.push(format!("{name}: {wanted:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_allowed_has_no_findings() {
    for (name, text) in texts("fine") {
        let found = said(&text);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

/// The bounds of a requirement say how much a service that stands for its node may lean on.
#[test]
fn mappings_are_counted_against_the_bounds_of_the_type() {
    let text = |outer: &str, inner: &str, mappings: &str| {
        format!(
            "tosca_definitions_version: tosca_2_0
capability_types: {{ C: {{}} }}
node_types:
  Outer: {{ requirements: [ r: {{ capability: C{outer} }} ] }}
  Inner: {{ requirements: [ r: {{ capability: C, count_range: {inner} }} ] }}
service_template:
  substitution_mappings: {{ node_type: Outer, requirements: [ {mappings} ] }}
  node_templates: {{ a: {{ type: Inner }}, b: {{ type: Inner }} }}
"
        )
    };
    let range = |range: &str| format!(", count_range: {range}");
    let both = "r: [ a, r ], r: [ b, r ]";
    let fine = [
        (range("[ 2, 2 ]"), "[ 1, 1 ]", both),
        (range("[ 1, 2 ]"), "[ 0, 1 ]", both),
        // The same targets are given to both.
        (range("[ 1, 1 ]"), "[ 1, 1 ]", "r: [ [ a, r ], [ b, r ] ]"),
        // The second one is beyond what must be there.
        (range("[ 1, 2 ]"), "[ 1, 2 ]", "r: [ a, r ], r: [ a, r ]"),
        (range("[ 2, 3 ]"), "[ 1, UNBOUNDED ]", "[ r, 1 ]: [ a, r ], [ r, UNBOUNDED ]: [ b, r ]"),
        (String::new(), "[ 0, 1 ]", "r: [ a, r ]"),
    ];
    for (outer, inner, mappings) in fine {
        let found = said(&text(&outer, inner, mappings));
        assert!(found.is_empty(), "{outer} {inner} {mappings}: {found:?}");
    }
    let wrong = [
        (range("[ 1, 2 ]"), "[ 1, 1 ]", both),
        (range("[ 1, 4 ]"), "[ 2, 2 ]", "r: [ a, r ]"),
        (range("[ 0, 1 ]"), "[ 0, 1 ]", both),
        (range("[ 0, 2 ]"), "[ 0, 3 ]", "[ r, 3 ]: [ a, r ]"),
        (String::new(), "[ 1, 1 ]", "r: [ a, r ]"),
    ];
    for (outer, inner, mappings) in wrong {
        let found = said(&text(&outer, inner, mappings));
        let codes: Vec<&str> = found.iter().map(|(code, ..)| code.as_str()).collect();
        assert_eq!(codes, ["TOSCA025"], "{outer} {inner} {mappings}: {found:?}");
    }
}
