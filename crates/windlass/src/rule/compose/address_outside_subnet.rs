//! An address that its network does not have.

use super::super::{Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub const RULE: Rule = Rule {
    code: "COMPOSE030",
    name: "address-outside-subnet",
    severity: Severity::Warning,
    summary: "a fixed address is in no range of its network",
    paper: None,
    doc: page!("COMPOSE030"),
    check: None,
};

/// Fixed addresses that no range of their network contains.
pub fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (key, attachment) in &service.networks {
            let Some(network) = project.networks.get(key).filter(|n| !n.resource.external) else {
                continue;
            };
            for (address, span) in &attachment.addresses {
                let fitting =
                    network.subnets.iter().filter(|s| s.address.is_ipv4() == address.is_ipv4());
                let fitting: Vec<_> = fitting.collect();
                if fitting.iter().any(|subnet| subnet.contains(*address)) {
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
