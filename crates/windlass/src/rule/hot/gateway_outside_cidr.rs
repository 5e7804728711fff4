//! `gateway_outside_cidr` (row I04): gateway_ip lies in the subnet cidr.

use super::super::{LooksAt, Rule, page};
use super::look::{SUBNET, address, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::address::Range;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT404",
    name: "gateway-outside-cidr",
    severity: Severity::Warning,
    summary: "gateway_ip is not in the cidr of the subnet",
    paper: Some("000 7.1.4"),
    doc: page!("HOT404"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for subnet in stack.of(&[SUBNET]) {
        let range = subnet.get(&["cidr"]).and_then(Value::as_str).and_then(Range::cidr);
        if let (Some(range), Some(gateway)) = (range, subnet.get(&["gateway_ip"]).and_then(address))
            && !range.contains(gateway)
        {
            let message = format!(
                "the gateway {gateway} of subnet `{}` lies outside its `cidr`",
                subnet.name
            );
            findings.push(row_finding(&RULE, subnet.at("gateway_ip"), message));
        }
    }
}
