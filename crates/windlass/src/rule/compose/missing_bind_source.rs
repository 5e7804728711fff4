//! A path that is mounted and not there.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::project::MountKind;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE035",
    name: "missing-bind-source",
    severity: Severity::Warning,
    summary: "a path of the host that is mounted, or the file of a secret or config, does not exist",
    doc: page!("COMPOSE035"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard],
    ..Rule::DEFAULT
};

/// Bind mounts, secrets and configs whose path is known not to exist.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
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
            let help = "make it, or correct the path; paths start at the folder of the file";
            findings.push(RULE.finding(mount.span, message).help(help));
        }
    }
    let secrets = project.secrets.iter().map(|(name, secret)| ("secret", name, secret));
    let configs = project.configs.iter().map(|(name, config)| ("config", name, config));
    for (kind, name, resource) in secrets.chain(configs) {
        let Some(file) = resource.item.get("file").filter(|_| resource.exists == Some(false))
        else {
            continue;
        };
        let message = format!(
            "the file `{}` of the {kind} `{name}` does not exist, so no container that has it starts",
            file.plain()
        );
        let help = "make it, or correct the path; paths start at the folder of the file";
        findings.push(RULE.finding(file.span, message).help(help));
    }
}
