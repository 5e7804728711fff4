//! `small_prefixlen_without_pool_min` (row O06): IPv4 prefixlen < 8 needs a subnetpool whose
//! min_prefixlen is <= it.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::address::Range;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT306",
    name: "small-prefixlen-without-pool-min",
    severity: Severity::Error,
    summary: "an IPv4 prefixlen is less than 8 and no subnetpool has a min_prefixlen that allows it",
    paper: Some("000 7.1.4"),
    doc: page!("HOT306"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        let Some(length) = subnet.get(&["prefixlen"]).and_then(Value::as_int) else { continue };
        let Some(pool) = subnet.get(&["subnetpool"]).and_then(|pool| stack.target(pool)) else {
            continue;
        };
        let prefix = pool.list("prefixes").iter().find_map(|prefix| Range::cidr(prefix.as_str()?));
        let Some(prefix) = prefix else { continue };
        let given = |name: &str| pool.get(&[name]).and_then(Value::as_int);
        let least = given("min_prefixlen").unwrap_or(if prefix.is_ipv6() { 64 } else { 8 });
        let most = given("max_prefixlen").unwrap_or(if prefix.is_ipv6() { 128 } else { 32 });
        if length < least || length > most {
            let message = format!(
                "subnet `{}` asks for a prefix of {length}, and pool `{}` gives {least} to {most}",
                subnet.name, pool.name
            );
            findings.push(row_finding(&RULE, subnet.at("prefixlen"), message));
        }
    }
}
