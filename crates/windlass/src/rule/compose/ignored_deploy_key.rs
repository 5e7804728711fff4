//! Keys for a cluster that Compose ignores.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE036",
    name: "ignored-deploy-key",
    severity: Severity::Note,
    summary: "a key of deploy has no effect with Docker Compose",
    doc: page!("COMPOSE036"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Keys of `deploy` that Compose does not look at.
const IGNORED: &[&str] =
    &["endpoint_mode", "labels", "mode", "placement", "rollback_config", "update_config"];

/// Keys of `deploy` without effect. `mode: replicated` is what happens anyway.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        let Some(deploy) = service.get("deploy") else { continue };
        for (key, entry) in deploy.entries() {
            let is_usual = key == "mode" && entry.item.as_str() == Some("replicated");
            if IGNORED.contains(&key.as_str()) && !is_usual {
                let message =
                    format!("Docker Compose ignores `deploy.{key}` of `{}`", service.name);
                let help = "remove it, unless a cluster reads the file too";
                findings.push(RULE.finding(entry.key, message).help(help));
            }
        }
    }
}
