//! Runs the pages in `docs/rules/`: every fenced example must give the findings that it says.
//!
//! A block of `yaml` or `json`, or one that names its language, is read; its expectations stand at
//! the ends of its lines (see `rule_docs/blocks.rs`), and a block without any must give no finding
//! at all. A word in the info
//! string says how the block is read: `tree` as plain YAML, or the name of a language. Without one
//! the keys of the text tell. Pages of `CFG` codes are run by the command line's tests, which
//! know settings.

#![allow(clippy::expect_used, reason = "a test may panic")]

mod blocks;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use blocks::{Block, blocks};
use windlass::diagnostic::Diagnostic;
use windlass::lang::{self, Language};
use windlass::rule;
use windlass::source::Sources;
use windlass::tree;

/// Codes that no short text can show, with the reason. Other tests show them.
const NOT_IN_A_PAGE: &[(&str, &str)] = &[
    ("COMPOSE012", "is about a file beside the text"),
    ("COMPOSE035", "is about a file beside the text"),
    ("HOT013", "takes an environment"),
    ("HOT019", "takes two templates"),
    ("HOT020", "takes two templates"),
    ("HOT021", "takes a release"),
    ("HOT504", "takes an inventory"),
    ("LANG002", "is about a file and not about its text"),
    ("TOSCA008", "is about a file beside the text"),
    ("TOSCA020", "is about a file beside the text"),
    ("WL010", "takes a state and its application"),
    ("RAMP009", "takes a state and its application"),
    ("XML003", "takes hundreds of levels"),
    ("XML004", "takes a large text"),
    ("YAML003", "takes hundreds of levels"),
    ("YAML004", "takes millions of values"),
    ("YAML009", "takes a file without any line"),
    ("YAML010", "takes a thousand findings"),
];

/// How the list of all codes begins.
const INDEX: &str = "# Codes

Every code that a finding can carry, with what the rule looks at, or with the part of reading that
finds it. This list is made from the rules; `windlass explain CODE` prints the page of one.

| code | name | severity | looks at | what is wrong |
|---|---|---|---|---|
";

/// Every page that this test runs, with its name.
fn pages() -> Vec<(String, String)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules"));
    let mut pages: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("docs/rules is there")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .filter(|path| path.file_stem().is_some_and(|name| name != "README"))
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a readable page"))
        })
        .collect();
    pages.sort();
    pages
}

/// What is found in a block: severity, code, line and column.
fn findings(code: &str, block: &Block) -> Vec<(String, String, u32, u32)> {
    let mut sources = Sources::new();
    let source = sources.add("page.yaml", block.text.as_str());
    let is_tree = block.has("tree") || code.starts_with("YAML") || code.starts_with("FILE");
    let findings = if is_tree {
        tree::parse(source, &block.text, &tree::Options::default()).1
    } else {
        let named = block.info.iter().find_map(|word| Language::from_name(word));
        let mut reading = lang::read(named, source, &sources);
        let of_rules = rule::check_reading(&reading, &sources);
        reading.findings.extend(of_rules);
        reading.findings
    };
    let place = |finding: Diagnostic| {
        let at = sources.get(finding.primary.source).position(finding.primary.start);
        (finding.severity.as_str().to_owned(), finding.code.to_owned(), at.line, at.column)
    };
    findings.into_iter().map(place).collect()
}

/// Whether a block is in a notation that we read: YAML, JSON, or what names its language.
fn is_read(block: &Block) -> bool {
    let is_language = |word: &String| Language::from_name(word).is_some();
    block.has("yaml") || block.has("json") || block.info.iter().any(is_language)
}

#[test]
fn every_example_gives_the_findings_that_it_says() {
    let mut problems = Vec::new();
    for (code, page) in pages().iter().filter(|(code, _)| !code.starts_with("CFG")) {
        for block in blocks(page).iter().filter(|block| is_read(block)) {
            if let Err(problem) = block.compare(&findings(code, block)) {
                problems.push(format!("docs/rules/{code}.md:{}\n  {problem}", block.line));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_page_has_an_example_of_its_code_and_every_code_a_page() {
    let mut pages: BTreeSet<String> = BTreeSet::new();
    for (code, page) in self::pages() {
        let shown = blocks(&page).iter().any(|block| block.expected.iter().any(|e| e.code == code));
        let excused = NOT_IN_A_PAGE.iter().any(|(other, _)| *other == code);
        // What files are on a disk or in an archive is not in a page.
        let about_files = code.starts_with("FILE");
        assert_ne!(shown, excused || about_files, "docs/rules/{code}.md: an example of its code");
        pages.insert(code);
    }
    let codes: BTreeSet<String> = rule::all().iter().map(|rule| rule.code.to_owned()).collect();
    assert_eq!(pages, codes, "pages on the left, codes of rules and readers on the right");
}

/// The list of all codes in `docs/rules/README.md`; `UPDATE=1` writes it.
#[test]
fn the_list_of_codes_follows_from_the_rules() {
    let mut list = INDEX.to_owned();
    for rule in rule::all() {
        let (code, name, severity) = (rule.code, rule.name, rule.severity.as_str());
        let (found_in, summary) = (rule.looks_at.as_str(), rule.summary);
        let _ = writeln!(
            list,
            "| [{code}]({code}.md) | {name} | {severity} | {found_in} | {summary} |"
        );
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules/README.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &list).expect("a writable page");
    }
    let written = std::fs::read_to_string(path).expect("the page is there");
    assert_eq!(written, list, "run this test with UPDATE=1");
}

#[test]
fn a_page_that_says_something_else_is_noticed() {
    let page = "```yaml\na: 1\na: 2 # error: [YAML002] @1\n```\n";
    let [block] = &blocks(page)[..] else { panic!("one block") };
    assert_eq!(block.text, "a: 1\na: 2\n");
    let found = findings("YAML002", block);
    block.compare(&found).expect("as the page says");
    block.compare(&[]).expect_err("a finding is missing");
    let twice = [found.clone(), found].concat();
    block.compare(&twice).expect_err("a finding too many");
    let wrong_column = blocks(&page.replace("@1", "@2"));
    wrong_column[0].compare(&twice[..1]).expect_err("another column");
}
