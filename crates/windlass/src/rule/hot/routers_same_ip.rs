//! `routers_same_ip` (row O12): routers on one subnet or net have distinct gateway addresses.

use super::super::{LooksAt, Rule, page};
use super::look::{ROUTER, address, twins};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT312",
    name: "routers-same-ip",
    severity: Severity::Error,
    summary: "routers on one subnet or net have the same gateway address",
    paper: Some("000 7.1.4"),
    doc: page!("HOT312"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let mut claims = Vec::new();
    for router in stack.of(&[ROUTER]) {
        let Some(gateway) = router.get(&["external_gateway_info"]) else { continue };
        let Some(network) = gateway.get("network").and_then(Value::identity) else { continue };
        for fixed in gateway.get("external_fixed_ips").map_or(&[][..], Value::items) {
            if let Some(ip) = fixed.get("ip_address")
                && let Some(address) = address(ip)
            {
                claims.push((format!("{network} {address}"), router.name.as_str(), ip.span));
            }
        }
    }
    for twin in twins(claims.into_iter()) {
        findings.push(twin.finding(&RULE, "routers", "the same address on one network"));
    }
}
