//! Two things at one path of a container.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::project::Service;
use crate::source::Span;
use std::collections::BTreeMap;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE014",
    name: "same-mount-target",
    severity: Severity::Error,
    summary: "two things are mounted at one path of a container",
    doc: page!("COMPOSE014"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Targets that a service mounts twice.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        check_targets(service, findings);
    }
}

fn check_targets(service: &Service, findings: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for mount in service.mounts.iter().filter(|mount| !mount.target.is_empty()) {
        if let Some(first) = seen.insert(&mount.target, mount.span) {
            let message = format!("`{}` mounts two things at `{}`", service.name, mount.target);
            let finding = RULE.finding(mount.span, message);
            let finding = finding.help("give one of them another `target`, or remove it");
            findings.push(finding.label(first, "the other one"));
        }
    }
}
