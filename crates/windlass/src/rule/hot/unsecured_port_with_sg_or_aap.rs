//! `unsecured_port_with_sg_or_aap` (row O27): port_security_enabled=false excludes security_groups
//! and allowed_address_pairs.

use super::super::{LooksAt, Rule, page};
use super::look::{PORT, row_finding, truth};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT327",
    name: "unsecured-port-with-sg-or-aap",
    severity: Severity::Error,
    summary: "a port with port_security_enabled=false has security_groups or allowed_address_pairs",
    paper: Some("000 7.1.4"),
    doc: page!("HOT327"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for port in stack.of(&[PORT]) {
        for name in ["security_groups", "allowed_address_pairs"] {
            if truth(port, "port_security_enabled") == Some(false) && !port.list(name).is_empty() {
                let message =
                    format!("port `{}` is without port security and has `{name}`", port.name);
                findings.push(row_finding(&RULE, port.at(name), message));
            }
        }
    }
}
