//! `handler-cycle`: fault handlers lead in a cycle, so handling a fault may never end.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeSet;

use crate::cycle::{self, Edges};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{State, StateId};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT005",
    name: "handler-cycle",
    severity: Severity::Error,
    summary: "fault handlers lead in a cycle, so handling a fault may never end",
    paper: Some("004 Def. 3.3 (iii, well-formed)"),
    doc: page!("PROT005"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// Paper: 004 Def. 3.3 (iii, well-formed)
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        let edges = handler_edges(protocol);
        let components = cycle::components(&edges, protocol.states.len());
        let mut reported = BTreeSet::new();
        for at in 0..protocol.states.len() {
            let start = StateId::from(at);
            let cycle = cycle::shortest_cycle_from(&edges, &components, at);
            let Some(cycle) = cycle else { continue };
            let cycle: Vec<StateId> = cycle.into_iter().map(StateId::from).collect();
            if cycle.iter().any(|state| reported.contains(state)) {
                continue;
            }
            reported.extend(cycle.iter().copied());
            let mut story: Vec<&str> =
                cycle.iter().map(|state| &*protocol.state(*state).name).collect();
            story.push(story[0]);
            let handler = protocol.state(start).handlers.iter();
            let next = cycle[1 % cycle.len()];
            let origin = handler.clone().find(|h| h.to == next).map(|h| h.origin);
            let message = format!(
                "faults of type `{}` are handled in a cycle: `{}`",
                component.name,
                story.join("` -> `")
            );
            findings.push(
                RULE.finding(context.place(origin.unwrap_or_default()), message)
                    .help("remove one of these handlers"),
            );
        }
    }
}

/// Where handlers lead from each state.
fn handler_edges(protocol: &Protocol) -> Edges {
    let targets =
        |state: &State| state.handlers.iter().map(|handler| handler.to.index()).collect::<Vec<_>>();
    protocol.states.iter().map(targets).collect()
}

/// A number for each state, the same for those that handlers lead to and back from. A handler is
/// part of a cycle when both of its ends have one number.
pub(super) fn cycles(protocol: &Protocol) -> Vec<u32> {
    cycle::components(&handler_edges(protocol), protocol.states.len()).of
}
