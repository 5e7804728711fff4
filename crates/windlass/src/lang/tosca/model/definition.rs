//! Types of every kind and what they declare: properties, capabilities, requirements, interfaces.

use super::super::value::{Name, Value};
use super::{Fields, FileId};
use crate::source::Span;

/// The kinds of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeKind {
    /// Artifact types.
    Artifact,
    /// Data types.
    Data,
    /// Capability types.
    Capability,
    /// Interface types.
    Interface,
    /// Relationship types.
    Relationship,
    /// Node types.
    Node,
    /// Group types.
    Group,
    /// Policy types.
    Policy,
}

impl TypeKind {
    /// Every kind, in the order in which files list them.
    pub const ALL: &[TypeKind] = &[
        TypeKind::Artifact,
        TypeKind::Data,
        TypeKind::Capability,
        TypeKind::Interface,
        TypeKind::Relationship,
        TypeKind::Node,
        TypeKind::Group,
        TypeKind::Policy,
    ];

    /// The word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            TypeKind::Artifact => "artifact type",
            TypeKind::Data => "data type",
            TypeKind::Capability => "capability type",
            TypeKind::Interface => "interface type",
            TypeKind::Relationship => "relationship type",
            TypeKind::Node => "node type",
            TypeKind::Group => "group type",
            TypeKind::Policy => "policy type",
        }
    }

    /// The key of a file under which types of this kind stand.
    pub fn section(self) -> &'static str {
        match self {
            TypeKind::Artifact => "artifact_types",
            TypeKind::Data => "data_types",
            TypeKind::Capability => "capability_types",
            TypeKind::Interface => "interface_types",
            TypeKind::Relationship => "relationship_types",
            TypeKind::Node => "node_types",
            TypeKind::Group => "group_types",
            TypeKind::Policy => "policy_types",
        }
    }
}

/// A type of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// A type as it is named somewhere.
#[derive(Debug, Clone)]
pub struct TypeRef {
    /// How it is written.
    pub name: Name,
    /// The type that is meant; none when there is none, or when it is a built-in data type.
    pub id: Option<TypeId>,
}

/// One type. What its kind does not have is empty.
#[derive(Debug, Clone)]
pub struct Type {
    /// Its kind.
    pub kind: TypeKind,
    /// Its name, as its own file writes it.
    pub name: Name,
    /// The file that declares it.
    pub file: FileId,
    /// Name and body.
    pub span: Span,
    /// What it derives from.
    pub parent: Option<TypeRef>,
    /// What it declares or refines.
    pub properties: Fields<Schema>,
    /// Attributes.
    pub attributes: Fields<Schema>,
    /// Capabilities of node types.
    pub capabilities: Fields<CapabilityDefinition>,
    /// Requirements of node types.
    pub requirements: Fields<RequirementDefinition>,
    /// Interfaces of node, relationship and group types.
    pub interfaces: Fields<Interface>,
    /// Artifacts of node types.
    pub artifacts: Fields<Artifact>,
    /// Operations of interface types.
    pub operations: Fields<Operation>,
    /// Notifications of interface types.
    pub notifications: Fields<Operation>,
    /// Inputs of interface types.
    pub inputs: Fields<Parameter>,
    /// Lists of valid types and members, by keyname.
    pub valid: Fields<Vec<TypeRef>>,
    /// For data types: what their values must be when they are no structures.
    pub schema: Schema,
    /// The body as it is written, for what the fields above do not hold (units, triggers).
    pub body: Value,
}

/// What a value must be: the definition of a property, an attribute, a parameter, an entry.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// The data type; none when a refinement or a parameter mapping leaves it out.
    pub of: Option<TypeRef>,
    /// Whether a value must be given, when the definition says.
    pub required: Option<bool>,
    /// The value when none is given.
    pub default: Option<Value>,
    /// A fixed value (from 1.3).
    pub value: Option<Value>,
    /// Constraints (before 2.0: a list; from 2.0: one validation clause).
    pub constraints: Option<Value>,
    /// What the entries of a list or map must be.
    pub entry: Option<Box<Schema>>,
    /// What the keys of a map must be.
    pub key: Option<Box<Schema>>,
    /// Where the definition stands.
    pub span: Option<Span>,
}

/// The definition of a capability in a node type.
#[derive(Debug, Clone)]
pub struct CapabilityDefinition {
    /// Its type.
    pub of: Option<TypeRef>,
    /// Refined properties.
    pub properties: Fields<Schema>,
    /// Refined attributes.
    pub attributes: Fields<Schema>,
    /// Node types that may require it.
    pub valid_source_types: Option<Vec<TypeRef>>,
    /// How many relationships it can bear (before 2.0).
    pub occurrences: Option<Range>,
    /// Where it is defined.
    pub span: Span,
}

/// The definition of a requirement in a node type.
#[derive(Debug, Clone)]
pub struct RequirementDefinition {
    /// The capability type, or (from 1.3) the name of a capability of the target.
    pub capability: Option<TypeRef>,
    /// The type of the target.
    pub node: Option<TypeRef>,
    /// The relationship type.
    pub relationship: Option<TypeRef>,
    /// Interfaces that the relationship refines.
    pub interfaces: Fields<Interface>,
    /// What a target must satisfy.
    pub node_filter: Option<Value>,
    /// How many targets it must and may have (`occurrences`, from 2.0 `count_range`).
    pub count: Option<Range>,
    /// Where it is defined.
    pub span: Span,
}

/// A lower and an upper bound; no upper bound is `UNBOUNDED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// At least.
    pub lower: u64,
    /// At most.
    pub upper: Option<u64>,
    /// Where it is written.
    pub span: Span,
}

impl Range {
    /// Whether nothing lies between the bounds.
    pub fn is_empty(&self) -> bool {
        self.upper.is_some_and(|upper| upper < self.lower)
    }
}

/// An interface: its definition in a type or its assignment in a template.
#[derive(Debug, Clone)]
pub struct Interface {
    /// Its type, when it is named.
    pub of: Option<TypeRef>,
    /// Inputs of all its operations.
    pub inputs: Fields<Parameter>,
    /// Operations, whether the file writes `operations:` above them or not.
    pub operations: Fields<Operation>,
    /// Notifications.
    pub notifications: Fields<Operation>,
    /// Where it is written.
    pub span: Span,
}

/// An operation or a notification.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Inputs: definitions in types, values in templates.
    pub inputs: Fields<Parameter>,
    /// Outputs: where values go (attribute mappings).
    pub outputs: Fields<Value>,
    /// What carries it out.
    pub implementation: Option<Implementation>,
    /// Where it is written.
    pub span: Span,
}

/// What carries an operation out.
#[derive(Debug, Clone)]
pub struct Implementation {
    /// The file or the name of an artifact.
    pub primary: Option<Artifact>,
    /// Further files or artifacts.
    pub dependencies: Vec<Artifact>,
    /// On which node it runs (before 2.0): `SELF`, `HOST`, `SOURCE`, `TARGET`, `ORCHESTRATOR`.
    pub host: Option<Name>,
    /// After how many seconds it is given up.
    pub timeout: Option<Value>,
    /// Where it is written.
    pub span: Span,
}

/// An artifact: a file, or in an implementation also the name of one.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// Its type, when it is named.
    pub of: Option<TypeRef>,
    /// The file.
    pub file: Option<Name>,
    /// The repository in which the file is.
    pub repository: Option<Name>,
    /// Where it belongs on its host.
    pub deploy_path: Option<Name>,
    /// Values of its properties.
    pub properties: Fields<Value>,
    /// Where it is written.
    pub span: Span,
}

/// An input or output: a definition, a value, or both.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The definition; for a plain value without a type it is empty.
    pub schema: Schema,
    /// The value.
    pub value: Option<Value>,
    /// Whether its definition has a key that means nothing; it may be the value.
    pub has_unknown_key: bool,
    /// Where it is written.
    pub span: Span,
}

impl Parameter {
    /// Whether its value was given beside the file, in place of a default.
    pub fn is_given(&self) -> bool {
        let default = self.schema.default.as_ref();
        default.is_some_and(|value| value.span.source != self.span.source)
    }
}

/// Types of every kind.
#[derive(Debug, Clone, Default)]
pub struct Types {
    pub(crate) all: Vec<Type>,
}

/// A chain of derivation longer than this is cut; what lies behind is reported by the check of
/// derivation.
const LONGEST_CHAIN: usize = 100_000;

impl Types {
    /// The type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id.0 as usize]
    }

    /// Every type.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.all.iter().enumerate().map(|(at, of)| (TypeId(at as u32), of))
    }

    /// The type and what it derives from, nearest first. A cycle ends where it would repeat.
    pub fn chain(&self, id: TypeId) -> impl Iterator<Item = (TypeId, &Type)> {
        let mut steps = 0;
        std::iter::successors(Some(id), move |at| {
            steps += 1;
            let next = self.get(*at).parent.as_ref()?.id?;
            (next != id && steps < LONGEST_CHAIN.min(self.all.len())).then_some(next)
        })
        .map(|id| (id, self.get(id)))
    }

    /// Whether a type is another one or derives from it.
    pub fn derives(&self, id: TypeId, from: TypeId) -> bool {
        self.chain(id).any(|(at, _)| at == from)
    }

    /// Whether a type or something it derives from has this name.
    pub fn derives_from_name(&self, id: TypeId, name: &str) -> bool {
        self.chain(id).any(|(_, of)| of.name.text == name)
    }
}
