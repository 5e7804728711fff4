//! The way back of assemblies of nets: `compensate` in reverse, a behavior `stop`, or a refusal.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::Folder;

/// Two transitions at the same time, then one; and one of another component after that.
const UNDOABLE: &str = "
windlass: 1
name: undoable
types:
  base:
    net:
      places: [off, half, on]
      initial: [off]
      transitions:
        left: { from: off, to: half, run: { shell: echo left >> done }, compensate: { shell: echo undo-left >> done } }
        right: { from: off, to: half, run: { shell: echo right >> done }, compensate: { shell: echo undo-right >> done } }
        finish: { from: half, to: on }
      groups: { on: [on] }
      ports: { service: { kind: provide, groups: [on] } }
  user:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start:
          from: off
          to: on
          run: { shell: 'echo start >> done; test ! -e broken' }
          compensate: { shell: 'echo undo-start >> done; test ! -e stuck' }
      ports: { base: { kind: use, transitions: [start] } }
nodes:
  base: { type: base }
  user: { type: user, bind: { base: base.service } }
";

const UP: &[&str] = &["up", "windlass.yaml", "--yes"];

/// The lines of `done`; what happens at the same time has no order among itself.
fn done(folder: &Folder) -> Vec<String> {
    let text = folder.read("done");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[..2].sort();
    if lines.len() > 5 {
        lines[4..6].sort();
    }
    lines
}

const ALL: [&str; 6] = ["left", "right", "start", "undo-start", "undo-left", "undo-right"];

#[test]
fn down_undoes_last_first_and_up_starts_again() {
    let folder = Folder::with(&[("windlass.yaml", UNDOABLE)]);
    for _ in 0..2 {
        let up = folder.run(UP);
        assert_eq!(up.code, 0, "{up:?}");
        let down = folder.run(&["down"]);
        assert_eq!(down.code, 0, "{down:?}");
        assert!(down.stdout.contains("plan    3 actions"), "{down:?}");
        assert_eq!(done(&folder), ALL);
        let status = folder.run(&["status"]);
        assert!(status.stdout.contains("nothing is there"), "{status:?}");
        let again = folder.run(&["down"]);
        assert!(again.code == 0 && again.stdout == "nothing to do\n", "{again:?}");
        folder.write("done", "");
    }
}

#[test]
fn a_way_back_that_fails_goes_on_where_it_was() {
    let folder = Folder::with(&[("windlass.yaml", UNDOABLE), ("stuck", "")]);
    assert_eq!(folder.run(UP).code, 0);
    let down = folder.run(&["down"]);
    assert!(down.code == 4 && down.stdout.contains("failed  undo user.start"), "{down:?}");
    let status = folder.run(&["status"]);
    assert!(status.stdout.contains("`start` stays"), "{status:?}");
    assert_eq!(folder.run(&["resume"]).code, 4);
    std::fs::remove_file(folder.path("stuck")).unwrap();
    let resume = folder.run(&["resume"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    let text = folder.read("done");
    assert_eq!(text.matches("undo-start").count(), 3, "{text}");
    assert_eq!(text.matches("undo-left").count(), 1, "{text}");
    let chart = folder.run(&["history", "--chart"]);
    assert!(chart.code == 0 && chart.stdout.contains("undo base.left"), "{chart:?}");
}

#[test]
fn a_failure_rolls_back_what_was_done_and_what_had_begun() {
    let folder = Folder::with(&[("windlass.yaml", UNDOABLE), ("broken", "")]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--on-failure", "roll-back"]);
    assert_eq!(up.code, 4, "{up:?}");
    assert!(up.stdout.contains("rolled back"), "{up:?}");
    assert_eq!(done(&folder), ALL);
    std::fs::remove_file(folder.path("broken")).unwrap();
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?}");
}

#[test]
fn what_cannot_be_undone_is_named_and_nothing_is_done() {
    let one_way = UNDOABLE.replace(", compensate: { shell: echo undo-left >> done }", "");
    let folder = Folder::with(&[("windlass.yaml", &one_way)]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--on-failure", "roll-back"]);
    assert_eq!(up.code, 2, "{up:?}");
    assert!(up.stderr.contains("nothing says how to undo `base.left`"), "{up:?}");
    assert!(!folder.path("done").exists());
    assert_eq!(folder.run(UP).code, 0);
    let down = folder.run(&["down"]);
    assert_eq!(down.code, 1, "{down:?}");
    assert!(down.stderr.contains("nothing says how to undo `base.left`"), "{down:?}");
    assert!(!folder.read("done").contains("undo"));
}

#[test]
fn nets_with_a_behavior_stop_go_through_it() {
    let text = "
windlass: 1
name: stoppable
types:
  base:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on, run: { shell: echo base start >> done } }
        stop: { from: on, to: off, behavior: stop, run: { shell: echo base stop >> done } }
      groups: { on: [on] }
      ports: { service: { kind: provide, groups: [on] } }
  user:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on, run: { shell: echo user start >> done } }
        stop: { from: on, to: off, behavior: stop, run: { shell: echo user stop >> done } }
      ports: { base: { kind: use, places: [on] } }
nodes:
  base: { type: base }
  user: { type: user, bind: { base: base.service } }
";
    let folder = Folder::with(&[("windlass.yaml", text)]);
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?}");
    let down = folder.run(&["down"]);
    assert_eq!(down.code, 0, "{down:?}");
    // The port is used by a place: what leaves it and what offers it may run at the same time.
    let done = folder.read("done");
    let mut done: Vec<&str> = done.lines().collect();
    assert_eq!(done.len(), 4, "{done:?}");
    done[..2].sort_unstable();
    done[2..].sort_unstable();
    assert_eq!(done, ["base start", "user start", "base stop", "user stop"]);
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?}");
}
