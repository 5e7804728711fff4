//! An image that means something else every day.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE032",
    name: "image-without-version",
    severity: Severity::Warning,
    summary: "an image has neither a tag nor a digest",
    doc: page!("COMPOSE032"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Images that are pulled without tag or digest.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values().filter(|service| service.build.is_none()) {
        let Some(image) = &service.image else { continue };
        let last = image.text.rsplit('/').next().unwrap_or_default();
        if last.contains(':') || image.text.contains('@') {
            continue;
        }
        let message = format!("the image `{}` has neither a tag nor a digest", image.text);
        let finding = RULE.finding(image.span, message);
        findings.push(finding.help(format!("write the version: `{}:VERSION`", image.text)));
    }
}
