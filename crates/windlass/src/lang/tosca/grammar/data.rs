//! Definitions of properties, attributes, parameters and schemas.

use super::{DESCRIPTION, Entity, Key, METADATA, Others, Shape, Short};
use crate::lang::tosca::version::Version::{V1_3, V2_0};

const TYPE: Key = Key::new("type", Shape::Text);
const CONSTRAINTS: Key = Key::new("constraints", Shape::List).until(V1_3);
const VALIDATION: Key = Key::new("validation", Shape::Any).since(V2_0);
const KEY_SCHEMA: Key = Key::new("key_schema", Shape::One(&SCHEMA));
const ENTRY_SCHEMA: Key = Key::new("entry_schema", Shape::One(&SCHEMA));
const DEFAULT: Key = Key::new("default", Shape::Any);
const VALUE: Key = Key::new("value", Shape::Any);
const STATUS: Key =
    Key::new("status", Shape::Word(&["supported", "unsupported", "experimental", "deprecated"]));
const REQUIRED: Key = Key::new("required", Shape::Bool);

/// The definition of a property.
pub(crate) static PROPERTY: Entity = Entity {
    word: "property definition",
    keys: &[
        TYPE,
        DESCRIPTION,
        METADATA,
        REQUIRED,
        DEFAULT,
        VALUE,
        STATUS,
        CONSTRAINTS,
        VALIDATION,
        KEY_SCHEMA,
        ENTRY_SCHEMA,
        Key::new("external-schema", Shape::Text).until(V1_3),
    ],
    short: Short::Value,
    others: Others::Unknown,
};

/// The definition of an attribute.
pub(crate) static ATTRIBUTE: Entity = Entity {
    word: "attribute definition",
    keys: &[
        TYPE,
        DESCRIPTION,
        METADATA,
        DEFAULT,
        STATUS,
        CONSTRAINTS,
        VALIDATION,
        KEY_SCHEMA,
        ENTRY_SCHEMA,
        // Attributes have no values of their own, but many files say so.
        REQUIRED,
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// The definition of a parameter, with a value where it has one.
pub(crate) static PARAMETER: Entity = Entity {
    word: "parameter definition",
    keys: &[
        TYPE,
        DESCRIPTION,
        METADATA,
        REQUIRED,
        DEFAULT,
        VALUE,
        STATUS,
        CONSTRAINTS,
        VALIDATION,
        KEY_SCHEMA,
        ENTRY_SCHEMA,
        Key::new("mapping", Shape::Any).since(V2_0),
        Key::new("external-schema", Shape::Text).until(V1_3),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A schema of entries or keys.
pub(crate) static SCHEMA: Entity = Entity {
    word: "schema",
    keys: &[
        TYPE,
        DESCRIPTION,
        METADATA,
        CONSTRAINTS,
        VALIDATION,
        Key::new("key_schema", Shape::One(&SCHEMA)),
        Key::new("entry_schema", Shape::One(&SCHEMA)),
        REQUIRED.until(V1_3),
        DEFAULT,
        STATUS,
    ],
    short: Short::Text,
    others: Others::Unknown,
};
