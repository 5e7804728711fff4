//! The first container that ends decides for all.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::project::Condition;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE024",
    name: "first-exit-decides",
    severity: Severity::Warning,
    summary: "a service waits for the end of one that has several containers",
    doc: page!("COMPOSE024"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard],
    ..Rule::DEFAULT
};

/// Dependencies on the end of a service with several containers.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (other, dependency) in &service.depends_on {
            let Some(target) = project.services.get(other) else { continue };
            if dependency.condition != Condition::Completed || target.replicas < 2 {
                continue;
            }
            let message = format!(
                "Docker Compose starts `{}` when the first of the {} containers of `{other}` has ended",
                service.name, target.replicas
            );
            let span = target.replicas_span.unwrap_or(target.span);
            let finding = RULE.finding(dependency.condition_span, message);
            let finding = finding.help("run one container, or let `windlass up` bring it up");
            findings.push(finding.label(span, "the number of containers").note(
                "It does not look at the others, which may still fail. Windlass waits for all.",
            ));
        }
    }
}
