//! Secrets and configs that only a cluster has.

use std::collections::BTreeSet;

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE043",
    name: "secret-of-cluster",
    severity: Severity::Warning,
    summary: "a secret or config comes from a cluster, which no single engine has",
    doc: page!("COMPOSE043"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::PreventsUp],
    ..Rule::DEFAULT
};

/// Secrets and configs that a service gets and that are external, or made by a driver.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let sections = [("secret", &project.secrets), ("config", &project.configs)];
    for (kind, all) in sections {
        let used: BTreeSet<&str> = project
            .services
            .values()
            .flat_map(|service| if kind == "secret" { &service.secrets } else { &service.configs })
            .map(|grant| grant.source.as_str())
            .collect();
        for (name, resource) in all.iter().filter(|(name, _)| used.contains(name.as_str())) {
            let keys = ["driver", "template_driver"];
            let key = keys.into_iter().find(|key| resource.item.get(key).is_some());
            let key = if resource.external { Some("external") } else { key };
            let Some(key) = key else { continue };
            let place = resource.item.map().and_then(|map| map.get(key));
            let place = place.map_or(resource.span, |entry| entry.key);
            let message = format!(
                "the {kind} `{name}` has `{key}`, which only a cluster has: no container with it starts"
            );
            let help = "say where it comes from: `file` or `environment`";
            findings.push(RULE.finding(place, message).help(help));
        }
    }
}
