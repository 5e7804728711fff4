//! `two_fips_per_port_and_net` (row O48): two floating IPs of one net/subnet are not bound to one
//! port.

use super::super::{LooksAt, Rule, page};
use super::shared::{Floating, floating_twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT348",
    name: "two-fips-per-port-and-net",
    severity: Severity::Error,
    summary: "two floating IPs of one net or subnet are bound to one port",
    paper: Some("000 7.1.4"),
    doc: page!("HOT348"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in floating_twins(stack) {
        let kinds = twin.kinds();
        if kinds.0 != Floating::Server {
            findings.push(twin.finding(&RULE));
        }
    }
}
