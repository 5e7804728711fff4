//! Every request that the operations of a project will make.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value, json};
use windlass::application::Application;
use windlass::lang::compose::item::Item;
use windlass::lang::compose::project::{
    Condition, Dependency, Grant, Project, Resource, Restart, Service as Written,
};
use windlass::lang::compose::uses;
use windlass::lifecycle::implementation::{Command, CommandLine, Effect, Process, Stop};

use super::body::{self, Parts};
use super::{ProjectContext, VERSION, additions, build, canon, registry, security, update};
use crate::world::docker::requests::{
    self, File, OptionalDependency, Part, Requests, Service, Until,
};

/// A service that a project does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownService(pub String);

impl fmt::Display for UnknownService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no service `{}`", self.0)
    }
}

/// Leaves only some services, and those that they need.
pub fn select(project: &mut Project, names: &[String]) -> Result<(), UnknownService> {
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<String> = names.to_vec();
    while let Some(name) = open.pop() {
        let Some(service) = project.services.get(&name) else {
            return Err(UnknownService(name));
        };
        if wanted.insert(name) {
            let needed = service.depends_on.keys();
            open.extend(needed.filter(|other| project.services.contains_key(*other)).cloned());
        }
    }
    if !names.is_empty() {
        let left = project.services.keys().filter(|name| !wanted.contains(*name)).cloned();
        project.disabled.extend(left.collect::<Vec<_>>());
        project.services.retain(|name, _| wanted.contains(name));
    }
    Ok(())
}

/// Leaves out the resources that no service uses, so that they are not created.
pub fn prune(project: &mut Project) {
    let used: BTreeSet<String> = project.services.values().flat_map(uses).collect();
    project.networks.retain(|key, _| used.contains(&format!("networks.{key}")));
    project.volumes.retain(|key, _| used.contains(&format!("volumes.{key}")));
    project.secrets.retain(|key, _| used.contains(&format!("secrets.{key}")));
    project.configs.retain(|key, _| used.contains(&format!("configs.{key}")));
}

/// The requests of a project whose application is `application`, node by node.
pub fn requests(project: &Project, application: &Application, ground: &ProjectContext) -> Requests {
    let names = application.node_ids().map(|id| application.node(id).name.clone());
    let parts = parts(project, ground);
    Requests {
        project: project.name.clone(),
        parts: names.zip(parts).collect(),
        others: project.disabled.clone(),
        engine_checks: false,
        remove_volumes: false,
        previous: BTreeMap::new(),
        renew: BTreeSet::new(),
        earlier: BTreeMap::new(),
    }
}

/// In the order in which nodes are lowered: resources, images, services.
fn parts(project: &Project, ground: &ProjectContext) -> Vec<Part> {
    let mut all = Vec::new();
    for (key, network) in &project.networks {
        let resource = &network.resource;
        let is_ours = !resource.external;
        all.push(if is_ours { network_part(project, key, network) } else { Part::Nothing });
    }
    for (key, volume) in &project.volumes {
        let is_ours = !volume.external;
        all.push(if is_ours { volume_part(project, key, volume) } else { Part::Nothing });
    }
    all.extend(project.secrets.values().chain(project.configs.values()).map(|_| Part::Nothing));
    let mut images = BTreeSet::new();
    for service in project.services.values() {
        let key = match (&service.image, service.build) {
            (_, Some(_)) => format!("build_{}", service.name),
            (Some(image), None) => image.text.clone(),
            (None, None) => continue,
        };
        if images.insert(key) {
            all.push(image_part(project, service, ground));
        }
    }
    let awaited = |required: bool| -> BTreeSet<&str> {
        let all = project.services.values().flat_map(|service| &service.depends_on);
        let ends = all.filter(|(_, it)| it.condition == Condition::Completed);
        ends.filter(|(_, it)| it.required == required).map(|(name, _)| name.as_str()).collect()
    };
    let (needed, hoped) = (awaited(true), awaited(false));
    let ranks = ranks(project);
    for service in project.services.values() {
        let name = service.name.as_str();
        let rank = ranks.get(name).copied().unwrap_or(0);
        let ends =
            EndDependents { is_job: needed.contains(name), may_fail: hoped.contains(name), rank };
        all.push(service_part(project, service, &ends, ground));
    }
    all
}

fn labels(project: &Project, kind: &str, key: &str, item: &Item, hash: String) -> Value {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    if let Some(labels) = item.get("labels") {
        all.extend(labels.entries().map(|(name, entry)| (name.clone(), entry.item.plain())));
        for one in labels.items() {
            let text = one.plain();
            let (name, value) = text.split_once('=').unwrap_or((&text, ""));
            all.insert(name.to_owned(), value.to_owned());
        }
    }
    all.insert(requests::HASH.to_owned(), hash);
    all.insert(requests::PROJECT.to_owned(), project.name.clone());
    all.insert(format!("com.docker.compose.{kind}"), key.to_owned());
    all.insert("com.docker.compose.version".to_owned(), VERSION.to_owned());
    json!(all)
}

fn network_part(
    project: &Project,
    key: &str,
    network: &windlass::lang::compose::project::Network,
) -> Part {
    let value = canon::network(network);
    let resource = &network.resource;
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
    let pool = |pool: &Value| {
        json!({
            "Subnet": pool.get("subnet"),
            "Gateway": pool.get("gateway"),
            "IPRange": pool.get("ip_range"),
            "AuxiliaryAddresses": pool.get("aux_addresses"),
        })
    };
    let pools = value.pointer("/ipam/config").and_then(Value::as_array);
    let pools: Vec<Value> = pools.into_iter().flatten().map(pool).collect();
    let driver = value.pointer("/ipam/driver").and_then(Value::as_str).unwrap_or("default");
    let own = text("driver");
    let mut body = json!({
        "Name": resource.name,
        "CheckDuplicate": true,
        "Driver": if own.is_empty() { "bridge" } else { own },
        "Options": value.get("driver_opts").cloned().unwrap_or(json!({})),
        "Internal": flag("internal"),
        "Attachable": flag("attachable"),
        "EnableIPv6": flag("enable_ipv6"),
        "IPAM": { "Driver": driver, "Config": pools },
        "Labels": labels(project, "network", key, &resource.item, canon::digest(&value)),
    });
    if let Some(flag) = value.get("enable_ipv4") {
        body["EnableIPv4"] = flag.clone();
    }
    Part::Network { name: resource.name.clone(), body }
}

fn volume_part(project: &Project, key: &str, volume: &Resource) -> Part {
    let value = canon::volume(volume);
    let body = json!({
        "Name": volume.name,
        "Driver": value["driver"],
        "DriverOpts": value.get("driver_opts").cloned().unwrap_or(json!({})),
        "Labels": labels(project, "volume", key, &volume.item, canon::digest(&value)),
    });
    Part::Volume { name: volume.name.clone(), body }
}

/// The name of the image of a service: as written, or as Compose names what it builds.
fn image_name(project: &Project, service: &Written) -> String {
    let written = service.image.as_ref().map(|image| image.text.clone());
    written.unwrap_or_else(|| format!("{}-{}", project.name, service.name))
}

fn image_part(project: &Project, service: &Written, ground: &ProjectContext) -> Part {
    let reference = image_name(project, service);
    let policy = service.get("pull_policy").map(Item::plain).unwrap_or_default();
    let build = build::of(project, service, &reference, ground);
    let platform = build::platform_of(service, ground);
    Part::Image { reference, policy, build, platform }
}

/// What waits for the end of a service: a service that needs it, one that does not.
struct EndDependents {
    is_job: bool,
    may_fail: bool,
    /// How long the longest row is that it waits for itself.
    rank: u32,
}

/// What a service waits for and does not need.
fn optional_dependencies(project: &Project, service: &Written) -> Vec<OptionalDependency> {
    let optional = service
        .depends_on
        .iter()
        .filter(|(name, dependency)| !dependency.required && project.services.contains_key(*name));
    let hope = |(name, dependency): (&String, &Dependency)| OptionalDependency {
        node: name_of(name),
        until: match dependency.condition {
            Condition::Started => Until::Started,
            Condition::Healthy => Until::Healthy,
            Condition::Completed => Until::Completed,
        },
    };
    optional.map(hope).collect()
}

/// How long the longest row is that a service waits for; no service waits for itself here.
fn ranks(project: &Project) -> BTreeMap<&str, u32> {
    let mut ranks: BTreeMap<&str, u32> = BTreeMap::new();
    // Every round finds one more rank at least, as long as there is no cycle.
    for _ in 0..=project.services.len() {
        let mut has_changed = false;
        for service in project.services.values() {
            let others = service.depends_on.keys().filter_map(|name| ranks.get(name.as_str()));
            let rank = others.max().map_or(0, |rank| rank + 1);
            has_changed |= ranks.insert(&service.name, rank) != Some(rank);
        }
        if !has_changed {
            break;
        }
    }
    ranks
}

fn service_part(
    project: &Project,
    service: &Written,
    ends: &EndDependents,
    ground: &ProjectContext,
) -> Part {
    let value = additions::with_socket(canon::service(service, ground));
    let files = service.get("label_file").map(|item| match item.items() {
        [] => vec![ground.path_of(item)],
        all => all.iter().map(|file| ground.path_of(file)).collect(),
    });
    let value = additions::with_label_files(value, files.unwrap_or_default());
    let (mounted, mut files) = granted(project, service, ground);
    if additions::uses_socket(&value) {
        let content = registry::Credentials::read(&ground.environment).as_config();
        files.push(File { content, ..File::new(additions::CREDENTIALS.to_owned()) });
    }
    let mut labels: Map<String, Value> =
        value.get("labels").and_then(Value::as_object).cloned().unwrap_or_default();
    let depends = service.depends_on.iter().map(|(name, dependency)| {
        format!("{name}:{}:{}", dependency.condition.as_str(), dependency.restart)
    });
    let files_of: Vec<String> =
        ground.files.iter().map(|path| path.display().to_string()).collect();
    let own = [
        (requests::HASH, canon::digest(&value)),
        (requests::ONE_OFF, "False".to_owned()),
        (requests::PROJECT, project.name.clone()),
        (requests::SERVICE, service.name.clone()),
        (requests::DEPENDS, depends.collect::<Vec<_>>().join(",")),
        ("com.docker.compose.project.config_files", files_of.join(",")),
        ("com.docker.compose.project.working_dir", ground.folder.display().to_string()),
        ("com.docker.compose.version", VERSION.to_owned()),
    ];
    labels.extend(own.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
    let image = image_name(project, service);
    let parts =
        Parts { project, key: &service.name, canon: &value, image: &image, labels, files: mounted };
    let mut body = body::body(&parts);
    // A profile that cannot be read has been told: see `unsupported`.
    let _ = security::put(&value, ground, &mut body["HostConfig"]);
    let networks = body::endpoints(project, &service.name, &value).into_iter().skip(1).collect();
    let may_end = !matches!(service.restart, Restart::Always | Restart::UnlessStopped);
    let mut part = Service {
        name: service.name.clone(),
        container: service.container_name.as_ref().map(|name| name.text.clone()),
        body,
        networks,
        canon: None,
        is_job: ends.is_job && may_end,
        may_end,
        may_fail: ends.may_fail && !ends.is_job && may_end,
        optional_dependencies: optional_dependencies(project, service),
        restarts: false,
        files,
        post_start: additions::hooks(&value, "post_start"),
        pre_stop: additions::hooks(&value, "pre_stop"),
        platform: build::platform_of(service, ground),
        replicas: service.replicas,
        update: update::of(service),
        rank: ends.rank,
    };
    if part.shares() || value.get("volumes_from").is_some() {
        part.canon = Some(value);
    }
    Part::Service(Box::new(part))
}

/// A file of the host and where it is mounted.
type Mounted = (String, String);

/// Secrets and configs: those in files are mounted, others are put into the container.
fn granted(
    project: &Project,
    service: &Written,
    ground: &ProjectContext,
) -> (Vec<Mounted>, Vec<File>) {
    let (mut mounted, mut files) = (Vec::new(), Vec::new());
    let secrets = service.secrets.iter().map(|grant| (grant, &project.secrets, "/run/secrets/"));
    let configs = service.configs.iter().map(|grant| (grant, &project.configs, "/"));
    for (grant, all, folder) in secrets.chain(configs) {
        let Some(resource) = all.get(&grant.source) else { continue };
        let target = grant.target.clone().unwrap_or_else(|| grant.source.clone());
        let target = if target.starts_with('/') { target } else { format!("{folder}{target}") };
        if let Some(file) = resource.item.get("file") {
            mounted.push((ground.path_of(file), target));
            continue;
        }
        let content = match (resource.item.get("content"), resource.item.get("environment")) {
            (Some(content), _) => content.plain(),
            (None, Some(name)) => {
                ground.environment.get(&name.plain()).cloned().unwrap_or_default()
            }
            (None, None) => continue,
        };
        let number = |key: &str| grant.item.get(key).and_then(|id| id.plain().parse().ok());
        let owner = (number("uid").unwrap_or(0), number("gid").unwrap_or(0));
        files.push(File { target, content, mode: mode(grant), owner });
    }
    (mounted, files)
}

fn mode(grant: &Grant) -> u32 {
    let mode = grant.item.get("mode").and_then(|mode| match mode.as_str() {
        Some(text) => u32::from_str_radix(text.trim_start_matches("0o"), 8).ok(),
        None => mode.as_int().and_then(|mode| u32::try_from(mode).ok()),
    });
    mode.unwrap_or(0o444)
}

/// The application with the containers that its states are; every operation may be repeated.
pub fn with_processes(application: &mut Application, project: &Project) {
    for component in &mut application.types {
        for operation in &mut component.operations {
            operation.effect = Some(Effect::Idempotent);
        }
    }
    for service in project.services.values() {
        let Some(node) = application.node_named(&name_of(&service.name)) else { continue };
        let component_type = application.node(node).component_type;
        let component = &mut application.types[component_type.index()];
        let process = Process {
            command: Command {
                line: CommandLine::Arguments(vec![service.name.clone()]),
                directory: None,
                environment: BTreeMap::new(),
                files: Vec::new(),
            },
            stop: Stop::Signal("TERM".to_owned()),
            grace: None,
            health: None,
            image: Some(image_name(project, service)),
        };
        for state in ["running", "healthy"] {
            let id = component.protocol().and_then(|protocol| protocol.state_named(state));
            if let Some(id) = id {
                component.processes.insert(id, process.clone());
            }
        }
    }
}

/// The name of the node of a service.
fn name_of(text: &str) -> String {
    let good = |c: char| if c.is_ascii_alphanumeric() || "-_.:/".contains(c) { c } else { '_' };
    text.chars().map(good).collect()
}
