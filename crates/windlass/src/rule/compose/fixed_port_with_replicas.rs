//! Several containers want one port of the host.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE022",
    name: "fixed-port-with-replicas",
    severity: Severity::Warning,
    summary: "a service with several containers publishes one port of the host",
    doc: page!("COMPOSE022"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard, Tag::PreventsUp],
    ..Rule::DEFAULT
};

/// Published ranges that have fewer ports than the service has containers: one finding for each
/// place, however many ports it is about.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values().filter(|service| service.replicas > 1) {
        let mut scarce: BTreeMap<Span, BTreeSet<u16>> = BTreeMap::new();
        for port in &service.ports {
            let Some((first, last)) = port.port.published else { continue };
            let ports = u32::from(last) - u32::from(first) + 1;
            if ports < service.replicas && first != 0 {
                scarce.entry(port.span).or_default().extend(first..=last);
            }
        }
        for (place, ports) in scarce {
            let message = format!(
                "`{}` has {} containers for {} of the host",
                service.name,
                service.replicas,
                super::ports_in_words(&ports)
            );
            let span = service.replicas_span.unwrap_or(service.span);
            let finding = RULE.finding(place, message).label(span, "the number of containers");
            findings
                .push(finding.help("publish a range of ports, or leave the choice to the engine"));
        }
    }
}
