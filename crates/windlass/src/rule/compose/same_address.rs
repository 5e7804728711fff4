//! Two containers with one address.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeMap;

use crate::lang::compose::Project;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE029",
    name: "same-address",
    severity: Severity::Warning,
    summary: "two services have the same fixed address in one network",
    doc: page!("COMPOSE029"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard, Tag::PreventsUp],
    ..Rule::DEFAULT
};

/// Fixed addresses that are taken already.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let mut taken = BTreeMap::new();
    for (key, network) in &project.networks {
        for (gateway, span) in network.subnets.iter().filter_map(|subnet| subnet.gateway) {
            taken.insert((key.as_str(), gateway), ("the gateway".to_owned(), span));
        }
    }
    for service in project.services.values() {
        for (key, attachment) in &service.networks {
            for (address, span) in &attachment.addresses {
                let here = (format!("`{}`", service.name), *span);
                if let Some((other, first)) = taken.insert((key, *address), here) {
                    let message = format!(
                        "`{}` and {other} have the address {address} in `{key}`",
                        service.name
                    );
                    let finding = RULE.finding(*span, message).label(first, "the other one");
                    findings.push(finding.help("give one of them another address"));
                } else if service.replicas > 1 {
                    let message = format!(
                        "the {} containers of `{}` cannot all have the address {address}",
                        service.replicas, service.name
                    );
                    let help = "remove the address, or run one container";
                    findings.push(RULE.finding(*span, message).help(help));
                }
            }
        }
    }
}
