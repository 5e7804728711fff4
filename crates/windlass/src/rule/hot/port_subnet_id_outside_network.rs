//! `port_subnet_id_outside_network` (row O25): same with subnet_id.

use super::super::{LooksAt, Rule, page};
use super::shared::port_subnet_elsewhere;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT325",
    name: "port-subnet-id-outside-network",
    severity: Severity::Error,
    summary: "a subnet_id in fixed_ips does not belong to the network of the port",
    paper: Some("000 7.1.4"),
    doc: page!("HOT325"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    port_subnet_elsewhere(stack, "subnet_id", &RULE, findings);
}
