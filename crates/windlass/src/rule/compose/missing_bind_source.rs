//! A path that is mounted and not there.

use super::super::{Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::project::MountKind;

/// The rule.
pub const RULE: Rule = Rule {
    code: "COMPOSE035",
    name: "missing-bind-source",
    severity: Severity::Warning,
    summary: "a path of the host that is mounted does not exist",
    paper: None,
    doc: page!("COMPOSE035"),
    check: None,
};

/// Bind mounts whose source is known not to exist.
pub fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for mount in &service.mounts {
            let Some(source) = mount.source.as_ref().filter(|_| mount.kind == MountKind::Bind)
            else {
                continue;
            };
            if mount.exists != Some(false) {
                continue;
            }
            let name = &service.name;
            let message = if mount.creates_path {
                format!("`{source}` does not exist; `{name}` gets an empty folder in its place")
            } else {
                format!("`{source}` does not exist, so that `{name}` cannot start")
            };
            findings.push(RULE.finding(mount.span, message));
        }
    }
}
