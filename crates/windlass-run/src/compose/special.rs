//! The values of a service that have rules of their own, as Compose 2.40.3 spells them out.

use std::collections::BTreeMap;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};
use windlass::lang::compose::item::{Data, Entry, Item};
use windlass::lang::compose::project::Service;
use windlass::lang::compose::{dotenv, short};

use super::ProjectContext;
use super::canon::{extend, pairs, record, requests, sorted, texts, whole};
use super::tables::{self, Kind, Special};

pub(super) fn special_value(
    special: Special,
    service: &Service,
    ground: &ProjectContext,
) -> Option<Value> {
    let list = |key: &str| service.item.get(key).map(Item::items).unwrap_or_default();
    let filled = |all: Vec<Value>| (!all.is_empty()).then(|| Value::from(all));
    match special {
        Special::Environment => environment(service, ground),
        Special::Labels => {
            let mut all = variables(service, "label_file", ground);
            all.extend(service.item.get("labels").map(pairs).into_iter().flatten());
            let all: BTreeMap<_, _> =
                all.into_iter().map(|(name, value)| (name, value.unwrap_or_default())).collect();
            (!all.is_empty()).then(|| json!(all))
        }
        Special::Ports => filled(once(list("ports").iter().flat_map(ports), port_place)),
        Special::Volumes => {
            let all = list("volumes").iter().map(|one| mount(one, ground));
            filled(once(all, |one| one["target"].to_string()))
        }
        Special::Networks => networks(service),
        Special::Secrets => filled(list("secrets").iter().map(|one| grant(one, true)).collect()),
        Special::Configs => filled(list("configs").iter().map(|one| grant(one, false)).collect()),
        Special::Devices => filled(list("devices").iter().map(device).collect()),
        Special::Hosts => service.item.get("extra_hosts").map(hosts),
        Special::Health => service.item.get("healthcheck").map(health),
        Special::Ulimits => service.item.get("ulimits").map(ulimits),
        Special::Gpus => service.item.get("gpus").map(gpus),
        Special::Models => service.item.get("models").map(models),
        Special::Watch => {
            let all = service.item.at(&["develop", "watch"]).map(Item::items).unwrap_or_default();
            filled(all.iter().map(|one| watch(one, ground)).collect())
        }
    }
}

/// What comes later under the same key takes the place of what came before.
fn once(all: impl Iterator<Item = Value>, key: impl Fn(&Value) -> String) -> Vec<Value> {
    let mut kept: Vec<(String, Value)> = Vec::new();
    for value in all {
        let key = key(&value);
        match kept.iter_mut().find(|(known, _)| *known == key) {
            Some(old) => old.1 = value,
            None => kept.push((key, value)),
        }
    }
    kept.into_iter().map(|(_, value)| value).collect()
}

fn port_place(port: &Value) -> String {
    let host = port.get("host_ip").and_then(Value::as_str).unwrap_or("0.0.0.0");
    let text = |key: &str| port.get(key).map(Value::to_string).unwrap_or_default();
    format!("{host}:{}:{}/{}", text("published"), text("target"), text("protocol"))
}

/// `all`, or devices one by one.
fn gpus(item: &Item) -> Value {
    match &item.data {
        Data::List(_) => requests(item).into(),
        _ => json!([{ "count": -1 }]),
    }
}

/// Models by name, with the variables that tell about them.
fn models(item: &Item) -> Value {
    let named = item.entries().map(|(name, entry)| {
        let is_null = entry.item.data == Data::Null;
        let value = record(&entry.item, tables::MODEL, &|_| None);
        (name.clone(), if is_null { Value::Null } else { value })
    });
    let listed = item.items().iter().map(|one| (one.plain(), Value::Null));
    let all: BTreeMap<String, Value> = named.chain(listed).collect();
    json!(all)
}

fn watch(item: &Item, ground: &ProjectContext) -> Value {
    let path = item.get("path").map(Item::plain).unwrap_or_default();
    let mut out = Map::new();
    out.insert("path".to_owned(), ground.path_from(item.get("path").unwrap_or(item), &path).into());
    extend(&mut out, record(item, tables::WATCH, &|_| None));
    Value::Object(out)
}

fn environment(service: &Service, ground: &ProjectContext) -> Option<Value> {
    let mut all = variables(service, "env_file", ground);
    for (name, value, _) in &service.environment {
        let value = value.clone().or_else(|| ground.environment.get(name).cloned());
        all.insert(name.clone(), value);
    }
    (!all.is_empty()).then(|| json!(all))
}

/// One value, or those of a list, which may have none.
pub(super) fn listed(item: &Item) -> &[Item] {
    match &item.data {
        Data::List(items) => items,
        _ => std::slice::from_ref(item),
    }
}

/// The text of a file with variables. A pipe that lies in a folder is not opened: it may
/// never have a writer.
pub(super) fn text_of(path: &str) -> std::io::Result<String> {
    let is_pipe = std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo());
    if is_pipe && !path.starts_with("/dev/") && !path.starts_with("/proc/") {
        return Err(std::io::Error::other("it is a pipe, not a regular file"));
    }
    std::fs::read_to_string(path)
}

/// What the files say that a key names; a file that cannot be read says nothing.
fn variables(
    service: &Service,
    key: &str,
    ground: &ProjectContext,
) -> BTreeMap<String, Option<String>> {
    let mut all = BTreeMap::new();
    let Some(item) = service.item.get(key) else { return all };
    for file in listed(item) {
        let path = ground.path_of(file.get("path").unwrap_or(file));
        let Ok(text) = text_of(&path) else { continue };
        let mut outer = ground.environment.clone();
        outer.extend(all.iter().filter_map(|(name, value): (&String, &Option<String>)| {
            Some((name.clone(), value.clone()?))
        }));
        let read = if file.get("format").map(Item::plain).as_deref() == Some("raw") {
            let line = |line: &str| {
                let (name, value) = line.split_once('=')?;
                Some((name.trim().to_owned(), value.to_owned()))
            };
            text.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect()
        } else {
            dotenv::parse(&text, &outer).unwrap_or_default()
        };
        all.extend(read.into_iter().map(|(name, value)| (name, Some(value))));
    }
    all
}

fn ports(item: &Item) -> Vec<Value> {
    if item.map().is_some() {
        let mut value = record(item, tables::PORT, &|_| None);
        let usual = [("mode", "ingress"), ("protocol", "tcp")];
        for (key, text) in usual {
            if value.get(key).is_none() {
                value[key] = text.into();
            }
        }
        return vec![sorted(&value, tables::PORT)];
    }
    let Ok(mut all) = short::ports(&item.plain()) else { return Vec::new() };
    all.sort_by_key(|port| format!("{}/{}", port.target, port.protocol));
    let port = |port: short::ShortPort| {
        let mut out = Map::new();
        out.insert("mode".to_owned(), "ingress".into());
        if let Some(host) = port.host_ip {
            out.insert("host_ip".to_owned(), host.to_string().into());
        }
        out.insert("target".to_owned(), port.target.into());
        if let Some((first, last)) = port.published {
            let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
            out.insert("published".to_owned(), range.into());
        }
        out.insert("protocol".to_owned(), port.protocol.into());
        Value::Object(out)
    };
    all.into_iter().map(port).collect()
}

/// A path of a container without what says nothing; one of Windows is left as it is.
fn clean(path: &str) -> String {
    if !path.starts_with('/') {
        return path.to_owned();
    }
    let mut out = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out.display().to_string()
}

fn mount(item: &Item, ground: &ProjectContext) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    if item.map().is_some() {
        let kind = item.get("type").map(Item::plain).unwrap_or_default();
        put("type", kind.clone().into());
        if let Some(source) = item.get("source").filter(|it| !it.plain().is_empty()) {
            let source = if kind == "bind" { ground.path_of(source) } else { source.plain() };
            put("source", source.into());
        }
        put("target", clean(&item.get("target").map(Item::plain).unwrap_or_default()).into());
        if item.get("read_only").and_then(Item::as_bool) == Some(true) {
            put("read_only", true.into());
        }
        if let Some(consistency) = item.get("consistency") {
            put("consistency", consistency.plain().into());
        }
        let parts = [
            ("bind", tables::BIND),
            ("volume", tables::VOLUME),
            ("tmpfs", tables::TMPFS),
            ("image", tables::IMAGE),
        ];
        for (key, keys) in parts {
            if let Some(part) = item.get(key) {
                put(key, record(part, keys, &|_| None));
            }
        }
        return Value::Object(out);
    }
    let Ok(volume) = short::volume(&item.plain()) else { return Value::Object(out) };
    let is_bind = volume.is_bind();
    put("type", if is_bind { "bind" } else { "volume" }.into());
    if let Some(source) = &volume.source {
        put(
            "source",
            if is_bind { ground.path_from(item, source).into() } else { source.clone().into() },
        );
    }
    put("target", clean(&volume.target).into());
    let has = |option: &str| volume.options.iter().any(|own| own == option);
    if has("ro") {
        put("read_only", true.into());
    }
    let mut part = Map::new();
    if is_bind {
        if let Some(selinux) = volume.options.iter().find(|own| matches!(own.as_str(), "z" | "Z")) {
            part.insert("selinux".to_owned(), selinux.clone().into());
        }
        let spread = |own: &&String| {
            let name = own.trim_start_matches('r');
            matches!(name, "private" | "shared" | "slave")
        };
        if let Some(propagation) = volume.options.iter().find(spread) {
            part.insert("propagation".to_owned(), propagation.clone().into());
        }
        part.insert("create_host_path".to_owned(), true.into());
    } else if has("nocopy") {
        part.insert("nocopy".to_owned(), true.into());
    }
    put(if is_bind { "bind" } else { "volume" }, Value::Object(part));
    Value::Object(out)
}

fn networks(service: &Service) -> Option<Value> {
    let written = service.item.get("networks");
    let attachment = |key: &String| {
        let item = written.and_then(|written| written.get(key));
        let value = item.map_or(Value::Null, |item| record(item, tables::ATTACHMENT, &|_| None));
        (key.clone(), value)
    };
    let all: Map<String, Value> = service.networks.keys().map(attachment).collect();
    (!all.is_empty()).then_some(Value::Object(all))
}

/// A secret or a config that is granted.
fn grant(item: &Item, is_secret: bool) -> Value {
    let source = item.get("source").unwrap_or(item).plain();
    let mut out = Map::new();
    out.insert("source".to_owned(), source.clone().into());
    let target = item.get("target").map(Item::plain);
    let usual = is_secret.then(|| format!("/run/secrets/{source}"));
    if let Some(target) = target.or(usual) {
        out.insert("target".to_owned(), target.into());
    }
    for key in ["uid", "gid"] {
        if let Some(value) = item.get(key) {
            out.insert(key.to_owned(), value.plain().into());
        }
    }
    if let Some(mode) = item.get("mode") {
        let number = match &mode.data {
            Data::Str(text) => i128::from_str_radix(text.trim_start_matches("0o"), 8).ok(),
            _ => mode.as_int(),
        };
        out.insert("mode".to_owned(), format!("0{:o}", number.unwrap_or(0)).into());
    }
    Value::Object(out)
}

fn device(item: &Item) -> Value {
    if item.map().is_some() {
        let keys = &[("source", Kind::Text), ("target", Kind::Text), ("permissions", Kind::Text)];
        return record(item, keys, &|_| None);
    }
    let text = item.plain();
    let mut parts = text.split(':');
    let source = parts.next().unwrap_or_default();
    let target = parts.next().unwrap_or(source);
    let permissions = parts.next().unwrap_or("rwm");
    json!({ "source": source, "target": target, "permissions": permissions })
}

fn hosts(item: &Item) -> Value {
    let mut all = Vec::new();
    for (name, entry) in item.entries() {
        all.extend(texts(&entry.item).into_iter().map(|address| format!("{name}={address}")));
    }
    for one in item.items() {
        let text = one.plain();
        let (name, address) =
            text.split_once('=').or_else(|| text.split_once(':')).unwrap_or((&text, ""));
        let bare = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let address = bare.unwrap_or(address);
        all.push(format!("{name}={address}"));
    }
    all.sort();
    Value::from(all)
}

fn health(item: &Item) -> Value {
    let mut out = Map::new();
    if let Some(test) = item.get("test") {
        let test = match &test.data {
            Data::List(items) => items.iter().map(Item::plain).collect(),
            _ => vec!["CMD-SHELL".to_owned(), test.plain()],
        };
        if !test.is_empty() {
            out.insert("test".to_owned(), Value::from(test));
        }
    }
    extend(&mut out, record(item, tables::HEALTH, &|_| None));
    Value::Object(out)
}

fn ulimits(item: &Item) -> Value {
    let limit = |(name, entry): (&String, &Entry)| {
        let item = &entry.item;
        let value = match item.map() {
            Some(_) => record(item, &[("soft", Kind::Int), ("hard", Kind::Int)], &|_| None),
            None => whole(item).filter(|both| *both != 0).map_or(json!({}), Value::from),
        };
        (name.clone(), value)
    };
    Value::Object(item.entries().map(limit).collect())
}
