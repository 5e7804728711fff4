//! Decodes a merged model: short forms, defaults, and what the table of keys cannot say.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Entry, Item};
use super::project::{Network, Project, Resource, Service, Subnet, Text};
use super::read_parts as parts;
use super::{BAD_VALUE, Findings};
use crate::source::Span;

/// The project of a model; `profiles` are switched on.
pub(super) fn project(
    model: &Item,
    name: String,
    profiles: &BTreeSet<String>,
    findings: &mut Findings,
) -> Project {
    let section = |key: &str| model.get(key).map(Item::entries).into_iter().flatten();
    let resource = |key: &str| -> BTreeMap<String, Resource> {
        section(key).map(|(own, entry)| (own.clone(), resource(&name, own, entry))).collect()
    };
    let mut project = Project {
        volumes: resource("volumes"),
        secrets: resource("secrets"),
        configs: resource("configs"),
        models: section("models").map(|(key, entry)| (key.clone(), entry.key)).collect(),
        networks: section("networks")
            .map(|(key, entry)| (key.clone(), network(&name, key, entry, findings)))
            .collect(),
        services: BTreeMap::new(),
        disabled: BTreeSet::new(),
        used_elsewhere: BTreeSet::new(),
        origin: None,
        folders: BTreeMap::new(),
        overridden: BTreeMap::new(),
        name: name.clone(),
    };
    overridden(model, &mut project.overridden);
    for (key, entry) in section("services") {
        let service = service(key, entry, findings);
        if is_on(&entry.item, profiles) {
            project.services.insert(key.clone(), service);
        } else {
            project.disabled.insert(key.clone());
            project.used_elsewhere.extend(uses(&service));
        }
    }
    project
}

/// Values that took the place of others; a tree is never deeper than its limit.
fn overridden(item: &Item, all: &mut BTreeMap<Span, Span>) {
    if let Some(lost) = item.replaced {
        all.insert(item.span, lost);
    }
    item.items().iter().for_each(|item| overridden(item, all));
    item.entries().for_each(|(_, entry)| overridden(&entry.item, all));
}

fn is_on(service: &Item, profiles: &BTreeSet<String>) -> bool {
    let wanted = service.get("profiles").map(Item::items).unwrap_or_default();
    wanted.is_empty()
        || profiles.contains("*")
        || wanted.iter().any(|profile| profiles.contains(&profile.plain()))
}

/// What a service refers to, as `section.name`.
pub fn uses(service: &Service) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    used.extend(service.networks.keys().map(|key| format!("networks.{key}")));
    used.extend(service.secrets.iter().map(|grant| format!("secrets.{}", grant.source)));
    used.extend(service.configs.iter().map(|grant| format!("configs.{}", grant.source)));
    let volumes = service.mounts.iter().filter_map(|mount| mount.source.as_ref());
    used.extend(volumes.map(|source| format!("volumes.{source}")));
    let build = service.item.at(&["build", "secrets"]);
    for secret in build.map(Item::items).unwrap_or_default() {
        let source = secret.get("source").unwrap_or(secret);
        used.insert(format!("secrets.{}", source.plain()));
    }
    if let Some(config) = service.item.at(&["credential_spec", "config"]) {
        used.insert(format!("configs.{}", config.plain()));
    }
    used
}

fn resource(project: &str, key: &str, entry: &Entry) -> Resource {
    let item = entry.item.clone();
    let external = item.get("external");
    let old_name = external.and_then(|external| external.get("name"));
    let is_external =
        external.is_some_and(|external| external.as_bool() == Some(true) || !external.is_scalar());
    let given =
        item.get("name").or(old_name).map(|name| Text { text: name.plain(), span: name.span });
    let name = match &given {
        Some(name) => name.text.clone(),
        None if is_external => key.to_owned(),
        None => format!("{project}_{key}"),
    };
    let named = given.map(|name| name.span);
    Resource { name, named, external: is_external, span: entry.key, item, exists: None }
}

fn network(project: &str, key: &str, entry: &Entry, findings: &mut Findings) -> Network {
    let resource = resource(project, key, entry);
    let configs = resource.item.at(&["ipam", "config"]);
    let mut subnets = Vec::new();
    for config in configs.map(Item::items).unwrap_or_default() {
        let Some(subnet) = config.get("subnet") else { continue };
        let gateway = config.get("gateway").and_then(|gateway| {
            let address = gateway.plain().parse().ok()?;
            Some((address, gateway.span))
        });
        let pool = config
            .get("ip_range")
            .and_then(|range| Some((range.plain().parse().ok()?, range.span)));
        match subnet.plain().parse() {
            Ok(range) => subnets.push(Subnet { range, gateway, pool, span: subnet.span }),
            Err(_) => {
                let message = format!("`{}` is no range of addresses", subnet.plain());
                let finding =
                    crate::diagnostic::Diagnostic::warning(BAD_VALUE, subnet.span, message);
                findings.push(finding.help("write it as `172.16.238.0/24`"));
            }
        }
    }
    Network { resource, subnets, implicit: false }
}

fn service(name: &str, entry: &Entry, findings: &mut Findings) -> Service {
    let item = entry.item.clone();
    let text =
        |key: &str| item.get(key).map(|value| Text { text: value.plain(), span: value.span });
    let scale = item.get("scale").or_else(|| item.at(&["deploy", "replicas"]));
    // A number that is refused is no reason to refuse anything else.
    let is_possible = |count: &i128| (0..=MOST_CONTAINERS).contains(count);
    let replicas = scale.and_then(Item::as_int).filter(is_possible).unwrap_or(1);
    let (restart, restart_span) = parts::restart(&item);
    check_count(&item, findings);
    Service {
        name: name.to_owned(),
        span: entry.key,
        image: text("image").filter(|image| !image.text.is_empty()),
        build: item.get("build").map(|build| build.span),
        provider: item.get("provider").map(|provider| provider.span),
        replicas: u32::try_from(replicas).unwrap_or(1),
        replicas_span: scale.map(|scale| scale.span),
        container_name: text("container_name"),
        depends_on: parts::depends_on(&item),
        health: parts::health(&item),
        restart,
        restart_span,
        ports: parts::ports(&item, findings),
        mounts: parts::mounts(&item, findings),
        secrets: parts::grants(&item, "secrets"),
        configs: parts::grants(&item, "configs"),
        networks: parts::networks(&item, findings),
        network_mode: text("network_mode"),
        environment: parts::environment(&item),
        item,
    }
}

/// More containers of one service are taken for a mistake.
const MOST_CONTAINERS: i128 = 1_000_000;

fn check_count(service: &Item, findings: &mut Findings) {
    let replicas = service.get("scale").or_else(|| service.at(&["deploy", "replicas"]));
    let is_wrong = |count: i128| !(0..=MOST_CONTAINERS).contains(&count);
    if let Some(replicas) = replicas.filter(|item| item.as_int().is_none_or(is_wrong)) {
        let message = format!("`{}` is no number of containers", replicas.plain());
        let help = format!("a service has {MOST_CONTAINERS} containers at most");
        let finding = replicas.error(BAD_VALUE, message);
        let is_many = replicas.as_int().is_some_and(|count| count > 0);
        findings.push(if is_many { finding.help(help) } else { finding });
    }
}
