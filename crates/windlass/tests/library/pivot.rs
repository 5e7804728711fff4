//! The pivot earns its place: for small applications of protocols, the protocol system and its
//! location-graph encoding have the same labelled transitions (papers 000 section 2.2 and 003
//! Def. 3 to 6), in every reachable global state.

#![expect(clippy::expect_used, reason = "tests may panic")]

mod applications;
mod encoding;
mod topology;

use std::collections::{BTreeSet, VecDeque};

use applications::{random, web_services};
use encoding::{Encoding, Fidelity, States, Step, polarities_follow_positions};
use windlass::application::NodeId;
use windlass::graph::LocationSet;
use windlass::graph::transition::synchronizing::synchronize;
use windlass::graph::transition::uncoupling::uncouple;
use windlass::graph::transition::{Context, Transition};
use windlass::semantics::protocol::{
    Action, ServiceTemplate, States as SystemStates, is_consistent,
};
use windlass::system::System;

/// A direct reading of paper 003 Def. 5: an operation runs when everything it needs is offered.
fn definition_5(encoding: &Encoding, states: &States) -> BTreeSet<Step> {
    let application = encoding.application;
    let mut steps = BTreeSet::new();
    for node in application.node_ids() {
        let here = states[node.index()];
        for t in encoding.protocol(node).transitions.iter().filter(|t| t.from == here) {
            let is_offered = |requirement| {
                application.node(node).binding(requirement).is_some_and(|to| {
                    let provider = encoding.protocol(to.target);
                    provider.state(states[to.target.index()]).offers.contains(&to.capability)
                })
            };
            if t.requires.iter().all(|requirement| is_offered(*requirement)) {
                let mut after = states.clone();
                after[node.index()] = t.to;
                steps.insert((node, t.operation, after));
            }
        }
    }
    steps
}

/// Every global state that the rule reaches, the inconsistent ones too.
fn reachable(encoding: &Encoding) -> BTreeSet<States> {
    let mut seen = BTreeSet::from([encoding.initial()]);
    let mut open = VecDeque::from([encoding.initial()]);
    while let Some(states) = open.pop_front() {
        for (_, _, after) in definition_5(encoding, &states) {
            if seen.insert(after.clone()) {
                open.push_back(after);
            }
        }
    }
    seen
}

/// The steps of the protocol system, which performs nothing from an inconsistent state.
fn system_steps(system: &ServiceTemplate, states: &States) -> BTreeSet<Step> {
    let before = SystemStates(states.clone());
    let mut steps = BTreeSet::new();
    for action in system.candidates(&before) {
        let Action::Perform { node, operation } = action else { continue };
        if let Ok(successors) = system.step(&before, &action) {
            let after = successors.into_vec().into_iter();
            steps.extend(after.map(|SystemStates(after)| (node, operation, after)));
        }
    }
    steps
}

/// What a comparison has seen.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    states: usize,
    steps: usize,
    /// Steps in which a location met the offer of another.
    synchronized: usize,
    consistent: usize,
}

/// Compares the encoding in every reachable state with Def. 5, and with the protocol system as far
/// as the state is consistent; an error is a state in which they differ.
fn compare(encoding: &Encoding, seen: &mut Seen) -> Result<(), States> {
    let system = ServiceTemplate::new(encoding.application).expect("protocols only");
    for state in &reachable(encoding) {
        let expected = definition_5(encoding, state);
        let steps = encoding.steps(&encoding.of_the_whole(state));
        let consistent = encoding.is_consistent(state);
        let allowed = if consistent { steps.clone() } else { BTreeSet::new() };
        let same_states = is_consistent(&system, &SystemStates(state.clone())) == consistent;
        if steps != expected || allowed != system_steps(&system, state) || !same_states {
            return Err(state.clone());
        }
        seen.consistent += usize::from(consistent);
        seen.states += 1;
        seen.steps += expected.len();
        let alone = encoding.steps_alone(state);
        seen.synchronized += expected.difference(&alone).count();
    }
    Ok(())
}

/// 2 * 2 * 3 * 3 * 2 states; the virtual machine and a working server need no offer for
/// 72 + 48 steps, the other 120 need an offer. In 14 states everybody has what it relies on.
#[test]
fn web_services_have_the_same_labelled_transitions_in_all_states() {
    let application = web_services();
    let encoding = Encoding::new(&application, Fidelity::Faithful);
    let mut seen = Seen::default();
    assert_eq!(compare(&encoding, &mut seen), Ok(()));
    assert_eq!(seen, Seen { states: 72, steps: 240, synchronized: 120, consistent: 14 });
}

/// The comparison notices an encoding that forgets needs, and one that offers too much.
#[test]
fn unfaithful_encodings_have_other_transitions() {
    let application = web_services();
    for mutant in [Fidelity::NeedsNothing, Fidelity::OffersAlways] {
        let encoding = Encoding::new(&application, mutant);
        assert!(compare(&encoding, &mut Seen::default()).is_err());
    }
}

#[test]
fn random_protocols_have_the_same_labelled_transitions_in_all_states() {
    let mut seen = Seen::default();
    for seed in 0..60 {
        let application = random(seed);
        let encoding = Encoding::new(&application, Fidelity::Faithful);
        if let Err(state) = compare(&encoding, &mut seen) {
            panic!("seed {seed} differs in {state:?}: {application:#?}");
        }
    }
    assert_eq!(seen, Seen { states: 250, steps: 743, synchronized: 174, consistent: 191 });
}

/// Composing step by step, in any order, gives the same transitions of the whole graph as
/// composing at once: the closure under both rules of 000 2.2, for small graphs.
#[test]
fn composition_in_any_order_gives_the_same_steps() {
    let mut compared = 0;
    for seed in 0..40 {
        let application = random(seed);
        let encoding = Encoding::new(&application, Fidelity::Faithful);
        let states = encoding.initial();
        let whole = encoding.locations(&states);
        let env = Context::of(&whole);
        let alone = |node: NodeId| encoding.alone(node, states[node.index()], &env);
        let alone: BTreeSet<Transition> = application.node_ids().flat_map(alone).collect();
        assert!(alone.iter().all(polarities_follow_positions));
        let Some(closed) = closure(alone, &whole) else { continue };
        let of_the_whole: BTreeSet<Transition> =
            closed.into_iter().filter(|t| t.init == whole).collect();
        let at_once: BTreeSet<Transition> = encoding.of_the_whole(&states).into_iter().collect();
        assert_eq!(of_the_whole, at_once, "seed {seed}");
        compared += 1;
    }
    assert_eq!(compared, 35);
}

/// All transitions made of `alone` by synchronizing pairs and uncoupling single locations; none
/// when there are too many for a quick test.
fn closure(alone: BTreeSet<Transition>, whole: &LocationSet) -> Option<BTreeSet<Transition>> {
    let mut closed = alone;
    loop {
        let mut more = BTreeSet::new();
        for t1 in &closed {
            let pairs = closed.iter().filter(|t2| *t2 > t1 && t1.init.is_disjoint(&t2.init));
            more.extend(pairs.filter_map(|t2| synchronize(&[t1.clone(), t2.clone()].into()).ok()));
            let singles = whole.iter().filter(|l| !t1.init.contains(l));
            more.extend(singles.filter_map(|l| uncouple(t1, &[l.clone()].into()).ok()));
        }
        let before = closed.len();
        closed.extend(more);
        if closed.len() > 60 {
            return None;
        }
        if closed.len() == before {
            return Some(closed);
        }
    }
}
