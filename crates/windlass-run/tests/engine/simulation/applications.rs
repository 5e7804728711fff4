//! What is run: applications of protocols, with replicas and without, and two assemblies of nets.

use windlass::application::Application;
use windlass::goal::GoalFile;
use windlass::lang;
use windlass::source::Sources;
use windlass::synthesize;

fn read(text: &str) -> (Application, Option<GoalFile>) {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    let reading = lang::read(None, root, &sources);
    assert_eq!(reading.findings, []);
    (reading.application.unwrap(), reading.goal)
}

/// A store, two servers and a front end that says sorry when they are gone; migrations must not run
/// twice.
pub(crate) fn shop() -> (Application, GoalFile) {
    let (application, goal) = read(
        "
windlass: 1
goal: front=running
types:
  store:
    capabilities: [data]
    operations:
      install: { run: [install], effect: idempotent }
      migrate: { run: [migrate], effect: at_most_once }
      stop: {}
    protocol:
      initial: absent
      states:
        absent: {}
        installed: {}
        running: { offers: [data], on_crash: installed, process: [store] }
      transitions:
        - { from: absent, operation: install, to: installed }
        - { from: installed, operation: migrate, to: running }
        - { from: running, operation: stop, to: installed }
  server:
    requirements: { data: replica_unaware }
    capabilities: [pages]
    operations:
      start: { run: [prepare], effect: { check: [test] }, retry: { times: 2, wait: 1s, factor: 2 } }
      stop: {}
    protocol:
      initial: off
      states:
        off: {}
        running: { requires: [data], offers: [pages], on_fault: [off], process: [serve] }
      transitions:
        - { from: off, operation: start, to: running, requires: [data], on_fault: [off] }
        - { from: running, operation: stop, to: off }
  front:
    requirements: { pages: replica_unaware }
    operations:
      start: { timeout: 10s, retry: 1, effect: idempotent }
      stop: {}
    protocol:
      initial: off
      states:
        off: {}
        sorry: { process: [sorry] }
        running: { requires: [pages], on_fault: [sorry], process: [front] }
      transitions:
        - { from: off, operation: start, to: running }
        - { from: sorry, operation: start, to: running }
        - { from: running, operation: stop, to: off }
nodes:
  store: { type: store }
  server: { type: server, count: 2, bind: { data: store.data } }
  front: { type: front, bind: { pages: server.pages } }
",
    );
    (application, goal.unwrap())
}

/// The example in which every node is one instance; what it installs must not be installed twice.
pub(crate) fn board(strict: bool) -> (Application, GoalFile) {
    let text = if strict {
        include_str!("../../../../../examples/atomic/forbidden.yaml")
    } else {
        include_str!("../../../../../examples/atomic/handled.yaml")
    };
    let text = text.replace("effect: idempotent, duration", "effect: at_most_once, duration");
    let (application, _) = read(&text);
    let goal = synthesize::everything_up(&application).unwrap();
    (application, GoalFile { goal, ..GoalFile::default() })
}

/// Four components over each other, with a lock and a host.
pub(crate) fn stack() -> Application {
    read(
        "
windlass: 1
hosts: { one: 2 }
locks: { apt: 1 }
types:
  layer:
    net:
      places: [off, pulled, configured, on]
      initial: [off]
      transitions:
        pull: { from: off, to: pulled, run: [pull], effect: idempotent, lock: apt }
        configure: { from: off, to: configured, run: [configure], effect: at_most_once }
        start: { from: pulled, to: on, run: [start], effect: at_most_once, retry: 1 }
        join: { from: configured, to: on, run: [join], effect: { check: [test] } }
      groups: { service: [on] }
      ports:
        below: { kind: use, transitions: [start] }
        service: { kind: provide, groups: [service] }
  base:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on, run: [start], effect: at_most_once, timeout: 3s, retry: 2 }
      groups: { service: [on] }
      ports:
        service: { kind: provide, groups: [service] }
nodes:
  a: { type: base, host: one }
  b: { type: layer, host: one, bind: { below: a.service } }
  c: { type: layer, host: one, bind: { below: b.service } }
  d: { type: layer, bind: { below: b.service } }
",
    )
    .0
}

/// Many users of one provider, and one user of them all.
pub(crate) fn diamond() -> Application {
    read(
        "
windlass: 1
types:
  first:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on, run: [start] } }
      groups: { service: [on] }
      ports: { service: { kind: provide, groups: [service] } }
  middle:
    net:
      places: [off, half, on]
      initial: [off]
      transitions:
        start: { from: off, to: half, run: [start], effect: idempotent }
        finish: { from: half, to: on }
      groups: { service: [on] }
      ports:
        first: { kind: use, transitions: [start] }
        service: { kind: provide, groups: [service] }
  last:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on, run: [start] } }
      ports: { middle: { kind: use, transitions: [start] } }
nodes:
  first: { type: first }
  middle: { type: middle, count: 8, bind: { first: first.service } }
  last: { type: last, bind: { middle: middle.service } }
",
    )
    .0
}
