//! Several containers want one port of the host.

use super::super::{Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub const RULE: Rule = Rule {
    code: "COMPOSE022",
    name: "fixed-port-with-replicas",
    severity: Severity::Warning,
    summary: "a service with several containers publishes one port of the host",
    paper: None,
    doc: page!("COMPOSE022"),
    check: None,
};

/// Published ranges that have fewer ports than the service has containers.
pub fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values().filter(|service| service.replicas > 1) {
        for port in &service.ports {
            let Some((first, last)) = port.port.published else { continue };
            let ports = u32::from(last) - u32::from(first) + 1;
            if ports >= service.replicas || first == 0 {
                continue;
            }
            let published =
                if first == last { first.to_string() } else { format!("{first}-{last}") };
            let message = format!(
                "`{}` has {} containers for port {published} of the host",
                service.name, service.replicas
            );
            let span = service.replicas_span.unwrap_or(service.span);
            let finding = RULE.finding(port.span, message).label(span, "the number of containers");
            findings
                .push(finding.help("publish a range of ports, or leave the choice to the engine"));
        }
    }
}
