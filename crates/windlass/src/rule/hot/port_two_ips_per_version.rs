//! `port_two_ips_per_version` (row O22): a port has no two addresses of one IP version on one
//! network.

use std::collections::BTreeSet;

use super::super::{LooksAt, Rule, page};
use super::look::{PORT, address, cidr_of, row_finding, subnet_in};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT322",
    name: "port-two-ips-per-version",
    severity: Severity::Note,
    summary: "a port has two addresses of one IP version on one network",
    paper: Some("000 7.1.4"),
    doc: page!("HOT322"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for port in stack.of(&[PORT]) {
        let versions = port.list("fixed_ips").iter().map(|fixed| {
            let own = fixed.get("ip_address").and_then(address).map(|address| address.is_ipv6());
            own.or_else(|| Some(cidr_of(stack, subnet_in(fixed)?)?.is_ipv6()))
        });
        let versions: Vec<Option<bool>> = versions.collect();
        let subnets: BTreeSet<_> = port
            .list("fixed_ips")
            .iter()
            .filter_map(|fixed| subnet_in(fixed)?.identity())
            .collect();
        for version in [false, true] {
            if versions.iter().filter(|found| **found == Some(version)).count() > 1
                && subnets.len() > 1
            {
                let word = if version { "IPv6" } else { "IPv4" };
                let message = format!(
                    "port `{}` has several {word} addresses, which Neutron allows",
                    port.name
                );
                findings.push(row_finding(&RULE, port.at("fixed_ips"), message));
            }
        }
    }
}
