//! Declared and never used.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeSet;

use crate::lang::compose::Project;
use crate::lang::compose::short::starts_with_drive;
use crate::lang::compose::uses;
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE027",
    name: "unused-resource",
    severity: Severity::Warning,
    summary: "a network, volume, secret or config is declared and never used",
    doc: page!("COMPOSE027"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::NeedsWholeProject],
    ..Rule::DEFAULT
};

/// Resources that no service uses, of whatever profile.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let mut used: BTreeSet<String> = project.used_elsewhere.clone();
    used.extend(project.services.values().flat_map(uses));
    // `v:/v` is no use of the volume `v`, and that is reported at its place.
    let mounts = project.services.values().flat_map(|service| &service.mounts);
    let shorts = mounts.filter(|mount| mount.source.is_none()).filter_map(|it| it.short.as_deref());
    let letters = shorts.filter(|short| starts_with_drive(short)).map(|short| &short[..1]);
    used.extend(letters.map(|letter| format!("volumes.{letter}")));
    let networks =
        project.networks.iter().filter(|(key, network)| !network.implicit && *key != "default");
    let networks = networks.map(|(key, network)| ("network", key, network.resource.span));
    let others =
        [("volume", &project.volumes), ("secret", &project.secrets), ("config", &project.configs)];
    let others = others
        .into_iter()
        .flat_map(|(kind, all)| all.iter().map(move |(key, resource)| (kind, key, resource.span)));
    for (kind, key, span) in networks.chain(others) {
        report(kind, key, span, &used, findings);
    }
}

fn report(
    kind: &str,
    key: &str,
    span: Span,
    used: &BTreeSet<String>,
    findings: &mut Vec<Diagnostic>,
) {
    if !used.contains(&format!("{kind}s.{key}")) {
        let help = format!("remove it, or name it below `{kind}s` of a service");
        findings.push(RULE.finding(span, format!("no service uses the {kind} `{key}`")).help(help));
    }
}
