//! `router_fixed_ip_subnet_outside_gateway_net` (row S03 and O13): a subnet in external_fixed_ips
//! belongs to the gateway network.

use super::super::{LooksAt, Rule, Tag, page};
use super::look::{ROUTER, is_elsewhere, row_finding, subnet_in};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT203",
    name: "router-fixed-ip-subnet-outside-gateway-net",
    severity: Severity::Error,
    summary: "a subnet in external_fixed_ips does not belong to the gateway network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT203"),
    looks_at: LooksAt::Template(check),
    tags: &[Tag::Rows("S03, O13")],
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for router in stack.of(&[ROUTER]) {
        let Some(gateway) = router.get(&["external_gateway_info"]) else { continue };
        for fixed in gateway.get("external_fixed_ips").map_or(&[][..], Value::items) {
            if let (Some(subnet), Some(network)) = (subnet_in(fixed), gateway.get("network"))
                && is_elsewhere(stack, subnet, network)
            {
                let message = format!(
                    "the gateway of router `{}` names a subnet of another network",
                    router.name
                );
                findings.push(row_finding(&RULE, subnet.span, message));
            }
        }
    }
}
