//! `flat_provider_net_without_physnet` (row O57): physical_network is given when network_type is
//! flat.

use super::super::{LooksAt, Rule, page};
use super::look::{PROVIDER_NET, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT357",
    name: "flat-provider-net-without-physnet",
    severity: Severity::Error,
    summary: "network_type is flat and physical_network is missing",
    paper: Some("000 7.1.4"),
    doc: page!("HOT357"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for net in stack.of(&[PROVIDER_NET]) {
        let Some(kind) = net.get(&["network_type"]).and_then(Value::as_str) else { continue };
        let name = &net.name;
        match (kind, net.has("physical_network")) {
            ("flat" | "vlan", false) => {
                let message = format!("{kind} network `{name}` names no `physical_network`");
                findings.push(row_finding(&RULE, net.at("network_type"), message));
            }
            ("vxlan" | "gre" | "geneve" | "local", true) => {
                let message = format!("{kind} network `{name}` cannot have a `physical_network`");
                findings.push(row_finding(&RULE, net.at("physical_network"), message));
            }
            _ => {}
        }
    }
}
