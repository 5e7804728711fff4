//! The service template: nodes, relationships, requirements, capabilities, substitution.

use super::behavior::{ARTIFACT, INTERFACE_ASSIGNMENT, WORKFLOW};
use super::data::PARAMETER;
use super::policy::{GROUP, POLICY};
use super::{DESCRIPTION, Entity, Key, METADATA, Others, Shape, Short};
use crate::lang::tosca::version::Version::{V1_2, V1_3, V2_0};

const PROPERTIES: Key = Key::new("properties", Shape::Mapping);
const ATTRIBUTES: Key = Key::new("attributes", Shape::Mapping);
const INTERFACES: Key = Key::new("interfaces", Shape::Map(&INTERFACE_ASSIGNMENT));

/// A service template.
pub(crate) static SERVICE: Entity = Entity {
    word: "service template",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("inputs", Shape::Map(&PARAMETER)),
        Key::new("node_templates", Shape::Map(&NODE_TEMPLATE)).until(V1_3),
        Key::new("node_templates", Shape::Map(&NODE_TEMPLATE)).since(V2_0).must(),
        Key::new("relationship_templates", Shape::Map(&RELATIONSHIP_TEMPLATE)),
        Key::new("groups", Shape::Map(&GROUP)),
        Key::new("policies", Shape::MapOrNamedList(&POLICY)),
        Key::new("outputs", Shape::Map(&PARAMETER)),
        Key::new("workflows", Shape::Map(&WORKFLOW)),
        Key::new("substitution_mappings", Shape::One(&SUBSTITUTION)),
        Key::new("substitution_mapping", Shape::One(&SUBSTITUTION)).until(V1_3),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A node template.
static NODE_TEMPLATE: Entity = Entity {
    word: "node template",
    keys: &[
        Key::new("type", Shape::Text).must(),
        DESCRIPTION,
        METADATA,
        Key::new("directives", Shape::TextList),
        PROPERTIES,
        ATTRIBUTES,
        Key::new("requirements", Shape::NamedList(&REQUIREMENT)),
        Key::new("capabilities", Shape::Map(&CAPABILITY)),
        INTERFACES,
        Key::new("artifacts", Shape::Map(&ARTIFACT)),
        Key::new("node_filter", Shape::One(&FILTER)).until(V1_3),
        Key::new("node_filter", Shape::Any).since(V2_0),
        Key::new("count", Shape::Count).since(V2_0),
        Key::new("copy", Shape::Text),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A relationship template.
static RELATIONSHIP_TEMPLATE: Entity = Entity {
    word: "relationship template",
    keys: &[
        Key::new("type", Shape::Text).must(),
        Key::new("alias", Shape::Text).until(V1_3),
        DESCRIPTION,
        METADATA,
        PROPERTIES,
        ATTRIBUTES,
        INTERFACES,
        Key::new("copy", Shape::Text),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A capability of a node template.
static CAPABILITY: Entity = Entity {
    word: "capability assignment",
    keys: &[
        PROPERTIES,
        ATTRIBUTES,
        DESCRIPTION,
        METADATA,
        Key::new("directives", Shape::TextList).since(V2_0),
        Key::new("occurrences", Shape::Range).until(V1_3),
        Key::new("type", Shape::Text).until(V1_3),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A requirement of a node template.
static REQUIREMENT: Entity = Entity {
    word: "requirement assignment",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("node", Shape::Any),
        Key::new("capability", Shape::Text),
        Key::new("relationship", Shape::One(&RELATIONSHIP)),
        Key::new("node_filter", Shape::One(&FILTER)).until(V1_3),
        Key::new("node_filter", Shape::Any).since(V2_0),
        Key::new("occurrences", Shape::Range).until(V1_3),
        Key::new("allocation", Shape::Mapping).since(V2_0),
        Key::new("count", Shape::Count).since(V2_0),
        Key::new("directives", Shape::TextList).since(V2_0),
        Key::new("optional", Shape::Any).since(V2_0),
    ],
    short: Short::TextOrList,
    others: Others::Unknown,
};

/// The relationship of a requirement.
static RELATIONSHIP: Entity = Entity {
    word: "relationship assignment",
    keys: &[
        Key::new("type", Shape::Text),
        DESCRIPTION,
        METADATA,
        PROPERTIES,
        ATTRIBUTES,
        INTERFACES,
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// What the targets of a requirement must satisfy, before 2.0.
pub(crate) static FILTER: Entity = Entity {
    word: "node filter",
    keys: &[
        Key::new("properties", Shape::Any),
        Key::new("capabilities", Shape::Items(&FILTERED_ONES)),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// Which nodes a service can stand for: a node filter, which some files write one level deeper.
static SUBSTITUTION_FILTER: Entity = Entity {
    word: "substitution filter",
    keys: &[
        Key::new("properties", Shape::List),
        Key::new("capabilities", Shape::Items(&FILTERED_ONES)),
        Key::new("node_filter", Shape::One(&SUBSTITUTION_FILTER)),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// Capabilities by their names or types.
static FILTERED_ONES: Entity = Entity {
    word: "capability filter",
    keys: &[],
    short: Short::No,
    others: Others::Named(&FILTERED, V1_3),
};

/// What a capability must satisfy.
static FILTERED: Entity = Entity {
    word: "filter of a capability",
    keys: &[Key::new("properties", Shape::Any)],
    short: Short::Any,
    others: Others::Unknown,
};

/// What a service can stand for.
static SUBSTITUTION: Entity = Entity {
    word: "substitution mapping",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("node_type", Shape::Text).must(),
        Key::new("substitution_filter", Shape::One(&SUBSTITUTION_FILTER)).since(V1_2).until(V1_3),
        Key::new("substitution_filter", Shape::Any).since(V2_0),
        PROPERTIES.since(V1_2),
        ATTRIBUTES.since(V1_2),
        Key::new("capabilities", Shape::Any),
        Key::new("requirements", Shape::Any),
        Key::new("interfaces", Shape::Any).since(V1_2),
    ],
    short: Short::No,
    others: Others::Unknown,
};
