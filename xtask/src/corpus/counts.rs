//! The set `barrel`: how many states an archive's protocols reach, with and without hard
//! recovery, against what BARREL's own analyser counts.

use super::{Score, process};
use serde_json::Value;
use std::path::Path;

/// What is counted, in the order of the table below.
const COUNTED: [&str; 5] =
    ["product", "reachable", "inconsistent", "deadlocks", "longest_shortest_plan"];

/// Archive, whether what lives in a dead container is reset, and BARREL's figures.
const EXPECTED: &[(&str, bool, [u64; 5])] = &[
    ("thinking-app.csar", false, [540, 228, 70, 70, 11]),
    ("thinking-app.csar", true, [540, 206, 52, 45, 10]),
    ("thinking-app-with-fault-handlers.csar", false, [810, 416, 102, 0, 16]),
    ("thinking-app-with-fault-handlers.csar", true, [810, 372, 72, 0, 16]),
];

/// Counts for every archive of the table; nothing when the folder is not there.
pub fn score(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut wrong = Vec::new();
    let mut right = 0;
    for (archive, hard_recovery, expected) in EXPECTED {
        let found = ask(windlass, folder, archive, *hard_recovery)?;
        let how = if *hard_recovery { ", hard recovery" } else { "" };
        for ((what, expected), found) in COUNTED.iter().zip(expected).zip(found) {
            if found == Some(*expected) {
                right += 1;
            } else {
                wrong.push(format!("{archive}{how}: {what} {found:?}, expected {expected}"));
            }
        }
    }
    let total = right + wrong.len();
    Ok(Some(Score { set: "barrel".to_owned(), right, total, all_must_be_right: false, wrong }))
}

fn ask(
    windlass: &Path,
    folder: &Path,
    archive: &str,
    hard_recovery: bool,
) -> Result<[Option<u64>; 5], String> {
    let mut arguments = vec!["analyze", archive, "--format", "json"];
    if hard_recovery {
        arguments.push("--hard-recovery");
    }
    let ended = process::run(windlass, folder, &arguments)?;
    let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
    Ok(COUNTED.map(|what| answer[what].as_u64().filter(|_| ended.crash.is_none())))
}
