//! `server_fixed_ip_and_port` (row O39 and O42): fixed_ip and port are not both used in a
//! networks entry.

use super::super::{LooksAt, Rule, Tag, page};
use super::shared::both_in_entry;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT339",
    name: "server-fixed-ip-and-port",
    severity: Severity::Error,
    summary: "a networks entry has both fixed_ip and port",
    paper: Some("000 7.1.4"),
    doc: page!("HOT339"),
    looks_at: LooksAt::Template(check),
    tags: &[Tag::Rows("O39, O42")],
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    both_in_entry(stack, "networks", ["port", "fixed_ip"], &RULE, findings);
}
