//! `doubled-token`: an initial place is entered again, or two tokens end in one dock.

use super::super::{Context, Rule, page};
use super::cyclic_net::transition_on_a_circle;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lifecycle::net::{NetTransition, NetTransitionId};

/// The rule.
pub const RULE: Rule = Rule {
    code: "NET010",
    name: "doubled-token",
    severity: Severity::Warning,
    summary: "a second token can come where one is, so that one of them is lost",
    paper: Some("002 Sec. III-C (valuation)"),
    doc: page!("NET010"),
    check: Some(check),
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, net) in super::nets(context) {
        // A circle is told already; what it does to tokens follows from it.
        if transition_on_a_circle(net).is_some() {
            continue;
        }
        for (at, transition) in net.transitions.iter().enumerate() {
            let same = |other: &&NetTransition| {
                other.destination == transition.destination
                    && other.source != transition.source
                    && other.behavior() == transition.behavior()
            };
            let to = net.destination_place(NetTransitionId::from(at));
            // The behavior that leads away from the start is the one that may not lead back.
            let leaves = |id: NetTransitionId| {
                net.transition(id).behavior() == transition.behavior() && net.source_place(id) == to
            };
            let mut all = (0..net.transitions.len()).map(NetTransitionId::from);
            let message = if net.initial.contains(&to) && all.any(leaves) {
                format!(
                    "`{}` of type `{}` leads to the initial place `{}`, which holds a token",
                    transition.name,
                    component.name,
                    net.place(to).name
                )
            } else if let Some(other) = net.transitions[..at].iter().find(same)
                && net.place_of(other.source) == net.place_of(transition.source)
            {
                format!(
                    "`{}` and `{}` of type `{}` both run, and end in one dock of `{}`",
                    other.name,
                    transition.name,
                    component.name,
                    net.place(to).name
                )
            } else {
                continue;
            };
            findings.push(
                RULE.finding(context.place(transition.origin), message)
                    .help("give each of several transitions that run a dock of its own"),
            );
        }
    }
}
