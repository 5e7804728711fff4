//! `prove` on assemblies of nets: one run where the order of events does not matter, a search
//! elsewhere, evidence that is refused when it is tampered with, mutations that get stuck.

use std::collections::BTreeSet;

use windlass::analyze::nets;
use windlass::application::assembly::progress::{self, Event};
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::certificate::{RefusedOrder, check_order};
use windlass::explore::Options;
use windlass::prove::{self, Answer, Proof};
use windlass::system::{Limits, Unlimited};

use super::random::{self, SMALL, Shape};
use super::{CHOICE, CROSSED, FIVE, PASSING, TWO_COMPONENTS, application, long};
use crate::support::prng::Prng;

fn prove(text: &str) -> Proof {
    let application = application(text);
    let assembly = Assembly::new(&application).unwrap();
    prove::net(&assembly, &BTreeSet::new(), &Options::default(), &mut Unlimited)
}

const EXAMPLES: [(&str, &str); 5] = [
    ("two-components", TWO_COMPONENTS),
    ("openstack", include_str!("../../../../../examples/openstack/windlass.yaml")),
    ("aeolus", include_str!("../../../../../examples/openstack/aeolus.yaml")),
    ("kolla", include_str!("../../../../../examples/openstack/kolla.yaml")),
    ("mariadb-waits", include_str!("../../../../../examples/openstack/mariadb-waits.yaml")),
];

/// The text without one connection of one node, and what was taken out.
fn without(text: &str, node: &str, port: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(&format!("  {node}: {{ type:"))).unwrap();
    let start = line.find(&format!("{port}: ")).unwrap();
    let rest = &line[start..];
    let end = rest.find([',', '}']).unwrap();
    let end = if rest[end..].starts_with(", ") { end + 2 } else { end };
    let changed = format!("{}{}", &line[..start], &rest[end..]).replace("{  }", "{}");
    text.replace(line, &changed)
}

#[test]
fn every_example_always_completes() {
    for (name, text) in EXAMPLES {
        let proof = prove(text);
        assert_eq!(proof.answer, Answer::AlwaysCompletes, "{name}");
        assert_eq!((proof.method, proof.evidence), ("one run", "run"), "{name}");
        assert_eq!(
            proof.assumptions,
            ["every transition that starts ends", "transitions succeed"],
            "{name}"
        );
    }
}

#[test]
fn examples_that_must_get_stuck_do() {
    let openstack = EXAMPLES[1].1;
    let mutations = [
        // The client never gets the address of the server.
        (
            TWO_COMPONENTS.replace("places: [prepared] }", "places: [initial] }"),
            "client.server-address",
        ),
        // A group that is never entered.
        (without(openstack, "mariadb", "haproxy"), "mariadb.haproxy"),
        (without(openstack, "keystone", "mariadb"), "keystone.mariadb"),
        // MariaDB waits for Keystone, which waits for MariaDB.
        (
            openstack
                .replace("haproxy: haproxy.deployed,", "haproxy: keystone.deployed,")
                .replace("type: haproxy, transitions: [", "type: keystone, transitions: ["),
            "a cycle",
        ),
    ];
    for (text, because) in mutations {
        let mut sources = windlass::source::Sources::new();
        let root = sources.add("windlass.yaml", text.as_str());
        let reading = windlass::lang::read(None, root, &sources);
        let application = reading.application.unwrap_or_else(|| panic!("{:?}", reading.findings));
        let assembly = Assembly::new(&application).unwrap();
        let proof = prove::net(&assembly, &BTreeSet::new(), &Options::default(), &mut Unlimited);
        assert_eq!(proof.answer, Answer::CanGetStuck, "{because}\n{text}");
        let stuck = proof.stuck.unwrap();
        assert!(stuck.waiting[0].contains(because), "{because}: {:?}", stuck.waiting);
        // The findings of `check` are about the same.
        let findings = windlass::rule::check(&application, &sources);
        assert!(findings.iter().any(|finding| finding.code.starts_with("NET")), "{because}");
    }
}

#[test]
fn what_gets_stuck_by_choice_or_withdrawal_is_found_by_search() {
    let proof = prove(PASSING);
    assert_eq!((proof.answer, proof.method), (Answer::CanGetStuck, "search"));
    let stuck = proof.stuck.unwrap();
    assert_eq!(
        stuck.waiting,
        ["`client.ask` waits for port `client.service`, which is not provided then"]
    );
    assert_eq!(stuck.trace.last().unwrap(), "leave client.off");
    let proof = prove(CHOICE);
    assert_eq!(
        (proof.answer, proof.method, proof.evidence),
        (Answer::CanGetStuck, "search", "trace")
    );
    let proof = prove(CROSSED);
    assert_eq!((proof.answer, proof.method), (Answer::CanGetStuck, "one run"));
    assert_eq!(proof.stuck.unwrap().trace, ["leave left.off", "leave right.off"]);
}

#[test]
fn a_transition_that_may_fail_stops_what_waits() {
    let text = TWO_COMPONENTS.replace(
        "start: { from: prepared, to: running, duration: 2s }",
        "start: { from: prepared, to: running, retry: { times: 1 } }",
    );
    let application = application(&text);
    let assembly = Assembly::new(&application).unwrap();
    let named = |name: &str| {
        assembly.transition_ids().find(|id| assembly.transition_name(*id) == name).unwrap()
    };
    let may_fail = BTreeSet::from([named("server.start")]);
    let proof = prove::net(&assembly, &may_fail, &Options::default(), &mut Unlimited);
    assert_eq!((proof.answer, proof.method), (Answer::CanGetStuck, "one run"));
    let stuck = proof.stuck.unwrap();
    assert_eq!(
        stuck.waiting,
        ["`client.run` waits for port `client.server`, which `server.start` would provide; \
          `server.start` fails"]
    );
    let told: Vec<&str> = stuck
        .trace
        .iter()
        .map(|step| &**step)
        .filter(|step| step.contains("server.start"))
        .collect();
    assert_eq!(
        told,
        ["start server.start", "server.start fails", "retry server.start", "server.start fails"]
    );
}

#[test]
fn tampered_evidence_is_refused() {
    let none = BTreeSet::new();
    let application = application(TWO_COMPONENTS);
    let assembly = Assembly::new(&application).unwrap();
    let run = progress::progress(&assembly).unwrap().run;
    check_order(&assembly, &none, &run, true).unwrap();
    assert_eq!(check_order(&assembly, &none, &run, false), Err(RefusedOrder::OtherAnswer));
    // Every event is needed, and none may come twice.
    for at in 0..run.len() {
        let mut shorter = run.clone();
        shorter.remove(at);
        check_order(&assembly, &none, &shorter, true).unwrap_err();
        let mut longer = run.clone();
        longer.insert(at, run[at]);
        check_order(&assembly, &none, &longer, true).unwrap_err();
    }
    let mut turned = run.clone();
    turned.reverse();
    assert_eq!(check_order(&assembly, &none, &turned, true), Err(RefusedOrder::Blocked(0)));
    // Half of the run is no end, and so it does not show that something gets stuck.
    let half = &run[..run.len() / 2];
    assert!(matches!(check_order(&assembly, &none, half, false), Err(RefusedOrder::NotAnEnd(_))));
    // A transition that may fail and does not is no proof.
    let Event::Fire(id) = run[0] else { panic!("{run:?}") };
    let may_fail = BTreeSet::from([id]);
    assert_eq!(check_order(&assembly, &may_fail, &run, true), Err(RefusedOrder::OtherAnswer));
    // Where the order of events matters one run shows nothing.
    for text in [PASSING, CHOICE] {
        let application = super::application(text);
        let assembly = Assembly::new(&application).unwrap();
        let refused = check_order(&assembly, &none, &[], false);
        assert!(matches!(refused, Err(RefusedOrder::OrderMatters(_))), "{refused:?}");
    }
}

/// The order of events, the search and `prove` agree, with and without failures.
#[test]
fn answers_about_random_assemblies_agree() {
    let (mut completes, mut stuck, mut searched) = (0, 0, 0);
    for seed in (0..long::cases(500)).map(long::seed) {
        let shape = Shape { types: 2, choice: seed % 4 == 0, withdrawal: seed % 4 == 1, ..SMALL };
        let text = random::assembly(seed, shape);
        let application = application(&text);
        let assembly = Assembly::new(&application).unwrap();
        let mut limits = Limits { states: 400, bytes: usize::MAX };
        let options = Options::default();
        let Ok(found) = nets::by_search(&assembly, &options, &mut limits) else { continue };
        let proof = prove::net(&assembly, &BTreeSet::new(), &options, &mut Unlimited);
        let expected = if found.completes { Answer::AlwaysCompletes } else { Answer::CanGetStuck };
        assert_eq!(proof.answer, expected, "seed {seed}\n{text}");
        searched += usize::from(proof.method == "search");
        if found.completes {
            completes += 1;
        } else {
            stuck += 1;
        }
        if let Some(stuck) = proof.stuck {
            assert_eq!(stuck.waiting.len(), 1, "seed {seed}\n{text}\n{stuck:?}");
        }
        // What may fail and happens makes it get stuck.
        let mut prng = Prng::new(seed);
        let chosen = TransitionId::from(prng.below(assembly.sizes().transitions));
        let may_fail = BTreeSet::from([chosen]);
        let failing = prove::net(&assembly, &may_fail, &options, &mut Unlimited);
        let starts = !found.never_run.contains(&assembly.transition_name(chosen));
        let expected = if starts { Answer::CanGetStuck } else { proof.answer };
        assert_eq!(failing.answer, expected, "seed {seed}, {chosen:?} may fail\n{text}");
    }
    println!("{completes} complete, {stuck} get stuck, {searched} of them by search");
    assert!(completes > 20 && stuck > 20 && searched > 10, "{completes} {stuck} {searched}");
}

#[test]
fn the_five_small_assemblies_are_answered_as_by_search() {
    for (name, text) in FIVE {
        let application = application(text);
        let assembly = Assembly::new(&application).unwrap();
        let found = nets::by_search(&assembly, &Options::default(), &mut Unlimited).unwrap();
        let proof = prove::net(&assembly, &BTreeSet::new(), &Options::default(), &mut Unlimited);
        assert_eq!(proof.answer == Answer::AlwaysCompletes, found.completes, "{name}");
    }
}
