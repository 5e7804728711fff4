//! Interfaces, operations, artifacts and workflows.

use super::data::PARAMETER;
use super::{DESCRIPTION, Entity, Key, METADATA, Others, Shape, Short};
use crate::lang::tosca::version::Version::{V1_3, V2_0};

/// An interface in a type.
pub(crate) static INTERFACE_DEFINITION: Entity = Entity {
    word: "interface definition",
    keys: &[
        Key::new("type", Shape::Text),
        DESCRIPTION,
        METADATA,
        Key::new("inputs", Shape::Map(&OPERATION_INPUT)),
        Key::new("operations", Shape::Map(&OPERATION_DEFINITION)),
        Key::new("notifications", Shape::Map(&OPERATION_DEFINITION)).since(V1_3),
    ],
    short: Short::No,
    others: Others::Named(&OPERATION_DEFINITION, V1_3),
};

/// An interface in a template.
pub(crate) static INTERFACE_ASSIGNMENT: Entity = Entity {
    word: "interface assignment",
    keys: &[
        Key::new("type", Shape::Text).until(V1_3),
        DESCRIPTION,
        METADATA,
        Key::new("inputs", Shape::Mapping),
        Key::new("operations", Shape::Map(&OPERATION_ASSIGNMENT)),
        Key::new("notifications", Shape::Map(&OPERATION_ASSIGNMENT)).since(V1_3),
    ],
    short: Short::No,
    others: Others::Named(&OPERATION_ASSIGNMENT, V1_3),
};

/// An input of an operation in a type: a definition, or before 2.0 also a value.
static OPERATION_INPUT: Entity =
    Entity { word: "input", keys: PARAMETER.keys, short: Short::Any, others: Others::FreeValue };

/// An operation in a type.
pub(crate) static OPERATION_DEFINITION: Entity = Entity {
    word: "operation",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("implementation", Shape::One(&IMPLEMENTATION)),
        Key::new("inputs", Shape::Map(&OPERATION_INPUT)),
        Key::new("outputs", Shape::Mapping),
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// An operation in a template.
pub(crate) static OPERATION_ASSIGNMENT: Entity = Entity {
    word: "operation",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("implementation", Shape::One(&IMPLEMENTATION)),
        Key::new("inputs", Shape::Mapping),
        Key::new("outputs", Shape::Mapping),
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// What carries an operation out; the keys of an artifact define it in place.
pub(crate) static IMPLEMENTATION: Entity = Entity {
    word: "implementation",
    keys: &[
        Key::new("primary", Shape::One(&ARTIFACT)),
        Key::new("dependencies", Shape::Items(&ARTIFACT)).since(V2_0),
        Key::new("dependencies", Shape::Any).until(V1_3),
        Key::new("timeout", Shape::Any),
        Key::new("operation_host", Shape::Text).until(V1_3),
        Key::new("file", Shape::Text),
        Key::new("type", Shape::Text),
        Key::new("repository", Shape::Text),
        DESCRIPTION,
        METADATA,
        Key::new("properties", Shape::Mapping),
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// An artifact.
pub(crate) static ARTIFACT: Entity = Entity {
    word: "artifact",
    keys: &[
        Key::new("type", Shape::Text),
        Key::new("file", Shape::Text),
        Key::new("repository", Shape::Text),
        DESCRIPTION,
        METADATA,
        Key::new("deploy_path", Shape::Text),
        Key::new("artifact_version", Shape::Any),
        Key::new("checksum", Shape::Text),
        Key::new("checksum_algorithm", Shape::Text),
        Key::new("properties", Shape::Mapping),
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// An imperative workflow.
pub(crate) static WORKFLOW: Entity = Entity {
    word: "workflow",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("inputs", Shape::Map(&PARAMETER)),
        Key::new("preconditions", Shape::Items(&PRECONDITION)).until(V1_3),
        Key::new("precondition", Shape::Any).since(V2_0),
        Key::new("steps", Shape::Map(&STEP)),
        Key::new("implementation", Shape::One(&IMPLEMENTATION)),
        Key::new("outputs", Shape::Mapping),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// What must hold before a workflow runs, before 2.0.
static PRECONDITION: Entity = Entity {
    word: "precondition",
    keys: &[
        DESCRIPTION,
        Key::new("target", Shape::Text).must(),
        Key::new("target_relationship", Shape::Text),
        Key::new("condition", Shape::Any),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A step of a workflow.
static STEP: Entity = Entity {
    word: "workflow step",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("target", Shape::Text).must(),
        Key::new("target_relationship", Shape::Text),
        Key::new("operation_host", Shape::Text).until(V1_3),
        Key::new("filter", Shape::Any),
        Key::new("activities", Shape::List).must(),
        Key::new("on_success", Shape::Any),
        Key::new("on_failure", Shape::Any),
    ],
    short: Short::No,
    others: Others::Unknown,
};
