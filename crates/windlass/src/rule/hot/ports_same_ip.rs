//! `ports_same_ip` (row O21): two ports of one net or subnet have distinct addresses.

use super::super::{LooksAt, Rule, page};
use super::look::{PORT, claims, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT321",
    name: "ports-same-ip",
    severity: Severity::Error,
    summary: "two ports of one net or subnet have the same address",
    paper: Some("000 7.1.4"),
    doc: page!("HOT321"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in twins(claims(stack, &[PORT]).into_iter()) {
        if twin.first.0 != twin.second.0 {
            findings.push(twin.finding(&RULE, "ports", "the same address on one network"));
        }
    }
}
