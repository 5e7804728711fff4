//! `server_network_entry_without_target` (row O45): a networks entry gives network, port,
//! allocate_network or subnet.

use super::super::{LooksAt, Rule, page};
use super::look::{SERVER, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Data;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT345",
    name: "server-network-entry-without-target",
    severity: Severity::Error,
    summary: "a networks entry has none of network, port, allocate_network and subnet",
    paper: Some("000 7.1.4"),
    doc: page!("HOT345"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for server in stack.of(&[SERVER]) {
        for entry in server.list("networks") {
            let targets = ["network", "uuid", "port", "allocate_network", "subnet"];
            let has = targets.iter().any(|name| entry.get(name).is_some());
            if !has && matches!(entry.data, Data::Map(_)) {
                let message = format!(
                    "an entry in `networks` of server `{}` names no network, port or subnet",
                    server.name
                );
                findings.push(row_finding(&RULE, entry.span, message));
            }
        }
    }
}
