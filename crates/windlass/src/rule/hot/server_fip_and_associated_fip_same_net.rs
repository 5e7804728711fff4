//! `server_fip_and_associated_fip_same_net` (row O38): same through FloatingIPAssociation.

use super::super::{LooksAt, Rule, page};
use super::shared::{Floating, floating_twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT338",
    name: "server-fip-and-associated-fip-same-net",
    severity: Severity::Error,
    summary: "a server's floating_ip and one of a FloatingIPAssociation are on one external network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT338"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in floating_twins(stack) {
        if twin.kinds() == (Floating::Server, Floating::Association) {
            findings.push(twin.finding(&RULE));
        }
    }
}
