//! `same_region_id` (row S11): two regions do not share an id.

use super::super::{LooksAt, Rule, page};
use super::look::twins;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT211",
    name: "same-region-id",
    severity: Severity::Error,
    summary: "two regions have the same id",
    paper: Some("000 7.1.4"),
    doc: page!("HOT211"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let ids = stack.of(&["OS::Keystone::Region"]).filter_map(|region| {
        Some((region.get(&["id"])?.identity()?, region.name.as_str(), region.at("id")))
    });
    for twin in twins(ids) {
        findings.push(twin.finding(&RULE, "regions", "the same `id`"));
    }
}
