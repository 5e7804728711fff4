//! Types of every kind.

use super::behavior::{ARTIFACT, INTERFACE_DEFINITION, OPERATION_DEFINITION};
use super::data::{ATTRIBUTE, PARAMETER, PROPERTY, SCHEMA};
use super::policy::TRIGGER;
use super::topology::FILTER;
use super::{DESCRIPTION, Entity, Key, METADATA, Others, Shape, Short};
use crate::lang::tosca::version::Version::{V1_3, V2_0};

const DERIVED_FROM: Key = Key::new("derived_from", Shape::Text);
const VERSION: Key = Key::new("version", Shape::Version);
const PROPERTIES: Key = Key::new("properties", Shape::Map(&PROPERTY));
const ATTRIBUTES: Key = Key::new("attributes", Shape::Map(&ATTRIBUTE));
const INTERFACES: Key = Key::new("interfaces", Shape::Map(&INTERFACE_DEFINITION));

/// An artifact type.
pub(crate) static ARTIFACT_TYPE: Entity = Entity {
    word: "artifact type",
    keys: &[
        DERIVED_FROM,
        VERSION,
        METADATA,
        DESCRIPTION,
        Key::new("mime_type", Shape::Text),
        Key::new("file_ext", Shape::TextList),
        PROPERTIES,
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A data type.
pub(crate) static DATA_TYPE: Entity = Entity {
    word: "data type",
    keys: &[
        DERIVED_FROM,
        VERSION,
        METADATA,
        DESCRIPTION,
        Key::new("constraints", Shape::List).until(V1_3),
        Key::new("validation", Shape::Any).since(V2_0),
        PROPERTIES,
        Key::new("key_schema", Shape::One(&SCHEMA)).since(V1_3),
        Key::new("entry_schema", Shape::One(&SCHEMA)).since(V1_3),
        Key::new("units", Shape::Mapping).since(V2_0),
        Key::new("prefixes", Shape::Mapping).since(V2_0),
        Key::new("canonical_unit", Shape::Text).since(V2_0),
        Key::new("data_type", Shape::Text).since(V2_0),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A capability type.
pub(crate) static CAPABILITY_TYPE: Entity = Entity {
    word: "capability type",
    keys: &[
        DERIVED_FROM,
        VERSION,
        METADATA,
        DESCRIPTION,
        PROPERTIES,
        ATTRIBUTES,
        Key::new("valid_source_types", Shape::TextList).until(V1_3),
        Key::new("valid_source_node_types", Shape::TextList).since(V2_0),
        Key::new("valid_relationship_types", Shape::TextList).since(V2_0),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// An interface type; before 2.0 its operations may stand beside the keynames.
pub(crate) static INTERFACE_TYPE: Entity = Entity {
    word: "interface type",
    keys: &[
        DERIVED_FROM,
        VERSION,
        METADATA,
        DESCRIPTION,
        Key::new("inputs", Shape::Map(&PARAMETER)).since(V2_0),
        Key::new("inputs", Shape::Mapping).until(V1_3),
        Key::new("operations", Shape::Map(&OPERATION_DEFINITION)),
        Key::new("notifications", Shape::Map(&OPERATION_DEFINITION)).since(V1_3),
    ],
    short: Short::No,
    others: Others::Named(&OPERATION_DEFINITION, V1_3),
};

/// A relationship type.
pub(crate) static RELATIONSHIP_TYPE: Entity = Entity {
    word: "relationship type",
    keys: &[
        DERIVED_FROM,
        VERSION,
        METADATA,
        DESCRIPTION,
        PROPERTIES,
        ATTRIBUTES,
        INTERFACES,
        Key::new("valid_target_types", Shape::TextList).until(V1_3),
        Key::new("valid_source_types", Shape::TextList).until(V1_3),
        Key::new("valid_capability_types", Shape::TextList).since(V2_0),
        Key::new("valid_target_node_types", Shape::TextList).since(V2_0),
        Key::new("valid_source_node_types", Shape::TextList).since(V2_0),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A node type.
pub(crate) static NODE_TYPE: Entity = Entity {
    word: "node type",
    keys: &[
        DERIVED_FROM,
        VERSION,
        METADATA,
        DESCRIPTION,
        PROPERTIES,
        ATTRIBUTES,
        Key::new("capabilities", Shape::Map(&CAPABILITY_DEFINITION)),
        Key::new("requirements", Shape::NamedList(&REQUIREMENT_DEFINITION)),
        INTERFACES,
        Key::new("artifacts", Shape::Map(&ARTIFACT)),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A group type.
pub(crate) static GROUP_TYPE: Entity = Entity {
    word: "group type",
    keys: &[
        DERIVED_FROM,
        VERSION,
        METADATA,
        DESCRIPTION,
        PROPERTIES,
        ATTRIBUTES,
        Key::new("members", Shape::TextList),
        INTERFACES.until(V1_3),
        Key::new("capabilities", Shape::Map(&CAPABILITY_DEFINITION)).until(V1_3),
        Key::new("requirements", Shape::NamedList(&REQUIREMENT_DEFINITION)).until(V1_3),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A policy type.
pub(crate) static POLICY_TYPE: Entity = Entity {
    word: "policy type",
    keys: &[
        DERIVED_FROM,
        VERSION,
        METADATA,
        DESCRIPTION,
        PROPERTIES,
        Key::new("targets", Shape::TextList),
        Key::new("triggers", Shape::Map(&TRIGGER)),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// The definition of a capability in a node type.
static CAPABILITY_DEFINITION: Entity = Entity {
    word: "capability definition",
    keys: &[
        Key::new("type", Shape::Text),
        DESCRIPTION,
        METADATA,
        PROPERTIES,
        ATTRIBUTES,
        Key::new("valid_source_types", Shape::TextList).until(V1_3),
        Key::new("valid_source_node_types", Shape::TextList).since(V2_0),
        Key::new("valid_relationship_types", Shape::TextList).since(V2_0),
        Key::new("occurrences", Shape::Range).until(V1_3),
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// The definition of a requirement in a node type.
static REQUIREMENT_DEFINITION: Entity = Entity {
    word: "requirement definition",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("capability", Shape::Text),
        Key::new("node", Shape::Text),
        Key::new("relationship", Shape::One(&RELATIONSHIP_DEFINITION)),
        Key::new("node_filter", Shape::One(&FILTER)).until(V1_3),
        Key::new("node_filter", Shape::Any).since(V2_0),
        Key::new("occurrences", Shape::Range).until(V1_3),
        Key::new("count_range", Shape::Range).since(V2_0),
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// The relationship of a requirement definition.
static RELATIONSHIP_DEFINITION: Entity = Entity {
    word: "relationship definition",
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
