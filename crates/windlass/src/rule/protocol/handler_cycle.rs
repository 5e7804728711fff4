//! `handler-cycle`: fault handlers lead in a circle, so handling a fault may never end.

use super::super::{Context, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::StateId;

/// The rule.
pub const RULE: Rule = Rule {
    code: "PROT005",
    name: "handler-cycle",
    severity: Severity::Error,
    summary: "fault handlers lead in a circle, so handling a fault may never end",
    paper: Some("004 Def. 3.3 (iii, well-formed)"),
    doc: page!("PROT005"),
    check: Some(check),
};

/// Paper: 004 Def. 3.3 (iii, well-formed)
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        let mut reported = BTreeSet::new();
        for at in 0..protocol.states.len() {
            let start = StateId::from(at);
            let Some(circle) = circle_through(protocol, start) else { continue };
            if circle.iter().any(|state| reported.contains(state)) {
                continue;
            }
            reported.extend(circle.iter().copied());
            let mut story: Vec<&str> =
                circle.iter().map(|state| &*protocol.state(*state).name).collect();
            story.push(story[0]);
            let handler = protocol.state(start).handlers.iter();
            let next = circle[1 % circle.len()];
            let origin = handler.clone().find(|h| h.to == next).map(|h| h.origin);
            let message = format!(
                "faults of type `{}` are handled in a circle: `{}`",
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

/// The states of a shortest circle of handlers through `start`.
fn circle_through(protocol: &Protocol, start: StateId) -> Option<Vec<StateId>> {
    let mut came_from = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for handler in &protocol.state(state).handlers {
            if handler.to == start {
                let mut circle = vec![state];
                let mut at = state;
                while at != start {
                    at = *came_from.get(&at)?;
                    circle.push(at);
                }
                circle.reverse();
                return Some(circle);
            }
            came_from.entry(handler.to).or_insert_with(|| {
                queue.push_back(handler.to);
                state
            });
        }
    }
    None
}
