//! Merging: an override over a base, a service over the service that it extends.
//!
//! Mappings merge, lists append, scalars are replaced. Some keys have a way of their own: a command
//! is replaced as a whole, lists and mappings of pairs meet as lists, short forms become long ones.
//! `!reset` and `!override` take away what came before.

use super::interpolate::matches_path;
use super::item::{Data, Entry, Item, Map, Tag};
use super::{CANNOT_MERGE, Findings};
use crate::diagnostic::Diagnostic;

/// How the values of a key are merged when not as usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The later value replaces the earlier.
    Replace,
    /// Both become lists of texts, which are appended.
    Sequence,
    /// A text becomes a mapping with this key.
    Mapping(&'static str),
    /// A list of names becomes a mapping with these values.
    Names,
    /// `SERVICE` in a list becomes `SERVICE: { condition: service_started }`.
    Dependencies,
    /// Merged only when both have the same driver.
    Logging,
    /// A single number is replaced; pairs of limits merge.
    Limit,
    /// Items with the same subnet merge.
    Subnets,
}

const WAYS: &[(&str, Way)] = &[
    ("networks.*.ipam.config", Way::Subnets),
    ("networks.*.labels", Way::Sequence),
    ("volumes.*.labels", Way::Sequence),
    ("configs.*.labels", Way::Sequence),
    ("secrets.*.labels", Way::Sequence),
    ("services.*.annotations", Way::Sequence),
    ("services.*.build", Way::Mapping("context")),
    ("services.*.build.args", Way::Sequence),
    ("services.*.build.additional_contexts", Way::Sequence),
    ("services.*.build.extra_hosts", Way::Sequence),
    ("services.*.build.labels", Way::Sequence),
    ("services.*.build.ssh", Way::Sequence),
    ("services.*.command", Way::Replace),
    ("services.*.depends_on", Way::Dependencies),
    ("services.*.deploy.labels", Way::Sequence),
    ("services.*.dns", Way::Sequence),
    ("services.*.dns_opt", Way::Sequence),
    ("services.*.dns_search", Way::Sequence),
    ("services.*.entrypoint", Way::Replace),
    ("services.*.env_file", Way::Sequence),
    ("services.*.label_file", Way::Sequence),
    ("services.*.environment", Way::Sequence),
    ("services.*.extends", Way::Mapping("service")),
    ("services.*.extra_hosts", Way::Sequence),
    ("services.*.healthcheck.test", Way::Replace),
    ("services.*.labels", Way::Sequence),
    ("services.*.logging", Way::Logging),
    ("services.*.models", Way::Names),
    ("services.*.networks", Way::Names),
    ("services.*.sysctls", Way::Sequence),
    ("services.*.tmpfs", Way::Sequence),
    ("services.*.ulimits.*", Way::Limit),
    ("services.*.build.ulimits.*", Way::Limit),
];

/// Puts `over` over `base`, both at the path.
pub(crate) fn merge(
    base: Item,
    over: Item,
    path: &mut Vec<String>,
    findings: &mut Findings,
) -> Item {
    match over.tag {
        Tag::Reset => return Item { data: Data::Null, tag: Tag::Reset, ..over },
        Tag::Override => return replace(base, over),
        Tag::None => {}
    }
    if over.data == Data::Null {
        return base;
    }
    if base.data == Data::Null {
        return over;
    }
    let way = WAYS.iter().find(|(pattern, _)| matches_path(pattern, path)).map(|(_, way)| *way);
    match way {
        Some(way) => merge_in(way, base, over, path, findings),
        None => merge_plainly(base, over, path, findings),
    }
}

fn merge_in(
    way: Way,
    base: Item,
    over: Item,
    path: &mut Vec<String>,
    findings: &mut Findings,
) -> Item {
    match way {
        Way::Replace => replace(base, over),
        Way::Sequence => merge_plainly(sequence(base), sequence(over), path, findings),
        Way::Mapping(key) => merge_plainly(keyed(base, key), keyed(over, key), path, findings),
        Way::Names => merge_plainly(named(base, false), named(over, false), path, findings),
        Way::Dependencies => merge_plainly(named(base, true), named(over, true), path, findings),
        Way::Logging => {
            let driver = |item: &Item| item.get("driver").map(Item::plain);
            let (first, second) = (driver(&base), driver(&over));
            if first.is_none() || second.is_none() || first == second {
                merge_plainly(base, over, path, findings)
            } else {
                replace(base, over)
            }
        }
        Way::Limit => match (&base.data, &over.data) {
            (Data::Map(_), Data::Map(_)) => merge_plainly(base, over, path, findings),
            _ => replace(base, over),
        },
        Way::Subnets => merge_subnets(base, over, path, findings),
    }
}

fn merge_plainly(base: Item, over: Item, path: &mut Vec<String>, findings: &mut Findings) -> Item {
    let (span, replaced) = (over.span, base.replaced);
    match (base.data, over.data) {
        (Data::Map(mut map), Data::Map(other)) => {
            for (key, entry) in other {
                merge_entry(&mut map, key, entry, path, findings);
            }
            Item { data: Data::Map(map), span, replaced, tag: Tag::None }
        }
        (Data::List(mut items), Data::List(mut others)) => {
            items.append(&mut others);
            Item { data: Data::List(items), span, replaced, tag: Tag::None }
        }
        (base_data @ (Data::Map(_) | Data::List(_)), over_data) => {
            let base = Item { data: base_data, span: base.span, replaced, tag: Tag::None };
            let over = Item { data: over_data, span, replaced: None, tag: Tag::None };
            let path = path.join(".");
            let message = format!(
                "`{path}` is {} here and {} in what it overrides",
                over.kind_name(),
                base.kind_name()
            );
            let finding = Diagnostic::error(CANNOT_MERGE, span, message);
            let finding =
                finding.help("write both in one form, or put `!override` before the later one");
            findings.push(finding.label(base.span, "this cannot be merged with it"));
            base
        }
        (data, over_data) => {
            let base = Item { data, span: base.span, replaced, tag: Tag::None };
            replace(base, Item { data: over_data, span, replaced: None, tag: Tag::None })
        }
    }
}

fn merge_entry(
    map: &mut Map,
    key: String,
    entry: Entry,
    path: &mut Vec<String>,
    findings: &mut Findings,
) {
    let Some(old) = map.remove(&key) else {
        map.insert(key, entry);
        return;
    };
    if key.starts_with("x-") {
        map.insert(key, entry);
        return;
    }
    path.push(key.clone());
    let item = merge(old.item, entry.item, path, findings);
    path.pop();
    map.insert(key, Entry { key: entry.key, item });
}

fn replace(base: Item, over: Item) -> Item {
    Item { replaced: Some(base.span), tag: Tag::None, ..over }
}

/// A text or a mapping as a list of texts: `KEY=value`, or `KEY` for null.
fn sequence(item: Item) -> Item {
    let span = item.span;
    let data = match item.data {
        Data::Map(map) => {
            let texts = map.into_iter().flat_map(|(key, entry)| pairs(&key, &entry));
            Data::List(texts.collect())
        }
        list @ Data::List(_) => list,
        scalar => Data::List(vec![Item::new(scalar, span)]),
    };
    Item { data, ..item }
}

/// One entry of a mapping as texts; an entry with a list gives one for each item.
fn pairs(key: &str, entry: &Entry) -> Vec<Item> {
    let pair = |item: &Item| match item.data {
        Data::Null => Item::text(key, entry.key),
        _ => Item::text(format!("{key}={}", item.plain()), item.span),
    };
    match &entry.item.data {
        Data::List(items) => items.iter().map(pair).collect(),
        _ => vec![pair(&entry.item)],
    }
}

/// A text as a mapping with one key.
fn keyed(item: Item, key: &str) -> Item {
    if !matches!(item.data, Data::Str(_)) {
        return item;
    }
    let mut whole = Item::empty_map(item.span);
    if let Some(map) = whole.map_mut() {
        map.insert(key.to_owned(), Entry { key: item.span, item });
    }
    whole
}

/// A list of names as a mapping, as `depends_on` or with empty values.
pub(crate) fn named(item: Item, is_dependency: bool) -> Item {
    let Data::List(items) = item.data else { return item };
    let mut map = Map::new();
    for name in items {
        let span = name.span;
        let value = if is_dependency {
            keyed(Item::text("service_started", span), "condition")
        } else {
            Item::new(Data::Null, span)
        };
        map.insert(name.plain(), Entry { key: span, item: value });
    }
    Item { data: Data::Map(map), ..item }
}

fn merge_subnets(base: Item, over: Item, path: &mut Vec<String>, findings: &mut Findings) -> Item {
    let (Data::List(mut items), Data::List(others)) = (base.data.clone(), over.data.clone()) else {
        return merge_plainly(base, over, path, findings);
    };
    for other in others {
        let subnet = other.get("subnet").map(Item::plain);
        let same = |item: &Item| subnet.is_some() && item.get("subnet").map(Item::plain) == subnet;
        match items.iter().position(same) {
            Some(at) => {
                let old = items.remove(at);
                items.insert(at, merge_plainly(old, other, path, findings));
            }
            None => items.push(other),
        }
    }
    Item { data: Data::List(items), ..over }
}

/// Takes out what `!reset` leaves behind.
pub(crate) fn drop_resets(item: &mut Item) {
    match &mut item.data {
        Data::Map(map) => {
            map.retain(|_, entry| entry.item.tag != Tag::Reset);
            for entry in map.values_mut() {
                drop_resets(&mut entry.item);
            }
        }
        Data::List(items) => {
            items.retain(|item| item.tag != Tag::Reset);
            items.iter_mut().for_each(drop_resets);
        }
        _ => {}
    }
    item.tag = Tag::None;
}
