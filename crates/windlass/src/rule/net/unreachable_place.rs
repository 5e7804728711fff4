//! `unreachable-place`: no transition leads to a place of a net.

use super::super::{Context, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lifecycle::net::PlaceId;

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
        let reached = net.reachable_places();
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
