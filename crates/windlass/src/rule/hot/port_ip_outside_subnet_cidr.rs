//! `port_ip_outside_subnet_cidr` (row I02): an ip_address in fixed_ips lies in the cidr of its
//! subnet.

use super::super::{LooksAt, Rule, page};
use super::look::{address, cidr_of, cidrs_by_network, fixed_addresses, row_finding, subnet_in};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::address::Range;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT402",
    name: "port-ip-outside-subnet-cidr",
    severity: Severity::Error,
    summary: "an ip_address in fixed_ips is not in the cidr of its subnet",
    paper: Some("000 7.1.4"),
    doc: page!("HOT402"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let by_network = cidrs_by_network(stack);
    for (resource, network, fixed) in fixed_addresses(stack) {
        let Some(ip) = fixed.get("ip_address").or(fixed.get("fixed_ip")) else { continue };
        let Some(address) = address(ip) else { continue };
        let subnets: Vec<Range> = match subnet_in(fixed) {
            Some(subnet) => cidr_of(stack, subnet).into_iter().collect(),
            None => network
                .and_then(|network| by_network.get(&network.identity()?).cloned())
                .unwrap_or_default(),
        };
        let holds = |range: &Range| range.contains(address) && !range.is_reserved(address);
        if !subnets.is_empty() && !subnets.iter().any(holds) {
            let message =
                format!("address {address} of `{}` is not one of its subnet", resource.name);
            findings.push(row_finding(&RULE, ip.span, message));
        }
    }
}
