//! `pool_outside_cidr` (row I05): allocation pools lie in the subnet cidr.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, pools, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::address::Range;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT405",
    name: "pool-outside-cidr",
    severity: Severity::Error,
    summary: "an allocation pool is not in the cidr of its subnet",
    paper: Some("000 7.1.4"),
    doc: page!("HOT405"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        let Some(range) = subnet.get(&["cidr"]).and_then(Value::as_str).and_then(Range::cidr)
        else {
            continue;
        };
        for (pool, span) in pools(subnet) {
            if !(range.contains(pool.first) && range.contains(pool.last)) {
                let message = format!("a pool of subnet `{}` lies outside its `cidr`", subnet.name);
                findings.push(row_finding(&RULE, span, message));
            }
        }
    }
}
