//! `port-without-binding`: a port is bound to nothing inside its net.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

use crate::lifecycle::net::PortKind;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET004",
    name: "port-without-binding",
    severity: Severity::Error,
    summary: "a port is bound to nothing inside its net",
    paper: Some("002 Sec. III-A (bindings)"),
    doc: page!("NET004"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, net) in super::nets(context) {
        for port in &net.ports {
            let (bound, key) = match port.kind {
                PortKind::Use | PortKind::DataUse => {
                    (!port.transitions.is_empty() || !port.places.is_empty(), "transitions")
                }
                PortKind::Provide => (!port.groups.is_empty(), "groups"),
                PortKind::DataProvide => (!port.places.is_empty(), "places"),
            };
            if bound {
                continue;
            }
            let message = format!(
                "{} port `{}` of type `{}` is bound to no {key}",
                port.kind.as_str(),
                port.name,
                component.name
            );
            findings.push(
                RULE.finding(context.place(port.origin), message)
                    .help(format!("add `{key}: [...]` to the port")),
            );
        }
    }
}
