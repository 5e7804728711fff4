//! `unused-operation`: an operation is declared and no transition performs it.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT009",
    name: "unused-operation",
    severity: Severity::Warning,
    summary: "an operation is declared and no transition performs it",
    doc: page!("PROT009"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        for (at, operation) in component.operations.iter().enumerate() {
            if protocol.transitions.iter().any(|t| t.operation.index() == at) {
                continue;
            }
            let message = format!(
                "operation `{}` of type `{}` is part of no transition",
                operation.name, component.name
            );
            findings.push(
                RULE.finding(context.place(operation.origin), message)
                    .help("add a transition that performs it, or remove it"),
            );
        }
    }
}
