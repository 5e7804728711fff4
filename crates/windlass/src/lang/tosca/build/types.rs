//! Types of every kind.

use super::super::grammar;
use super::super::load::{Text, declared};
use super::super::model::{
    CapabilityDefinition, FileId, Interface, RequirementDefinition, Schema, Type, TypeKind, Types,
};
use super::super::value::{Name, Value};
use super::{Build, range, value};
use crate::diagnostic::Diagnostic;
use crate::tree::{Entry, Node};

/// Builds the types of all files, in the order in which they got their ids.
pub(crate) fn types(texts: &[Text], findings: &mut Vec<Diagnostic>) -> Types {
    let mut types = Types::default();
    for (at, text) in texts.iter().enumerate() {
        let shared = texts.first().map(|first| &first.file.names);
        let file = FileId(at as u32);
        let mut build = Build { text, file, shared, findings: &mut *findings };
        for (kind, entry) in declared(text.tree.root()) {
            types.all.push(build.one_type(kind, entry));
        }
    }
    types
}

/// Keys that list types, and the kind that each lists.
const VALID: &[(&str, TypeKind)] = &[
    ("valid_source_node_types", TypeKind::Node),
    ("valid_target_node_types", TypeKind::Node),
    ("valid_relationship_types", TypeKind::Relationship),
    ("valid_capability_types", TypeKind::Capability),
];

impl Build<'_> {
    fn one_type(&mut self, kind: TypeKind, entry: Entry<'_>) -> Type {
        let node = entry.value;
        let parent = node.get("derived_from").and_then(|node| self.type_ref(kind, node));
        let mut of = Type {
            kind,
            name: Name::of(entry.key),
            file: self.file,
            span: entry.key.span(),
            parent,
            properties: self.schemas(node.get("properties")),
            attributes: self.schemas(node.get("attributes")),
            capabilities: self.fields(node.get("capabilities"), Self::capability),
            requirements: self.fields(node.get("requirements"), Self::requirement),
            interfaces: self.interfaces(node.get("interfaces"), true),
            artifacts: self
                .fields(node.get("artifacts"), |build, entry| build.artifact(entry.value)),
            operations: super::Fields::default(),
            notifications: super::Fields::default(),
            inputs: super::Fields::default(),
            valid: super::Fields::default(),
            schema: Schema::default(),
            body: Value::of(node),
        };
        self.valid_types(node, &mut of);
        match kind {
            TypeKind::Interface => {
                let Interface { inputs, operations, notifications, .. } =
                    self.interface(node, false, true);
                (of.inputs, of.operations) = (inputs, operations);
                of.notifications = notifications;
            }
            TypeKind::Data => {
                of.schema = self.constrained(node);
                // The type of a data type is what it derives from.
                of.schema.of.clone_from(&of.parent);
            }
            _ => {}
        }
        of
    }

    fn valid_types(&mut self, node: Node<'_>, of: &mut Type) {
        for (key, kind) in VALID {
            let Some(entry) = node.get_entry(key) else { continue };
            let types = self.type_refs(*kind, Some(entry.value));
            of.valid.push(Name::of(entry.key), types);
        }
        let old = match of.kind {
            TypeKind::Capability => [("valid_source_types", TypeKind::Node)].as_slice(),
            TypeKind::Relationship => &[
                ("valid_target_types", TypeKind::Capability),
                ("valid_source_types", TypeKind::Node),
            ],
            TypeKind::Group => &[("members", TypeKind::Node)],
            _ => &[],
        };
        for (key, kind) in old {
            let Some(entry) = node.get_entry(key) else { continue };
            // Targets of relationships are capabilities by the text and often nodes in files.
            let mut types = Vec::new();
            for item in entry.value.items() {
                let other = self.quiet_ref(TypeKind::Node, item).filter(|of| of.id.is_some());
                types.extend(other.or_else(|| self.type_ref(*kind, item)));
            }
            of.valid.push(Name::of(entry.key), types);
        }
        if of.kind == TypeKind::Policy {
            let Some(entry) = node.get_entry("targets") else { return };
            let mut types = Vec::new();
            for item in entry.value.items() {
                let group = self.quiet_ref(TypeKind::Group, item).filter(|of| of.id.is_some());
                types.extend(group.or_else(|| self.type_ref(TypeKind::Node, item)));
            }
            of.valid.push(Name::of(entry.key), types);
        }
    }

    /// Definitions of properties or attributes.
    pub(super) fn schemas(&mut self, node: Option<Node<'_>>) -> super::Fields<Schema> {
        self.fields(node, |build, entry| {
            let mut schema = build.property(entry.value);
            schema.span = Some(entry.key.span());
            schema
        })
    }

    /// One definition; a word alone is the name of a type.
    pub(super) fn schema(&mut self, node: Node<'_>) -> Schema {
        let mut schema = self.constrained(node);
        let of = if node.is_mapping() { node.get("type") } else { Some(node) };
        schema.of = of.and_then(|of| self.type_ref(TypeKind::Data, of));
        schema
    }

    /// A property; a value in its place refines the property to it.
    fn property(&mut self, node: Node<'_>) -> Schema {
        if !grammar::data::PROPERTY.is_value(node) || node.is_mapping() && self.version().is_2() {
            return self.schema(node);
        }
        Schema { value: value(Some(node)), span: Some(node.span()), ..Schema::default() }
    }

    fn constrained(&mut self, node: Node<'_>) -> Schema {
        let inner = |build: &mut Self, key: &str| {
            let node = node.get(key).filter(|node| !node.is_null())?;
            Some(Box::new(build.schema(node)))
        };
        Schema {
            of: None,
            required: node.get("required").and_then(Node::as_bool),
            default: value(node.get("default")),
            value: value(node.get("value")),
            constraints: value(node.get("constraints").or_else(|| node.get("validation"))),
            entry: inner(self, "entry_schema"),
            key: inner(self, "key_schema"),
            span: Some(node.span()),
        }
    }

    fn capability(&mut self, entry: Entry<'_>) -> CapabilityDefinition {
        let node = entry.value;
        let of = if node.is_mapping() { node.get("type") } else { Some(node) };
        let valid = node.get("valid_source_types").or(node.get("valid_source_node_types"));
        CapabilityDefinition {
            of: of.and_then(|of| self.type_ref(TypeKind::Capability, of)),
            properties: self.schemas(node.get("properties")),
            attributes: self.schemas(node.get("attributes")),
            valid_source_types: valid.map(|node| self.type_refs(TypeKind::Node, Some(node))),
            occurrences: range(node.get("occurrences")),
            span: entry.key.span(),
        }
    }

    fn requirement(&mut self, entry: Entry<'_>) -> RequirementDefinition {
        let node = entry.value;
        let capability = if node.is_mapping() { node.get("capability") } else { Some(node) };
        let relationship = node.get("relationship");
        let kind = relationship.map(|node| node.get("type").unwrap_or(node));
        let interfaces = relationship.and_then(|node| node.get("interfaces"));
        RequirementDefinition {
            capability: capability.and_then(|node| self.capability_or_type(node)),
            node: node.get("node").and_then(|node| self.other_end(node)),
            relationship: kind.and_then(|node| self.type_ref(TypeKind::Relationship, node)),
            interfaces: self.interfaces(interfaces, true),
            node_filter: value(node.get("node_filter")),
            count: range(node.get("occurrences").or_else(|| node.get("count_range"))),
            span: entry.key.span(),
        }
    }

    /// A capability type, or from 1.3 the name of a capability of the target.
    fn capability_or_type(&mut self, node: Node<'_>) -> Option<super::TypeRef> {
        // Some files name a node type here; the check of requirements understands that.
        let node_type = self.quiet_ref(TypeKind::Node, node).filter(|of| of.id.is_some());
        let own = self.quiet_ref(TypeKind::Capability, node)?;
        if own.id.is_some() || node_type.is_some() || self.version() >= super::Version::V1_3 {
            return Some(own);
        }
        self.type_ref(TypeKind::Capability, node)
    }
}
