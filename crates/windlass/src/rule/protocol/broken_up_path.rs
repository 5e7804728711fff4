//! `broken-up-path`: the operations under up cannot follow each other from the initial state.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT010",
    name: "broken-up-path",
    severity: Severity::Error,
    summary: "the operations under up cannot follow each other from the initial state",
    doc: page!("PROT010"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        let Some(up) = &protocol.up else { continue };
        let mut state = protocol.initial;
        for operation in up {
            let next = protocol.transitions_for(state, *operation).next();
            if let Some(transition) = next {
                state = protocol.transition(transition).to;
                continue;
            }
            let operation = &component.operations[operation.index()];
            let message = format!(
                "`up` of type `{}` performs `{}` in state `{}`, where it does not exist",
                component.name,
                operation.name,
                protocol.state(state).name
            );
            findings.push(
                RULE.finding(context.place(component.origin), message)
                    .help("list the operations in the order that leads from the initial state"),
            );
            break;
        }
    }
}
