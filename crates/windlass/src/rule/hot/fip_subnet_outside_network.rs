//! `fip_subnet_outside_network` (row O46): floating_subnet belongs to floating_network.

use super::super::{LooksAt, Rule, page};
use super::look::{FLOATING_IP, is_elsewhere, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT346",
    name: "fip-subnet-outside-network",
    severity: Severity::Error,
    summary: "floating_subnet does not belong to floating_network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT346"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for floating in stack.of(&[FLOATING_IP]) {
        if let (Some(subnet), Some(network)) = (
            floating.get(&["floating_subnet"]),
            floating.get(&["floating_network", "floating_network_id"]),
        ) && is_elsewhere(stack, subnet, network)
        {
            let message =
                format!("floating IP `{}` names a subnet of another network", floating.name);
            findings.push(row_finding(&RULE, subnet.span, message));
        }
    }
}
