//! `value-never-set`: no transition leads to a place that sets a data port.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lifecycle::net::{NetTransitionId, PortKind};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET009",
    name: "value-never-set",
    severity: Severity::Error,
    summary: "no transition leads to a place that sets a data port, so it never has a value",
    paper: Some("002 eq. (2) (dest)"),
    doc: page!("NET009"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, net) in super::nets(context) {
        for port in net.ports.iter().filter(|port| port.kind == PortKind::DataProvide) {
            let mut transitions = (0..net.transitions.len()).map(NetTransitionId::from);
            let set = transitions.any(|id| port.places.contains(&net.destination_place(id)));
            if set || port.places.is_empty() {
                continue;
            }
            let message = format!(
                "no transition leads to a place of data port `{}` of type `{}`",
                port.name, component.name
            );
            findings
                .push(RULE.finding(context.place(port.origin), message).help(
                    "a value is set when a transition ends: name the place that it leads to",
                ));
        }
    }
}
