//! One step at a time: assemblies of nets (paper 002) and single instances (paper 003).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use windlass::application::assembly::Assembly;
use windlass::application::{Application, GlobalState};
use windlass::lang;
use windlass::semantics::{self, AnySystem, Setting};
use windlass::source::Sources;
use windlass::step::{Choice, Nets, Single, Walk};

fn read(text: &str) -> Application {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    lang::read(None, root, &sources).application.unwrap()
}

fn options(walk: &mut dyn Walk) -> Vec<Choice> {
    walk.perform("options").unwrap().options
}

fn blocked(walk: &mut dyn Walk, command: &str) -> Option<String> {
    let all = options(walk);
    let found = all.iter().find(|choice| choice.command == command);
    found.unwrap_or_else(|| panic!("no {command} in {all:?}")).blocked.clone()
}

const NETS: &str = "windlass: 1
types:
  server:
    net:
      places: [off, on, gone]
      initial: [off]
      transitions:
        start: { from: off, to: on, timeout: 5s, retry: { times: 1, wait: 1s } }
        stop: { from: on, to: gone }
      groups: { up: [on] }
      ports: { service: { kind: provide, groups: [up] } }
  client:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        warm: { from: off, to: on }
        connect: { from: off, to: on }
      ports: { needed: { kind: use, transitions: [connect] } }
nodes:
  s: { type: server }
  c: { type: client, bind: { needed: s.service } }
";

#[test]
fn a_transition_waits_for_its_port_and_its_place() {
    let application = read(NETS);
    let assembly = Assembly::new(&application).unwrap();
    let mut nets = Nets::new(&assembly);
    assert_eq!(nets.places()["s"], "off");
    let reason = blocked(&mut nets, "start c connect").unwrap();
    assert!(reason.contains("`s.service` is provided while a token is in `on`"), "{reason}");
    assert_eq!(blocked(&mut nets, "start c warm"), None);
    // A line that cannot be carried out changes nothing.
    assert!(nets.perform("start c connect").is_err());
    assert_eq!(nets.places()["c"], "off");
    nets.perform("start s start").unwrap();
    assert_eq!(nets.places()["s"], "-start->");
    let done = nets.perform("end s start").unwrap();
    assert_eq!(done.consequences, ["enter s.on", "enable c.needed -> s.service"]);
    assert_eq!(nets.bindings()["c"]["needed"], ["s.service"]);
    // Two transitions leave the place together; the place behind them waits for both.
    nets.perform("start c connect").unwrap();
    let reason = blocked(&mut nets, "start s stop").unwrap();
    assert!(reason.contains("would lose its last token"), "{reason}");
    nets.perform("end c connect").unwrap();
    let mut tokens: Vec<String> = nets.places()["c"].split(", ").map(str::to_owned).collect();
    tokens.sort();
    assert_eq!(tokens, ["after off", "before on"]);
    nets.perform("start c warm").unwrap();
    nets.perform("end c warm").unwrap();
    assert_eq!(nets.places()["c"], "on");
    // Nothing uses the service any more, so the server may stop, and withdraws it.
    let done = nets.perform("start s stop").unwrap();
    assert_eq!(done.consequences, ["disable c.needed -> s.service"]);
    assert!(nets.bindings().is_empty());
}

#[test]
fn an_action_that_fails_is_tried_again_or_skipped_and_taken_back() {
    let application = read(NETS);
    let assembly = Assembly::new(&application).unwrap();
    let mut nets = Nets::new(&assembly);
    nets.perform("start s start").unwrap();
    let commands: Vec<String> = options(&mut nets).into_iter().map(|one| one.command).collect();
    for command in ["end s start", "fail s start", "time-out s start", "cancel s start"] {
        assert!(commands.contains(&command.to_owned()), "{commands:?}");
    }
    nets.perform("fail s start").unwrap();
    assert_eq!(nets.places()["s"], "-start-> failed");
    assert!(nets.perform("end s start").unwrap_err().to_string().contains("did not end well"));
    nets.perform("retry s start").unwrap();
    nets.perform("time-out s start").unwrap();
    assert!(nets.perform("retry s start").is_err(), "once only");
    nets.perform("skip s start").unwrap();
    assert_eq!(nets.places()["s"], "on");
    nets.perform("undo").unwrap();
    assert_eq!(nets.places()["s"], "-start-> failed");
    for line in ["start s", "start nobody start", "jump s start", ""] {
        assert!(nets.perform(line).is_err(), "{line}");
    }
    assert!(nets.state().is_none());
}

fn single(faults: &str) -> Application {
    read(&format!(
        "windlass: 1
faults: {faults}
types:
  machine:
    capabilities: [host]
    protocol:
      initial: off
      states: {{ off: {{}}, on: {{ offers: [host] }} }}
      transitions:
        - {{ from: off, operation: boot, to: on }}
        - {{ from: on, operation: halt, to: off }}
  app:
    requirements: {{ host: containment }}
    protocol:
      initial: none
      states: {{ none: {{}}, running: {{ requires: [host], on_fault: [stopped] }}, stopped: {{}} }}
      transitions:
        - {{ from: none, operation: run, to: running, requires: [host] }}
nodes:
  m: {{ type: machine }}
  a: {{ type: app, bind: {{ host: m.host }} }}
"
    ))
}

fn single_from(application: &Application, start: GlobalState, hard_recovery: bool) -> Single<'_> {
    let setting = Setting { start, hard_recovery, ..Setting::default() };
    match semantics::system_of(application, setting) {
        AnySystem::Template(template) => Single::new(template),
        _ => panic!("one instance of each node"),
    }
}

#[test]
fn operations_of_single_instances_are_atomic_and_faults_are_handled() {
    let application = single("handled");
    let mut walk = single_from(&application, GlobalState::empty(), false);
    assert!(blocked(&mut walk, "start a run").is_some());
    walk.perform("start m boot").unwrap();
    walk.perform("start a run").unwrap();
    assert_eq!(walk.bindings()["a"]["host"], ["m"]);
    let done = walk.perform("start m halt").unwrap();
    assert_eq!(done.consequences, ["fault: a loses host"]);
    // While a fault is pending nothing else runs.
    assert!(blocked(&mut walk, "start m boot").is_some());
    walk.perform("handle a host").unwrap();
    assert_eq!(walk.places()["a"], "stopped");
    let saved = walk.state().unwrap();
    let again = single_from(&application, saved, false);
    assert_eq!(again.places(), walk.places());
    walk.perform("undo").unwrap();
    assert_eq!(walk.places()["a"], "running");
}

#[test]
fn a_node_in_a_dead_container_is_reset_only_with_hard_recovery() {
    let application = single("handled");
    let mut walk = single_from(&application, GlobalState::empty(), true);
    for line in ["start m boot", "start a run"] {
        walk.perform(line).unwrap();
    }
    assert!(blocked(&mut walk, "reset a").is_some(), "its container is alive");
    walk.perform("start m halt").unwrap();
    walk.perform("reset a").unwrap();
    assert_eq!(walk.places()["a"], "none");
    let mut soft = single_from(&application, GlobalState::empty(), false);
    assert!(soft.perform("reset a").is_err());
    assert!(options(&mut soft).iter().all(|choice| !choice.command.starts_with("reset")));
}
