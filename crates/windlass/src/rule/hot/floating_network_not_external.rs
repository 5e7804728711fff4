//! `floating_network_not_external` (row X02): floating_network is an external network.

use super::super::{LooksAt, Rule, page};
use super::look::{FLOATING_IP, not_external, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT502",
    name: "floating-network-not-external",
    severity: Severity::Error,
    summary: "floating_network is not an external network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT502"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

/// Paper: 000 7.2.2
fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for floating in stack.of(&[FLOATING_IP]) {
        if let Some(network) = floating.get(&["floating_network", "floating_network_id"])
            && let Some(net) = not_external(stack, network)
        {
            let message =
                format!("`{}` of floating IP `{}` is no external network", net.name, floating.name);
            findings.push(row_finding(&RULE, network.span, message).label(net.span, "the network"));
        }
    }
}
