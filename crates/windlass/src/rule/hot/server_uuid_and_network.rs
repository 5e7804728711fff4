//! `server_uuid_and_network` (row O35): uuid and network are not both used in a networks entry.

use super::super::{LooksAt, Rule, page};
use super::shared::both_in_entry;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT335",
    name: "server-uuid-and-network",
    severity: Severity::Error,
    summary: "a networks entry has both uuid and network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT335"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    both_in_entry(stack, "networks", ["network", "uuid"], &RULE, findings);
}
