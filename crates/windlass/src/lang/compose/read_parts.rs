//! Parts of a service: ports, mounts, dependencies, networks and so on, in both of their forms.

use std::collections::BTreeMap;

use super::item::{Data, Item};
use super::merge::named;
use super::project::{
    Attachment, Condition, Dependency, Grant, Health, Mount, MountKind, Port, Restart,
};
use super::short::{self, ShortPort};
use super::{BAD_SHORT_FORM, BAD_VALUE, CONFLICT, Findings};
use crate::source::Span;

/// What is waited for.
pub(super) fn depends_on(service: &Item) -> BTreeMap<String, Dependency> {
    let Some(written) = service.get("depends_on") else { return BTreeMap::new() };
    let entries = named(written.clone(), true);
    let dependency = |(name, entry): (&String, &super::item::Entry)| {
        let item = &entry.item;
        let condition = item.get("condition");
        let dependency = Dependency {
            condition: match condition.and_then(Item::as_str) {
                Some("service_healthy") => Condition::Healthy,
                Some("service_completed_successfully") => Condition::Completed,
                _ => Condition::Started,
            },
            restart: item.get("restart").and_then(Item::as_bool).unwrap_or(false),
            required: item.get("required").and_then(Item::as_bool).unwrap_or(true),
            implied_by: None,
            span: entry.key,
            condition_span: condition.map_or(entry.key, |condition| condition.span),
        };
        (name.clone(), dependency)
    };
    entries.entries().map(dependency).collect()
}

/// What is known about health.
pub(super) fn health(service: &Item) -> Health {
    let Some(check) = service.get("healthcheck") else { return Health::Unknown };
    let test = check.get("test");
    let none = test.is_some_and(|test| {
        test.as_str() == Some("NONE") || test.items().first().is_some_and(|t| t.plain() == "NONE")
    });
    if none || check.get("disable").and_then(Item::as_bool) == Some(true) {
        return Health::Disabled(check.span);
    }
    match test {
        Some(test) if test.is_scalar() || !test.items().is_empty() => Health::Checked(test.span),
        _ => Health::Unknown,
    }
}

/// When it is started again: the policy of `deploy`, whatever it says, or else `restart`.
pub(super) fn restart(service: &Item) -> (Restart, Option<Span>) {
    let Some(policy) = service.at(&["deploy", "restart_policy"]) else {
        let Some(item) = service.get("restart") else { return (Restart::No, None) };
        let text = item.plain();
        let policy = match text.split(':').next().unwrap_or_default() {
            "always" => Restart::Always,
            "unless-stopped" => Restart::UnlessStopped,
            "on-failure" => Restart::OnFailure,
            _ => Restart::No,
        };
        return (policy, Some(item.span));
    };
    let policy_item = policy.get("condition");
    let restart = match policy_item.and_then(Item::as_str) {
        // Compose asks the engine for nothing when nothing is said.
        Some("none" | "no" | "") | None => Restart::No,
        Some("on-failure") => Restart::OnFailure,
        Some("unless-stopped") => Restart::UnlessStopped,
        Some(_) => Restart::Always,
    };
    (restart, Some(policy_item.unwrap_or(policy).span))
}

/// More ports than an address has, of all protocols: whatever comes after them clashes anyway.
const MOST_PORTS: usize = 200_000;

/// The published ports, each container port by itself, none twice.
pub(super) fn ports(service: &Item, findings: &mut Findings) -> Vec<Port> {
    let mut ports: Vec<Port> = Vec::new();
    for item in service.get("ports").map(Item::items).unwrap_or_default() {
        if ports.len() > MOST_PORTS {
            break;
        }
        let read = match &item.data {
            Data::Map(_) => long_port(item, findings).map(|port| vec![port]).map_err(|()| None),
            Data::Float(_) => Err(Some("it has a fraction or an exponent".to_owned())),
            _ => short::ports(&item.plain()).map_err(|error| Some(error.to_string())),
        };
        match read {
            Ok(read) => {
                let known = ports.len();
                for port in read {
                    // A range has no port twice: only what was there before it can be the same.
                    let before = &ports[known.saturating_sub(64)..known];
                    if !before.iter().any(|other| other.port == port) {
                        ports.push(Port { port, span: item.span });
                    }
                }
            }
            Err(Some(reason)) => {
                let message = format!("`{}` is no port: {reason}", item.plain());
                let help = "write it as `8080:80` or as a mapping with `target` and `published`";
                findings.push(item.error(BAD_SHORT_FORM, message).help(help));
            }
            Err(None) => {}
        }
    }
    ports
}

/// What an address looks like.
const ADDRESS: &str = "write numbers with dots, as in `10.0.0.5`, or an IPv6 address";

/// A port in the long form; what is wrong with it is reported here.
fn long_port(item: &Item, findings: &mut Findings) -> Result<ShortPort, ()> {
    let Some(target) = item.get("target") else {
        let message = "a port without `target`, the port in the container";
        findings.push(item.error(BAD_VALUE, message).help("write `target: 80`, for instance"));
        return Err(());
    };
    let number = target.as_int().and_then(|port| u16::try_from(port).ok());
    let Some(number) = number else {
        let message = format!("`target` is no port: `{}`", target.plain());
        findings.push(target.error(BAD_VALUE, message).help("write a number from 0 to 65535"));
        return Err(());
    };
    let published = match item.get("published").filter(|it| !it.plain().is_empty()) {
        Some(written) => {
            let range = short::range(&written.plain());
            let finding = |reason| {
                let message = format!("`published` is no port of the host: {reason}");
                written.error(BAD_VALUE, message).help("write it as `8080` or as `8080-8090`")
            };
            Some(range.map_err(|reason| findings.push(finding(reason)))?)
        }
        None => None,
    };
    let host_ip = match item.get("host_ip").map(Item::plain) {
        Some(text) => match text.parse() {
            Ok(address) => Some(address),
            Err(_) => {
                let host = item.get("host_ip").unwrap_or(item);
                let finding = host.error(BAD_VALUE, format!("`{text}` is no address"));
                findings.push(finding.help(ADDRESS));
                return Err(());
            }
        },
        None => None,
    };
    let protocol = item.get("protocol").map_or_else(|| "tcp".to_owned(), Item::plain);
    Ok(ShortPort { host_ip, published, target: number, protocol })
}

/// What is mounted by `volumes` and `tmpfs`.
pub(super) fn mounts(service: &Item, findings: &mut Findings) -> Vec<Mount> {
    let mut mounts = Vec::new();
    for item in service.get("volumes").map(Item::items).unwrap_or_default() {
        if item.map().is_some() {
            mounts.extend(long_mount(item, findings));
            continue;
        }
        match short::volume(&item.plain()) {
            Ok(volume) => {
                let kind = if volume.is_bind() { MountKind::Bind } else { MountKind::Volume };
                mounts.push(Mount {
                    kind,
                    read_only: volume.options.iter().any(|option| option == "ro"),
                    source: volume.source,
                    target: volume.target,
                    creates_path: true,
                    short: Some(item.plain()),
                    item: item.clone(),
                    exists: None,
                    span: item.span,
                });
            }
            Err(reason) => {
                let message = format!("`{}` is no volume: {reason}", item.plain());
                let help = "write it as `SOURCE:TARGET` or `SOURCE:TARGET:ro`";
                findings.push(item.error(BAD_SHORT_FORM, message).help(help));
            }
        }
    }
    let tmpfs = service.get("tmpfs");
    let listed =
        tmpfs.map(|item| if item.is_scalar() { std::slice::from_ref(item) } else { item.items() });
    for item in listed.unwrap_or_default() {
        let text = item.plain();
        let target = text.split(':').next().unwrap_or_default().to_owned();
        mounts.push(Mount {
            kind: MountKind::Tmpfs,
            source: None,
            target,
            read_only: false,
            creates_path: true,
            short: Some(text),
            item: item.clone(),
            exists: None,
            span: item.span,
        });
    }
    mounts
}

fn long_mount(item: &Item, findings: &mut Findings) -> Option<Mount> {
    let kind = match item.get("type").and_then(Item::as_str)? {
        "bind" => MountKind::Bind,
        "volume" => MountKind::Volume,
        "tmpfs" => MountKind::Tmpfs,
        _ => MountKind::Other,
    };
    // A path of nothing is the folder of the project, and a volume of no name has none.
    let source = item.get("source").map(Item::plain);
    let source = match kind {
        MountKind::Bind => source.map(|it| if it.is_empty() { ".".to_owned() } else { it }),
        _ => source.filter(|source| !source.is_empty()),
    };
    if kind == MountKind::Bind && source.is_none() {
        let message = "a bind mount needs a `source`, a path of the host";
        findings.push(item.error(CONFLICT, message).help("write `source: ./folder`, for instance"));
        return None;
    }
    if item.get("target").is_none() {
        let message = "a mount needs a `target`, a path in the container";
        findings.push(item.error(BAD_VALUE, message).help("write `target: /data`, for instance"));
        return None;
    }
    let create = item.at(&["bind", "create_host_path"]).and_then(Item::as_bool);
    Some(Mount {
        kind,
        source,
        target: item.get("target").map(Item::plain).unwrap_or_default(),
        read_only: item.get("read_only").and_then(Item::as_bool).unwrap_or(false),
        creates_path: create.unwrap_or(true),
        short: None,
        item: item.clone(),
        exists: None,
        span: item.span,
    })
}

/// Secrets or configs.
pub(super) fn grants(service: &Item, key: &str) -> Vec<Grant> {
    let listed = service.get(key).map(Item::items).unwrap_or_default();
    listed
        .iter()
        .map(|item| Grant {
            source: item.get("source").unwrap_or(item).plain(),
            target: item.get("target").map(Item::plain),
            span: item.get("source").unwrap_or(item).span,
            item: item.clone(),
        })
        .collect()
}

/// The networks of a service.
pub(super) fn networks(service: &Item, findings: &mut Findings) -> BTreeMap<String, Attachment> {
    let Some(written) = service.get("networks") else { return BTreeMap::new() };
    let entries = named(written.clone(), false);
    let mut networks = BTreeMap::new();
    for (key, entry) in entries.entries() {
        let mut addresses = Vec::new();
        for kind in ["ipv4_address", "ipv6_address"] {
            let Some(item) = entry.item.get(kind) else { continue };
            match item.plain().parse() {
                Ok(address) => addresses.push((address, item.span)),
                Err(_) => {
                    let message = format!("`{kind}` is no address: `{}`", item.plain());
                    let finding =
                        crate::diagnostic::Diagnostic::warning(BAD_VALUE, item.span, message);
                    findings.push(item.explain(finding.help(ADDRESS)));
                }
            }
        }
        networks.insert(key.clone(), Attachment { addresses, span: entry.key });
    }
    networks
}

/// The variables of a service.
pub(super) fn environment(service: &Item) -> Vec<(String, Option<String>, Span)> {
    let Some(environment) = service.get("environment") else { return Vec::new() };
    let of_map = environment.entries().map(|(name, entry)| {
        let value = (entry.item.data != Data::Null).then(|| entry.item.plain());
        (name.clone(), value, entry.item.span)
    });
    let of_list = environment.items().iter().map(|item| {
        let text = item.plain();
        match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned()), item.span),
            None => (text, None, item.span),
        }
    });
    of_map.chain(of_list).collect()
}
