//! One application with fault handlers in our language and as BARREL's archive: the same verdicts.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use crate::support::Folder;

/// Ten plans, and what is true of them.
const PLANS: [(&str, &str); 10] = [
    ("01-up-one-by-one", "valid"),
    ("02-up-at-once", "valid"),
    ("03-page-too-early", "weakly_valid"),
    ("04-no-database", "not_valid"),
    ("05-no-order", "weakly_valid"),
    ("06-page-runs-first", "valid"),
    ("07-up-and-down", "valid"),
    ("08-service-stops-first", "not_valid"),
    ("09-database-goes-away", "not_valid"),
    ("10-page-again", "valid"),
];

#[test]
fn ten_plans_have_the_same_verdicts_in_both_languages() {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/fault_handlers");
    let folder = Folder::with(&[]);
    folder.write("thinking.yaml", fs::read(from.join("thinking.yaml")).unwrap());
    let written =
        folder.run(&["convert", "thinking.yaml", "--to", "barrel", "-o", "thinking.csar"]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    for (name, expected) in PLANS {
        let file = format!("{name}.plan.yaml");
        folder.write(&file, fs::read(from.join(&file)).unwrap());
        for application in ["thinking.yaml", "thinking.csar"] {
            let run = folder.run(&["verify", &file, "--app", application, "--format", "json"]);
            assert_eq!(run.json()["verdict"], expected, "{name} of {application}: {}", run.stderr);
        }
    }
}
