//! An assembly of nets whose file is mended half-way: what has been done stays done, what is left
//! is done as the file says now.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::Folder;

/// A base of two steps beside each other, and a user whose start has a mistake in its command.
const MISTAKEN: &str = "
windlass: 1
name: mended
types:
  base:
    net:
      places: [off, half, on]
      initial: [off]
      transitions:
        left: { from: off, to: half, run: { shell: echo left >> done } }
        right: { from: off, to: half, run: { shell: echo right >> done } }
        finish: { from: half, to: on, run: { shell: echo finish >> done } }
      groups: { on: [on] }
      ports: { service: { kind: provide, groups: [on] } }
  user:
    net:
      places: [off, on, warm]
      initial: [off]
      transitions:
        start: { from: off, to: on, run: { shell: ecoh start >> done } }
        warm_up: { from: on, to: warm, run: { shell: echo warm >> done } }
      ports: { base: { kind: use, transitions: [start] } }
nodes:
  base: { type: base }
  user: { type: user, bind: { base: base.service } }
";

const UP: &[&str] = &["up", "windlass.yaml", "--yes"];

fn half_way() -> Folder {
    let folder = Folder::with(&[("windlass.yaml", MISTAKEN)]);
    let up = folder.run(UP);
    assert_eq!(up.code, 4, "{up:?}");
    assert!(up.stdout.contains("user.start"), "{up:?}");
    folder
}

/// The lines of `done` in order of their words: two of them happen at the same time.
fn done(folder: &Folder) -> Vec<String> {
    let mut lines: Vec<String> = folder.read("done").lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn a_mended_command_goes_on_where_the_run_failed() {
    let folder = half_way();
    folder.write("windlass.yaml", MISTAKEN.replace("ecoh", "echo"));
    let dry = folder.run(&["up", "windlass.yaml", "--dry-run"]);
    assert!(dry.stdout.contains("echo start") && !dry.stdout.contains("base.left"), "{dry:?}");
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?}");
    assert_eq!(done(&folder), ["finish", "left", "right", "start", "warm"]);
    let again = folder.run(UP);
    assert!(again.code == 0 && again.stdout == "nothing to do\n", "{again:?}");
    assert_eq!(folder.run(&["status"]).code, 0);
}

#[test]
fn the_same_file_goes_on_too_once_the_cause_is_gone() {
    let text = MISTAKEN.replace("ecoh start", "test -e cause && echo start");
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    assert_eq!(folder.run(UP).code, 4);
    folder.write("cause", "");
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?}");
    assert_eq!(done(&folder), ["finish", "left", "right", "start", "warm"]);
}

#[test]
fn a_second_failure_is_resumed_by_what_the_file_said_then() {
    let folder = half_way();
    let text = MISTAKEN.replace("ecoh", "echo").replace("echo warm", "test -e cause && echo warm");
    folder.write("windlass.yaml", &text);
    assert_eq!(folder.run(UP).code, 4);
    folder.write("cause", "");
    let resume = folder.run(&["resume"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    assert_eq!(done(&folder), ["finish", "left", "right", "start", "warm"]);
}

#[test]
fn drift_is_reported_and_nothing_is_done_again() {
    let folder = half_way();
    let text = MISTAKEN.replace("ecoh", "echo").replace("echo left", "echo other");
    folder.write("windlass.yaml", &text);
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?}");
    assert!(up.stderr.contains("`base.left`") && up.stderr.contains("not done again"), "{up:?}");
    assert_eq!(done(&folder), ["finish", "left", "right", "start", "warm"]);
}

#[test]
fn a_way_back_can_be_added_afterwards() {
    let folder = half_way();
    let down = folder.run(&["down"]);
    assert!(down.code == 1 && down.stderr.contains("takes the changed file over"), "{down:?}");
    let mut text = MISTAKEN.replace("ecoh", "echo");
    for step in ["left", "right", "finish", "start", "warm"] {
        let run = format!("{{ shell: echo {step} >> done }}");
        let both = format!("{run}, compensate: {{ shell: echo undo-{step} >> done }}");
        text = text.replace(&run, &both);
    }
    folder.write("windlass.yaml", &text);
    assert_eq!(folder.run(UP).code, 0);
    let down = folder.run(&["down"]);
    assert_eq!(down.code, 0, "{down:?}");
    let lines = folder.read("done");
    let lines: Vec<&str> = lines.lines().collect();
    // Last first: what the first run did is undone after what the second did.
    assert_eq!(lines[5..8], ["undo-warm", "undo-start", "undo-finish"]);
    assert_eq!(lines.len(), 10);
}

#[test]
fn a_component_can_be_added_to_what_is_up() {
    let folder = half_way();
    let mended = MISTAKEN.replace("ecoh", "echo");
    folder.write("windlass.yaml", &mended);
    assert_eq!(folder.run(UP).code, 0);
    let larger = format!("{mended}  second: {{ type: user, bind: {{ base: base.service }} }}\n");
    folder.write("windlass.yaml", &larger);
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?}");
    let expected = ["finish", "left", "right", "start", "start", "warm", "warm"];
    assert_eq!(done(&folder), expected);
}

#[test]
fn what_does_not_fit_any_more_is_refused_and_nothing_is_done() {
    let folder = half_way();
    let before = done(&folder);
    folder.write("windlass.yaml", MISTAKEN.replace("ecoh", "echo").replace("left:", "west:"));
    let up = folder.run(UP);
    assert_eq!(up.code, 2, "{up:?}");
    assert!(up.stderr.contains("there is no transition `base.left`"), "{up:?}");
    assert_eq!(done(&folder), before);
}
