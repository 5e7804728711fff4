//! The checks of Compose on a whole project: what refers to what, and what excludes what.

mod files;
mod limits;

use std::collections::BTreeMap;

use super::item::Item;
use super::project::{Project, Service};
use super::{BAD_VALUE, CONFLICT, Findings, NO_IMAGE, SAME_CONTAINER_NAME, SAME_TARGET, UNDEFINED};
use super::{CYCLE, graph};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling;

/// Everything that Compose checks, all of it reported.
pub(super) fn check(project: &Project, findings: &mut Findings) {
    for service in project.services.values() {
        check_image(service, project, findings);
        check_networks(service, project, findings);
        check_references(service, project, findings);
        check_dependencies(service, project, findings);
        check_healthcheck(service, findings);
        check_targets(service, findings);
        limits::check(service, findings);
        check_watch(service, findings);
    }
    for (name, secret) in &project.secrets {
        let has = |key: &str| secret.item.get(key).is_some();
        // One with nothing at all has been told before.
        let is_told = !has("external") && !has("driver") && !has("environment");
        let variable = secret.item.get("environment").filter(|name| !name.plain().is_empty());
        if !secret.external && !has("file") && variable.is_none() && !is_told {
            let message = format!("the secret `{name}` has neither `file` nor `environment`");
            let help = "say with `file` or `environment` where it comes from, or `external: true`";
            findings.push(Diagnostic::error(CONFLICT, secret.span, message).help(help));
        }
    }
    check_container_names(project, findings);
    check_cycles(project, findings);
}

fn check_image(service: &Service, project: &Project, findings: &mut Findings) {
    let name = &service.name;
    let is_service = service.item.map().is_some();
    if is_service
        && service.image.is_none()
        && service.build.is_none()
        && service.provider.is_none()
    {
        let message = format!("the service `{name}` has neither `image` nor `build`");
        let help = "say which `image` it runs, or where to `build` one";
        findings.push(Diagnostic::error(NO_IMAGE, service.span, message).help(help));
    }
    let Some(build) = service.get("build") else { return };
    if let (Some(file), Some(inline)) = (build.get("dockerfile"), build.get("dockerfile_inline")) {
        let message = format!("`{name}` has `dockerfile` and `dockerfile_inline`; one is allowed");
        let finding = inline.error(CONFLICT, message).label(file.span, "`dockerfile` is here");
        findings.push(finding.help("remove one of the two"));
    }
    let platforms = build.get("platforms").map(Item::items).unwrap_or_default();
    if let Some(platform) = service.get("platform").filter(|_| !platforms.is_empty())
        && !platforms.iter().any(|other| other.plain() == platform.plain())
    {
        let message =
            format!("`{name}` runs on `{}`, and is not built for that platform", platform.plain());
        let list = build.get("platforms").map_or(build.span, |list| list.span);
        let finding = platform.error(CONFLICT, message).label(list, "it is built for these");
        findings.push(finding.help(format!("add `{}` to `platforms`", platform.plain())));
    }
    check_contexts(service, build, project, findings);
}

fn check_contexts(service: &Service, build: &Item, project: &Project, findings: &mut Findings) {
    let Some(contexts) = build.get("additional_contexts") else { return };
    let of_map = contexts.entries().map(|(_, entry)| (entry.item.plain(), entry.item.span));
    let of_list = contexts.items().iter().map(|item| {
        let text = item.plain();
        (text.split_once('=').map(|(_, path)| path.to_owned()).unwrap_or(text), item.span)
    });
    for item in contexts.items().iter().filter(|item| !item.plain().contains('=')) {
        let message = format!("`{}` in `additional_contexts` has no name", item.plain());
        findings.push(item.error(BAD_VALUE, message).help("write `NAME=PATH`"));
    }
    for (context, span) in of_map.chain(of_list) {
        let Some(other) = context.strip_prefix("service:") else { continue };
        match project.services.get(other) {
            None => undefined(service, "service", other, span, project.services.keys(), findings),
            Some(target) if target.build.is_none() => {
                let message = format!(
                    "`{}` builds with `{other}` as a context, which is not built itself",
                    service.name
                );
                let help =
                    format!("give `{other}` a `build`, or use `docker-image://` and its image");
                findings.push(Diagnostic::error(CONFLICT, span, message).help(help));
            }
            Some(_) => {}
        }
    }
}

/// Every network that a service names exists, each once.
///
/// Paper: 000 6.2 (all_service_net_roles_are_attached_to_some_network)
/// Paper: 000 6.2 (network_roles_are_attached_to_disjoint_networks)
fn check_networks(service: &Service, project: &Project, findings: &mut Findings) {
    let name = &service.name;
    // None is as good as no key.
    let has_some = |networks: &&Item| {
        !networks.items().is_empty() || networks.map().is_some_and(|all| !all.is_empty())
    };
    let networks = service.get("networks").filter(has_some);
    if let (Some(mode), Some(networks)) = (&service.network_mode, networks) {
        let message = format!("`{name}` has `network_mode` and `networks`; one is allowed");
        let finding = Diagnostic::error(CONFLICT, mode.span, message);
        let finding = finding.help("remove one of the two");
        findings.push(finding.label(networks.span, "`networks` is here"));
        return;
    }
    for (key, attachment) in &service.networks {
        if key.starts_with("x-") {
            // Compose takes such a key for an extension and then misses a network `#extensions`.
            let message =
                format!("`{name}` cannot use the network `{key}`: `x-` starts an extension");
            let finding = Diagnostic::error(UNDEFINED, attachment.span, message);
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
fn check_references(service: &Service, project: &Project, findings: &mut Findings) {
    for mount in &service.mounts {
        if mount.kind != super::project::MountKind::Volume {
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

fn check_dependencies(service: &Service, project: &Project, findings: &mut Findings) {
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
            findings.push(Diagnostic::error(UNDEFINED, dependency.span, message).help(help));
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
    findings: &mut Findings,
) {
    let message = format!("`{}` uses the {what} `{name}`, which is not defined", service.name);
    let finding = Diagnostic::error(UNDEFINED, at, message);
    let section = if what == "service" { "services".to_owned() } else { format!("{what}s") };
    findings.push(match spelling::nearest(name, known.map(String::as_str)) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help(format!("declare it at the top of the file, below `{section}`")),
    });
}

fn check_healthcheck(service: &Service, findings: &mut Findings) {
    let Some(test) = service.item.at(&["healthcheck", "test"]) else { return };
    let Some(first) = test.items().first() else { return };
    if !matches!(first.plain().as_str(), "NONE" | "CMD" | "CMD-SHELL") {
        let message = format!(
            "a check must start with `CMD`, `CMD-SHELL` or `NONE`; this starts with `{}`",
            first.plain()
        );
        let help = "write `[CMD, PROGRAM, ARGUMENT]`, or one text for a shell";
        findings.push(first.error(BAD_VALUE, message).help(help));
    }
}

fn check_targets(service: &Service, findings: &mut Findings) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for mount in service.mounts.iter().filter(|mount| !mount.target.is_empty()) {
        if let Some(first) = seen.insert(&mount.target, mount.span) {
            let message = format!("`{}` mounts two things at `{}`", service.name, mount.target);
            let finding = Diagnostic::error(SAME_TARGET, mount.span, message);
            let finding = finding.help("give one of them another `target`, or remove it");
            findings.push(finding.label(first, "the other one"));
        }
    }
}

fn check_watch(service: &Service, findings: &mut Findings) {
    let watched = service.item.at(&["develop", "watch"]).map(Item::items).unwrap_or_default();
    for watch in watched {
        let action = watch.get("action").map(Item::plain).unwrap_or_default();
        if watch.get("target").is_none_or(|target| target.plain().is_empty())
            && matches!(action.as_str(), "sync" | "sync+exec" | "sync+restart")
        {
            let message = format!("`{action}` needs a `target`, a path in the container");
            let help = "write `target:` with the path in the container";
            findings.push(watch.error(BAD_VALUE, message).help(help));
        }
    }
}

fn check_container_names(project: &Project, findings: &mut Findings) {
    let mut seen: BTreeMap<&str, (&str, Span)> = BTreeMap::new();
    for service in project.services.values() {
        let Some(name) = &service.container_name else { continue };
        let here = (service.name.as_str(), name.span);
        if let Some((other, first)) = seen.insert(&name.text, here) {
            let message = format!(
                "`{}` and `{other}` have the same container name `{}`",
                service.name, name.text
            );
            let finding = Diagnostic::error(SAME_CONTAINER_NAME, name.span, message);
            let help = "give one of them another name, or leave `container_name` out";
            findings.push(finding.label(first, "the other one").help(help));
        }
    }
}

fn check_cycles(project: &Project, findings: &mut Findings) {
    for cycle in graph::cycles(project) {
        let Some((first, dependency)) = cycle.first() else { continue };
        let names: Vec<_> = cycle.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message = format!("services wait for each other: {} -> `{first}`", names.join(" -> "));
        let mut finding = Diagnostic::error(CYCLE, *dependency, message);
        for (name, span) in &cycle[1..] {
            finding = finding.label(*span, format!("`{name}` waits here"));
        }
        findings.push(finding.help("none of them can start first: drop one of the dependencies"));
    }
}
