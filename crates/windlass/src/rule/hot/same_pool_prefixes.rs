//! `same_pool_prefixes` (row O55): two subnet pools do not have the same prefixes.

use std::collections::BTreeMap;

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET_POOL, overlaps, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::address::Range;
use crate::lang::hot::value::Value;
use crate::lang::hot::{Resource, Stack};
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT355",
    name: "same-pool-prefixes",
    severity: Severity::Error,
    summary: "two subnet pools have the same prefixes",
    paper: Some("000 7.1.4"),
    doc: page!("HOT355"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let mut scopes: BTreeMap<String, Vec<(Range, &Resource, Span)>> = BTreeMap::new();
    for pool in stack.of(&[SUBNET_POOL]) {
        let Some(scope) = pool.get(&["address_scope"]).and_then(Value::identity) else { continue };
        let ranges = scopes.entry(scope).or_default();
        ranges.extend(
            pool.list("prefixes")
                .iter()
                .filter_map(|prefix| Some((Range::cidr(prefix.as_str()?)?, pool, prefix.span))),
        );
    }
    for prefixes in scopes.into_values() {
        for (first, second) in overlaps(prefixes) {
            if first.1.name != second.1.name {
                let message = format!(
                    "pools `{}` and `{}` of one address scope overlap",
                    first.1.name, second.1.name
                );
                findings
                    .push(row_finding(&RULE, second.2, message).label(first.2, "the other prefix"));
            }
        }
    }
}
