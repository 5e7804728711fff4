//! `servers_same_volume` (row O32): two servers do not map the same volume.

use super::super::{LooksAt, Rule, page};
use super::look::twins;
use super::shared::volume_uses;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT332",
    name: "servers-same-volume",
    severity: Severity::Error,
    summary: "two servers map the same volume",
    paper: Some("000 7.1.4"),
    doc: page!("HOT332"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let uses =
        volume_uses(stack).into_iter().filter(|usage| !usage.by_attachment && !usage.multiattach);
    for twin in twins(uses.map(|usage| (usage.volume, usage.server_name, usage.span))) {
        if twin.first.0 != twin.second.0 {
            findings.push(twin.finding(
                &RULE,
                "servers",
                "the same volume, which cannot be shared,",
            ));
        }
    }
}
