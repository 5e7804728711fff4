//! `racing-handlers`: the order in which two faults are handled decides where an instance ends.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeSet;

use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{Element, StateId};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT006",
    name: "racing-handlers",
    severity: Severity::Error,
    summary: "the order in which two faults are handled decides where an instance ends",
    paper: Some("004 Def. 3.3 (iii, race-free)"),
    doc: page!("PROT006"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// Transitivity, co-transitivity, and the states for the union and the intersection of two
/// handlers, as the supplement of paper 004 asks for them and BARREL checks them.
///
/// Paper: 004 Def. 3.3 (iii, race-free)
/// Deviation: a state for the union is asked for only where a fault exists that both handlers take.
///
/// One cause, one finding: a handler that grows (PROT004) or is part of a cycle (PROT005) is wrong
/// by itself, so nothing is asked for on its account; it still counts as a handler that is there.
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        let cycles = super::handler_cycle::cycles(protocol);
        let of = |element| Targets::of(protocol, element, &cycles);
        let states: Vec<Targets> =
            (0..protocol.states.len()).map(|at| of(Element::State(StateId::from(at)))).collect();
        for element in protocol.elements() {
            let name = super::element_name(component, protocol, element);
            let targets = of(element);
            let mut missing = Vec::new();
            not_transitive(protocol, &targets, &states, &mut missing);
            not_co_transitive(protocol, &targets, &mut missing);
            no_union_or_intersection(protocol, element, &targets, &mut missing);
            for what in missing {
                let place = context.place(super::element_origin(protocol, element));
                findings.push(
                    RULE.finding(place, format!("faults in {name} race: {what}"))
                        .help("add the handler that is missing, so that every order ends alike"),
                );
            }
        }
    }
}

/// Where the handlers of an element lead.
struct Targets {
    /// All of them.
    all: Vec<StateId>,
    /// Those of handlers that are not wrong by themselves.
    sound: Vec<StateId>,
}

impl Targets {
    fn of(protocol: &Protocol, element: Element, cycles: &[u32]) -> Self {
        let all: Vec<StateId> = protocol.handlers(element).iter().map(|h| h.to).collect();
        let is_sound = |to: &StateId| {
            let grows = super::growing_handler::grows(protocol, element, *to);
            let cycles = match element {
                Element::State(state) => cycles[state.index()] == cycles[to.index()],
                Element::Transition(_) => false,
            };
            !grows && !cycles
        };
        let sound = all.iter().copied().filter(is_sound).collect();
        Targets { all, sound }
    }
}

fn not_transitive(
    protocol: &Protocol,
    targets: &Targets,
    states: &[Targets],
    missing: &mut Vec<String>,
) {
    // A state that relies on nothing has no faults, so its handlers lead nowhere.
    let can_fault = |state: &&StateId| !protocol.state(**state).requires.is_empty();
    for &middle in targets.sound.iter().filter(can_fault) {
        for further in &states[middle.index()].sound {
            if !targets.all.contains(further) {
                let (middle, end) = (&protocol.state(middle).name, &protocol.state(*further).name);
                missing.push(format!("it reaches `{end}` by way of `{middle}` only"));
            }
        }
    }
}

fn not_co_transitive(protocol: &Protocol, targets: &Targets, missing: &mut Vec<String>) {
    for &larger in &targets.sound {
        for &smaller in &targets.sound {
            let (big, small) = (protocol.state(larger), protocol.state(smaller));
            let below = small.requires.is_subset(&big.requires) && small.requires != big.requires;
            if below && !big.handlers.iter().any(|h| h.to == smaller) {
                missing.push(format!("`{}` has no handler to `{}`", big.name, small.name));
            }
        }
    }
}

fn no_union_or_intersection(
    protocol: &Protocol,
    element: Element,
    targets: &Targets,
    missing: &mut Vec<String>,
) {
    let handled_by =
        |set: &BTreeSet<_>| targets.all.iter().any(|t| protocol.state(*t).requires == *set);
    for (at, &first) in targets.sound.iter().enumerate() {
        for &second in &targets.sound[at + 1..] {
            let (a, b) = (protocol.state(first), protocol.state(second));
            if a.requires.is_subset(&b.requires) || b.requires.is_subset(&a.requires) {
                continue;
            }
            let union = a.requires.union(&b.requires).copied().collect();
            if !protocol.requires(element).is_subset(&union) && !handled_by(&union) {
                missing.push(format!(
                    "no handler keeps what `{}` and `{}` keep together",
                    a.name, b.name
                ));
            }
            let intersection = a.requires.intersection(&b.requires).copied().collect();
            if !handled_by(&intersection) {
                missing.push(format!(
                    "no handler keeps just what `{}` and `{}` have in common",
                    a.name, b.name
                ));
            }
        }
    }
}
