//! `ports_same_mac` (row O26): two ports do not share a mac_address.

use super::super::{LooksAt, Rule, page};
use super::look::{PORT, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::address::mac;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT326",
    name: "ports-same-mac",
    severity: Severity::Error,
    summary: "two ports have the same mac_address",
    paper: Some("000 7.1.4"),
    doc: page!("HOT326"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let macs = stack.of(&[PORT]).filter_map(|port| {
        let network = port.get(&["network", "network_id"])?.identity()?;
        let mac = mac(port.get(&["mac_address"])?.as_str()?)?;
        Some((format!("{network} {mac}"), port.name.as_str(), port.at("mac_address")))
    });
    for twin in twins(macs) {
        findings.push(twin.finding(&RULE, "ports", "the same MAC address on one network"));
    }
}
