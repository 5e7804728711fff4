//! `unreachable-place`: no transition leads to a place of a net.

use std::collections::BTreeSet;

use super::super::{Context, LooksAt, Rule, page};
use crate::application::ComponentType;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lifecycle::net::{Net, NetTransitionId, PlaceId};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET002",
    name: "unreachable-place",
    severity: Severity::Warning,
    summary: "no transition leads to a place of a net",
    doc: page!("NET002"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// A place from which transitions of a behavior lead on, and where no token is while that runs.
fn in_behaviors(
    context: &Context<'_>,
    component: &ComponentType,
    net: &Net,
    reached: &BTreeSet<PlaceId>,
    findings: &mut Vec<Diagnostic>,
) {
    let all = net.places_of_behaviors();
    let mut reported = BTreeSet::new();
    for id in (0..net.transitions.len()).map(NetTransitionId::from) {
        let (transition, place) = (net.transition(id), net.source_place(id));
        let behavior = transition.behavior();
        let is_there = all.get(behavior).is_some_and(|places| places.contains(&place));
        if is_there || !reached.contains(&place) || !reported.insert((behavior, place)) {
            continue;
        }
        let message = format!(
            "no token is ever on `{}` of type `{}` when behavior `{behavior}` runs, so `{}` never \
             starts",
            net.place(place).name,
            component.name,
            transition.name
        );
        let help = "a behavior begins where tokens rest: on initial places and where other \
                    behaviors end";
        findings.push(RULE.finding(context.place(net.place(place).origin), message).help(help));
    }
}

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
        in_behaviors(context, component, net, &reached, findings);
    }
}
