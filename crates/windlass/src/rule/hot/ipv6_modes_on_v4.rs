//! `ipv6_modes_on_v4` (row O08): ipv6 modes are absent when ip_version is 4.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT308",
    name: "ipv6-modes-on-v4",
    severity: Severity::Error,
    summary: "ipv6 modes are set and ip_version is 4",
    paper: Some("000 7.1.4"),
    doc: page!("HOT308"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        let version = match subnet.get(&["ip_version"]) {
            Some(version) => version.as_int(),
            None => Some(4),
        };
        for name in ["ipv6_ra_mode", "ipv6_address_mode"] {
            if version == Some(4) && subnet.has(name) {
                let message = format!("subnet `{}` is IPv4 and has `{name}`", subnet.name);
                findings.push(row_finding(&RULE, subnet.at(name), message));
            }
        }
    }
}
