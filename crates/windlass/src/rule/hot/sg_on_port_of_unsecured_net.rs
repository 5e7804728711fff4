//! `sg_on_port_of_unsecured_net` (row O01): ports of a net with port_security_enabled=false
//! have no security_groups.

use super::super::{LooksAt, Rule, page};
use super::look::{ports_of_unsecured_networks, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT301",
    name: "sg-on-port-of-unsecured-net",
    severity: Severity::Error,
    summary: "a port of a net with port_security_enabled=false has security_groups",
    paper: Some("000 7.1.4"),
    doc: page!("HOT301"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for port in ports_of_unsecured_networks(stack) {
        if !port.list("security_groups").is_empty() {
            let message = format!(
                "port `{}` has security groups, and its network is without port security",
                port.name
            );
            findings.push(row_finding(&RULE, port.at("security_groups"), message));
        }
    }
}
