//! `same_provider_net_name` (row S08): two provider networks do not share a name.

use super::super::{LooksAt, Rule, page};
use super::look::{PROVIDER_NET, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT208",
    name: "same-provider-net-name",
    severity: Severity::Warning,
    summary: "two provider networks have the same name",
    paper: Some("000 7.1.4"),
    doc: page!("HOT208"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let names = stack.of(&[PROVIDER_NET]).filter_map(|net| {
        Some((net.get(&["name"])?.identity()?, net.name.as_str(), net.at("name")))
    });
    for twin in twins(names) {
        let mut finding = twin.finding(&RULE, "provider networks", "the same name");
        finding.severity = Severity::Warning;
        findings.push(finding);
    }
    let segments = stack.of(&[PROVIDER_NET]).filter_map(|net| {
        let id = |name: &str| net.get(&[name])?.identity();
        let segment = id("segmentation_id");
        let kind = id("network_type")?;
        if segment.is_none() && kind != "flat" {
            return None;
        }
        let key = format!("{kind} {} {}", id("physical_network")?, segment.unwrap_or_default());
        Some((key, net.name.as_str(), net.at("physical_network")))
    });
    for twin in twins(segments) {
        let mut finding = twin.finding(&RULE, "provider networks", "the same segment");
        finding.severity = Severity::Error;
        findings.push(finding);
    }
}
