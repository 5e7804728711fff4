//! Keys of `build` that only BuildKit knows; an engine builds with its classic builder.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::item::Item;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE044",
    name: "beyond-classic-builder",
    severity: Severity::Note,
    summary: "a key of build takes BuildKit; `windlass up` builds with the engine's classic builder",
    doc: page!("COMPOSE044"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// What to do about it.
const HELP: &str = "build the image with `docker compose build`; `windlass up` takes it then";
/// Without these the image would be another one, so that it is not built.
pub(crate) const NEEDED: &[&str] =
    &["additional_contexts", "entitlements", "privileged", "secrets", "ssh"];
/// These say how fast it is built and what is written about it.
const IGNORED: &[&str] = &["cache_to", "isolation", "provenance", "sbom"];

/// Keys of `build` that the classic builder does not know.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    findings.extend(needed(project));
    for service in project.services.values() {
        for (key, entry) in service.get("build").into_iter().flat_map(Item::entries) {
            if IGNORED.contains(&key.as_str()) && entry.item.as_bool() != Some(false) {
                let message = format!("`windlass up` ignores `build.{key}` of `{}`", service.name);
                findings.push(RULE.finding(entry.key, message).help(HELP));
            }
        }
    }
}

/// Images that the classic builder cannot build: `up` refuses them when they are not there.
pub fn needed(project: &Project) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for service in project.services.values() {
        for (key, entry) in service.get("build").into_iter().flat_map(Item::entries) {
            let is_many = key == "platforms" && entry.item.items().len() > 1;
            let is_off = entry.item.as_bool() == Some(false);
            if is_many || NEEDED.contains(&key.as_str()) && !is_off {
                let message = format!(
                    "`build.{key}` of `{}` takes BuildKit: `windlass up` does not build it",
                    service.name
                );
                findings.push(RULE.finding(entry.key, message).help(HELP));
            }
        }
    }
    findings
}
