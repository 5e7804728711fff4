//! An option of a mount that nothing knows.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::item::Item;
use crate::lang::compose::short;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE040",
    name: "unknown-mount-option",
    severity: Severity::Warning,
    summary: "an option of a mount that nothing knows",
    paper: Some("000 6.2 (VolumeSpec)"),
    doc: page!("COMPOSE040"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Options of the short form.
const OPTIONS: &[&str] = &[
    "ro",
    "rw",
    "z",
    "Z",
    "nocopy",
    "copy",
    "volume-nocopy",
    "cached",
    "consistent",
    "delegated",
    "shared",
    "rshared",
    "slave",
    "rslave",
    "private",
    "rprivate",
    "U",
    "O",
    "exec",
    "noexec",
    "dev",
    "nodev",
    "suid",
    "nosuid",
];

/// Words of `consistency`.
const CONSISTENCY: &[&str] = &["consistent", "cached", "delegated", "default"];

/// Options and words that are none of these.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for mount in &service.mounts {
            let is_volume = mount.short.as_deref().filter(|_| mount.source.is_some());
            let read = is_volume.and_then(|text| short::volume(text).ok());
            for option in read.map(|volume| volume.options).unwrap_or_default() {
                if !OPTIONS.contains(&option.as_str()) {
                    let message =
                        format!("Docker Compose ignores the option `{option}` of a volume");
                    let help = format!("known are {}", OPTIONS.join(", "));
                    findings.push(RULE.finding(mount.span, message).help(help));
                }
            }
            if let Some(word) = mount.item.get("consistency")
                && !CONSISTENCY.contains(&word.plain().as_str())
            {
                let words = Item::plain(word);
                let message = format!("`{words}` is no consistency of a mount");
                let help = format!("known are {}", CONSISTENCY.join(", "));
                findings.push(RULE.finding(word.span, message).help(help));
            }
        }
    }
}
