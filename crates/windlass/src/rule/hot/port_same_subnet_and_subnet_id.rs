//! `port_same_subnet_and_subnet_id` (row O20): subnet and subnet_id entries name different subnets.

use super::super::{LooksAt, Rule, page};
use super::shared::port_subnet_pairs;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT320",
    name: "port-same-subnet-and-subnet-id",
    severity: Severity::Error,
    summary: "subnet and subnet_id entries name the same subnet",
    paper: Some("000 7.1.4"),
    doc: page!("HOT320"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    port_subnet_pairs(stack, &RULE, |a, b| a != b, findings);
}
