//! A name that clashes between projects.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE038",
    name: "name-of-all-projects",
    severity: Severity::Note,
    summary: "a fixed name is the same for every project",
    doc: page!("COMPOSE038"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Fixed names of containers, and of networks and volumes that are made by this project.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        if let Some(name) = &service.container_name {
            let message = format!("every project has the same container `{}`", name.text);
            let help = "leave `container_name` out: the engine then has a name for each project";
            findings.push(RULE.finding(name.span, message).help(help));
        }
    }
    let networks = project.networks.values().map(|network| ("network", &network.resource));
    let volumes = project.volumes.values().map(|volume| ("volume", volume));
    for (kind, resource) in networks.chain(volumes).filter(|(_, resource)| !resource.external) {
        // A name that holds the name of the project is different for each.
        let Some(span) = resource.named.filter(|_| !resource.name.contains(&project.name)) else {
            continue;
        };
        let message = format!("every project has the same {kind} `{}`", resource.name);
        findings.push(RULE.finding(span, message).help("say `external: true` if that is meant"));
    }
}
