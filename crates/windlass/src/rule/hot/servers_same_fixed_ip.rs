//! `servers_same_fixed_ip` (row O33): two servers of one net or subnet have distinct fixed_ip.

use super::super::{LooksAt, Rule, page};
use super::look::{PORT, SERVER, claims, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT333",
    name: "servers-same-fixed-ip",
    severity: Severity::Error,
    summary: "two servers of one net or subnet have the same fixed_ip",
    paper: Some("000 7.1.4"),
    doc: page!("HOT333"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in twins(claims(stack, &[PORT, SERVER]).into_iter()) {
        let is_server = |name: &str| stack.named(name).is_some_and(|resource| resource.is(SERVER));
        if twin.first.0 != twin.second.0 && (is_server(twin.first.0) || is_server(twin.second.0)) {
            findings.push(twin.finding(
                &RULE,
                "servers and ports",
                "the same address on one network",
            ));
        }
    }
}
