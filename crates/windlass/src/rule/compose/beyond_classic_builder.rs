//! Keys of `build` that only BuildKit knows; an engine builds with its classic builder.

use super::super::{Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// The rule.
pub const RULE: Rule = Rule {
    code: "COMPOSE044",
    name: "beyond-classic-builder",
    severity: Severity::Note,
    summary: "a key of build takes BuildKit; `windlass up` builds with the engine's classic builder",
    paper: None,
    doc: page!("COMPOSE044"),
    check: None,
};

/// Without these the image would be another one, so that it is not built.
pub const NEEDED: &[&str] =
    &["additional_contexts", "entitlements", "privileged", "secrets", "ssh"];
/// These say how fast it is built and what is written about it.
const IGNORED: &[&str] = &["cache_to", "isolation", "provenance", "sbom"];

/// Keys of `build` that the classic builder does not know.
pub fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        let Some(build) = service.get("build") else { continue };
        for (key, entry) in build.entries() {
            let is_many = key == "platforms" && entry.item.items().len() > 1;
            let is_off = entry.item.as_bool() == Some(false);
            let message = if is_many || NEEDED.contains(&key.as_str()) && !is_off {
                format!(
                    "`build.{key}` of `{}` takes BuildKit: `windlass up` does not build it",
                    service.name
                )
            } else if IGNORED.contains(&key.as_str()) && !is_off {
                format!("`windlass up` ignores `build.{key}` of `{}`", service.name)
            } else {
                continue;
            };
            let help = "build the image with `docker compose build`; `windlass up` takes it then";
            findings.push(RULE.finding(entry.key, message).help(help));
        }
    }
}
