//! `tied-handlers`: two fault handlers of one state or operation keep the same requirements.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT003",
    name: "tied-handlers",
    severity: Severity::Error,
    summary: "two fault handlers of one state or operation keep the same requirements",
    paper: Some("004 Def. 3.3 (iii, deterministic)"),
    doc: page!("PROT003"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        for element in protocol.elements() {
            let handlers = protocol.handlers(element);
            for (at, second) in handlers.iter().enumerate() {
                let tied = handlers[..at].iter().find(|first| {
                    first.to != second.to
                        && protocol.state(first.to).requires == protocol.state(second.to).requires
                });
                let Some(first) = tied else { continue };
                let message = format!(
                    "a fault in {} may lead to `{}` or to `{}`: both keep the same requirements",
                    super::element_name(component, protocol, element),
                    protocol.state(first.to).name,
                    protocol.state(second.to).name,
                );
                findings.push(
                    RULE.finding(context.place(second.origin), message)
                        .label(context.place(first.origin), "the other handler")
                        .help("keep one of the two"),
                );
            }
        }
    }
}
