//! `port_subnet_and_subnet_id` (row O23): subnet and subnet_id are not both used.

use super::super::{LooksAt, Rule, page};
use super::look::{PORT, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT323",
    name: "port-subnet-and-subnet-id",
    severity: Severity::Error,
    summary: "both subnet and subnet_id are used",
    paper: Some("000 7.1.4"),
    doc: page!("HOT323"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for port in stack.of(&[PORT]) {
        for fixed in port.list("fixed_ips") {
            if let (Some(_), Some(old)) = (fixed.get("subnet"), fixed.get("subnet_id")) {
                let message = format!(
                    "an address of port `{}` gives both `subnet` and `subnet_id`",
                    port.name
                );
                findings.push(row_finding(&RULE, old.span, message));
            }
        }
    }
}
