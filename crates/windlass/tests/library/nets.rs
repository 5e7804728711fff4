//! Madeus assemblies (paper 002): the seven rules against a naive enumeration, rules of our own,
//! random assemblies.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    reason = "tests panic"
)]
#![allow(clippy::format_collect, clippy::format_push_string, reason = "short, not fast")]

mod naive;
mod openstack;
mod pnml;
mod progress;
mod proving;
mod random;
mod reading;
mod semantics;
mod simulator;

use crate::support::long;
use windlass::application::Application;
use windlass::lang;
use windlass::source::Sources;

/// The assembly in a text that has no errors.
fn application(text: &str) -> Application {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    let reading = lang::read(None, root, &sources);
    assert!(reading.findings.is_empty(), "{:#?}\n{text}", reading.findings);
    reading.application.expect("an application")
}

const TWO_COMPONENTS: &str = include_str!("../../../../examples/two-components/windlass.yaml");

/// A provider that moves on: its service is withdrawn (rule 6) unless it is in use (rule 4).
const PASSING: &str = "
windlass: 1
types:
  server:
    net:
      places: [off, on, gone]
      initial: [off]
      transitions:
        start: { from: off, to: on }
        stop: { from: on, to: gone }
      groups: { up: [on] }
      ports:
        service: { kind: provide, groups: [up] }
  client:
    net:
      places: [off, done]
      initial: [off]
      transitions:
        ask: { from: off, to: done }
      ports:
        service: { kind: use, transitions: [ask] }
nodes:
  server: { type: server }
  client: { type: client, bind: { service: server.service } }
";

/// Two components that wait for each other.
const CROSSED: &str = "
windlass: 1
types:
  half:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on }
      groups: { up: [on] }
      ports:
        mine: { kind: provide, groups: [up] }
        other: { kind: use, transitions: [start] }
nodes:
  left: { type: half, bind: { other: right.mine } }
  right: { type: half, bind: { other: left.mine } }
";

/// Alternatives that share docks, and a port with two groups.
const CHOICE: &str = "
windlass: 1
types:
  either:
    net:
      places: [start, left, right, end]
      initial: [start]
      transitions:
        to-left: { from: { place: start, dock: way }, to: left }
        to-right: { from: { place: start, dock: way }, to: right }
        from-left: { from: left, to: { place: end, dock: home } }
        from-right: { from: right, to: { place: end, dock: home } }
        beside: { from: start, to: end }
      groups: { sides: [left, right], rest: [left, right, end] }
      ports:
        both: { kind: provide, groups: [sides, rest] }
        name: { kind: data_provide, places: [left, right] }
  user:
    net:
      places: [start, end]
      initial: [start]
      transitions:
        use: { from: start, to: end }
        read: { from: start, to: end }
      ports:
        both: { kind: use, transitions: [use] }
        name: { kind: data_use, transitions: [read] }
nodes:
  either: { type: either }
  user: { type: user, bind: { both: either.both, name: either.name } }
";

/// Two providers of one port, of which one is enough, and three users.
const REPLICAS: &str = "
windlass: 1
types:
  server:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on } }
      groups: { up: [on] }
      ports: { service: { kind: provide, groups: [up] } }
  client:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on } }
      ports: { service: { kind: use, transitions: [start] } }
nodes:
  server: { type: server, count: 2 }
  client: { type: client, count: 2, bind: { service: server.service } }
";

const FIVE: [(&str, &str); 5] = [
    ("two-components", TWO_COMPONENTS),
    ("passing", PASSING),
    ("crossed", CROSSED),
    ("choice", CHOICE),
    ("replicas", REPLICAS),
];
