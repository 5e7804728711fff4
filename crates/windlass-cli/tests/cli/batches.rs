//! Many commands that could all start at once.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::Folder;

const EFFECTS: [&str; 2] = ["idempotent", "at_most_once"];

/// So many nodes that nothing orders; each runs a script.
fn batch(size: usize, script: &str, more: &str) -> Folder {
    let mut text = format!(
        "windlass: 1\nname: batch\ntypes:\n  one:\n    net:\n      places: [off, on]\n      \
         initial: [off]\n      transitions:\n        start: {{ from: off, to: on, run: {{ shell: \
         \"{script}\" }}, {more} }}\nnodes:\n"
    );
    text.extend((0..size).map(|at| format!("  n{at}: {{ type: one }}\n")));
    Folder::with(&[("windlass.yaml", &text)])
}

#[test]
fn commands_that_wait_for_each_other_all_run() {
    for effect in EFFECTS {
        let size = 60;
        let script = format!(
            "mkdir -p here; touch here/$WINDLASS_NODE; until [ $(ls here | wc -l) -ge {size} ]; do \
             sleep 0.05; done"
        );
        let folder = batch(size, &script, &format!("effect: {effect}, timeout: 60s"));
        let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
        assert_eq!(up.code, 0, "{effect}: {up:?}");
    }
}

#[test]
fn what_happens_to_the_first_is_seen_before_the_last_begin() {
    for effect in EFFECTS {
        let size = 200;
        let more = format!("effect: {effect}, timeout: 1ms");
        let folder = batch(size, "exec sleep 60", &more);
        let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
        assert!(up.code == 4 && up.stdout.contains("it took too long"), "{effect}: {up:?}");
        let begun = up.stdout.lines().filter(|line| line.contains("  start  ")).count();
        assert!((1..size).contains(&begun), "{effect}: {begun} began");
    }
}
