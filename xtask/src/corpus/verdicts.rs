//! The set `ramp`: verdicts on plans and sequences, `EXPECTED.tsv` against `windlass verify`.
//!
//! A row is plan, application, state (may be empty), kind (`plan` or `sequence`) and verdict; the
//! verdict `error` means that the plan does not fit the application: exit code 2.

use super::{Score, process};
use serde_json::Value;
use std::path::Path;

/// One row of the table.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    plan: &'a str,
    application: &'a str,
    state: &'a str,
    is_sequence: bool,
    verdict: &'a str,
}

/// Asks for every row; nothing when the binary cannot verify yet or the table is not there.
pub fn score(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let Ok(table) = std::fs::read_to_string(folder.join("EXPECTED.tsv")) else { return Ok(None) };
    let rows = rows(&table)?;
    let help = process::run(windlass, folder, &["verify", "--help"])?;
    if help.code != Some(0) {
        println!("ramp: not read yet ({} plans)", rows.len());
        return Ok(None);
    }
    let mut wrong = Vec::new();
    for row in &rows {
        let found = ask(windlass, folder, row)?;
        if found != row.verdict {
            wrong.push(format!("{}: {found}, expected {}", row.plan, row.verdict));
        }
    }
    let total = rows.len();
    let right = total - wrong.len();
    Ok(Some(Score { set: "ramp".to_owned(), right, total, all_must_be_right: false, wrong }))
}

fn rows(table: &str) -> Result<Vec<Row<'_>>, String> {
    let lines = table.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| match line.split('\t').collect::<Vec<_>>()[..] {
            [plan, application, state, kind, verdict] => {
                Ok(Row { plan, application, state, is_sequence: kind == "sequence", verdict })
            }
            _ => Err(format!("EXPECTED.tsv:{}: five columns expected", at + 1)),
        })
        .collect()
}

fn ask(windlass: &Path, folder: &Path, row: &Row) -> Result<String, String> {
    let mut arguments = vec!["verify", row.plan, "--app", row.application, "--format", "json"];
    if !row.state.is_empty() {
        arguments.extend(["--state", row.state]);
    }
    if row.is_sequence {
        arguments.push("--sequence");
    }
    let ended = process::run(windlass, folder, &arguments)?;
    Ok(match (ended.crash, ended.code) {
        (Some(crash), _) => crash,
        (None, Some(2)) => "error".to_owned(),
        (None, _) => verdict(&ended.output),
    })
}

fn verdict(output: &str) -> String {
    let answer: Value = serde_json::from_str(output).unwrap_or_default();
    answer["verdict"].as_str().unwrap_or("no verdict").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_five_columns() {
        let table = "plan\tapplication\tstate\tkind\tverdict\np.json\ta.json\t\tsequence\tvalid\n";
        let expected = Row {
            plan: "p.json",
            application: "a.json",
            state: "",
            is_sequence: true,
            verdict: "valid",
        };
        assert_eq!(rows(table).unwrap(), [expected]);
        assert!(rows("head\np.json\ta.json\n").is_err());
    }

    #[test]
    fn the_verdict_is_read_from_json() {
        assert_eq!(verdict("{\"verdict\": \"weakly_valid\"}"), "weakly_valid");
        assert_eq!(verdict("no json"), "no verdict");
    }
}
