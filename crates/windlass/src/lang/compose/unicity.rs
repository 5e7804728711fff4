//! Unicity: of two items of a list that mean the same thing the later one counts.

use super::interpolate::matches_path;
use super::item::{Data, Item};
use super::short;
use std::collections::BTreeMap;

/// What makes two items of a list the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Index {
    /// The text before `=`.
    Key,
    /// The whole text.
    Text,
    /// The path in the container.
    Target,
    /// The path in the container of a config or secret, below this folder.
    Mount(&'static str),
    /// Address, ports and protocol.
    Port,
    /// The path of the file.
    File,
}

const INDEXED: &[(&str, Index)] = &[
    ("networks.*.labels", Index::Key),
    ("volumes.*.labels", Index::Key),
    ("services.*.annotations", Index::Key),
    ("services.*.build.args", Index::Key),
    ("services.*.build.additional_contexts", Index::Key),
    ("services.*.build.platforms", Index::Text),
    ("services.*.build.tags", Index::Text),
    ("services.*.build.labels", Index::Key),
    ("services.*.build.ssh", Index::Key),
    ("services.*.cap_add", Index::Text),
    ("services.*.cap_drop", Index::Text),
    ("services.*.configs", Index::Mount("")),
    ("services.*.deploy.labels", Index::Key),
    ("services.*.devices", Index::Target),
    ("services.*.dns", Index::Text),
    ("services.*.dns_opt", Index::Text),
    ("services.*.dns_search", Index::Text),
    ("services.*.environment", Index::Key),
    ("services.*.env_file", Index::File),
    ("services.*.expose", Index::Text),
    ("services.*.labels", Index::Key),
    ("services.*.links", Index::Text),
    ("services.*.networks.*.aliases", Index::Text),
    ("services.*.networks.*.link_local_ips", Index::Text),
    ("services.*.ports", Index::Port),
    ("services.*.profiles", Index::Text),
    ("services.*.secrets", Index::Mount("/run/secrets")),
    ("services.*.sysctls", Index::Key),
    ("services.*.tmpfs", Index::Text),
    ("services.*.volumes", Index::Target),
];

/// Keeps the last of each group of items that mean the same, at the place of the first.
pub(crate) fn enforce(item: &mut Item, path: &mut Vec<String>) {
    match &mut item.data {
        Data::Map(map) => {
            for (key, entry) in map {
                path.push(key.clone());
                enforce(&mut entry.item, path);
                path.pop();
            }
        }
        Data::List(items) => {
            let index = INDEXED.iter().find(|(pattern, _)| matches_path(pattern, path));
            if let Some((_, index)) = index {
                keep_last(items, *index);
            }
        }
        _ => {}
    }
}

fn keep_last(items: &mut Vec<Item>, index: Index) {
    let mut kept: Vec<Item> = Vec::with_capacity(items.len());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for mut item in items.drain(..) {
        let Some(key) = index.of(&item) else {
            kept.push(item);
            continue;
        };
        match seen.get(&key) {
            Some(at) => {
                item.replaced = Some(kept[*at].span);
                kept[*at] = item;
            }
            None => {
                seen.insert(key, kept.len());
                kept.push(item);
            }
        }
    }
    *items = kept;
}

impl Index {
    /// What the item is known by; none when it is not known, then it stays.
    fn of(self, item: &Item) -> Option<String> {
        let text = item.is_scalar().then(|| item.plain());
        match self {
            Index::Key => text.map(|text| match text.split_once('=') {
                Some((key, _)) => key.to_owned(),
                None => text,
            }),
            Index::Text => text,
            Index::File => text.or_else(|| item.get("path").map(Item::plain)),
            Index::Target => match text {
                Some(text) => short::volume(&text).ok().map(|volume| volume.target),
                None => item.get("target").or_else(|| item.get("source")).map(Item::plain),
            },
            Index::Mount(folder) => match text {
                Some(text) => Some(format!("{folder}/{text}")),
                None => item.get("target").map(Item::plain).or_else(|| {
                    item.get("source").map(|name| format!("{folder}/{}", name.plain()))
                }),
            },
            Index::Port => match text {
                Some(text) => Some(text),
                None => {
                    let part = |key| item.get(key).map(Item::plain);
                    Some(format!(
                        "{}:{}:{}/{}",
                        part("host_ip").unwrap_or_else(|| "0.0.0.0".to_owned()),
                        part("published").unwrap_or_default(),
                        part("target")?,
                        part("protocol").unwrap_or_else(|| "tcp".to_owned())
                    ))
                }
            },
        }
    }
}
