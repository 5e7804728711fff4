//! `unreachable-place`: no transition leads to a place of a net.

use super::super::{Context, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeSet;

use crate::lifecycle::net::{NetTransitionId, PlaceId};

/// The rule.
pub const RULE: Rule = Rule {
    code: "NET002",
    name: "unreachable-place",
    severity: Severity::Warning,
    summary: "no transition leads to a place of a net",
    paper: None,
    doc: page!("NET002"),
    check: Some(check),
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, net) in super::nets(context) {
        let mut reached: BTreeSet<PlaceId> = net.initial.clone();
        let mut open: Vec<PlaceId> = reached.iter().copied().collect();
        while let Some(place) = open.pop() {
            for id in (0..net.transitions.len()).map(NetTransitionId::from) {
                let next = net.destination_place(id);
                if net.source_place(id) == place && reached.insert(next) {
                    open.push(next);
                }
            }
        }
        let unreached =
            net.places.iter().enumerate().filter(|(at, _)| !reached.contains(&PlaceId::from(*at)));
        for (_, place) in unreached {
            let message = format!(
                "no transition leads from an initial place to `{}` of type `{}`",
                place.name, component.name
            );
            findings.push(
                RULE.finding(context.place(place.origin), message)
                    .help("add a transition that leads there, or remove the place"),
            );
        }
    }
}
