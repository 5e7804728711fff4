//! A service without anything to run.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub const RULE: Rule = Rule {
    code: "COMPOSE008",
    name: "no-image",
    severity: Severity::Error,
    summary: "a service has neither an image nor a build",
    doc: page!("COMPOSE008"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::NeedsWholeProject],
    ..Rule::DEFAULT
};

/// Services that have neither an image, nor a build, nor a provider.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let services = project.services.values().filter(|service| service.item.map().is_some());
    for service in services {
        if service.image.is_none() && service.build.is_none() && service.provider.is_none() {
            let message = format!("the service `{}` has neither `image` nor `build`", service.name);
            let help = "say which `image` it runs, or where to `build` one";
            findings.push(RULE.finding(service.span, message).help(help));
        }
    }
}
