//! `overlapping_subnet_cidrs_of_network` (row I01): subnets of one network have
//! non-overlapping cidr.

use std::collections::BTreeMap;

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, overlaps, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::address::Range;
use crate::lang::hot::value::Value;
use crate::lang::hot::{Resource, Stack};
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT401",
    name: "overlapping-subnet-cidrs-of-network",
    severity: Severity::Error,
    summary: "subnets of one network have overlapping cidr",
    paper: Some("000 7.1.4"),
    doc: page!("HOT401"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let mut networks: BTreeMap<String, Vec<(Range, &Resource, Span)>> = BTreeMap::new();
    for subnet in stack.of(&[SUBNET]) {
        let Some(network) = subnet.get(&["network", "network_id"]).and_then(Value::identity) else {
            continue;
        };
        let Some(cidr) = subnet.get(&["cidr"]) else { continue };
        if let Some(range) = cidr.as_str().and_then(Range::cidr) {
            networks.entry(network).or_default().push((range, subnet, cidr.span));
        }
    }
    for subnets in networks.into_values() {
        for (first, second) in overlaps(subnets) {
            let message = format!(
                "subnets `{}` and `{}` of one network overlap",
                first.1.name, second.1.name
            );
            findings.push(row_finding(&RULE, second.2, message).label(first.2, "the other subnet"));
        }
    }
}
