//! `pool_min_prefixlen_zero_v4` (row O54): min_prefixlen > 0 for IPv4.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET_POOL, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::address::Range;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT354",
    name: "pool-min-prefixlen-zero-v4",
    severity: Severity::Error,
    summary: "min_prefixlen is 0 for IPv4",
    paper: Some("000 7.1.4"),
    doc: page!("HOT354"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for pool in stack.of(&[SUBNET_POOL]) {
        let is_v4 = pool
            .list("prefixes")
            .iter()
            .filter_map(|prefix| Range::cidr(prefix.as_str()?))
            .any(|range| !range.is_ipv6());
        let least = pool.get(&["min_prefixlen"]).and_then(Value::as_int);
        if is_v4 && least.is_some_and(|least| least <= 0) {
            let message = format!("IPv4 pool `{}` has a `min_prefixlen` of 0", pool.name);
            findings.push(row_finding(&RULE, pool.at("min_prefixlen"), message));
        }
    }
}
