//! A wait for the end of something that never ends.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::project::{Condition, Restart};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE023",
    name: "completion-of-restarted-service",
    severity: Severity::Warning,
    summary: "a service waits for the end of one that is always started again",
    doc: page!("COMPOSE023"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard],
    ..Rule::DEFAULT
};

/// Dependencies on the end of a service that is always started again.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (other, dependency) in &service.depends_on {
            let Some(target) = project.services.get(other) else { continue };
            let again = matches!(target.restart, Restart::Always | Restart::UnlessStopped);
            if dependency.condition != Condition::Completed || !again {
                continue;
            }
            let message = format!(
                "`{}` waits for the end of `{other}`, which is started again whenever it ends",
                service.name
            );
            let span = target.restart_span.unwrap_or(target.span);
            let finding = RULE.finding(dependency.condition_span, message);
            // The policy of `deploy` wins over `restart`.
            let help = match target.item.at(&["deploy", "restart_policy"]) {
                Some(_) => format!("say `condition: on-failure` in its policy for `{other}`"),
                None => format!("say `restart: \"no\"` or `restart: on-failure` for `{other}`"),
            };
            findings.push(finding.label(span, "it is started again because of this").help(help));
        }
    }
}
