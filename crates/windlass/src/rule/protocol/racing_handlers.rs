//! `racing-handlers`: the order in which two faults are handled decides where an instance ends.

use super::super::{Context, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeSet;

use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{Element, StateId};

/// The rule.
pub const RULE: Rule = Rule {
    code: "PROT006",
    name: "racing-handlers",
    severity: Severity::Error,
    summary: "the order in which two faults are handled decides where an instance ends",
    paper: Some("004 Def. 3.3 (iii, race-free)"),
    doc: page!("PROT006"),
    check: Some(check),
};

/// Transitivity, co-transitivity, and the states for the union and the intersection of two
/// handlers, as the supplement of paper 004 asks for them and BARREL checks them.
///
/// Paper: 004 Def. 3.3 (iii, race-free)
/// Deviation: a state for the union is asked for only where a fault exists that both handlers take.
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        for element in protocol.elements() {
            let name = super::element_name(component, protocol, element);
            let targets: Vec<StateId> = protocol.handlers(element).iter().map(|h| h.to).collect();
            let mut missing = Vec::new();
            not_transitive(protocol, &targets, &mut missing);
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

fn not_transitive(protocol: &Protocol, targets: &[StateId], missing: &mut Vec<String>) {
    // A state that relies on nothing has no faults, so its handlers lead nowhere.
    let can_fault = |state: &&StateId| !protocol.state(**state).requires.is_empty();
    for &middle in targets.iter().filter(can_fault) {
        for further in &protocol.state(middle).handlers {
            if !targets.contains(&further.to) {
                let (middle, end) =
                    (&protocol.state(middle).name, &protocol.state(further.to).name);
                missing.push(format!("it reaches `{end}` by way of `{middle}` only"));
            }
        }
    }
}

fn not_co_transitive(protocol: &Protocol, targets: &[StateId], missing: &mut Vec<String>) {
    for &larger in targets {
        for &smaller in targets {
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
    targets: &[StateId],
    missing: &mut Vec<String>,
) {
    let handled_by =
        |set: &BTreeSet<_>| targets.iter().any(|t| protocol.state(*t).requires == *set);
    for (at, &first) in targets.iter().enumerate() {
        for &second in &targets[at + 1..] {
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
