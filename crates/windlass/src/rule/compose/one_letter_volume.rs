//! A volume whose name is taken for a drive.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::short::starts_with_drive;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE025",
    name: "one-letter-volume",
    severity: Severity::Warning,
    summary: "the short form of a volume has a name of one letter",
    doc: page!("COMPOSE025"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard, Tag::PreventsUp],
    ..Rule::DEFAULT
};

/// Short forms whose first part is one letter and that name no path of Windows.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for mount in &service.mounts {
            let Some(short) = mount.short.as_deref().filter(|_| mount.source.is_none()) else {
                continue;
            };
            let behind = short.get(2..).unwrap_or_default();
            if !starts_with_drive(short) || !behind.starts_with('/') {
                continue;
            }
            let message = format!(
                "`{short}` is read as one path, because `{}` looks like a drive",
                &short[..2]
            );
            let finding = RULE.finding(mount.span, message);
            findings.push(finding.help("give the volume a name of two letters or more"));
        }
    }
}
