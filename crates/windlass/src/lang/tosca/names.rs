//! Which type a name means in a file: its own, those that it imports under a prefix or none, and
//! before 2.0 the normative ones, which also have short names.

use super::codes;
use super::load::{Text, declared};
use super::model::{Substituting, TypeId, TypeKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Gives every declared type an id, in the order of files and declarations, and fills the names
/// that each file sees. Imported files come first, because their names are needed.
pub(super) fn assign(texts: &mut [Text], findings: &mut Vec<Diagnostic>) {
    let mut next = 0;
    let mut own: Vec<BTreeMap<(TypeKind, String), (TypeId, Span)>> = Vec::new();
    for text in texts.iter() {
        let mut names = BTreeMap::new();
        for (kind, entry) in declared(text.tree.root()) {
            names
                .entry((kind, entry.name().to_owned()))
                .or_insert((TypeId(next), entry.key.span()));
            next += 1;
        }
        own.push(names);
    }
    let mut done = vec![false; texts.len()];
    for at in 0..texts.len() {
        fill(at, texts, &own, &mut done, findings);
    }
    forget(texts, &own);
}

/// Types beside the profile are a guess: an import that could not be read may declare them.
fn forget(texts: &mut [Text], own: &[Own]) {
    let is_beside = |text: &Text| !text.stack.is_empty() && text.file.path.is_none();
    let mut guessed = BTreeSet::new();
    for (at, text) in texts.iter().enumerate() {
        if is_beside(text) && text.stack.last() != Some(&at) {
            guessed.extend(own[at].values().map(|(id, _)| *id));
        }
    }
    for text in texts.iter_mut().filter(|text| text.is_open) {
        text.file.names.retain(|_, id| !guessed.contains(id));
    }
}

/// The node types that imported service templates stand for.
pub(super) fn substituted(texts: &[Text]) -> BTreeMap<TypeId, Substituting> {
    let of = |text: &Text| {
        let root = text.tree.root();
        let service = root.get("topology_template").or(root.get("service_template"))?;
        let mapping =
            service.get("substitution_mappings").or(service.get("substitution_mapping"))?;
        let name = mapping.get("node_type")?;
        let id = text.file.names.get(&(TypeKind::Node, name.as_str()?.to_owned())).copied()?;
        let entries = service.get("inputs").into_iter().flat_map(Node::entries);
        let inputs = entries.map(|entry| entry.name().to_owned()).collect();
        let inputs = mapping.get("properties").is_none().then_some(inputs);
        Some((id, Substituting { inputs, span: name.span() }))
    };
    texts.iter().skip(1).filter_map(of).collect()
}

type Own = BTreeMap<(TypeKind, String), (TypeId, Span)>;

/// Fills the names of one file. Chains of imports are short: the loader limits them.
fn fill(
    at: usize,
    texts: &mut [Text],
    own: &[Own],
    done: &mut [bool],
    findings: &mut Vec<Diagnostic>,
) {
    if std::mem::replace(&mut done[at], true) {
        return;
    }
    let imports = texts[at].imports.clone();
    let stacked = texts[at].stack.iter().flat_map(|member| &own[*member]);
    let stacked: BTreeMap<_, _> =
        stacked.map(|((kind, name), (id, _))| ((*kind, name.clone()), *id)).collect();
    if !stacked.is_empty() {
        texts[at].file.names = stacked;
        return;
    }
    let mut names: BTreeMap<(TypeKind, String), TypeId> = BTreeMap::new();
    let mut normative = BTreeSet::new();
    for (from, prefix, span) in &imports {
        fill(*from, texts, own, done, findings);
        let is_normative = texts[*from].file.path.is_none();
        if is_normative {
            normative.extend(texts[*from].file.names.values().copied());
        }
        for ((kind, name), id) in texts[*from].file.names.clone() {
            if is_normative && prefix.is_none() && !texts[at].file.version.is_2() {
                let (exact, loose) = short_names(&name);
                for short in exact {
                    names.insert((kind, short), id);
                }
                for short in loose {
                    names.entry((kind, short)).or_insert(id);
                }
            }
            let name = match prefix {
                Some(prefix) => format!("{prefix}:{name}"),
                None => name,
            };
            // Every file sees the normative types; one that it replaces stays replaced.
            let known = names.get(&(kind, name.clone()));
            let is_replaced = known.is_some_and(|known| !normative.contains(known));
            if normative.contains(&id) && is_replaced && !texts[at].file.version.is_2() {
                continue;
            }
            add(&mut names, kind, name, id, *span, &texts[at], findings);
        }
        take_over(at, *from, prefix.as_deref(), texts, findings);
    }
    for ((kind, name), (id, span)) in &own[at] {
        let before = names.insert((*kind, name.clone()), *id);
        let is_clash = before.is_some() && texts[at].file.version.is_2();
        if is_clash {
            let message = format!("the {} `{name}` is imported already", kind.as_str());
            let finding = Diagnostic::warning(codes::DECLARED_TWICE, *span, message);
            findings.push(finding.help("the declaration of this file counts here"));
        }
    }
    texts[at].file.names = names;
}

/// Repositories, functions and unread namespaces of an imported file.
fn take_over(
    at: usize,
    from: usize,
    prefix: Option<&str>,
    texts: &mut [Text],
    findings: &mut Vec<Diagnostic>,
) {
    let (functions, is_open) = (texts[from].file.functions.clone(), texts[from].is_open);
    let unread = texts[from].unread.clone();
    let repositories = texts[from].file.repositories.clone();
    let text = &mut texts[at];
    for (name, place) in repositories {
        let Some(known) = text.file.repositories.get(&name) else { continue };
        if text.file.version.is_2() && known.span.source == text.file.source {
            let message = format!("`{name}` is a repository of an imported file too");
            let finding = Diagnostic::error(codes::DECLARED_TWICE, known.span, message);
            findings.push(finding.label(place.span, "declared here"));
        }
    }
    for (name, place) in functions {
        let name = prefix.map_or(name.clone(), |prefix| format!("{prefix}:{name}"));
        text.file.functions.entry(name).or_insert(place);
    }
    match prefix {
        Some(prefix) if is_open => {
            text.unread.insert(prefix.to_owned());
        }
        Some(prefix) => {
            text.unread.extend(unread.into_iter().map(|name| format!("{prefix}:{name}")));
        }
        None => {
            text.is_open |= is_open;
            text.unread.extend(unread);
        }
    }
}

/// Adds an imported name; two imports that give different types the same name clash.
fn add(
    names: &mut BTreeMap<(TypeKind, String), TypeId>,
    kind: TypeKind,
    name: String,
    id: TypeId,
    span: Span,
    text: &Text,
    findings: &mut Vec<Diagnostic>,
) {
    let clash = names.get(&(kind, name.clone())).is_some_and(|known| *known != id);
    if clash && text.file.version.is_2() {
        let message = format!("two imports have a {} `{name}`", kind.as_str());
        findings.push(Diagnostic::error(codes::DECLARED_TWICE, span, message));
    }
    names.insert((kind, name), id);
}

/// The short names of a normative type: `tosca.nodes.Storage.BlockStorage` is also
/// `Storage.BlockStorage`, `BlockStorage` and `tosca:BlockStorage`.
///
/// Those that leave out nothing but the kind come first and count more.
fn short_names(name: &str) -> (Vec<String>, Vec<String>) {
    let mut parts = name.splitn(3, '.');
    let (Some("tosca"), Some(_), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return (Vec::new(), Vec::new());
    };
    let last = rest.rsplit('.').next().unwrap_or(rest);
    let exact = vec![rest.to_owned(), format!("tosca:{rest}")];
    let mut loose = Vec::new();
    if last != rest && last != "Root" {
        loose.extend([last.to_owned(), format!("tosca:{last}")]);
    }
    (exact, loose)
}
