//! The example that can be scaled: what `docs/commands/scale.md` shows is what happens.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::net::TcpListener;

use crate::support::{Folder, is_alive};

const EXAMPLE: &str = include_str!("../../../../examples/workers/windlass.yaml");
const WORKER: &str = include_str!("../../../../examples/workers/worker.pl");
const PAGE: &str = include_str!("../../../../docs/commands/scale.md");

/// The first of four ports in a row that are free.
fn free() -> u16 {
    let mut ports = (20_000 + std::process::id() % 10_000)..60_000;
    let port = ports.find(|first| {
        let all: Vec<_> = (*first..first + 4)
            .map(|port| TcpListener::bind(("127.0.0.1", u16::try_from(port).unwrap())))
            .collect();
        all.iter().all(Result::is_ok)
    });
    u16::try_from(port.unwrap()).unwrap()
}

/// The example with ports of its own.
fn example() -> Folder {
    let text = EXAMPLE.replace("18440", &free().to_string());
    Folder::with(&[("windlass.yaml", &text), ("worker.pl", WORKER)])
}

/// A block of the page, without the command.
fn shown(command: &str) -> String {
    let from = format!("$ windlass {command}\n");
    let block = PAGE.split(&from).nth(1).unwrap_or_else(|| panic!("no `{command}`"));
    let block = block.split("```").next().unwrap();
    block.split("$ ").next().unwrap().to_owned()
}

#[test]
fn workers_become_more_and_fewer() {
    let folder = example();
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 0, "{up:?}");
    let dry = folder.run(&["scale", "worker=3", "--dry-run"]);
    assert_eq!(dry.code, 0, "{dry:?}");
    let port = shown("scale worker=3 --dry-run");
    assert_eq!(masked(&dry.stdout), masked(&port));
    assert_eq!(folder.processes().len(), 1, "nothing is done");
    let scale = folder.run(&["scale", "worker=3", "--detach"]);
    assert_eq!(scale.code, 0, "{scale:?}");
    let three = folder.processes();
    assert!(three.len() == 3 && three.values().all(|pid| is_alive(*pid)), "{three:?}");
    let status = folder.run(&["status"]);
    assert_eq!(status.code, 0, "{status:?}");
    // The operator is asked before an instance goes, and sees which.
    let refused = folder.run(&["scale", "worker=1", "--detach"]);
    assert!(refused.code == 2 && refused.stderr.contains("remove worker"), "{refused:?}");
    let dry = folder.run(&["scale", "worker=1", "--dry-run", "--format", "json"]).json();
    assert_eq!(dry["schema"], "windlass/actions/1");
    assert_eq!(dry["actions"].as_array().unwrap().len(), 4, "{dry}");
    let scale = folder.run(&["scale", "worker=1", "--detach", "--yes"]);
    assert_eq!(scale.code, 0, "{scale:?}");
    assert_eq!(three.values().filter(|pid| is_alive(**pid)).count(), 1);
    let wrong = folder.run(&["scale", "wroker=2"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("did you mean `worker`"), "{wrong:?}");
    let restart = folder.run(&["restart", "worker", "--dry-run"]);
    assert!(restart.code == 0 && restart.stdout.starts_with("stop worker"), "{restart:?}");
    assert!(restart.stdout.contains("start worker"), "{restart:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
}

/// Without the numbers of ports.
fn masked(text: &str) -> String {
    let word = |word: &str| match word.parse::<u16>() {
        Ok(_) => "PORT".to_owned(),
        Err(_) => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A plan that takes away what others need is not searched for long.
#[test]
fn what_others_need_is_not_scaled_to_nothing() {
    let kind = |needs: &str| {
        format!(
            "{{ {needs}capabilities: [it], protocol: {{ initial: off, states: {{ off: {{}}, on: \
             {{ {} offers: [it] }} }}, transitions: [{{ from: off, operation: start, to: on }}, \
             {{ from: on, operation: stop, to: off }}] }} }}",
            if needs.is_empty() { "" } else { "requires: [db], on_fault: [off]," }
        )
    };
    let text = format!(
        "windlass: 1\nname: pair\ngoal: db=on, api=on\ntypes:\n  db: {}\n  api: {}\nnodes:\n  \
         db: {{ type: db }}\n  api: {{ type: api, bind: {{ db: db.it }} }}\n",
        kind(""),
        kind("requirements: { db: replica_unaware }, ")
    );
    let folder = Folder::with(&[("windlass.yaml", &text)]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 0, "{up:?}");
    let refused = folder.run(&["scale", "db=0", "--detach", "--yes"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("`api` needs `db`"), "{refused:?}");
    assert!(refused.stderr.contains("say `api=0` too"), "{refused:?}");
    let both = folder.run(&["scale", "db=0", "api=0", "--detach", "--yes"]);
    assert_eq!(both.code, 0, "{both:?}");
}

/// What needs all of a node needs as many as the last goal wanted, not as many as the file says.
#[test]
fn fewer_are_all_of_them() {
    let text = "windlass: 1
name: pair
goal: db=on, api=on
types:
  db:
    capabilities: [it]
    protocol:
      initial: off
      states: { off: {}, on: { offers: [it] } }
      transitions:
        - { from: off, operation: start, to: on }
        - { from: on, operation: stop, to: off }
  api:
    requirements: { db: { sort: replica_unaware, arity: all } }
    protocol:
      initial: off
      states: { off: {}, on: { requires: [db], on_fault: [off] } }
      transitions:
        - { from: off, operation: start, to: on, requires: [db], on_fault: [off] }
        - { from: on, operation: stop, to: off }
nodes:
  db: { type: db, count: 3 }
  api: { type: api, bind: { db: db.it } }
";
    let folder = Folder::with(&[("windlass.yaml", text)]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 0, "{up:?}");
    let fewer = folder.run(&["scale", "db=2", "--detach", "--yes"]);
    assert_eq!(fewer.code, 0, "{fewer:?}");
    let restart = folder.run(&["restart", "api", "--detach"]);
    assert_eq!(restart.code, 0, "{restart:?}");
    assert!(restart.stdout.contains("start   stop api"), "{restart:?}");
    assert!(restart.stdout.contains("start   start api"), "{restart:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
}

/// What belongs to a template is said in the description, and not by names.
#[test]
fn a_name_with_a_number_is_a_name_like_any_other() {
    let service = |node: &str| {
        format!(
            "windlass: 1
name: s
types:
  'kind:web':
    operations: {{ start: {{}} }}
    protocol:
      initial: stopped
      states: {{ stopped: {{}}, running: {{}} }}
      transitions: [ {{ from: stopped, operation: start, to: running }} ]
      up: [start]
nodes:
  web-1: {{ type: 'kind:web'{node} }}
"
        )
    };
    for (node, code) in [("", 0), (", part_of: web", 1)] {
        let folder = Folder::with(&[("windlass.yaml", service(node).as_str())]);
        let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
        assert_eq!(up.code, 0, "{up:?}");
        let scale = folder.run(&["scale", "web-1=2", "--dry-run"]);
        assert_eq!(scale.code, code, "{scale:?}");
        assert_eq!(scale.stderr.contains("each of `web` has a partner"), code == 1, "{scale:?}");
    }
}
