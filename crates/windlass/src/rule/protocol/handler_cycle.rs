//! `handler-cycle`: fault handlers lead in a cycle, so handling a fault may never end.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::StateId;

/// The rule.
pub const RULE: Rule = Rule {
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
        let mut reported = BTreeSet::new();
        for at in 0..protocol.states.len() {
            let start = StateId::from(at);
            let Some(cycle) = cycle_through(protocol, start) else { continue };
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

/// The states of a shortest cycle of handlers through `start`.
fn cycle_through(protocol: &Protocol, start: StateId) -> Option<Vec<StateId>> {
    let mut came_from = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for handler in &protocol.state(state).handlers {
            if handler.to == start {
                let mut cycle = vec![state];
                let mut at = state;
                while at != start {
                    at = *came_from.get(&at)?;
                    cycle.push(at);
                }
                cycle.reverse();
                return Some(cycle);
            }
            came_from.entry(handler.to).or_insert_with(|| {
                queue.push_back(handler.to);
                state
            });
        }
    }
    None
}

/// A number for each state, the same for those that handlers lead to and back from. A handler is
/// part of a cycle when both of its ends have one number.
pub(super) fn cycles(protocol: &Protocol) -> Vec<usize> {
    let count = protocol.states.len();
    let forward: Vec<Vec<usize>> = (protocol.states.iter())
        .map(|state| state.handlers.iter().map(|handler| handler.to.index()).collect())
        .collect();
    let mut backward = vec![Vec::new(); count];
    for (from, targets) in forward.iter().enumerate() {
        for to in targets {
            backward[*to].push(from);
        }
    }
    // The state that is left last on the way there is the first to look back from.
    let mut left = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for start in 0..count {
        walk(start, &forward, &mut seen, &mut left);
    }
    let mut numbers = vec![0; count];
    let mut seen = vec![false; count];
    for (number, start) in left.into_iter().rev().enumerate() {
        let mut together = Vec::new();
        walk(start, &backward, &mut seen, &mut together);
        for state in together {
            numbers[state] = number;
        }
    }
    numbers
}

/// Walks depth first from `start` through what was not seen; lists states as it leaves them.
fn walk(start: usize, edges: &[Vec<usize>], seen: &mut [bool], left: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((state, at)) = path.last_mut() {
        match edges[*state].get(*at) {
            Some(next) => {
                *at += 1;
                if !std::mem::replace(&mut seen[*next], true) {
                    path.push((*next, 0));
                }
            }
            None => {
                left.push(*state);
                path.pop();
            }
        }
    }
}
