//! Something is used that the project does not define.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::item::Item;
use crate::lang::compose::project::{MountKind, Service};
use crate::source::Span;
use crate::spelling;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE007",
    name: "undefined-in-compose",
    severity: Severity::Error,
    summary: "a service uses what the project does not define",
    doc: page!("COMPOSE007"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::NeedsWholeProject],
    ..Rule::DEFAULT
};

/// What services name and nothing defines.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        check_contexts(service, project, findings);
        check_networks(service, project, findings);
        check_references(service, project, findings);
        check_dependencies(service, project, findings);
    }
}

/// The services that are contexts of a build.
fn check_contexts(service: &Service, project: &Project, findings: &mut Vec<Diagnostic>) {
    for (other, span) in super::service_contexts(service) {
        if !project.services.contains_key(&other) {
            undefined(service, "service", &other, span, project.services.keys(), findings);
        }
    }
}

/// Every network that a service names exists, each once.
///
/// Paper: 000 6.2 (all_service_net_roles_are_attached_to_some_network)
/// Paper: 000 6.2 (network_roles_are_attached_to_disjoint_networks)
fn check_networks(service: &Service, project: &Project, findings: &mut Vec<Diagnostic>) {
    let name = &service.name;
    // Networks beside a mode are wrong anyway.
    if super::conflicting_keys::mode_and_networks(service).is_some() {
        return;
    }
    for (key, attachment) in &service.networks {
        if key.starts_with("x-") {
            // Compose takes such a key for an extension and then misses a network `#extensions`.
            let message =
                format!("`{name}` cannot use the network `{key}`: `x-` starts an extension");
            let finding = RULE.finding(attachment.span, message);
            findings.push(finding.help("give the network a name that does not start with `x-`"));
        } else if !project.networks.contains_key(key) {
            undefined(service, "network", key, attachment.span, project.networks.keys(), findings);
        }
    }
    if let Some(mode) = &service.network_mode
        && let Some(other) = mode.text.strip_prefix("service:")
        && !project.services.contains_key(other)
    {
        undefined(service, "service", other, mode.span, project.services.keys(), findings);
    }
}

/// Every volume, config, secret and model that a service names exists.
///
/// Paper: 000 6.2 (all_service_volume_roles_are_attached_to_some_volume)
fn check_references(service: &Service, project: &Project, findings: &mut Vec<Diagnostic>) {
    for mount in &service.mounts {
        if mount.kind != MountKind::Volume {
            continue;
        }
        let Some(source) = &mount.source else { continue };
        if !project.volumes.contains_key(source) {
            undefined(service, "volume", source, mount.span, project.volumes.keys(), findings);
        }
    }
    let build = service.item.at(&["build", "secrets"]).map(Item::items).unwrap_or_default();
    for secret in build {
        let source = secret.get("source").unwrap_or(secret);
        if !project.secrets.contains_key(&source.plain()) {
            let known = project.secrets.keys();
            undefined(service, "secret", &source.plain(), source.span, known, findings);
        }
    }
    for grant in &service.configs {
        if !project.configs.contains_key(&grant.source) {
            let known = project.configs.keys();
            undefined(service, "config", &grant.source, grant.span, known, findings);
        }
    }
    for grant in &service.secrets {
        if !project.secrets.contains_key(&grant.source) {
            let known = project.secrets.keys();
            undefined(service, "secret", &grant.source, grant.span, known, findings);
        }
    }
    let models = service.get("models");
    let of_list = models.map(Item::items).unwrap_or_default().iter().map(|m| (m.plain(), m.span));
    let of_map = models.into_iter().flat_map(Item::entries).map(|(key, e)| (key.clone(), e.key));
    for (model, span) in of_list.chain(of_map) {
        if !project.models.contains_key(&model) {
            undefined(service, "model", &model, span, project.models.keys(), findings);
        }
    }
}

fn check_dependencies(service: &Service, project: &Project, findings: &mut Vec<Diagnostic>) {
    for (other, dependency) in &service.depends_on {
        if project.services.contains_key(other) {
            continue;
        }
        let disabled = project.disabled.contains(other);
        if disabled && !dependency.required {
            continue;
        }
        if disabled {
            let message =
                format!("`{}` depends on `{other}`, whose profiles are switched off", service.name);
            let help = "switch the profile on with --profile, or say `required: false`";
            findings.push(RULE.finding(dependency.span, message).help(help));
            continue;
        }
        let known = project.services.keys();
        undefined(service, "service", other, dependency.span, known, findings);
    }
}

/// Something is used that nothing declares.
fn undefined<'a>(
    service: &Service,
    what: &str,
    name: &str,
    at: Span,
    known: impl Iterator<Item = &'a String>,
    findings: &mut Vec<Diagnostic>,
) {
    let message = format!("`{}` uses the {what} `{name}`, which is not defined", service.name);
    let finding = RULE.finding(at, message);
    let section = if what == "service" { "services".to_owned() } else { format!("{what}s") };
    findings.push(match spelling::nearest(name, known.map(String::as_str)) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help(format!("declare it at the top of the file, below `{section}`")),
    });
}
