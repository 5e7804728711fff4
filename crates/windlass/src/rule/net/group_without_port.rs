//! `group-without-port`: a group of places gives no port anything.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

use crate::lifecycle::net::GroupId;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET003",
    name: "group-without-port",
    severity: Severity::Warning,
    summary: "a group of places gives no port anything",
    paper: Some("002 Sec. III-A (bindings)"),
    doc: page!("NET003"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, net) in super::nets(context) {
        for (at, group) in net.groups.iter().enumerate() {
            let id = GroupId::from(at);
            if net.ports.iter().any(|port| port.groups.contains(&id)) {
                continue;
            }
            let message = format!(
                "group `{}` of type `{}` is bound to no provide port",
                group.name, component.name
            );
            findings.push(
                RULE.finding(context.place(group.origin), message).help(format!(
                    "add `groups: [{}]` to a provide port, or remove it",
                    group.name
                )),
            );
        }
    }
}
