//! `cyclic-net`: places of a net lead back to themselves, so tokens could multiply forever.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeMap;

use crate::lifecycle::Net;
use crate::lifecycle::net::{NetTransitionId, PlaceId};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET001",
    name: "cyclic-net",
    severity: Severity::Error,
    summary: "places of a net lead back to themselves, so tokens could multiply forever",
    paper: Some("002 Sec. III-C (consistency)"),
    doc: page!("NET001"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, net) in super::nets(context) {
        let Some(transition) = transition_on_a_cycle(net) else { continue };
        let (from, to) = (net.source_place(transition), net.destination_place(transition));
        let transition = net.transition(transition);
        let message = format!(
            "transition `{}` of type `{}` closes a cycle from `{}` back to `{}`",
            transition.name,
            component.name,
            net.place(from).name,
            net.place(to).name,
        );
        findings.push(
            RULE.finding(context.place(transition.origin), message)
                .help("lead it to a place that has not been left before"),
        );
    }
}

/// The first transition, in the order of declaration, that closes a cycle with earlier ones.
pub(super) fn transition_on_a_cycle(net: &Net) -> Option<NetTransitionId> {
    // Behaviors may undo each other: each one is looked at alone.
    let mut behaviors: BTreeMap<&str, Vec<Vec<PlaceId>>> = BTreeMap::new();
    for id in (0..net.transitions.len()).map(NetTransitionId::from) {
        let (from, to) = (net.source_place(id), net.destination_place(id));
        let none = || vec![Vec::new(); net.places.len()];
        let successors = behaviors.entry(net.transition(id).behavior()).or_insert_with(none);
        if leads_to(successors, to, from) {
            return Some(id);
        }
        successors[from.index()].push(to);
    }
    None
}

fn leads_to(successors: &[Vec<PlaceId>], from: PlaceId, to: PlaceId) -> bool {
    let mut seen = vec![false; successors.len()];
    let mut open = vec![from];
    while let Some(place) = open.pop() {
        if place == to {
            return true;
        }
        if !std::mem::replace(&mut seen[place.index()], true) {
            open.extend(&successors[place.index()]);
        }
    }
    false
}
