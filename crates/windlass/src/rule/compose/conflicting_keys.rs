//! Keys of a Compose file that exclude each other, or that need another one.
//!
//! The reader reports the same code for keys of one resource, which it sees before it decodes them.

use super::super::{LooksAt, Rule, page};
use super::conflicting_limits;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::item::Item;
use crate::lang::compose::project::{Service, Text};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE009",
    name: "conflict-in-compose",
    severity: Severity::Error,
    summary: "keys of a Compose file exclude each other",
    doc: page!("COMPOSE009"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Keys of services and secrets that contradict each other.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        check_build(service, findings);
        check_contexts(service, project, findings);
        check_network_mode(service, findings);
        conflicting_limits::check(service, findings);
    }
    check_secrets(project, findings);
}

fn check_build(service: &Service, findings: &mut Vec<Diagnostic>) {
    let name = &service.name;
    let Some(build) = service.get("build") else { return };
    if let (Some(file), Some(inline)) = (build.get("dockerfile"), build.get("dockerfile_inline")) {
        let message = format!("`{name}` has `dockerfile` and `dockerfile_inline`; one is allowed");
        let finding = inline.error(RULE.code, message).label(file.span, "`dockerfile` is here");
        findings.push(finding.help("remove one of the two"));
    }
    let platforms = build.get("platforms").map(Item::items).unwrap_or_default();
    if let Some(platform) = service.get("platform").filter(|_| !platforms.is_empty())
        && !platforms.iter().any(|other| other.plain() == platform.plain())
    {
        let message =
            format!("`{name}` runs on `{}`, and is not built for that platform", platform.plain());
        let list = build.get("platforms").map_or(build.span, |list| list.span);
        let finding = platform.error(RULE.code, message).label(list, "it is built for these");
        findings.push(finding.help(format!("add `{}` to `platforms`", platform.plain())));
    }
}

/// A build takes only services as contexts that are built themselves.
fn check_contexts(service: &Service, project: &Project, findings: &mut Vec<Diagnostic>) {
    for (other, span) in super::service_contexts(service) {
        if project.services.get(&other).is_some_and(|target| target.build.is_none()) {
            let message = format!(
                "`{}` builds with `{other}` as a context, which is not built itself",
                service.name
            );
            let help = format!("give `{other}` a `build`, or use `docker-image://` and its image");
            findings.push(RULE.finding(span, message).help(help));
        }
    }
}

/// A network mode beside networks; an empty list is as good as no key.
pub(super) fn mode_and_networks(service: &Service) -> Option<(&Text, &Item)> {
    let has_some = |networks: &&Item| {
        !networks.items().is_empty() || networks.map().is_some_and(|all| !all.is_empty())
    };
    service.network_mode.as_ref().zip(service.get("networks").filter(has_some))
}

fn check_network_mode(service: &Service, findings: &mut Vec<Diagnostic>) {
    if let Some((mode, networks)) = mode_and_networks(service) {
        let message =
            format!("`{}` has `network_mode` and `networks`; one is allowed", service.name);
        let finding = RULE.finding(mode.span, message).help("remove one of the two");
        findings.push(finding.label(networks.span, "`networks` is here"));
    }
}

fn check_secrets(project: &Project, findings: &mut Vec<Diagnostic>) {
    for (name, secret) in &project.secrets {
        let has = |key: &str| secret.item.get(key).is_some();
        // One with nothing at all has been reported before.
        let is_told = !has("external") && !has("driver") && !has("environment");
        let variable = secret.item.get("environment").filter(|name| !name.plain().is_empty());
        if !secret.external && !has("file") && variable.is_none() && !is_told {
            let message = format!("the secret `{name}` has neither `file` nor `environment`");
            let help = "say with `file` or `environment` where it comes from, or `external: true`";
            findings.push(RULE.finding(secret.span, message).help(help));
        }
    }
}
