//! `server_subnet_outside_network` (row O36): in a networks entry the subnet belongs to the
//! network.

use super::super::{LooksAt, Rule, page};
use super::look::{SERVER, is_elsewhere, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT336",
    name: "server-subnet-outside-network",
    severity: Severity::Error,
    summary: "the subnet of a networks entry does not belong to its network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT336"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for server in stack.of(&[SERVER]) {
        for entry in server.list("networks") {
            if let (Some(subnet), Some(network)) =
                (entry.get("subnet"), entry.get("network").or(entry.get("uuid")))
                && is_elsewhere(stack, subnet, network)
            {
                let message = format!("server `{}` names a subnet of another network", server.name);
                findings.push(row_finding(&RULE, subnet.span, message));
            }
        }
    }
}
