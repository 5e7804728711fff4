//! Groups, policies and triggers.

use super::behavior::INTERFACE_ASSIGNMENT;
use super::{DESCRIPTION, Entity, Key, METADATA, Others, Shape, Short};
use crate::lang::tosca::version::Version::{V1_3, V2_0};

/// A group.
pub(crate) static GROUP: Entity = Entity {
    word: "group",
    keys: &[
        Key::new("type", Shape::Text).must(),
        DESCRIPTION,
        METADATA,
        Key::new("properties", Shape::Mapping),
        Key::new("attributes", Shape::Mapping),
        Key::new("members", Shape::TextList),
        Key::new("interfaces", Shape::Map(&INTERFACE_ASSIGNMENT)).until(V1_3),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// A policy.
pub(crate) static POLICY: Entity = Entity {
    word: "policy",
    keys: &[
        Key::new("type", Shape::Text).must(),
        DESCRIPTION,
        METADATA,
        Key::new("properties", Shape::Mapping),
        Key::new("targets", Shape::TextList),
        Key::new("triggers", Shape::Map(&TRIGGER)),
    ],
    short: Short::No,
    others: Others::Unknown,
};

/// When a trigger is looked at, before 2.0.
static SCHEDULE: Entity = Entity {
    word: "schedule",
    keys: &[Key::new("start_time", Shape::Any), Key::new("end_time", Shape::Any)],
    short: Short::Any,
    others: Others::Unknown,
};

/// What a trigger watches, before 2.0.
static TARGET_FILTER: Entity = Entity {
    word: "target filter",
    keys: &[
        Key::new("node", Shape::Text),
        Key::new("requirement", Shape::Text),
        Key::new("capability", Shape::Text),
    ],
    short: Short::Any,
    others: Others::Unknown,
};

/// A trigger.
pub(crate) static TRIGGER: Entity = Entity {
    word: "trigger",
    keys: &[
        DESCRIPTION,
        METADATA.since(V2_0),
        Key::new("metric", Shape::Any).until(V1_3),
        Key::new("event", Shape::Any),
        Key::new("event_type", Shape::Any).until(V1_3),
        Key::new("schedule", Shape::One(&SCHEDULE)).until(V1_3),
        Key::new("target_filter", Shape::One(&TARGET_FILTER)).until(V1_3),
        Key::new("condition", Shape::Any),
        Key::new("constraint", Shape::Any).until(V1_3),
        Key::new("period", Shape::Any).until(V1_3),
        Key::new("evaluations", Shape::Any).until(V1_3),
        Key::new("method", Shape::Any).until(V1_3),
        Key::new("meter_name", Shape::Any).until(V1_3),
        Key::new("metadata", Shape::Any).until(V1_3),
        Key::new("action", Shape::Any).must(),
    ],
    short: Short::No,
    others: Others::Unknown,
};
