//! A race: started is not ready.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::project::{Condition, Health};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE026",
    name: "started-though-checked",
    severity: Severity::Warning,
    summary: "a service waits for the start of one that could tell when it is ready",
    doc: page!("COMPOSE026"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::NeedsWholeProject],
    ..Rule::DEFAULT
};

/// Dependencies, written as such, on the start of a service that has a check.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (other, dependency) in &service.depends_on {
            let Some(target) = project.services.get(other) else { continue };
            let Health::Checked(span) = target.health else { continue };
            if dependency.condition != Condition::Started || dependency.implied_by.is_some() {
                continue;
            }
            let message = format!(
                "`{}` waits until `{other}` was started, not until it is healthy",
                service.name
            );
            let finding = RULE.finding(dependency.condition_span, message);
            findings.push(
                finding
                    .label(span, format!("`{other}` has a check"))
                    .help("say `condition: service_healthy`"),
            );
        }
    }
}
