//! A folder of a deployment that cannot be made or written to, and a journal that cannot be written
//! or does not fit: what is wrong is named with its path, and what to do about it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use std::fs;

use support::{Folder, PAIR, Run};

const UP: [&str; 4] = ["up", "windlass.yaml", "--yes", "--detach"];

fn pair() -> Folder {
    Folder::with(&[("windlass.yaml", PAIR)])
}

#[test]
fn a_plan_that_cannot_be_read_is_told_alike_by_everybody() {
    let folder = pair();
    assert_eq!(folder.run(&UP).code, 0);
    // Whoever goes on puts everything into the tables.
    assert_eq!(folder.run(&["resume", "--detach"]).code, 0);
    let runs = folder.processes();
    let journal = folder.path(".windlass/pair/journal.db");
    let whole = fs::read(&journal).unwrap();
    let mut damaged = whole.clone();
    let is_step = |at: &usize| whole[*at..].starts_with(b"do: ");
    let steps: Vec<usize> = (0..whole.len()).filter(is_step).collect();
    assert!(!steps.is_empty());
    for at in steps {
        damaged[at] = b'x';
    }
    fs::write(&journal, damaged).unwrap();
    let told = |args: &[&str]| {
        let Run { code, stderr, .. } = folder.run(args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert!(stderr.contains("help: nothing was done; "), "{args:?}: {stderr}");
        stderr
    };
    let resume = told(&["resume", "--detach"]);
    assert!(resume.contains("the plan cannot be read"), "{resume}");
    assert_eq!(told(&["status"]), resume);
    assert_eq!(told(&UP), resume);
    fs::write(&journal, whole).unwrap();
    assert_eq!(folder.processes(), runs);
    assert_eq!(folder.run(&["down"]).code, 0);
}
