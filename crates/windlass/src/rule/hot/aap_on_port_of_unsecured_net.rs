//! `aap_on_port_of_unsecured_net` (row O02): ports of such a net have no allowed_address_pairs.

use super::super::{LooksAt, Rule, page};
use super::look::{ports_of_unsecured_networks, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT302",
    name: "aap-on-port-of-unsecured-net",
    severity: Severity::Error,
    summary: "a port of a net without port security has allowed_address_pairs",
    paper: Some("000 7.1.4"),
    doc: page!("HOT302"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for port in ports_of_unsecured_networks(stack) {
        if !port.list("allowed_address_pairs").is_empty() {
            let message = format!(
                "port `{}` has allowed address pairs, and its network is without port security",
                port.name
            );
            findings.push(row_finding(&RULE, port.at("allowed_address_pairs"), message));
        }
    }
}
