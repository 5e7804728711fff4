//! `fip_address_twice` (row O47): two floating IPs do not ask the same floating_ip_address.

use super::super::{LooksAt, Rule, page};
use super::look::{FLOATING_IP, address, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT347",
    name: "fip-address-twice",
    severity: Severity::Error,
    summary: "two floating IPs ask for the same floating_ip_address",
    paper: Some("000 7.1.4"),
    doc: page!("HOT347"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let asked = stack.of(&[FLOATING_IP]).filter_map(|floating| {
        let value = floating.get(&["floating_ip_address"])?;
        let key = address(value).map(|address| address.to_string()).or_else(|| value.identity())?;
        Some((key, floating.name.as_str(), value.span))
    });
    for twin in twins(asked) {
        findings.push(twin.finding(&RULE, "floating IPs", "the same address"));
    }
}
