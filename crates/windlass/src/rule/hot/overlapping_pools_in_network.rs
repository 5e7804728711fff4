//! `overlapping_pools_in_network` (row O04): subnets of one network have disjoint allocation pools.

use std::collections::BTreeMap;

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, overlaps, pools, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::address::Range;
use crate::lang::hot::value::Value;
use crate::lang::hot::{Resource, Stack};
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT304",
    name: "overlapping-pools-in-network",
    severity: Severity::Error,
    summary: "subnets of one network have overlapping allocation pools",
    paper: Some("000 7.1.4"),
    doc: page!("HOT304"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let mut by_network: BTreeMap<String, Vec<(Range, &Resource, Span)>> = BTreeMap::new();
    for subnet in stack.of(&[SUBNET]) {
        let Some(network) = subnet.get(&["network", "network_id"]).and_then(Value::identity) else {
            continue;
        };
        let ranges = by_network.entry(network).or_default();
        ranges.extend(pools(subnet).into_iter().map(|(range, span)| (range, subnet, span)));
    }
    for pools in by_network.into_values() {
        for (first, second) in overlaps(pools) {
            let message = format!(
                "pools of `{}` and `{}` overlap in one network",
                first.1.name, second.1.name
            );
            findings.push(row_finding(&RULE, second.2, message).label(first.2, "the other pool"));
        }
    }
}
