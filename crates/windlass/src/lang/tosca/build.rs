//! From trees to the model: every entity becomes its struct, every name of a type is resolved.
//!
//! Shapes were compared with the grammar before; what has a wrong shape is skipped here in silence.
//! One file per group of entities: `types`, `behavior`, `service`.

mod behavior;
mod service;
mod types;

pub(super) use service::service;
pub(super) use types::types;

use super::codes;
use super::load::Text;
use super::model::{Fields, FileId, Range, TypeId, TypeKind, TypeRef};
use super::quirks;
use super::switches;
use super::value::{Name, Value};
use super::version::Version;
use crate::diagnostic::{Diagnostic, Severity};
use crate::spelling;
use crate::tree::{Entry, Node};
use std::collections::BTreeMap;

/// The data types that need no declaration, with the first and last version that has them.
const BUILT_IN: &[(&str, Version, Version)] = &[
    ("string", Version::V1_0, Version::V2_0),
    ("integer", Version::V1_0, Version::V2_0),
    ("float", Version::V1_0, Version::V2_0),
    ("boolean", Version::V1_0, Version::V2_0),
    ("timestamp", Version::V1_0, Version::V2_0),
    ("null", Version::V1_0, Version::V1_3),
    ("nil", Version::V2_0, Version::V2_0),
    ("bytes", Version::V2_0, Version::V2_0),
    ("version", Version::V1_0, Version::V2_0),
    ("range", Version::V1_0, Version::V1_3),
    ("list", Version::V1_0, Version::V2_0),
    ("map", Version::V1_0, Version::V2_0),
    ("scalar", Version::V2_0, Version::V2_0),
    ("scalar-unit.size", Version::V1_0, Version::V2_0),
    ("scalar-unit.time", Version::V1_0, Version::V2_0),
    ("scalar-unit.frequency", Version::V1_0, Version::V2_0),
    ("scalar-unit.bitrate", Version::V1_0, Version::V2_0),
    ("scalar-unit", Version::V1_0, Version::V2_0),
];

/// Whether a data type needs no declaration.
pub(crate) fn is_built_in(name: &str, version: Version) -> bool {
    let known = |(known, since, until): &&(&str, Version, Version)| {
        *known == name && (*since..=*until).contains(&version)
    };
    BUILT_IN.iter().any(|entry| known(&entry))
}

/// Builds the entities of one file.
pub(super) struct Build<'a> {
    pub(super) text: &'a Text,
    pub(super) file: FileId,
    /// The names that the file that was asked for sees.
    pub(super) shared: Option<&'a BTreeMap<(TypeKind, String), TypeId>>,
    pub(super) findings: &'a mut Vec<Diagnostic>,
}

impl Build<'_> {
    fn version(&self) -> Version {
        self.text.file.version
    }

    /// Whether a name may come from an import that could not be read.
    fn may_be_unread(&self, name: &str) -> bool {
        // The profiles for network functions do not come with the program.
        if [".nfv.", ".mec."].iter().any(|part| name.contains(part)) {
            return true;
        }
        match name.rsplit_once(':') {
            // Some processors have a namespace of their own with this name.
            Some(("tosca", _)) if self.version().is_2() => true,
            Some((prefix, _)) => {
                self.text.unread.contains(prefix)
                    || self.text.unread.iter().any(|known| prefix.starts_with(known.as_str()))
            }
            None => self.text.is_open,
        }
    }

    /// A type as it is named; one that nothing declares is reported.
    fn type_ref(&mut self, kind: TypeKind, node: Node<'_>) -> Option<TypeRef> {
        let mut reference = self.quiet_ref(kind, node)?;
        if kind == TypeKind::Data && reference.id.is_none() {
            self.tag(&mut reference.name);
        }
        let name = &reference.name.text;
        let is_known = reference.id.is_some()
            || kind == TypeKind::Data && is_built_in(name, self.version())
            || self.text.file.path.is_none()
            || self.may_be_unread(name);
        if !is_known {
            let message = format!("there is no {} `{name}`", kind.as_str());
            let finding = Diagnostic::error(codes::UNKNOWN_TYPE, reference.name.span, message);
            let names = self.text.file.names.keys().filter(|(known, _)| *known == kind);
            let names = names.map(|(_, name)| name.as_str());
            let data = kind == TypeKind::Data;
            let built_in = BUILT_IN.iter().map(|(name, ..)| *name);
            let built_in = built_in.filter(|name| data && is_built_in(name, self.version()));
            let near = spelling::nearest(name, names.chain(built_in));
            let mut finding = match near {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding,
            };
            finding.quirk = self.quirk_of(kind, name);
            self.findings.push(finding);
        }
        Some(reference)
    }

    /// The quirk that tolerates an undeclared type.
    fn quirk_of(&self, kind: TypeKind, name: &str) -> Option<&'static str> {
        let is = |other: TypeKind| self.quiet_id(other, name).is_some();
        let is_old = kind == TypeKind::Data && is_built_in(name, Version::V1_3);
        if is_old && self.version().is_2() {
            Some(switches::TYPES_OF_1_3)
        } else if kind == TypeKind::Policy && switches::is_policy_of_tacker(name) {
            Some(switches::POLICIES_OF_TACKER)
        } else if kind == TypeKind::Capability
            && (is(TypeKind::Data) || name.starts_with("tosca.datatypes."))
        {
            Some(switches::DATA_TYPES_FOR_CAPABILITIES)
        } else if match kind {
            TypeKind::Node => TypeKind::ALL.iter().any(|other| is(*other)),
            _ => is(TypeKind::Node),
        } {
            Some(switches::TYPES_BELOW_NODE_TYPES)
        } else {
            None
        }
    }

    /// Takes the name of a tag of YAML for the data type that it means.
    fn tag(&mut self, name: &mut Name) {
        let Some(meant) =
            quirks::tagged(&name.text).filter(|_| quirks::are_tolerated(self.version()))
        else {
            return;
        };
        let message = format!("there is no data type `{}`, this is taken as `{meant}`", name.text);
        let finding = Diagnostic::warning(codes::UNKNOWN_TYPE, name.span, message);
        self.findings.push(finding.help(format!("write `{meant}`")));
        meant.clone_into(&mut name.text);
    }

    /// A type as it is named; one that nothing declares is doubtful only.
    fn doubtful_ref(&mut self, kind: TypeKind, node: Node<'_>) -> Option<TypeRef> {
        let before = self.findings.len();
        let reference = self.type_ref(kind, node);
        for finding in &mut self.findings[before..] {
            finding.severity = Severity::Warning;
        }
        reference
    }

    /// The type of the other end of a requirement. A file of types alone may leave it to a file
    /// that is imported beside it, because before 2.0 all files of a service share their names.
    fn other_end(&mut self, node: Node<'_>) -> Option<TypeRef> {
        let is_library = self.text.tree.root().get("topology_template").is_none();
        if is_library && self.file == FileId(0) && quirks::are_tolerated(self.version()) {
            return self.doubtful_ref(TypeKind::Node, node);
        }
        self.type_ref(TypeKind::Node, node)
    }

    /// A type as it is named, or something else.
    fn quiet_ref(&self, kind: TypeKind, node: Node<'_>) -> Option<TypeRef> {
        node.as_text()?;
        let name = Name::of(node);
        let id = self.quiet_id(kind, &name.text);
        Some(TypeRef { name, id })
    }

    fn quiet_id(&self, kind: TypeKind, name: &str) -> Option<TypeId> {
        let key = (kind, name.to_owned());
        let own = self.text.file.names.get(&key);
        // Before 2.0 all files share the names of the one that was asked for.
        let shared = || self.shared.filter(|_| !self.version().is_2())?.get(&key);
        own.or_else(shared).copied()
    }

    fn type_refs(&mut self, kind: TypeKind, node: Option<Node<'_>>) -> Vec<TypeRef> {
        let items = node.into_iter().flat_map(Node::items);
        items.filter_map(|item| self.type_ref(kind, item)).collect()
    }

    /// The entries of a mapping, or of a list of mappings with one entry each.
    fn named(node: Option<Node<'_>>) -> Vec<Entry<'_>> {
        let Some(node) = node else { return Vec::new() };
        let own = node.entries();
        // An item with more than one name was reported; the first is the likeliest.
        own.chain(node.items().filter_map(|item| item.entries().next())).collect()
    }

    fn fields<T>(
        &mut self,
        node: Option<Node<'_>>,
        mut of: impl FnMut(&mut Self, Entry<'_>) -> T,
    ) -> Fields<T> {
        let mut fields = Fields::default();
        for entry in Self::named(node) {
            let value = of(self, entry);
            fields.push(Name::of(entry.key), value);
        }
        fields
    }

    fn values(&mut self, node: Option<Node<'_>>) -> Fields<Value> {
        self.fields(node, |_, entry| Value::of(entry.value))
    }
}

/// The words of a list; a word alone is a list of one.
fn words(node: Option<Node<'_>>) -> Vec<Name> {
    let Some(node) = node else { return Vec::new() };
    if node.is_scalar() && !node.is_null() {
        return vec![Name::of(node)];
    }
    node.items().filter(|item| item.is_scalar()).map(Name::of).collect()
}

fn word(node: Option<Node<'_>>) -> Option<Name> {
    node.filter(|node| node.is_scalar() && !node.is_null()).map(Name::of)
}

fn value(node: Option<Node<'_>>) -> Option<Value> {
    node.map(Value::of)
}

fn range(node: Option<Node<'_>>) -> Option<Range> {
    let node = node?;
    let mut bounds = node.items();
    let (lower, upper) = match node.as_int() {
        Some(both) => (both, Some(both)),
        None => (bounds.next()?.as_int()?, bounds.next()?.as_int()),
    };
    let number = |bound: i128| u64::try_from(bound).unwrap_or(0);
    Some(Range { lower: number(lower), upper: upper.map(number), span: node.span() })
}
