//! `unreachable-state`: no operation and no fault leads to a state.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeSet;

use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::StateId;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT008",
    name: "unreachable-state",
    severity: Severity::Warning,
    summary: "no operation and no fault leads to a state",
    doc: page!("PROT008"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        let reached = reachable(protocol);
        for (at, state) in protocol.states.iter().enumerate() {
            if reached.contains(&StateId::from(at)) {
                continue;
            }
            let initial = &protocol.state(protocol.initial).name;
            let message = format!(
                "no operation and no fault leads from `{initial}` to state `{}` of type `{}`",
                state.name, component.name
            );
            findings.push(
                RULE.finding(context.place(state.origin), message)
                    .help("add an operation or a handler that leads there, or remove the state"),
            );
        }
    }
}

/// The states that operations, handlers and crashes lead to from the initial one.
fn reachable(protocol: &Protocol) -> BTreeSet<StateId> {
    let mut reached = BTreeSet::from([protocol.initial]);
    let mut open = vec![protocol.initial];
    while let Some(state) = open.pop() {
        let out = protocol.transitions.iter().filter(|t| t.from == state);
        let steps = out.flat_map(|t| t.handlers.iter().map(|h| h.to).chain([t.to]));
        let here = protocol.state(state);
        let faults = here.handlers.iter().map(|h| h.to).chain(here.on_crash);
        for next in steps.chain(faults) {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}
