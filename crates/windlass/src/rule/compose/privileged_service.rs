//! A container with every right of the host.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE033",
    name: "privileged-service",
    severity: Severity::Warning,
    summary: "a container may do everything that the host may do",
    doc: page!("COMPOSE033"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Services that are privileged.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        if let Some(span) = service.flag("privileged") {
            let message = format!("`{}` may do everything that the host may do", service.name);
            let help = "ask for the devices and capabilities that it needs";
            findings.push(RULE.finding(span, message).help(help));
        }
    }
}
