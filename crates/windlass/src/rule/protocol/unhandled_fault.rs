//! `unhandled-fault`: a requirement can fail where no handler takes the fault.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

use crate::application::Faults;
use crate::lifecycle::protocol::{Element, Handler};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT007",
    name: "unhandled-fault",
    severity: Severity::Error,
    summary: "a requirement can fail where no handler takes the fault",
    paper: Some("004 Def. 3.3 (iii, complete)"),
    doc: page!("PROT007"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// Paper: 004 Def. 3.3 (iii, complete)
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    // Where operations are atomic nothing can fail inside of one.
    let applies = |element: &Element| match context.application.faults {
        Faults::Forbidden => false,
        Faults::Handled => matches!(element, Element::State(_)),
        Faults::Replicas => true,
    };
    for (component, protocol) in super::protocols(context) {
        for element in protocol.elements().filter(applies) {
            for requirement in protocol.requires(element) {
                let takes =
                    |handler: &Handler| !protocol.state(handler.to).requires.contains(requirement);
                if protocol.handlers(element).iter().any(takes) {
                    continue;
                }
                let name = &component.requirements[requirement.index()].name;
                let message = format!(
                    "no handler takes a fault of `{name}` in {}",
                    super::element_name(component, protocol, element)
                );
                let place = context.place(super::element_origin(protocol, element));
                findings.push(RULE.finding(place, message).help(format!(
                    "add `on_fault: [STATE]` with a state that does not rely on `{name}`"
                )));
            }
        }
    }
}
