//! What nothing is done about: a journal that has lost something, and what cannot come up.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fs;

use crate::support::Folder;

const UP: &[&str] = &["up", "windlass.yaml", "--yes", "--detach"];

/// Three components one over the other; each writes a line, and must not do it twice.
const ONCE: &str = "
windlass: 1
name: once
types:
  part:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on, run: { shell: 'echo $WINDLASS_INSTANCE >> done' } }
nodes:
  a: { type: part }
  b: { type: part }
  c: { type: part }
";

const CYCLE: &str = "
windlass: 1
name: cycle
types:
  part:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on, run: [touch, ran] }
      groups: { up: [on] }
      ports:
        mine: { kind: provide, groups: [up] }
        other: { kind: use, transitions: [start] }
nodes:
  a: { type: part, bind: { other: b.mine } }
  b: { type: part, bind: { other: a.mine } }
";

const SEVERAL: &str = "
windlass: 1
name: several
types:
  part:
    operations: { start: {}, stop: {} }
    protocol:
      initial: off
      states: { off: {}, on: {} }
      transitions:
        - { from: off, operation: start, to: on }
        - { from: on, operation: stop, to: off }
      up: [start]
nodes:
  part: { type: part, count: 3 }
";

#[test]
fn nothing_is_done_by_a_journal_that_has_lost_something() {
    type Damage = fn(&Folder);
    const TAIL: &str = ".windlass/once/journal.db-tail";
    let damages: [(&str, Damage); 6] = [
        ("a byte", |folder| {
            let mut bytes = fs::read(folder.path(TAIL)).unwrap();
            bytes[600] ^= 0xff;
            fs::write(folder.path(TAIL), bytes).unwrap();
        }),
        ("the end", |folder| {
            let bytes = fs::read(folder.path(TAIL)).unwrap();
            let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap();
            let before = bytes[..end].iter().rposition(|byte| *byte == b'\n').unwrap();
            fs::write(folder.path(TAIL), &bytes[..=before]).unwrap();
        }),
        ("all lines", |folder| fs::write(folder.path(TAIL), "").unwrap()),
        ("the file with lines", |folder| fs::remove_file(folder.path(TAIL)).unwrap()),
        ("the tables", |folder| {
            fs::write(folder.path(".windlass/once/journal.db"), "").unwrap();
        }),
        ("the file with tables", |folder| {
            fs::remove_file(folder.path(".windlass/once/journal.db")).unwrap();
        }),
    ];
    for (what, damage) in damages {
        let folder = Folder::with(&[("windlass.yaml", ONCE)]);
        assert_eq!(folder.run(UP).code, 0);
        damage(&folder);
        for command in [&["status"][..], &["resume", "--detach"], &["history"], UP, &["down"]] {
            let refused = folder.run(command);
            assert_eq!(refused.code, 2, "{what}, {command:?}: {refused:?}");
            assert!(refused.stderr.contains("put back a copy"), "{what}, {command:?}: {refused:?}");
        }
        let done = fs::read_to_string(folder.path("done")).unwrap();
        assert_eq!(done.lines().count(), 3, "{what}: {done}");
    }
}

#[test]
fn what_cannot_come_up_is_reported_at_its_line() {
    let folder = Folder::with(&[("windlass.yaml", CYCLE)]);
    let up = folder.run(UP);
    assert!(up.code == 1 && up.stderr.contains("error[NET008]"), "{up:?}");
    assert!(up.stderr.contains("the assembly gets stuck"), "{up:?}");
    let up = folder.run(&[UP, &["--format", "json"]].concat());
    let json = up.json();
    let found = &json["findings"][0];
    assert!(up.code == 1 && found["code"] == "NET008" && found["line"] == 10, "{up:?}");
    assert!(!folder.path("ran").exists());
}

#[test]
fn more_instances_than_the_file_asks_for_are_reported() {
    let folder = Folder::with(&[("windlass.yaml", SEVERAL)]);
    assert_eq!(folder.run(UP).code, 0);
    folder.write("windlass.yaml", SEVERAL.replace("count: 3", "count: 2"));
    for command in [&[UP, &["--dry-run"]].concat()[..], UP] {
        let up = folder.run(command);
        let told = up.stderr.contains("`part` has 3 instances, and the file asks for 2");
        assert!(up.code == 0 && told && up.stderr.contains("scale part=2"), "{up:?}");
    }
    assert_eq!(folder.run(&["scale", "part=2", "--yes", "--detach"]).code, 0);
    let up = folder.run(UP);
    assert!(up.code == 0 && !up.stderr.contains("instances"), "{up:?}");
}
