//! `port_two_ips_per_subnet_id` (row O19): same with subnet_id.

use super::super::{LooksAt, Rule, page};
use super::shared::port_subnet_pairs;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT319",
    name: "port-two-ips-per-subnet-id",
    severity: Severity::Error,
    summary: "a port has two addresses on one subnet_id",
    paper: Some("000 7.1.4"),
    doc: page!("HOT319"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    port_subnet_pairs(stack, &RULE, |a, b| a && b, findings);
}
