//! Changing what is up: `scale`, `restart`; and what is refused before anything runs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use crate::support::{Folder, PAIR, is_alive};

fn pair() -> Folder {
    Folder::with(&[("windlass.yaml", PAIR)])
}

#[test]
fn a_node_is_scaled_and_a_part_restarted() {
    let folder = pair();
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 0, "{up:?}");
    let one = folder.processes();
    assert_eq!(one.len(), 2, "{one:?}");

    let scale = folder.run(&["scale", "api=3", "--detach"]);
    assert_eq!(scale.code, 0, "{scale:?}");
    let three = folder.processes();
    assert_eq!(three.len(), 4, "{three:?}");
    assert!(one.iter().all(|(id, pid)| three.get(id) == Some(pid)), "{one:?} {three:?}");

    let chart = folder.run(&["history", "--run", "1", "--chart", "--gantt", "run.svg"]);
    assert!(chart.code == 0 && chart.stdout.contains("start store"), "{chart:?}");
    assert!(chart.stdout.contains("predicted"), "{chart:?}");
    let picture = folder.read("run.svg");
    assert!(picture.starts_with("<svg") && picture.contains("start store"), "{picture}");

    // Those who rely on the store are stopped before it and started after it.
    let restart = folder.run(&["restart", "store", "--detach"]);
    assert_eq!(restart.code, 0, "{restart:?}");
    assert!(!restart.stdout.contains("fault"), "{restart:?}");
    let again = folder.processes();
    assert_eq!(again.len(), 4, "{again:?}");
    assert!(three.iter().all(|(id, pid)| again[id] != *pid), "{three:?} {again:?}");
    assert!(three.values().all(|pid| !is_alive(*pid)), "{three:?}");

    // An instance on which nothing relies is restarted alone.
    let restart = folder.run(&["restart", "api", "--detach"]);
    assert_eq!(restart.code, 0, "{restart:?}");
    assert_eq!(folder.processes()["store"], again["store"]);

    let refused = folder.run(&["scale", "api=1", "--detach"]);
    assert_eq!(refused.code, 2, "removing asks: {refused:?}");
    assert!(refused.stderr.contains("removes instances"), "{refused:?}");
    let scale = folder.run(&["scale", "api=1", "--detach", "--yes"]);
    assert_eq!(scale.code, 0, "{scale:?}");
    assert_eq!(folder.processes().len(), 2);
    let unknown = folder.run(&["scale", "ape=1"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("no node `ape`"), "{unknown:?}");
    let unknown = folder.run(&["restart", "nobody", "--detach"]);
    let known = "known instances and nodes: `api`, ";
    assert!(unknown.code == 2 && unknown.stderr.contains(known), "{unknown:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
    assert_eq!(folder.processes(), BTreeMap::new());
    let down = folder.run(&["scale", "api=2"]);
    assert!(down.code == 2 && down.stderr.contains("is down"), "{down:?}");
}

#[test]
fn what_was_only_simulated_is_nowhere() {
    let folder = pair();
    let simulated = ["up", "windlass.yaml", "--yes", "--world", "simulated"];
    for _ in 0..2 {
        let up = folder.run(&simulated);
        assert!(up.code == 0 && up.stdout.contains("start store"), "{up:?}");
    }
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert!(up.code == 0 && up.stdout.contains("start store"), "{up:?}");
    assert_eq!(folder.processes().len(), 2);
    let refused = folder.run(&simulated);
    assert!(refused.code == 2 && refused.stderr.contains("--name"), "{refused:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
}

#[test]
fn a_deadlocked_assembly_is_refused_before_anything_runs() {
    let text = "
windlass: 1
name: knot
types:
  part:
    net:
      places: [off, half, on]
      initial: [off]
      transitions:
        first: { from: off, to: half, run: [touch, begun] }
        second: { from: half, to: on, run: [touch, ended] }
      groups: { on: [on] }
      ports:
        other: { kind: use, transitions: [second] }
        mine: { kind: provide, groups: [on] }
nodes:
  a: { type: part, bind: { other: b.mine } }
  b: { type: part, bind: { other: a.mine } }
";
    let folder = Folder::with(&[("windlass.yaml", text)]);
    let up = folder.run(&["up", "windlass.yaml", "--yes"]);
    assert_eq!(up.code, 1, "{up:?}");
    assert!(up.stderr.contains("`a.second` waits for port `a.other`"), "{up:?}");
    assert!(!folder.path("begun").exists());
}
