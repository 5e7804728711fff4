//! Files: their sections, imports, repositories and functions.

use super::data::SCHEMA;
use super::topology::SERVICE;
use super::types::{
    ARTIFACT_TYPE, CAPABILITY_TYPE, DATA_TYPE, GROUP_TYPE, INTERFACE_TYPE, NODE_TYPE, POLICY_TYPE,
    RELATIONSHIP_TYPE,
};
use super::{DESCRIPTION, Entity, Key, METADATA, Others, Shape, Short};
use crate::lang::tosca::version::Version::{V1_3, V2_0};

/// A file.
pub(crate) static FILE: Entity = Entity {
    word: "TOSCA file",
    keys: &[
        Key::new("tosca_definitions_version", Shape::Any).must(),
        Key::new("namespace", Shape::Text).until(V1_3),
        Key::new("tosca_default_namespace", Shape::Text).until(V1_3),
        Key::new("template_name", Shape::Text).until(V1_3),
        Key::new("template_author", Shape::Text).until(V1_3),
        Key::new("template_version", Shape::Version).until(V1_3),
        Key::new("profile", Shape::Text).since(V2_0),
        METADATA,
        DESCRIPTION,
        Key::new("dsl_definitions", Shape::Mapping),
        Key::new("repositories", Shape::Map(&REPOSITORY)),
        Key::new("imports", Shape::Any),
        Key::new("artifact_types", Shape::Map(&ARTIFACT_TYPE)),
        Key::new("data_types", Shape::Map(&DATA_TYPE)),
        Key::new("capability_types", Shape::Map(&CAPABILITY_TYPE)),
        Key::new("interface_types", Shape::Map(&INTERFACE_TYPE)),
        Key::new("relationship_types", Shape::Map(&RELATIONSHIP_TYPE)),
        Key::new("node_types", Shape::Map(&NODE_TYPE)),
        Key::new("group_types", Shape::Map(&GROUP_TYPE)),
        Key::new("policy_types", Shape::Map(&POLICY_TYPE)),
        Key::new("functions", Shape::Map(&FUNCTION)).since(V2_0),
        Key::new("topology_template", Shape::One(&SERVICE)).until(V1_3),
        Key::new("service_template", Shape::One(&SERVICE)).since(V2_0),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A repository.
pub(crate) static REPOSITORY: Entity = Entity {
    word: "repository",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("url", Shape::Text).must(),
        Key::new("credential", Shape::One(&CREDENTIAL)).until(V1_3),
        Key::new("credential", Shape::Any).since(V2_0),
        Key::new("type", Shape::Text),
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// How one gets into a repository, before 2.0; a word alone is a token.
static CREDENTIAL: Entity = Entity {
    word: "credential",
    keys: &[
        Key::new("protocol", Shape::Text),
        Key::new("token_type", Shape::Text),
        Key::new("token", Shape::Any).must(),
        Key::new("keys", Shape::Any),
        Key::new("user", Shape::Any),
    ],
    short: Short::Any,
    others: Others::Unknown,
};

/// An import.
pub(crate) static IMPORT: Entity = Entity {
    word: "import",
    keys: &[
        Key::new("file", Shape::Text).until(V1_3).must(),
        Key::new("repository", Shape::Text),
        Key::new("namespace_uri", Shape::Text).until(V1_3),
        Key::new("namespace_prefix", Shape::Text).until(V1_3),
        Key::new("url", Shape::Text).since(V2_0),
        Key::new("profile", Shape::Text).since(V2_0),
        Key::new("namespace", Shape::Text).since(V2_0),
        DESCRIPTION.since(V2_0),
        METADATA.since(V2_0),
    ],
    short: Short::Text,
    others: Others::Unknown,
};

/// A function of one's own.
static FUNCTION: Entity = Entity {
    word: "function definition",
    keys: &[DESCRIPTION, METADATA, Key::new("signatures", Shape::Items(&SIGNATURE)).must()],
    short: Short::No,
    others: Others::Unknown,
};

/// One signature of a function.
static SIGNATURE: Entity = Entity {
    word: "signature",
    keys: &[
        DESCRIPTION,
        METADATA,
        Key::new("arguments", Shape::Items(&SCHEMA)),
        Key::new("optional_arguments", Shape::Items(&SCHEMA)),
        Key::new("variadic", Shape::Bool),
        Key::new("result", Shape::One(&SCHEMA)),
        Key::new("implementation", Shape::Any),
    ],
    short: Short::No,
    others: Others::Unknown,
};
