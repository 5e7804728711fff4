//! A service, a network, a volume as Compose 2.40.3 spells them out before it hashes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use windlass::lang::compose::item::{Data, Item};
use windlass::lang::compose::project::{Network, Project, Resource, Service};
use windlass::lang::compose::{cast, command};

use super::ProjectContext;
use super::go_format::{duration, go_json};
use super::special::special_value;
use super::tables::{self, Key, Kind, Special};

/// The hash of every service of a project, as `docker compose config --hash '*'` prints it.
pub fn hashes(project: &Project, ground: &ProjectContext) -> BTreeMap<String, String> {
    let hash = |service: &Service| digest(&self::service(service, ground));
    project.services.values().map(|service| (service.name.clone(), hash(service))).collect()
}

/// The hash of a value: SHA-256, in hexadecimal.
pub(crate) fn digest(value: &Value) -> String {
    let mut digest = String::new();
    for byte in Sha256::digest(go_json(value)) {
        // Writing to a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}

/// A service.
pub(super) fn service(service: &Service, ground: &ProjectContext) -> Value {
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

pub(super) fn extend(out: &mut Map<String, Value>, more: Value) {
    if let Value::Object(more) = more {
        out.extend(more);
    }
}

type Specials<'a> = &'a dyn Fn(Special) -> Option<Value>;

pub(super) fn record(item: &Item, keys: &[Key], specials: Specials<'_>) -> Value {
    record_of(Some(item), keys, specials)
}

/// The keys of a mapping that may be absent.
fn record_of(item: Option<&Item>, keys: &[Key], specials: Specials<'_>) -> Value {
    let mut out = Map::new();
    for (key, kind) in keys {
        let (name, kind) = match kind {
            Kind::Named(name, kind) => (*name, **kind),
            kind => (*key, *kind),
        };
        if let Some(value) = value(item.and_then(|item| item.get(key)), kind, specials) {
            out.insert(name.to_owned(), value);
        }
    }
    Value::Object(out)
}

fn value(item: Option<&Item>, kind: Kind, specials: Specials<'_>) -> Option<Value> {
    match kind {
        Kind::Special(special) => return specials(special),
        Kind::Command => return Some(item.map_or(Value::Null, words)),
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
        Kind::Time => time(item).map(|time| duration(time).into()),
        Kind::Lapse => time(item).filter(|time| !time.is_zero()).map(|time| duration(time).into()),
        Kind::Record(keys) => Some(record(item, keys, specials)),
        Kind::Records(keys) => {
            let all: Vec<Value> =
                item.items().iter().map(|one| record(one, keys, specials)).collect();
            (!all.is_empty()).then(|| Value::from(all))
        }
        Kind::Requests => {
            let all = requests(item);
            (!all.is_empty()).then(|| Value::from(all))
        }
        Kind::Variables => {
            let all: BTreeMap<String, Option<String>> = pairs(item).into_iter().collect();
            (!all.is_empty()).then(|| json!(all))
        }
        Kind::Command | Kind::Always(_) | Kind::Named(..) | Kind::Special(_) => None,
    }
}

fn time(item: &Item) -> Option<Duration> {
    cast::duration(&item.plain())
}

pub(super) fn whole(item: &Item) -> Option<i64> {
    match (&item.data, item.as_int()) {
        (_, Some(number)) => i64::try_from(number).ok(),
        (Data::Str(text), None) if text == "all" => Some(-1),
        _ => None,
    }
}

/// Devices that are asked for: all, unless a number or names are given.
pub(super) fn requests(item: &Item) -> Vec<Value> {
    let one = |item: &Item| {
        let mut value = record(item, tables::DEVICE_REQUEST, &|_| None);
        if value.get("count").is_none() && value.get("device_ids").is_none() {
            value["count"] = (-1).into();
        }
        sorted(&value, tables::DEVICE_REQUEST)
    };
    item.items().iter().map(one).collect()
}

/// The keys of a value in the order of a table.
pub(super) fn sorted(value: &Value, keys: &[Key]) -> Value {
    let found =
        keys.iter().filter_map(|(key, _)| Some(((*key).to_owned(), value.get(key)?.clone())));
    Value::Object(found.collect())
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

pub(super) fn texts(item: &Item) -> Vec<String> {
    match &item.data {
        Data::List(items) => items.iter().map(Item::plain).collect(),
        _ => vec![item.plain()],
    }
}

fn words(item: &Item) -> Value {
    match &item.data {
        Data::List(items) => Value::from(items.iter().map(Item::plain).collect::<Vec<_>>()),
        // What is no command has been refused.
        _ => Value::from(command::split(&item.plain()).unwrap_or_default().words),
    }
}

/// Names with values, from a mapping or a list.
pub(super) fn pairs(item: &Item) -> Vec<(String, Option<String>)> {
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
