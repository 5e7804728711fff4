//! Services that are no containers, and models: programs beside the engine take care of them.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE042",
    name: "needs-plugin",
    severity: Severity::Warning,
    summary: "a service is run by a plugin of docker, or uses a model: `windlass up` refuses it",
    doc: page!("COMPOSE042"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::PreventsUp],
    ..Rule::DEFAULT
};

/// Services with `provider` or `models`.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        let name = &service.name;
        if let Some(entry) = service.item.map().and_then(|map| map.get("provider")) {
            let message = format!(
                "`{name}` is no container but the work of a program beside the engine: \
                 `windlass up` cannot bring it up"
            );
            let help = "leave it out with a profile, or bring it up with `docker compose`";
            findings.push(RULE.finding(entry.key, message).help(help));
        }
        if let Some(entry) = service.item.map().and_then(|map| map.get("models")) {
            let message = format!(
                "`{name}` uses models, which the plugin `docker model` serves: `windlass up` \
                 cannot bring it up"
            );
            let help = "serve the model in a container, or bring it up with `docker compose`";
            findings.push(RULE.finding(entry.key, message).help(help));
        }
    }
}
