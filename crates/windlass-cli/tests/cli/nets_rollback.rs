//! Ways back of assemblies of nets that do not go as they should: they fail half-way, are mended,
//! or belong to a run that only added something.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::Folder;

/// Three steps, each with what undoes it; `ok` lets the first be undone, `broken` the last fail.
const THREE: &str = "
windlass: 1
name: three
types:
  db:
    net:
      places: [p0, p1, half, p2, p3]
      initial: [p0]
      transitions:
        a: { from: p0, to: p1, run: { shell: echo a >> done }, compensate: { shell: test -e ok && echo undo-a >> done } }
        pass: { from: p1, to: half }
        b: { from: half, to: p2, run: { shell: echo b >> done }, compensate: { shell: echo undo-b >> done } }
        c: { from: p2, to: p3, run: { shell: echo c >> done; test ! -e broken }, compensate: { shell: echo undo-c >> done } }
nodes: { db: { type: db } }
";

const UP: &[&str] = &["up", "windlass.yaml", "--yes"];
const ROLL_BACK: &[&str] = &["up", "windlass.yaml", "--yes", "--on-failure", "roll-back"];

fn mended() -> String {
    THREE.replace("test -e ok && echo undo-a", "echo undo-a")
}

#[test]
fn a_way_back_that_failed_is_gone_on_with_by_the_file_as_it_is_now() {
    for first in [ROLL_BACK, UP] {
        let folder = Folder::with(&[("windlass.yaml", THREE)]);
        if first == ROLL_BACK {
            folder.write("broken", "");
            assert_eq!(folder.run(first).code, 4);
        } else {
            assert_eq!(folder.run(first).code, 0);
            assert_eq!(folder.run(&["down"]).code, 4);
        }
        let so_far = "a\nb\nc\nundo-c\nundo-b\n";
        assert_eq!(folder.read("done"), so_far);
        // It cannot be continued from the middle, and nothing is undone twice.
        let up = folder.run(UP);
        assert!(up.code == 2 && up.stderr.contains("went back half-way"), "{up:?}");
        assert_eq!(folder.run(&["down"]).code, 4);
        assert_eq!(folder.read("done"), so_far);
        folder.write("windlass.yaml", mended());
        let down = folder.run(&["down"]);
        assert_eq!(down.code, 0, "{down:?}");
        assert_eq!(folder.read("done"), format!("{so_far}undo-a\n"));
        let status = folder.run(&["status"]);
        assert!(status.stdout.contains("nothing is there"), "{status:?}");
    }
}

#[test]
fn why_everything_was_undone_is_known_although_the_way_back_was_resumed() {
    let folder = Folder::with(&[("windlass.yaml", THREE), ("broken", "")]);
    assert_eq!(folder.run(ROLL_BACK).code, 4);
    folder.write("ok", "");
    let resume = folder.run(&["resume"]);
    assert_eq!(resume.code, 4, "{resume:?}");
    assert!(resume.stdout.contains("rolled back\n  `db.c` failed: exit code 1"), "{resume:?}");
    assert_eq!(folder.read("done"), "a\nb\nc\nundo-c\nundo-b\nundo-a\n");
    let status = folder.run(&["status"]);
    assert!(status.stdout.contains("`db.c` failed"), "{status:?}");
}

#[test]
fn a_run_that_only_added_something_goes_back_to_where_it_began() {
    let folder = Folder::with(&[("windlass.yaml", THREE), ("ok", "")]);
    assert_eq!(folder.run(UP).code, 0);
    folder.write("done", "");
    folder.write("broken", "");
    folder.write(
        "windlass.yaml",
        format!("{}, second: {{ type: db }} }}\n", THREE.trim_end_matches(" }\n")),
    );
    let up = folder.run(ROLL_BACK);
    assert_eq!(up.code, 4, "{up:?}");
    assert_eq!(folder.read("done"), "a\nb\nc\nundo-c\nundo-b\nundo-a\n");
    let status = folder.run(&["status"]);
    assert!(status.stdout.contains("db      p3"), "{status:?}");
    std::fs::remove_file(folder.path("broken")).unwrap();
    folder.write("done", "");
    assert_eq!(folder.run(UP).code, 0);
    assert_eq!(folder.read("done"), "a\nb\nc\n");
    folder.write("done", "");
    assert_eq!(folder.run(&["down"]).code, 0);
    assert_eq!(folder.read("done").lines().count(), 6);
}

/// A component that stops by a behavior.
const STOPPABLE: &str = "
windlass: 1
name: stoppable
types:
  db:
    net:
      places: [off, ready, on]
      initial: [off]
      transitions:
        prepare: { from: off, to: ready, run: { shell: echo prepare >> done } }
        start: { from: ready, to: on, run: { shell: echo start >> done; test ! -e broken } }
        halt: { from: on, to: off, behavior: stop, run: { shell: echo halt >> done; test ! -e stuck } }
nodes: { db: { type: db } }
";

#[test]
fn a_behavior_that_failed_is_tried_again_and_can_be_mended() {
    let folder = Folder::with(&[("windlass.yaml", STOPPABLE), ("stuck", "")]);
    let dry = folder.run(&["up", "windlass.yaml", "--dry-run"]);
    assert!(dry.stdout.contains("db.start") && !dry.stdout.contains("db.halt"), "{dry:?}");
    assert_eq!(folder.run(UP).code, 0);
    for times in 1..=2 {
        let down = folder.run(&["down"]);
        assert_eq!(down.code, 4, "{down:?}");
        assert_eq!(folder.read("done").matches("halt").count(), times);
    }
    folder.write("windlass.yaml", STOPPABLE.replace("; test ! -e stuck", ""));
    let down = folder.run(&["down"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert_eq!(folder.read("done").matches("halt").count(), 3);
    let status = folder.run(&["status"]);
    assert!(status.stdout.contains("db  off"), "{status:?}");
}

#[test]
fn what_no_behavior_stops_from_where_it_is_is_named_and_nothing_is_done() {
    let folder = Folder::with(&[("windlass.yaml", STOPPABLE), ("broken", "")]);
    assert_eq!(folder.run(UP).code, 4);
    let down = folder.run(&["down"]);
    assert_eq!(down.code, 1, "{down:?}");
    assert!(down.stderr.contains("nothing stops `db` from `ready`"), "{down:?}");
    assert!(!folder.read("done").contains("halt"));
    std::fs::remove_file(folder.path("broken")).unwrap();
    assert_eq!(folder.run(UP).code, 0);
    assert_eq!(folder.run(&["down"]).code, 0);
    assert_eq!(folder.read("done"), "prepare\nstart\nstart\nhalt\n");
}

#[test]
fn drift_is_reported_as_long_as_it_lasts() {
    let folder = Folder::with(&[("windlass.yaml", THREE)]);
    assert_eq!(folder.run(UP).code, 0);
    folder.write("windlass.yaml", THREE.replace("echo b >>", "echo other >>"));
    let tells = |args: &[&str]| folder.run(args).stderr.contains("not done again: `db.b`");
    let dry = &["up", "windlass.yaml", "--dry-run"];
    assert!(tells(dry) && tells(UP) && tells(UP) && tells(dry));
    folder.write("windlass.yaml", THREE);
    assert!(!tells(dry) && !tells(UP));
    assert_eq!(folder.read("done"), "a\nb\nc\n");
}

#[test]
fn nets_have_neither_a_goal_nor_a_plan() {
    let folder = Folder::with(&[("windlass.yaml", THREE)]);
    for option in [["--goal", "db=p3"], ["--plan", "windlass.yaml"]] {
        let up = folder.run(&[&["up", "windlass.yaml", "--dry-run"], &option[..]].concat());
        assert!(up.code == 2 && up.stderr.contains("runs by its rules"), "{up:?}");
    }
}
