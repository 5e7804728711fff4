//! `router_interfaces_same_port` (row O15): two interfaces do not use the same port.

use std::collections::BTreeMap;

use super::super::{LooksAt, Rule, page};
use super::look::{ROUTER_INTERFACE, row_finding, server_ports, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT315",
    name: "router-interfaces-same-port",
    severity: Severity::Error,
    summary: "two interfaces use the same port",
    paper: Some("000 7.1.4"),
    doc: page!("HOT315"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let interfaces = stack.of(&[ROUTER_INTERFACE]).filter_map(|interface| {
        let port = interface.get(&["port", "port_id"])?;
        Some((port.identity()?, interface.name.as_str(), port.span))
    });
    let interfaces: Vec<_> = interfaces.collect();
    for twin in twins(interfaces.iter().cloned()) {
        findings.push(twin.finding(&RULE, "router interfaces", "the same port"));
    }
    let used: BTreeMap<String, Span> = server_ports(stack)
        .map(|(_, port)| port)
        .filter_map(|port| Some((port.identity()?, port.span)))
        .collect();
    for (port, name, span) in interfaces {
        if let Some(other) = used.get(&port) {
            let message = format!("router interface `{name}` uses the port of a server");
            findings
                .push(row_finding(&RULE, span, message).label(*other, "the server uses it here"));
        }
    }
}
