//! `port_subnet_outside_network` (row O24): a subnet in fixed_ips belongs to the port network.

use super::super::{LooksAt, Rule, page};
use super::shared::port_subnet_elsewhere;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT324",
    name: "port-subnet-outside-network",
    severity: Severity::Error,
    summary: "a subnet in fixed_ips does not belong to the network of the port",
    paper: Some("000 7.1.4"),
    doc: page!("HOT324"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    port_subnet_elsewhere(stack, "subnet", &RULE, findings);
}
