//! An address that its network does not have.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE030",
    name: "address-outside-subnet",
    severity: Severity::Warning,
    summary: "an address, a gateway or a pool is in no range of its network",
    doc: page!("COMPOSE030"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard, Tag::PreventsUp],
    ..Rule::DEFAULT
};

/// Gateways and pools that lie outside the range that they stand beside.
fn check_ranges(project: &Project, findings: &mut Vec<Diagnostic>) {
    for (key, network) in project.networks.iter().filter(|(_, it)| !it.resource.external) {
        for subnet in &network.subnets {
            let mut report = |message: String, at: Span| {
                let finding = RULE.finding(at, message).label(subnet.span, "the range");
                let help = "choose one inside the `subnet`: the engine refuses to make the network";
                findings.push(finding.help(help));
            };
            if let Some((gateway, span)) = subnet.gateway.filter(|it| !subnet.range.contains(&it.0))
            {
                report(format!("the gateway {gateway} of `{key}` is not in its range"), span);
            }
            let outside = subnet.pool.filter(|pool| !subnet.range.contains(&pool.0));
            if let Some((pool, span)) = outside {
                report(format!("`ip_range` {pool} of `{key}` is not in its range"), span);
            }
        }
    }
}

/// Fixed addresses that no range of their network contains, gateways and pools included.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    check_ranges(project, findings);
    for service in project.services.values() {
        for (key, attachment) in &service.networks {
            let Some(network) = project.networks.get(key).filter(|n| !n.resource.external) else {
                continue;
            };
            for (address, span) in &attachment.addresses {
                let fitting = network
                    .subnets
                    .iter()
                    .filter(|s| s.range.addr().is_ipv4() == address.is_ipv4());
                let fitting: Vec<_> = fitting.collect();
                if let Some(subnet) = fitting.iter().find(|subnet| subnet.range.contains(address)) {
                    if subnet.is_reserved(*address) {
                        let message = format!(
                            "{address} stands for the whole range of `{key}`: no container can have it"
                        );
                        let finding = RULE.finding(*span, message).label(subnet.span, "its range");
                        findings.push(finding.help("choose another address of the range"));
                    }
                    continue;
                }
                let finding = match fitting.first() {
                    Some(subnet) => {
                        let message =
                            format!("the network `{key}` does not have the address {address}");
                        RULE.finding(*span, message).label(subnet.span, "its range")
                    }
                    None => {
                        let message = format!(
                            "`{key}` has no range of its own, so that {address} cannot be asked for"
                        );
                        RULE.finding(*span, message).label(network.resource.span, "the network")
                    }
                };
                findings
                    .push(finding.help("give the network a `subnet` that contains the address"));
            }
        }
    }
}
