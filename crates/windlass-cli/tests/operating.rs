//! Changing what is up: `scale`, `restart`; and what is refused before anything runs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

const SHOP: &str = "
windlass: 1
name: shop
types:
  store:
    capabilities: [data]
    protocol:
      initial: off
      states:
        off: {}
        running: { offers: [data], process: [sleep, '1002'] }
      transitions:
        - { from: off, operation: start, to: running }
        - { from: running, operation: stop, to: off }
      up: [start]
  api:
    requirements: { data: replica_unaware }
    protocol:
      initial: off
      states:
        off: {}
        running: { requires: [data], on_fault: [off], process: [sleep, '1003'] }
      transitions:
        - { from: off, operation: start, to: running, requires: [data], on_fault: [off] }
        - { from: running, operation: stop, to: off }
      up: [start]
nodes:
  store: { type: store }
  api: { type: api, bind: { data: store.data } }
";

/// Runs the program to its end: exit code, standard output, standard error.
fn windlass(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_windlass"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The processes that run, by instance.
fn processes(folder: &Path) -> BTreeMap<String, u64> {
    let status = windlass(folder, &["status", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&status.1).unwrap();
    let instances = report["instances"].as_array().unwrap();
    let running =
        |it: &serde_json::Value| Some((it["instance"].as_str()?.to_owned(), it["pid"].as_u64()?));
    instances.iter().filter_map(running).collect()
}

/// Whether a process runs, and does not only wait to be buried.
fn is_alive(pid: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[test]
fn a_node_is_scaled_and_a_part_restarted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("windlass.yaml"), SHOP).unwrap();
    let up = windlass(folder, &["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.0, Some(0), "{up:?}");
    let one = processes(folder);
    assert_eq!(one.len(), 2, "{one:?}");

    let scale = windlass(folder, &["scale", "api=3", "--detach"]);
    assert_eq!(scale.0, Some(0), "{scale:?}");
    let three = processes(folder);
    assert_eq!(three.len(), 4, "{three:?}");
    assert!(one.iter().all(|(id, pid)| three.get(id) == Some(pid)), "{one:?} {three:?}");

    let chart = windlass(folder, &["history", "--run", "1", "--chart", "--gantt", "run.svg"]);
    assert!(chart.0 == Some(0) && chart.1.contains("start store"), "{chart:?}");
    assert!(chart.1.contains("predicted"), "{chart:?}");
    let picture = std::fs::read_to_string(folder.join("run.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("start store"), "{picture}");

    // Those who rely on the store are stopped before it and started after it.
    let restart = windlass(folder, &["restart", "store", "--detach"]);
    assert_eq!(restart.0, Some(0), "{restart:?}");
    assert!(!restart.1.contains("fault"), "{restart:?}");
    let again = processes(folder);
    assert_eq!(again.len(), 4, "{again:?}");
    assert!(three.iter().all(|(id, pid)| again[id] != *pid), "{three:?} {again:?}");
    assert!(three.values().all(|pid| !is_alive(*pid)), "{three:?}");

    // An instance nobody relies on is restarted alone.
    let restart = windlass(folder, &["restart", "api", "--detach"]);
    assert_eq!(restart.0, Some(0), "{restart:?}");
    assert_eq!(processes(folder)["store"], again["store"]);

    let refused = windlass(folder, &["scale", "api=1", "--detach"]);
    assert_eq!(refused.0, Some(2), "removing asks: {refused:?}");
    assert!(refused.2.contains("removes instances"), "{refused:?}");
    let scale = windlass(folder, &["scale", "api=1", "--detach", "--yes"]);
    assert_eq!(scale.0, Some(0), "{scale:?}");
    assert_eq!(processes(folder).len(), 2);
    let unknown = windlass(folder, &["scale", "ape=1"]);
    assert!(unknown.0 == Some(2) && unknown.2.contains("no node `ape`"), "{unknown:?}");
    assert_eq!(windlass(folder, &["down"]).0, Some(0));
    assert_eq!(processes(folder), BTreeMap::new());
    let down = windlass(folder, &["scale", "api=2"]);
    assert!(down.0 == Some(2) && down.2.contains("is down"), "{down:?}");
}

#[test]
fn what_was_only_simulated_is_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("windlass.yaml"), SHOP).unwrap();
    let simulated = ["up", "windlass.yaml", "--yes", "--world", "simulated"];
    for _ in 0..2 {
        let up = windlass(folder, &simulated);
        assert!(up.0 == Some(0) && up.1.contains("start store"), "{up:?}");
    }
    let up = windlass(folder, &["up", "windlass.yaml", "--yes", "--detach"]);
    assert!(up.0 == Some(0) && up.1.contains("start store"), "{up:?}");
    assert_eq!(processes(folder).len(), 2);
    let refused = windlass(folder, &simulated);
    assert!(refused.0 == Some(2) && refused.2.contains("--name"), "{refused:?}");
    assert_eq!(windlass(folder, &["down"]).0, Some(0));
}

#[test]
fn a_deadlocked_assembly_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
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
    std::fs::write(folder.join("windlass.yaml"), text).unwrap();
    let up = windlass(folder, &["up", "windlass.yaml", "--yes"]);
    assert_eq!(up.0, Some(1), "{up:?}");
    assert!(up.2.contains("`a.second` waits for port `a.other`"), "{up:?}");
    assert!(!folder.join("begun").exists());
}
