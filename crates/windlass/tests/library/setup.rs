//! Rule sets (paper 001): proofs for every topology, their refutations, and one topology at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests panic")]

use std::collections::BTreeSet;

use crate::support::long;
use crate::support::prng::Prng;
use windlass::certificate::{check_argument, check_climb};
use windlass::explore::{self, Derived, Options};
use windlass::lang;
use windlass::lifecycle::setup::{
    Kind, NodeTypeId, RelationshipTypeId, RuleSet, Topology, TopologyNode,
};
use windlass::prove::any_size::argument::prove;
use windlass::prove::any_size::smaller_first;
use windlass::prove::{self, Answer};
use windlass::semantics::setup::{Object, Setup, State};
use windlass::source::Sources;
use windlass::system::{Limits, Property, System, Unlimited, Verdict};

const PAPER: &str = include_str!("../../../../examples/setup/rules.yaml");
const CRM: &str = include_str!("../../../../examples/setup/crm.yaml");
const LIFECYCLE: &str = include_str!("../../../../examples/setup/lifecycle.yaml");
const TEARDOWN: &str = include_str!("../../../../examples/setup/teardown.yaml");

fn rules(text: &str) -> RuleSet {
    let mut sources = Sources::new();
    let root = sources.add("rules.yaml", text);
    let reading = lang::read_rules(root, &sources);
    reading.document.unwrap_or_else(|| panic!("{:?}\n{text}", reading.findings))
}

fn answer(text: &str) -> prove::AnySize {
    prove::any_size(&rules(text), 6, &Options::default(), &mut Unlimited)
}

/// Whether some run of a topology ends elsewhere than in the goal, by looking at every state.
fn gets_stuck(topology: &Topology) -> bool {
    gets_stuck_within(topology, usize::MAX).expect("there is no limit")
}

/// By search over every order of events; none when there are more states than that.
fn gets_stuck_within(topology: &Topology, states: usize) -> Option<bool> {
    let setup = Setup::new(topology);
    let good = |state: &State| setup.is_final(state);
    let property = Property::DeadlockFree(&good);
    let mut limits = Limits { states, bytes: usize::MAX };
    let outcome = explore::search(&Derived(&setup), property, &Options::default(), &mut limits);
    match outcome.verdict {
        Verdict::Holds(_) => Some(false),
        Verdict::Fails(_) => Some(true),
        Verdict::Unknown(_) => None,
    }
}

#[test]
fn the_rules_of_the_paper_complete_for_every_topology() {
    for text in [PAPER, LIFECYCLE, TEARDOWN] {
        let rules = rules(text);
        let argument = prove(&rules).unwrap_or_else(|open| panic!("{}: {open:?}", rules.name));
        check_argument(&rules, &argument).expect("the checker follows");
    }
}

#[test]
fn the_application_of_figure_1_is_decided_by_one_run() {
    let mut sources = Sources::new();
    let root = sources.add("crm.yaml", CRM);
    let topology = lang::read_topology(root, &sources).document.unwrap();
    let proof = prove::topology(&topology, &Options::default(), &mut Unlimited);
    assert_eq!((proof.answer, proof.method), (Answer::AlwaysCompletes, "one run"));
    assert!(!gets_stuck(&topology));
}

/// What is changed, texts and what replaces them, and the nodes and relationships of a smallest
/// topology that gets stuck.
type Mutation = (&'static str, &'static [(&'static str, &'static str)], (usize, usize));

/// Changes of the paper's rules.
const MUTATIONS: &[Mutation] = &[
    (
        "acyclicity over HostedOn only, as printed",
        &[
            ("DependsOn: {}", "DependsOn: { acyclic: no }"),
            ("ConnectsTo: {}", "ConnectsTo: { acyclic: no }"),
        ],
        (2, 2),
    ),
    (
        "one capability for two relationships, and R12 takes the message",
        &[("[closed, open, available] }", "[closed, open, available], shared: yes }")],
        (2, 2),
    ),
    (
        "no rule makes a HostedOn capability available",
        &[("capability: HostedOn, from: closed", "capability: HostedOn, from: open")],
        (2, 1),
    ),
    (
        "no node ever starts",
        &[("from: created, to: started", "from: started, to: created")],
        (1, 0),
    ),
    ("a message is never sent", &[(", send: available", "")], (2, 1)),
    ("the open message is never sent", &[(", send: open", "")], (2, 1)),
    (
        "creation waits for all requirements",
        &[("all: requirements, over: [HostedOn], in: [ready]", "all: requirements, in: [ready]")],
        (2, 1),
    ),
    (
        "a host is available only to those who run",
        &[(
            "capability: HostedOn, from: closed, to: available, when: [{ node: [created, started] }]",
            "capability: HostedOn, from: closed, to: available, when: [{ node: [started] }, { far: [created] }]",
        )],
        (2, 1),
    ),
    (
        "two steps share one message",
        &[
            (
                "[{ message: open }, { node: [created] }] }",
                "[{ node: [created] }], consume: open }",
            ),
            ("to: ready, consume: available }", "to: ready, consume: open }"),
        ],
        (2, 1),
    ),
    (
        "a dependency waits for its user",
        &[(
            "capability: DependsOn, from: open, to: available, when: [{ node: [started] }]",
            "capability: DependsOn, from: open, to: available, when: [{ far: [started] }]",
        )],
        (2, 1),
    ),
    (
        "a requirement is never ready",
        &[(
            "requirement: DependsOn, from: waiting, to: ready",
            "requirement: DependsOn, from: ready, to: waiting",
        )],
        (2, 1),
    ),
    (
        "a capability is closed again",
        &[(
            "    R04:",
            "    again: { capability: HostedOn, from: available, to: open, when: [{ node: [started] }] }\n    R04:",
        )],
        (2, 1),
    ),
    (
        "a guard asks for a state that is soon over",
        &[(
            "from: unbound, to: waiting, when: [{ message: open }, { node: [created] }] }",
            "from: unbound, to: waiting, when: [{ message: open }, { node: [initial] }] }",
        )],
        (2, 1),
    ),
    (
        "some requirement instead of all, so that who has none waits",
        &[(
            "from: created, to: started, when: [{ all: requirements, in: [ready] }]",
            "from: created, to: started, when: [{ some: requirements, in: [ready] }]",
        )],
        (1, 0),
    ),
];

fn mutated(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(PAPER.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "`{from}` is not in the rules");
        text.replacen(from, to, 1)
    })
}

#[test]
fn what_is_broken_gets_stuck_in_a_smallest_topology() {
    for (what, changes, (nodes, links)) in MUTATIONS {
        let text = mutated(changes);
        let found = answer(&text);
        assert_eq!(found.answer, Answer::CanGetStuck, "{what}: {:?}", found.open);
        let smallest = found.smallest.expect("a topology");
        let size = (smallest.topology.nodes.len(), smallest.topology.links.len());
        assert_eq!(size, (*nodes, *links), "{what}");
        assert!(gets_stuck(&smallest.topology), "{what}");
        // Every smaller one completes, by exhaustive search alone.
        for small in smaller_first(&smallest.topology.rules, nodes + links - 1) {
            small.each(&mut |topology| {
                assert!(!gets_stuck(&topology), "{what}: smaller than {size:?}");
                false
            });
        }
    }
}

#[test]
fn a_rule_set_that_goes_back_is_unknown_and_shows_the_cycle() {
    let back = "    back: { capability: DependsOn, from: available, to: open, when: [{ node: [started] }] }\n";
    let found =
        prove::any_size(&rules(&format!("{PAPER}{back}")), 1, &Options::default(), &mut Unlimited);
    assert_eq!(found.answer, Answer::Unknown);
    assert!(
        found.open[0].contains("R06, back") || found.open[0].contains("back, R06"),
        "{:?}",
        found.open
    );
    // A node that can be stopped again goes round on its own: shown, and no refutation.
    let again = format!("{PAPER}    again: {{ node: node, from: started, to: created }}\n");
    let found = answer(&again);
    assert_eq!(found.answer, Answer::Unknown);
    let smallest = found.smallest.expect("a run without an end");
    assert_eq!((smallest.topology.nodes.len(), smallest.topology.links.len()), (1, 0));
    assert_eq!(smallest.stuck.cycle.len(), 2, "{:?}", smallest.stuck);
    // What cannot go on is refuted all the same.
    let dead = "    off: { node: node, from: created, to: initial, when: [{ all: requirements, in: [ready] }] }
    dead: { node: node, from: initial, to: broken }\n";
    let broken =
        PAPER.replace("[initial, created, started]", "[initial, created, started, broken]");
    assert_eq!(answer(&format!("{broken}{dead}")).answer, Answer::CanGetStuck);
}

#[test]
fn parallel_relationships_have_names_of_their_own() {
    let shared = MUTATIONS.iter().find(|(what, ..)| what.starts_with("one capability")).unwrap();
    let smallest = answer(&mutated(shared.1)).smallest.expect("a topology");
    let setup = Setup::new(&smallest.topology);
    let names: BTreeSet<String> = (0..smallest.topology.links.len())
        .map(|at| setup.name(Object { kind: Kind::Requirement, at }))
        .collect();
    assert_eq!(names.len(), smallest.topology.links.len(), "{names:?}");
}

#[test]
fn types_may_go_opposite_ways() {
    let text = PAPER.replace("    ConnectsTo: {}\n", "    ConnectsTo: {}\n    Backwards: {}\n");
    let more = "    \
    B1: { capability: Backwards, from: closed, to: available, when: [{ node: [created, started] }] }
    B2: { capability: Backwards, from: available, to: open, when: [{ node: [started] }] }
    B3: { requirement: Backwards, from: unbound, to: ready, when: [{ capability: [open] }] }\n";
    let rules = rules(&format!("{text}{more}"));
    // No weight of `open` and `available` serves both DependsOn and Backwards.
    let argument = prove(&rules).expect("each type has weights of its own");
    check_argument(&rules, &argument).expect("the checker follows");
    let mut swapped = argument.clone();
    swapped.weights[1].swap(1, 3);
    check_argument(&rules, &swapped).expect_err("weights of another type");
}

#[test]
fn a_tampered_argument_is_refused() {
    let rules = rules(PAPER);
    let argument = prove(&rules).unwrap();
    let mut heavier = argument.clone();
    heavier.weights[0][0][2] = 7;
    check_argument(&rules, &heavier).expect_err("a rule makes nothing lighter");
    for place in argument.views.keys() {
        for view in &argument.views[place] {
            let mut fewer = argument.clone();
            fewer.views.get_mut(place).unwrap().remove(view);
            check_argument(&rules, &fewer).expect_err("a view is missing");
        }
    }
    for case in 0..argument.cases.len() {
        let mut fewer = argument.clone();
        fewer.cases.remove(case);
        check_argument(&rules, &fewer).expect_err("a case is missing");
        for fact in 0..argument.cases[case].facts.len() {
            let mut fewer = argument.clone();
            fewer.cases[case].facts.remove(fact);
            check_argument(&rules, &fewer).expect_err("a fact is missing");
        }
    }
}

#[test]
fn an_inherited_case_is_taken_over() {
    let text = PAPER
        .replace("    goal: [started]\n", "    goal: [started]\n    types: { node: {}, vm: { extends: node }, slow: { extends: node } }\n")
        + "    R02x: { node: slow, replaces: R02, from: created, to: started, when: [{ all: requirements, in: [ready] }, { all: targets, in: [started] }] }\n";
    let rules = rules(&text);
    let argument = prove(&rules).unwrap();
    check_argument(&rules, &argument).expect("the checker follows");
    let reused = |name: &str| {
        let cases =
            argument.cases.iter().filter(|c| rules.node_types[c.node_type.index()].name == name);
        cases.map(|case| case.reused.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(reused("node"), [false, false]);
    assert_eq!(reused("vm"), [true, true]);
    assert_eq!(reused("slow"), [true, false]);
}

#[test]
fn a_case_is_taken_over_with_the_rule_that_answers_it() {
    // The first rule of the state looks the other way than the one that serves.
    let text = "rules:
  name: reuse
  nodes:
    types: { node: {}, vm: { extends: node } }
    states: [off, on]
    goal: [on]
  capabilities: { states: [closed, open] }
  requirements: { states: [unbound, bound] }
  relationships: { D: {} }
  behaviour:
    early: { node: node, from: off, to: on, when: [{ all: sources, in: [on] }] }
    up: { node: node, from: off, to: on, when: [{ all: requirements, in: [bound] }] }
    open: { capability: D, from: closed, to: open, when: [{ node: [on] }] }
    bind: { requirement: D, from: unbound, to: bound, when: [{ capability: [open] }] }
";
    let found = answer(text);
    assert_eq!(found.answer, Answer::AlwaysCompletes, "{:?}", found.open);
    assert!(found.argument.unwrap().cases.iter().any(|case| case.reused.is_some()));
    // A rule that replaces nothing is a mistake.
    let mut sources = Sources::new();
    let root = sources.add(
        "rules.yaml",
        text.replace("up: { node: node,", "up: { node: node, replaces: nosuch,"),
    );
    let reading = lang::read_rules(root, &sources);
    assert!(reading.findings.iter().any(|finding| finding.message.contains("nosuch")));
}

/// Random acyclic topologies: later nodes depend on earlier ones.
fn random_topology(rules: &RuleSet, prng: &mut Prng, most: usize) -> Topology {
    let count = 1 + prng.below(most);
    let nodes = (0..count)
        .map(|at| TopologyNode { name: format!("n{at}"), node_type: NodeTypeId(0) })
        .collect();
    let mut links = Vec::new();
    // Every order of events is searched, so that the relationships are not many.
    let most_links = 7;
    for source in 1..count {
        for _ in 0..prng.below(3).min(most_links - most_links.min(links.len())) {
            let kind = prng.below(rules.relationship_types.len());
            links.push((RelationshipTypeId::from(kind), source, prng.below(source)));
        }
    }
    Topology::new("random", rules.clone(), nodes).with_links(&links)
}

#[test]
fn one_run_and_the_proof_for_every_topology_agree_with_search() {
    let mut prng = Prng::new(long::seed(1));
    let sets: Vec<RuleSet> = MUTATIONS
        .iter()
        .map(|(_, changes, _)| rules(&mutated(changes)))
        .chain([rules(PAPER), rules(LIFECYCLE)])
        .collect();
    let proved: Vec<bool> = sets.iter().map(|rules| prove(rules).is_ok()).collect();
    let cases = long::cases(100);
    let (mut compared, mut by_run, mut stuck) = (0u64, 0u64, 0u64);
    for _ in 0..cases {
        let at = prng.below(sets.len());
        let topology = random_topology(&sets[at], &mut prng, 8);
        let Some(truth) = gets_stuck_within(&topology, 60_000) else { continue };
        compared += 1;
        stuck += u64::from(truth);
        assert!(!(proved[at] && truth), "a proof for every topology, and this one gets stuck");
        let setup = Setup::new(&topology);
        if let Some(climbing) = setup.climbing() {
            by_run += 1;
            let climb = climbing.ladders.climb();
            check_climb(&climbing.ladders, &climb).unwrap();
            assert_eq!(climb.below_goal(&climbing.ladders).next().is_some(), truth, "{topology:?}");
        }
    }
    let too_large = cases - compared;
    let figures = format!(
        "{cases} topologies, {too_large} too large to search, {by_run} decided by one run, {stuck} \
         stuck"
    );
    println!("figure: setup: seed {}, {figures}, 0 disagreements", long::seed(1));
    assert!(compared * 4 > cases * 3 && by_run * 3 > compared && stuck > 0, "{figures}");
}

#[test]
fn larger_topologies_agree_by_random_runs() {
    let mut prng = Prng::new(long::seed(1));
    let rules = rules(PAPER);
    for _ in 0..long::cases(100) {
        let topology = random_topology(&rules, &mut prng, 8);
        let setup = Setup::new(&topology);
        let mut state = setup.initial();
        loop {
            let next: Vec<State> = setup
                .candidates(&state)
                .iter()
                .filter_map(|apply| setup.step(&state, apply).ok())
                .flatten()
                .collect();
            if next.is_empty() {
                break;
            }
            state = next[prng.below(next.len())].clone();
        }
        assert!(setup.is_final(&state), "{topology:?}");
    }
}
