//! Keys of mappings: duplicates, merge keys, and the order in which they are looked up.
//!
//! Keys are compared by value: `a` and `"a"` are the same key, and so are `1` and `0x1`. No hash
//! table is used, so no choice of keys makes a mapping slow.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::build::Builder;
use super::{NodeId, Scalar, Shape, Style, Tree};
use crate::diagnostic::Diagnostic;

/// Mappings up to this size are searched from front to back.
pub(super) const SMALL: usize = 8;

/// Nodes of one list or mapping used as a key that are compared; the rest counts as equal.
const KEY_NODES: usize = 1000;

/// The positions of the entries of a large mapping, sorted by the text of their keys; empty for
/// a small one, which needs none.
pub(super) fn order(tree: &Tree, entries: &[NodeId]) -> Vec<u32> {
    let count = entries.len() / 2;
    if count <= SMALL {
        return Vec::new();
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_key(|at| (key_text(tree, entries[*at as usize * 2]), *at));
    order
}

/// The position of the first entry with this key, of `entries` followed by their [`order`].
pub(super) fn find(tree: &Tree, children: &[NodeId], count: usize, key: &str) -> Option<usize> {
    let (entries, order) = children.split_at(count * 2);
    if count <= SMALL {
        return (0..count).find(|at| key_text(tree, entries[at * 2]) == Some(key));
    }
    let at = order.partition_point(|at| key_text(tree, entries[at.0 as usize * 2]) < Some(key));
    let at = order.get(at)?.0 as usize;
    (key_text(tree, entries[at * 2]) == Some(key)).then_some(at)
}

fn key_text(tree: &Tree, key: NodeId) -> Option<&str> {
    tree.scalar_text(tree.data(tree.resolve(key)))
}

/// The entries with merge keys replaced by what they merge; `None` when there is nothing to
/// merge. Keys given explicitly win, then those of the mapping that is merged first.
pub(super) fn resolve_merges(builder: &mut Builder<'_>, raw: &[NodeId]) -> Option<Vec<NodeId>> {
    let tree = &builder.tree;
    let keys = raw.iter().step_by(2);
    if !builder.options.merge_keys || !keys.clone().any(|key| is_merge_key(tree, *key)) {
        return None;
    }
    let mut result = Vec::with_capacity(raw.len());
    let mut problems = Vec::new();
    let mut given: BTreeSet<Cow<'_, str>> =
        keys.filter(|key| !is_merge_key(tree, **key)).map(|key| key_value(tree, *key)).collect();
    for pair in raw.chunks_exact(2) {
        if !is_merge_key(tree, pair[0]) {
            result.extend_from_slice(pair);
            continue;
        }
        for mapping in merged_mappings(tree, pair[1], &mut problems) {
            for entry in mapping.chunks_exact(2) {
                if given.insert(key_value(tree, entry[0])) {
                    result.extend_from_slice(entry);
                }
            }
        }
    }
    // A merge key at which the document broke off has no value that could be wrong.
    if !builder.abandoned {
        for problem in problems {
            builder.report(problem);
        }
    }
    Some(result)
}

fn is_merge_key(tree: &Tree, key: NodeId) -> bool {
    let data = tree.data(key);
    data.shape == Shape::ScalarInText(Style::Plain) && tree.scalar_text(data) == Some("<<")
}

/// The entries of each mapping that the value of a merge key names.
fn merged_mappings<'t>(
    tree: &'t Tree,
    value: NodeId,
    problems: &mut Vec<Diagnostic>,
) -> Vec<&'t [NodeId]> {
    let meant = tree.data(tree.resolve(value));
    let candidates: &[NodeId] = match meant.shape {
        Shape::List => &tree.children[meant.a as usize..(meant.a + meant.b) as usize],
        _ => std::slice::from_ref(&value),
    };
    let mut mappings = Vec::new();
    for candidate in candidates {
        let data = tree.data(tree.resolve(*candidate));
        if data.shape == Shape::Mapping {
            mappings.push(&tree.children[data.a as usize..(data.a + data.b * 2) as usize]);
        } else {
            // An alias that means nothing is null written with text; it was reported already.
            let place = tree.data(*candidate);
            let is_plain = place.shape == Shape::ScalarInPool(Style::Plain);
            if is_plain && place.a == place.b && place.start < place.end {
                continue;
            }
            // What is wrong with a list that stands elsewhere is that it is merged here.
            let through_alias = tree.resolve(value) != value;
            let wrong = if through_alias { value } else { *candidate };
            let kind = tree.node(wrong).kind_name();
            let message = format!("`<<` merges mappings, but this is {kind}");
            let place = tree.data(wrong);
            let span = tree.span(place.start, place.end);
            problems.push(
                Diagnostic::error("YAML007", span, message)
                    .help("give it an alias of a mapping, or a list of such aliases"),
            );
            if through_alias {
                break;
            }
        }
    }
    mappings
}

/// Reports every key that was given before in the same mapping.
pub(super) fn report_duplicates(builder: &mut Builder<'_>, entries: &[NodeId]) {
    let tree = &builder.tree;
    let count = entries.len() / 2;
    let key = |at: usize| entries[at * 2];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    if count <= SMALL {
        for later in 1..count {
            if let Some(first) = (0..later).find(|first| same_key(tree, key(*first), key(later))) {
                pairs.push((first, later));
            }
        }
    } else {
        let mut sorted: Vec<(Cow<'_, str>, usize)> =
            (0..count).map(|at| (key_value(tree, key(at)), at)).collect();
        sorted.sort();
        let mut first = 0;
        for at in 1..count {
            if sorted[at].0 == sorted[first].0 {
                pairs.push((sorted[first].1, sorted[at].1));
            } else {
                first = at;
            }
        }
        pairs.sort_by_key(|(_, later)| *later);
    }
    for (first, later) in pairs {
        if !builder.has_room() {
            builder.left_out += 1;
            continue;
        }
        let later = builder.tree.node(key(later));
        let message = match later.as_str() {
            Some(name) => format!("duplicate key `{name}`"),
            None => "duplicate key: a list or mapping given before".to_owned(),
        };
        let finding = Diagnostic::error(super::DUPLICATE_KEY, later.span(), message)
            .label(builder.tree.node(key(first)).span(), "first given here")
            .help("keep one of the two, or give one another name");
        builder.report(finding);
    }
}

fn same_key(tree: &Tree, a: NodeId, b: NodeId) -> bool {
    match (plain_word(tree, a), plain_word(tree, b)) {
        (Some(a), Some(b)) => a == b,
        _ => key_value(tree, a) == key_value(tree, b),
    }
}

/// The text of a key that can only be text: the usual case, decided by its first letter.
fn plain_word(tree: &Tree, key: NodeId) -> Option<&str> {
    let text = key_text(tree, key)?;
    match text.bytes().next()? {
        b'0'..=b'9' | b'+' | b'-' | b'.' | b'~' => None,
        b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O' if text.len() <= 5 => {
            None
        }
        _ => Some(text),
    }
}

/// A text that is equal for equal keys.
fn key_value(tree: &Tree, key: NodeId) -> Cow<'_, str> {
    if let Some(text) = plain_word(tree, key) {
        return Cow::Borrowed(text);
    }
    match tree.node(key).scalar_type() {
        Some(Scalar::Str(text) | Scalar::BigInt(text)) => Cow::Borrowed(text),
        Some(Scalar::Null) => Cow::Borrowed("null"),
        Some(Scalar::Bool(value)) => Cow::Borrowed(if value { "true" } else { "false" }),
        Some(Scalar::Int(value)) => Cow::Owned(value.to_string()),
        Some(Scalar::Float(value)) => Cow::Owned(value.to_string()),
        None => Cow::Owned(structure(tree, key)),
    }
}

/// A list or mapping as text, in the order in which it is written.
fn structure(tree: &Tree, root: NodeId) -> String {
    let mut text = String::from("\0");
    let mut work = vec![root];
    let mut budget = KEY_NODES;
    while let Some(id) = work.pop() {
        if budget == 0 {
            break;
        }
        budget -= 1;
        let data = tree.data(tree.resolve(id));
        let width = match data.shape {
            Shape::List => data.b,
            Shape::Mapping => data.b * 2,
            _ => {
                let scalar = key_value(tree, id);
                // Writing to a string cannot fail.
                let _ = write!(text, "s{}:{scalar}", scalar.len());
                continue;
            }
        };
        let _ = write!(text, "{}{}:", if data.shape == Shape::List { 'l' } else { 'm' }, data.b);
        let children = &tree.children[data.a as usize..(data.a + width) as usize];
        work.extend(children.iter().rev());
    }
    text
}
