//! `server_fixed_ip_twice` (row O34): a server does not have the same fixed_ip twice on one subnet.

use super::super::{LooksAt, Rule, page};
use super::look::{SERVER, claims, row_finding, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT334",
    name: "server-fixed-ip-twice",
    severity: Severity::Error,
    summary: "a server has the same fixed_ip twice on one subnet",
    paper: Some("000 7.1.4"),
    doc: page!("HOT334"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in twins(claims(stack, &[SERVER]).into_iter()) {
        if twin.first.0 == twin.second.0 {
            let message = format!("server `{}` asks for one address twice", twin.second.0);
            findings
                .push(row_finding(&RULE, twin.second.1, message).label(twin.first.1, "first here"));
        }
    }
}
