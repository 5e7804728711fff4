//! A service, a network, a volume as Compose 2.40.3 spells them out before it hashes them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use windlass::lang::compose::item::{Data, Item};
use windlass::lang::compose::project::{Network, Project, Resource, Service};
use windlass::lang::compose::{cast, dotenv, short};

use super::tables::{self, Key, Kind, Special};
use super::words::{duration, go_json, split};
use super::{Ground, hash};

/// The hash of every service of a project, as `docker compose config --hash '*'` prints it.
pub fn hashes(project: &Project, ground: &Ground) -> BTreeMap<String, String> {
    let hash = |service: &Service| digest(&self::service(service, ground));
    project.services.values().map(|service| (service.name.clone(), hash(service))).collect()
}

/// The hash of a value.
pub(super) fn digest(value: &Value) -> String {
    hash::sha256(go_json(value).as_bytes())
}

/// A service.
pub(super) fn service(service: &Service, ground: &Ground) -> Value {
    record(&service.item, tables::SERVICE, &|special| special_value(special, service, ground))
}

/// A network.
pub(super) fn network(network: &Network) -> Value {
    let mut out = Map::new();
    out.insert("name".to_owned(), network.resource.name.clone().into());
    extend(&mut out, record(&network.resource.item, tables::NETWORK, &|_| None));
    Value::Object(out)
}

/// A volume.
pub(super) fn volume(volume: &Resource) -> Value {
    let driver = volume.item.get("driver").map(Item::plain).filter(|driver| !driver.is_empty());
    let mut out = Map::new();
    out.insert("name".to_owned(), volume.name.clone().into());
    out.insert("driver".to_owned(), driver.unwrap_or_else(|| "local".to_owned()).into());
    extend(&mut out, record(&volume.item, tables::STORE, &|_| None));
    Value::Object(out)
}

fn extend(out: &mut Map<String, Value>, more: Value) {
    if let Value::Object(more) = more {
        out.extend(more);
    }
}

type Specials<'a> = &'a dyn Fn(Special) -> Option<Value>;

fn record(item: &Item, keys: &[Key], specials: Specials<'_>) -> Value {
    record_of(Some(item), keys, specials)
}

/// The keys of a mapping that may be absent.
fn record_of(item: Option<&Item>, keys: &[Key], specials: Specials<'_>) -> Value {
    let mut out = Map::new();
    for (key, kind) in keys {
        if let Some(value) = value(item.and_then(|item| item.get(key)), *kind, specials) {
            out.insert((*key).to_owned(), value);
        }
    }
    Value::Object(out)
}

fn value(item: Option<&Item>, kind: Kind, specials: Specials<'_>) -> Option<Value> {
    match kind {
        Kind::Special(special) => return specials(special),
        Kind::Command => return Some(item.map_or(Value::Null, command)),
        Kind::Always(keys) => return Some(record_of(item, keys, specials)),
        _ => {}
    }
    let item = item?;
    let filled = |text: String| (!text.is_empty()).then(|| Value::from(text));
    match kind {
        Kind::Text => filled(item.plain()),
        Kind::Int => whole(item).filter(|number| *number != 0).map(Value::from),
        Kind::Count => whole(item).map(Value::from),
        Kind::Number => number(item),
        Kind::Flag => item.as_bool().filter(|flag| *flag).map(Value::from),
        Kind::Choice => item.as_bool().map(Value::from),
        Kind::Texts => {
            let all = texts(item);
            (!all.is_empty()).then(|| Value::from(all))
        }
        Kind::Map => {
            let all = pairs(item);
            let text = |(name, value): (String, Option<String>)| (name, value.unwrap_or_default());
            let all: BTreeMap<String, String> = all.into_iter().map(text).collect();
            (!all.is_empty()).then(|| json!(all))
        }
        Kind::Bytes => bytes(item).filter(|size| *size != 0).map(|size| size.to_string().into()),
        Kind::Time => cast::duration(&item.plain()).map(|time| duration(time).into()),
        Kind::Record(keys) => Some(record(item, keys, specials)),
        Kind::Records(keys) => {
            let all: Vec<Value> =
                item.items().iter().map(|one| record(one, keys, specials)).collect();
            (!all.is_empty()).then(|| Value::from(all))
        }
        Kind::Command | Kind::Always(_) | Kind::Special(_) => None,
    }
}

fn whole(item: &Item) -> Option<i64> {
    match (&item.data, item.as_int()) {
        (_, Some(number)) => i64::try_from(number).ok(),
        (Data::Str(text), None) if text == "all" => Some(-1),
        _ => None,
    }
}

/// Numbers are kept in 32 bits.
fn number(item: &Item) -> Option<Value> {
    let number: f32 = item.plain().parse().ok()?;
    if number == 0.0 {
        return None;
    }
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return Some(Value::from(number as i64));
    }
    number.to_string().parse::<f64>().ok().map(Value::from)
}

pub(super) fn bytes(item: &Item) -> Option<i64> {
    match item.as_int() {
        Some(number) => i64::try_from(number).ok(),
        None => cast::bytes(&item.plain()).map(|size| size as i64),
    }
}

fn texts(item: &Item) -> Vec<String> {
    match &item.data {
        Data::List(items) => items.iter().map(Item::plain).collect(),
        _ => vec![item.plain()],
    }
}

fn command(item: &Item) -> Value {
    match &item.data {
        Data::List(items) => Value::from(items.iter().map(Item::plain).collect::<Vec<_>>()),
        _ => Value::from(split(&item.plain())),
    }
}

/// Names with values, from a mapping or a list.
fn pairs(item: &Item) -> Vec<(String, Option<String>)> {
    let of_map = item.entries().map(|(name, entry)| {
        (name.clone(), (entry.item.data != Data::Null).then(|| entry.item.plain()))
    });
    let of_list = item.items().iter().map(|one| {
        let text = one.plain();
        match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (text, None),
        }
    });
    of_map.chain(of_list).collect()
}

fn special_value(special: Special, service: &Service, ground: &Ground) -> Option<Value> {
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
        Special::Ports => filled(list("ports").iter().flat_map(ports).collect()),
        Special::Volumes => filled(list("volumes").iter().map(|one| mount(one, ground)).collect()),
        Special::Networks => networks(service),
        Special::Secrets => filled(list("secrets").iter().map(|one| grant(one, true)).collect()),
        Special::Configs => filled(list("configs").iter().map(|one| grant(one, false)).collect()),
        Special::Devices => filled(list("devices").iter().map(device).collect()),
        Special::Hosts => service.item.get("extra_hosts").map(hosts),
        Special::Health => service.item.get("healthcheck").map(health),
        Special::Ulimits => service.item.get("ulimits").map(ulimits),
    }
}

fn environment(service: &Service, ground: &Ground) -> Option<Value> {
    let mut all = variables(service, "env_file", ground);
    for (name, value, _) in &service.environment {
        let value = value.clone().or_else(|| ground.environment.get(name).cloned());
        all.insert(name.clone(), value);
    }
    (!all.is_empty()).then(|| json!(all))
}

/// What the files say that a key names; a file that cannot be read says nothing.
fn variables(service: &Service, key: &str, ground: &Ground) -> BTreeMap<String, Option<String>> {
    let mut all = BTreeMap::new();
    let Some(item) = service.item.get(key) else { return all };
    let listed = if item.items().is_empty() { std::slice::from_ref(item) } else { item.items() };
    for file in listed {
        let path = ground.path(&file.get("path").unwrap_or(file).plain());
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
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

/// The keys of a value in the order of a table.
fn sorted(value: &Value, keys: &[Key]) -> Value {
    let found =
        keys.iter().filter_map(|(key, _)| Some(((*key).to_owned(), value.get(key)?.clone())));
    Value::Object(found.collect())
}

fn mount(item: &Item, ground: &Ground) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    if item.map().is_some() {
        let kind = item.get("type").map(Item::plain).unwrap_or_default();
        put("type", kind.clone().into());
        if let Some(source) = item.get("source").map(Item::plain).filter(|it| !it.is_empty()) {
            let source = if kind == "bind" { ground.path(&source) } else { source };
            put("source", source.into());
        }
        put("target", item.get("target").map(Item::plain).unwrap_or_default().into());
        if item.get("read_only").and_then(Item::as_bool) == Some(true) {
            put("read_only", true.into());
        }
        if let Some(consistency) = item.get("consistency") {
            put("consistency", consistency.plain().into());
        }
        let parts = [("bind", tables::BIND), ("volume", tables::VOLUME), ("tmpfs", tables::TMPFS)];
        for (key, keys) in parts {
            if let Some(part) = item.get(key) {
                let mut value = record(part, keys, &|_| None);
                if key == "bind" && part.get("create_host_path").is_none() {
                    value["create_host_path"] = true.into();
                }
                put(key, sorted(&value, keys));
            }
        }
        return Value::Object(out);
    }
    let Ok(volume) = short::volume(&item.plain()) else { return Value::Object(out) };
    let is_bind = volume.is_bind();
    put("type", if is_bind { "bind" } else { "volume" }.into());
    if let Some(source) = &volume.source {
        put("source", if is_bind { ground.path(source).into() } else { source.clone().into() });
    }
    put("target", volume.target.clone().into());
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
        let is_short = is_secret && !target.starts_with('/');
        let target = if is_short { format!("/run/secrets/{target}") } else { target };
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
    let limit = |(name, entry): (&String, &windlass::lang::compose::item::Entry)| {
        let item = &entry.item;
        let value = match item.map() {
            Some(_) => record(item, &[("soft", Kind::Int), ("hard", Kind::Int)], &|_| None),
            None => Value::from(whole(item).unwrap_or(0)),
        };
        (name.clone(), value)
    };
    Value::Object(item.entries().map(limit).collect())
}
