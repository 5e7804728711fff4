//! `subnet_without_cidr_or_pool` (row O09 and O11): cidr or subnetpool is given.

use super::super::{LooksAt, Rule, Tag, page};
use super::look::{SUBNET, is_given, row_finding, truth};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT309",
    name: "subnet-without-cidr-or-pool",
    severity: Severity::Error,
    summary: "neither cidr nor subnetpool is given",
    paper: Some("000 7.1.4"),
    doc: page!("HOT309"),
    looks_at: LooksAt::Template(check),
    tags: &[Tag::Rows("O09, O11")],
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        let (cidr, pool) = (subnet.get(&["cidr"]), subnet.get(&["subnetpool"]));
        match (cidr, pool) {
            (None, None) if truth(subnet, "use_default_subnetpool") != Some(true) => {
                let message =
                    format!("subnet `{}` has neither `cidr` nor `subnetpool`", subnet.name);
                findings.push(row_finding(&RULE, subnet.span, message));
            }
            (Some(cidr), Some(pool)) if is_given(cidr) && is_given(pool) => {
                let message = format!("subnet `{}` has both `cidr` and `subnetpool`", subnet.name);
                findings.push(row_finding(&RULE, subnet.at("subnetpool"), message));
            }
            _ => {}
        }
    }
}
