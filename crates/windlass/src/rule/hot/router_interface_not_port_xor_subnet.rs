//! `router_interface_not_port_xor_subnet` (row S04): exactly one of port and subnet.

use super::super::{LooksAt, Rule, page};
use super::look::{ROUTER_INTERFACE, is_given, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT204",
    name: "router-interface-not-port-xor-subnet",
    severity: Severity::Error,
    summary: "an interface has both port and subnet, or neither",
    paper: Some("000 7.1.4"),
    doc: page!("HOT204"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for interface in stack.of(&[ROUTER_INTERFACE]) {
        let port = interface.get(&["port", "port_id"]);
        let subnet = interface.get(&["subnet", "subnet_id"]);
        let name = &interface.name;
        match (port, subnet) {
            (None, None) => {
                let message =
                    format!("router interface `{name}` names neither a port nor a subnet");
                findings.push(row_finding(&RULE, interface.span, message));
            }
            (Some(port), Some(subnet)) if is_given(port) && is_given(subnet) => {
                let message = format!("router interface `{name}` names both a port and a subnet");
                findings.push(row_finding(&RULE, port.span, message));
            }
            _ => {}
        }
    }
}
