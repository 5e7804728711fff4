//! `servers_same_port` (row O29): two servers do not use the same port.

use super::super::{LooksAt, Rule, page};
use super::look::{server_ports, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT329",
    name: "servers-same-port",
    severity: Severity::Error,
    summary: "two servers use the same port",
    paper: Some("000 7.1.4"),
    doc: page!("HOT329"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in twins(
        server_ports(stack)
            .filter_map(|(server, port)| Some((port.identity()?, server.name.as_str(), port.span))),
    ) {
        if twin.first.0 != twin.second.0 {
            findings.push(twin.finding(&RULE, "servers", "the same port"));
        }
    }
}
