//! `gateway_in_pool` (row O05): gateway_ip differs from pool start and end.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, address, pools, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT305",
    name: "gateway-in-pool",
    severity: Severity::Error,
    summary: "gateway_ip is the start or the end of a pool",
    paper: Some("000 7.1.4"),
    doc: page!("HOT305"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        let Some(gateway) = subnet.get(&["gateway_ip"]).and_then(address) else { continue };
        for (pool, span) in pools(subnet) {
            if pool.contains(gateway) {
                let message = format!(
                    "the gateway {gateway} of subnet `{}` lies in an allocation pool",
                    subnet.name
                );
                findings.push(
                    row_finding(&RULE, subnet.at("gateway_ip"), message).label(span, "the pool"),
                );
            }
        }
    }
}
