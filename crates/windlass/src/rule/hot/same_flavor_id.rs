//! `same_flavor_id` (row S06): two flavors do not share flavorid.

use super::super::{LooksAt, Rule, page};
use super::look::twins;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT206",
    name: "same-flavor-id",
    severity: Severity::Error,
    summary: "two flavors have the same flavorid",
    paper: Some("000 7.1.4"),
    doc: page!("HOT206"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let ids = stack.of(&["OS::Nova::Flavor"]).filter_map(|flavor| {
        let id = flavor.get(&["flavorid"])?.identity().filter(|id| id != "auto")?;
        Some((id, flavor.name.as_str(), flavor.at("flavorid")))
    });
    for twin in twins(ids) {
        findings.push(twin.finding(&RULE, "flavors", "the same `flavorid`"));
    }
}
