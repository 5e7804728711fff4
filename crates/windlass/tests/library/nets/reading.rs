//! Nets as texts: what is printed reads as the same assembly; Concerto's JSON.

use std::collections::BTreeSet;

use windlass::application::Application;
use windlass::application::assembly::Assembly;
use windlass::explore::Options;
use windlass::lang::{self, Language};
use windlass::prove::{self, Answer};
use windlass::rule;
use windlass::simulate::{Scenario, simulate};
use windlass::source::Sources;
use windlass::system::Unlimited;
use windlass::tree::emit;

use super::random::{self, SMALL, Shape};
use super::{FIVE, application, long};

fn read_back(application: &Application, context: &str) {
    let printed = lang::windlass::print(application, None);
    for text in [emit::yaml(&printed), emit::json(&printed)] {
        let mut sources = Sources::new();
        let root = sources.add("windlass.yaml", text.as_str());
        let reading = lang::read(None, root, &sources);
        assert_eq!(reading.findings, [], "{context}\n{text}");
        assert_eq!(reading.application.as_ref(), Some(application), "{context}\n{text}");
    }
}

/// Every key that a net and an assembly may have.
const EVERYTHING: &str = "
windlass: 1
name: everything
durations_from: guesses
hosts: { small: 1, large: 4 }
locks: { package: 2 }
types:
  server:
    net:
      places: [off, half, on]
      initial: [off]
      transitions:
        pull: { from: { place: off, dock: way }, to: half, duration: { from: 1s, to: 3s }, host: large }
        build: { from: { place: off, dock: way }, to: half, duration: { mean: 4s, deviation: 1s }, lock: package }
        configure: { from: off, to: half, duration: { exponential: 2s }, sets: { address: '10.0.0.1' } }
        start:
          from: half
          to: on
          run: [./start.sh]
          compensate: { shell: ./stop.sh }
          timeout: 1m
          retry: { times: 3, wait: 1s, factor: 2 }
          duration: { measured: [1s, 2s] }
          cost: 2
        stop: { from: on, to: half, behavior: stop }
        clean: { from: half, to: off, behavior: stop }
      groups: { serving: [on], known: [half, on] }
      ports:
        service: { kind: provide, type: http, groups: [serving, known] }
        address: { kind: data_provide, type: ip, places: [half] }
        license: { kind: use, places: [on] }
  client:
    net:
      places: [off, on]
      initial: [off]
      transitions: { start: { from: off, to: on } }
      groups: { up: [off, on] }
      ports:
        server: { kind: use, type: http, transitions: [start] }
        address: { kind: data_use, type: ip, transitions: [start] }
        license: { kind: provide, groups: [up] }
nodes:
  server: { type: server, count: 2, host: small, behaviors: [deploy, stop, deploy], bind: { license: client.license } }
  client: { type: client, bind: { server: server.service, address: server.address } }
";

#[test]
fn what_is_printed_reads_as_the_same_assembly() {
    read_back(&read(EVERYTHING), "everything");
    for (name, text) in FIVE {
        read_back(&application(text), name);
    }
    for seed in (0..long::cases(200)).map(long::seed) {
        let shape = Shape { places: 5, choice: true, withdrawal: true, timed: true, ..SMALL };
        read_back(&application(&random::assembly(seed, shape)), &format!("seed {seed}"));
    }
}

/// The application in a text without errors.
fn read(text: &str) -> Application {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    let reading = lang::read(None, root, &sources);
    reading.application.unwrap_or_else(|| panic!("{:#?}", reading.findings))
}

const SHOP: &str = include_str!("../../../../../fuzz/seeds/concerto/shop.json");

#[test]
fn an_assembly_of_concerto_is_one_of_ours() {
    let mut sources = Sources::new();
    let root = sources.add("shop.json", SHOP);
    let reading = lang::read(None, root, &sources);
    assert_eq!(reading.language, Some(Language::CONCERTO));
    assert_eq!(reading.findings, []);
    let application = reading.application.unwrap();
    assert_eq!(rule::check(&application, &sources), []);
    read_back(&application, "shop.json");
    let assembly = Assembly::new(&application).unwrap();
    assert!(simulate(&assembly, &Scenario::default()).is_finished());
    let proof = prove::net(&assembly, &BTreeSet::new(), &Options::default(), &mut Unlimited);
    assert_eq!(proof.answer, Answer::AlwaysCompletes);
    // The use port is held while the client is on: the place waits for it.
    let net = application.types[1].net().unwrap();
    assert_eq!(net.ports[0].places.len(), 1);
}

/// Code, line and column of what is wrong with the shop after a change.
fn wrong(old: &str, new: &str) -> Vec<String> {
    assert_eq!(SHOP.matches(old).count(), 1, "{old}");
    let text = SHOP.replace(old, new);
    let mut sources = Sources::new();
    let root = sources.add("shop.json", text.as_str());
    let reading = lang::read(Some(Language::CONCERTO), root, &sources);
    let errors = reading
        .findings
        .iter()
        .any(|found| found.severity == windlass::diagnostic::Severity::Error);
    assert_eq!(reading.application.is_none(), errors);
    let places = reading.findings.iter().map(|finding| {
        let place = sources.positions(finding.primary).0;
        format!("{} {}:{} {}", finding.code, place.line, place.column, finding.message)
    });
    places.collect()
}

#[test]
fn what_concerto_does_not_declare_is_found_at_its_place() {
    assert_eq!(
        wrong(
            r#""from": "ready", "to": "on", "behavior": "deploy""#,
            r#""from": "redy", "to": "on", "behavior": "deploy""#
        ),
        ["CONCERTO001 15:36 unknown place `redy`"]
    );
    assert_eq!(
        wrong(r#""component": "client""#, r#""component": "customer""#),
        [
            "CONCERTO001 23:38 unknown component `customer`",
            "CONCERTO001 26:64 unknown instance `client`"
        ]
    );
    assert_eq!(
        wrong(r#""use_port": "server""#, r#""use_port": "service""#),
        ["CONCERTO001 26:86 unknown use port `service`"]
    );
    assert_eq!(wrong(r#""type": "use""#, r#""type": "wish""#).len(), 2);
    assert_eq!(
        wrong(
            r#""start": "off",
      "transitions": [
        { "name": "install""#,
            r#""start": 7,
      "transitions": [
        { "name": "install""#
        )
        .len(),
        1
    );
}
