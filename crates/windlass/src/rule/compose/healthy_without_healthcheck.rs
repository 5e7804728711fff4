//! A wait for health that no check measures.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::project::{Condition, Health};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE020",
    name: "healthy-without-healthcheck",
    severity: Severity::Warning,
    summary: "a service waits for the health of one that has no check in the file",
    doc: page!("COMPOSE020"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::NeedsWholeProject],
    ..Rule::DEFAULT
};

/// Dependencies on the health of a service without a check.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (other, dependency) in &service.depends_on {
            let Some(target) = project.services.get(other) else { continue };
            if dependency.condition != Condition::Healthy {
                continue;
            }
            let name = &service.name;
            let finding = match target.health {
                Health::Checked(_) => continue,
                Health::Disabled(span) => {
                    let message = format!(
                        "`{name}` waits for the health of `{other}`, whose check is switched off"
                    );
                    RULE.finding(dependency.condition_span, message)
                        .label(span, "it is switched off here")
                }
                Health::Unknown => {
                    let message = format!(
                        "`{name}` waits for the health of `{other}`, which has no healthcheck here"
                    );
                    RULE.finding(dependency.condition_span, message)
                        .label(target.span, "it starts only if the image has a check")
                        .help(format!("give `{other}` a `healthcheck`"))
                }
            };
            findings.push(finding);
        }
    }
}
