//! `pool_end_before_start` (row O03): allocation pool end >= start.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, address, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT303",
    name: "pool-end-before-start",
    severity: Severity::Error,
    summary: "an allocation pool ends before it starts",
    paper: Some("000 7.1.4"),
    doc: page!("HOT303"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        for pool in subnet.list("allocation_pools") {
            let [start, end] = ["start", "end"].map(|key| pool.get(key).and_then(address));
            if let (Some(start), Some(end)) = (start, end)
                && start.is_ipv6() == end.is_ipv6()
                && end < start
            {
                let message = format!(
                    "a pool of subnet `{}` ends at {end}, before its start {start}",
                    subnet.name
                );
                findings.push(row_finding(&RULE, pool.span, message));
            }
        }
    }
}
