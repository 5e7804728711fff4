//! `server_port_twice` (row O28): a server lists a port once.

use super::super::{LooksAt, Rule, page};
use super::look::{row_finding, server_ports, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT328",
    name: "server-port-twice",
    severity: Severity::Error,
    summary: "a server lists a port twice",
    paper: Some("000 7.1.4"),
    doc: page!("HOT328"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in twins(
        server_ports(stack)
            .filter_map(|(server, port)| Some((port.identity()?, server.name.as_str(), port.span))),
    ) {
        if twin.first.0 == twin.second.0 {
            let message = format!("server `{}` lists a port twice", twin.second.0);
            findings.push(
                row_finding(&RULE, twin.second.1, message).label(twin.first.1, "first listed here"),
            );
        }
    }
}
