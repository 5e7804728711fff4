//! Two services that would have one container.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::source::Span;
use std::collections::BTreeMap;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE011",
    name: "same-container-name",
    severity: Severity::Error,
    summary: "two services have the same container name",
    doc: page!("COMPOSE011"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Names that two services give their container.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&str, (&str, Span)> = BTreeMap::new();
    for service in project.services.values() {
        let Some(name) = &service.container_name else { continue };
        let here = (service.name.as_str(), name.span);
        if let Some((other, first)) = seen.insert(&name.text, here) {
            let message = format!(
                "`{}` and `{other}` have the same container name `{}`",
                service.name, name.text
            );
            let finding = RULE.finding(name.span, message);
            let help = "give one of them another name, or leave `container_name` out";
            findings.push(finding.label(first, "the other one").help(help));
        }
    }
}
