//! `subnet_cidr_and_prefixlen` (row O10): cidr and prefixlen are not both given.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, is_given, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT310",
    name: "subnet-cidr-and-prefixlen",
    severity: Severity::Error,
    summary: "both cidr and prefixlen are given",
    paper: Some("000 7.1.4"),
    doc: page!("HOT310"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        if let (Some(cidr), Some(length)) = (subnet.get(&["cidr"]), subnet.get(&["prefixlen"]))
            && is_given(cidr)
            && is_given(length)
        {
            let message = format!("subnet `{}` has both `cidr` and `prefixlen`", subnet.name);
            findings.push(row_finding(&RULE, subnet.at("prefixlen"), message));
        }
    }
}
