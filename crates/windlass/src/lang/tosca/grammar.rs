//! What may stand where: keynames per entity and version, as tables, and the walk that compares a
//! file with them.
//!
//! The tables say shape only; what names mean is asked later, when all types are known. One file
//! per group of entities: `file`, `types`, `data`, `topology`, `behavior`, `policy`.

pub(crate) mod behavior;
pub(crate) mod data;
pub(crate) mod file;
pub(crate) mod policy;
pub(crate) mod topology;
pub(crate) mod types;
mod walk;

pub(crate) use walk::check;
pub(crate) use walk::is_version_text;

use super::version::Version;

/// An entity: what a mapping of its kind may have.
#[derive(Debug)]
pub struct Entity {
    /// The word for people: `node template`.
    pub word: &'static str,
    /// Its keynames.
    pub keys: &'static [Key],
    /// What may stand in place of the mapping.
    pub short: Short,
    /// What other keys mean.
    pub others: Others,
}

/// What may stand in place of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// Nothing else.
    No,
    /// A word.
    Text,
    /// A word or a list of words.
    TextOrList,
    /// Any value.
    Any,
    /// Any value: a property that is refined to it. Before 2.0 only examples do so.
    Value,
}

/// What keys mean that are no keynames.
#[derive(Debug, Clone, Copy)]
pub enum Others {
    /// Nothing.
    Unknown,
    /// Up to a version they name entities of this kind.
    Named(&'static Entity, Version),
    /// They are names that the author chooses.
    Free,
    /// They are names that the author chooses, unless a type makes the mapping a definition.
    FreeValue,
}

/// One keyname.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The keyname.
    pub name: &'static str,
    /// What its value must be.
    pub shape: Shape,
    /// The first version that has it.
    pub since: Version,
    /// The last version that has it.
    pub until: Version,
    /// Whether it must be there.
    pub mandatory: bool,
}

/// What a value must be.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Anything.
    Any,
    /// Text.
    Text,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A boolean.
    Bool,
    /// A version.
    Version,
    /// A list of words.
    TextList,
    /// A range of two bounds.
    Range,
    /// A mapping with values of any kind.
    Mapping,
    /// Metadata.
    Metadata,
    /// A non-negative integer or a function.
    Count,
    /// A list.
    List,
    /// A mapping from names to entities.
    Map(&'static Entity),
    /// A list of mappings with one name each.
    NamedList(&'static Entity),
    /// A list of mappings with one name each, or one mapping.
    MapOrNamedList(&'static Entity),
    /// A list of entities.
    Items(&'static Entity),
    /// One entity.
    One(&'static Entity),
}

impl Entity {
    /// Whether a node stands for a value where this entity is a definition.
    pub(super) fn is_value(&self, node: crate::tree::Node<'_>) -> bool {
        self.short == Short::Value && (!node.is_mapping() || walk::is_value(node, self))
    }
}

impl Key {
    /// A keyname of every version.
    pub const fn new(name: &'static str, shape: Shape) -> Key {
        Key { name, shape, since: Version::V1_0, until: Version::V2_0, mandatory: false }
    }

    /// From a version on.
    #[must_use]
    pub const fn since(mut self, version: Version) -> Key {
        self.since = version;
        self
    }

    /// Up to a version.
    #[must_use]
    pub const fn until(mut self, version: Version) -> Key {
        self.until = version;
        self
    }

    /// It must be there.
    #[must_use]
    pub const fn must(mut self) -> Key {
        self.mandatory = true;
        self
    }

    /// Whether a version has it.
    pub fn is_in(&self, version: Version) -> bool {
        (self.since..=self.until).contains(&version)
    }
}

/// The keynames that nearly every entity has.
pub const DESCRIPTION: Key = Key::new("description", Shape::Text);
/// Metadata.
pub const METADATA: Key = Key::new("metadata", Shape::Metadata);
