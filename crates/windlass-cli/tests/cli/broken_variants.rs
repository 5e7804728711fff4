//! Good descriptions with one mistake each: the right code at the right place, all in one run.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support::Folder;

const PROTOCOLS: &str = "\
windlass: 1
name: shop
types:
  server:
    capabilities: [host]
    protocol:
      initial: off
      states: { off: {}, on: { offers: [host] } }
      transitions:
        - { from: off, operation: boot, to: on }
        - { from: on, operation: halt, to: off }
  service:
    requirements: { host: containment, peer: replica_unaware }
    capabilities: [api]
    protocol:
      initial: stopped
      states:
        stopped: {}
        idle: { requires: [host], on_fault: [stopped], offers: [api] }
        serving: { requires: [host, peer], on_fault: [idle, stopped], offers: [api] }
      transitions:
        - { from: stopped, operation: start, to: idle }
        - { from: idle, operation: connect, to: serving }
        - { from: serving, operation: stop, to: stopped }
nodes:
  machine: { type: server }
  store: { type: service, bind: { host: machine.host, peer: cache.api } }
  cache: { type: service, bind: { host: machine.host, peer: disk.host } }
  disk: { type: server }
goal: store=serving
";

const NETS: &str = "\
windlass: 1
types:
  server:
    net:
      places: [initial, running]
      initial: [initial]
      transitions:
        start: { from: initial, to: running }
      groups:
        serving: [running]
      ports:
        service: { kind: provide, groups: [serving] }
  client:
    net:
      places: [initial, running]
      initial: [initial]
      transitions:
        run: { from: initial, to: running }
      ports:
        server: { kind: use, transitions: [run] }
nodes:
  server: { type: server }
  client: { type: client, bind: { server: server.service } }
";

/// A mistake: what is replaced in which text by what, and the findings.
type Variant = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

const VARIANTS: &[Variant] = &[
    ("cycle", PROTOCOLS, "peer: disk.host", "peer: store.api", &["27:61 error TOP001"]),
    ("unknown requirement", PROTOCOLS, "[host, peer]", "[host, pear]", &["20:37 error WL004"]),
    (
        "two containments",
        PROTOCOLS,
        "peer: replica_unaware",
        "peer: containment",
        &["13:40 error PROT001"],
    ),
    (
        "handler cycle",
        PROTOCOLS,
        "on_fault: [stopped]",
        "on_fault: [idle, stopped]",
        &["19:46 error PROT005"],
    ),
    (
        "non-deterministic operation",
        PROTOCOLS,
        "        - { from: serving",
        "        - { from: idle, operation: connect, to: stopped }\n        - { from: serving",
        &["24:36 error PROT002"],
    ),
    (
        "duplicate key",
        PROTOCOLS,
        "    capabilities: [api]\n",
        "    capabilities: [api]\n    capabilities: [api]\n",
        &["15:5 error YAML002"],
    ),
    ("wrong type", PROTOCOLS, "initial: stopped", "initial: [stopped]", &["16:16 error WL002"]),
    ("unbound requirement", PROTOCOLS, ", peer: disk.host", "", &["28:3 error TOP002"]),
    (
        "unreachable state",
        PROTOCOLS,
        "        stopped: {}\n",
        "        stopped: {}\n        lost: {}\n",
        &["19:9 warning PROT008"],
    ),
    ("bad goal", PROTOCOLS, "store=serving", "store=sewing", &["30:7 error GOAL001"]),
    ("unknown place", NETS, "to: running }", "to: runing }", &["8:37 error WL004"]),
    (
        "group without port",
        NETS,
        "        serving: [running]\n",
        "        serving: [running]\n        idle: [initial]\n",
        &["11:9 warning NET003"],
    ),
];

fn findings(text: &str) -> (Vec<String>, i32) {
    let run = Folder::with(&[("windlass.yaml", text)]).run(&[
        "check",
        "windlass.yaml",
        "--strict",
        "--format",
        "json",
    ]);
    (run.findings(), run.code)
}

#[test]
fn each_mistake_is_found_at_its_place_and_nothing_else() {
    assert_eq!(findings(PROTOCOLS), (vec![], 0));
    assert_eq!(findings(NETS), (vec![], 0));
    for (name, text, old, new, expected) in VARIANTS {
        assert!(text.contains(old), "{name}");
        let (found, code) = findings(&text.replacen(old, new, 1));
        assert_eq!(
            (found, code),
            (expected.iter().map(ToString::to_string).collect(), 1),
            "{name}"
        );
    }
}

#[test]
fn all_mistakes_are_found_in_one_run() {
    let of_rules = ["handler cycle", "two containments", "unbound requirement"];
    let readers = ["unknown requirement", "wrong type", "bad goal"];
    let with_all = |names: &[&str]| {
        let chosen = VARIANTS.iter().filter(|variant| names.contains(&variant.0));
        chosen.fold(PROTOCOLS.to_owned(), |text, (_, _, old, new, _)| text.replacen(old, new, 1))
    };
    // Rules look at what was understood, so mistakes of the text come first.
    let (found, _) = findings(&with_all(&readers));
    assert_eq!(found, ["16:16 error WL002", "20:37 error WL004", "30:7 error GOAL001"]);
    let (found, _) = findings(&with_all(&of_rules));
    assert_eq!(found, ["13:40 error PROT001", "19:46 error PROT005", "28:3 error TOP002"]);
    let files: Vec<(String, String)> = (VARIANTS.iter().enumerate())
        .map(|(at, (_, text, old, new, _))| (format!("{at:02}.yaml"), text.replacen(old, new, 1)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let run = Folder::with(&files).run(&["check", ".", "--format", "json"]);
    let expected: Vec<&str> = VARIANTS.iter().flat_map(|variant| variant.4).copied().collect();
    assert_eq!(run.findings(), expected, "a folder at once");
}
