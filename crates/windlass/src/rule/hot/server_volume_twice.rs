//! `server_volume_twice` (row O31): a server maps a volume once.

use super::super::{LooksAt, Rule, page};
use super::look::{row_finding, twins};
use super::shared::volume_uses;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT331",
    name: "server-volume-twice",
    severity: Severity::Error,
    summary: "a server maps a volume twice",
    paper: Some("000 7.1.4"),
    doc: page!("HOT331"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in
        twins(volume_uses(stack).into_iter().map(|usage| {
            (format!("{} {}", usage.volume, usage.server), usage.server_name, usage.span)
        }))
    {
        let message = format!("server `{}` gets one volume twice", twin.second.0);
        findings.push(row_finding(&RULE, twin.second.1, message).label(twin.first.1, "first here"));
    }
}
