//! `port_two_ips_per_subnet` (row O18): a port has one address per subnet.

use super::super::{LooksAt, Rule, page};
use super::look::{PORT, row_finding};
use super::shared::port_subnet_pairs;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT318",
    name: "port-two-ips-per-subnet",
    severity: Severity::Error,
    summary: "a port has two addresses on one subnet",
    paper: Some("000 7.1.4"),
    doc: page!("HOT318"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    port_subnet_pairs(stack, &RULE, |a, b| !a && !b, findings);
    for port in stack.of(&[PORT]) {
        if port.list("fixed_ips").len() > 5 {
            let message =
                format!("port `{}` asks for more than 5 addresses, the usual limit", port.name);
            let mut finding = row_finding(&RULE, port.at("fixed_ips"), message);
            finding.severity = Severity::Warning;
            findings.push(finding);
        }
    }
}
