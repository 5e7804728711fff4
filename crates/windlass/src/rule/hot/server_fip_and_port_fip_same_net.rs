//! `server_fip_and_port_fip_same_net` (row O37): a server's floating_ip and a floating IP bound to
//! its port are not on one external network.

use super::super::{LooksAt, Rule, page};
use super::shared::{Floating, floating_twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT337",
    name: "server-fip-and-port-fip-same-net",
    severity: Severity::Error,
    summary: "a server's floating_ip and a floating IP bound to its port are on one external network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT337"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for twin in floating_twins(stack) {
        if twin.kinds() == (Floating::Server, Floating::Resource) {
            findings.push(twin.finding(&RULE));
        }
    }
}
