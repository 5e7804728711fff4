//! Runs the pages of `CFG` codes in `docs/rules/`: every fenced example must give what it says.
//!
//! A block of `toml` becomes a `windlass.toml` beside a good description; a block of
//! `yaml,suppress` becomes the description. The library's tests run all other pages.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

#[path = "../../../windlass/tests/library/rule_docs/blocks.rs"]
mod blocks;

use crate::support::{Folder, GOOD};
use blocks::{Block, blocks};

fn findings(block: &Block) -> Vec<(String, String, u32, u32)> {
    let (file, folder) = if block.has("toml") {
        ("windlass.toml", Folder::with(&[("windlass.yaml", GOOD), ("windlass.toml", &block.text)]))
    } else {
        // Only what the comments do is of interest here; the text is no real description.
        let settings = "[check]\nignore = [\"WL\"]\n";
        let files = [("windlass.yaml", block.text.as_str()), ("windlass.toml", settings)];
        ("windlass.yaml", Folder::with(&files))
    };
    let run = folder.run(&["check", "windlass.yaml", "--lang", "windlass", "--format", "json"]);
    let report = run.json();
    let all = report["findings"].as_array().unwrap();
    all.iter()
        .inspect(|finding| assert_eq!(finding["file"], file, "{finding}"))
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap().to_owned();
            let number = |key: &str| u32::try_from(finding[key].as_u64().unwrap()).unwrap();
            (text("severity"), text("code"), number("line"), number("column"))
        })
        .collect()
}

#[test]
fn every_example_gives_the_findings_that_it_says() {
    let mut problems = Vec::new();
    let mut examples = 0;
    for rule in windlass::rule::all().iter().filter(|rule| rule.code.starts_with("CFG")) {
        for block in &blocks(rule.doc) {
            examples += 1;
            if let Err(problem) = block.compare(&findings(block)) {
                problems.push(format!("docs/rules/{}.md:{}\n  {problem}", rule.code, block.line));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    assert!(examples >= 12, "{examples} examples");
}
