//! `pool_max_below_min_prefixlen` (row O56): max_prefixlen >= min_prefixlen.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET_POOL, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT356",
    name: "pool-max-below-min-prefixlen",
    severity: Severity::Error,
    summary: "max_prefixlen is less than min_prefixlen",
    paper: Some("000 7.1.4"),
    doc: page!("HOT356"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for pool in stack.of(&[SUBNET_POOL]) {
        let bound = |name: &str| pool.get(&[name]).and_then(Value::as_int);
        let (min, max, usual) =
            (bound("min_prefixlen"), bound("max_prefixlen"), bound("default_prefixlen"));
        let wrong = [
            ("max_prefixlen", min.zip(max).is_some_and(|(min, max)| max < min)),
            ("default_prefixlen", min.zip(usual).is_some_and(|(min, usual)| usual < min)),
            ("default_prefixlen", max.zip(usual).is_some_and(|(max, usual)| usual > max)),
        ];
        for (name, wrong) in wrong {
            if wrong {
                let message =
                    format!("prefix lengths of pool `{}` are not in order: `{name}`", pool.name);
                findings.push(row_finding(&RULE, pool.at(name), message));
            }
        }
    }
}
