//! Services that want one image for different platforms.

use std::collections::BTreeMap;

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE041",
    name: "one-image-two-platforms",
    severity: Severity::Warning,
    summary: "services want the same image for different platforms",
    doc: page!("COMPOSE041"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Images that one service wants for another platform than a service before it.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let mut known: BTreeMap<&str, (String, &str, Span)> = BTreeMap::new();
    for service in project.services.values() {
        let (Some(image), Some(platform)) = (&service.image, service.get("platform")) else {
            continue;
        };
        let wanted = platform.plain();
        match known.get(image.text.as_str()) {
            None => {
                known.insert(&image.text, (wanted, &service.name, platform.span));
            }
            Some((other, first, at)) if *other != wanted => {
                let message = format!(
                    "`{}` wants the image `{}` for `{wanted}`, and `{first}` for `{other}`",
                    service.name, image.text
                );
                let finding = RULE.finding(platform.span, message);
                let finding = finding.help("give one of the two images another name");
                findings.push(finding.label(*at, "the other platform"));
            }
            Some(_) => {}
        }
    }
}
