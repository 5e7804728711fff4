//! The resolved model: types of every kind, and the service template, each part with its place.
//!
//! The reader fills it from all files of a service, profiles included; a profile is a TOSCA text
//! like any other. What a type inherits is asked of [`Types`]; what a template means is written in
//! the template, with references resolved where that could be done.
//!
//! | file | what |
//! |---|---|
//! | `definition` | types, and what they declare |
//! | `template` | the service template and what it is made of |

pub mod definition;
pub mod template;

pub use definition::*;
pub use template::*;

use super::value::{Name, Value};
use super::version::Version;
use crate::source::SourceId;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that the files of one service say.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The version of the file that was asked for.
    pub version: Version,
    /// The files, the one that was asked for first.
    pub files: Vec<File>,
    /// Types of every kind, from every file.
    pub types: Types,
    /// Node types that the service template of an imported file stands for.
    pub substituted: BTreeMap<TypeId, Substituting>,
    /// The service template, when the file that was asked for has one.
    pub service: Option<Service>,
    /// Whether something reads the attribute `state`, which operations then keep.
    pub reads_state: bool,
    /// Whether some import could not be read: what is not declared may stand there.
    pub has_unread_imports: bool,
}

/// The service template of an imported file that stands for a node type.
#[derive(Debug, Clone)]
pub struct Substituting {
    /// Its inputs; none when it maps properties to them by a list of its own.
    pub inputs: Option<BTreeSet<String>>,
    /// Where it names the type.
    pub span: crate::source::Span,
}

/// One file, with the names that it sees.
#[derive(Debug, Clone)]
pub struct File {
    /// Its text.
    pub source: SourceId,
    /// Its path among the files; none for a profile that comes with the program.
    pub path: Option<String>,
    /// Its version.
    pub version: Version,
    /// The name under which it can be imported as a profile.
    pub profile: Option<String>,
    /// Names of types as they are written in this file, by kind.
    pub names: BTreeMap<(TypeKind, String), TypeId>,
    /// Its repositories.
    pub repositories: BTreeMap<String, Name>,
    /// Names of functions that it defines or imports.
    pub functions: BTreeMap<String, Name>,
    /// What the functions that it defines itself take and give.
    pub signatures: BTreeMap<String, Value>,
}

/// A file of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// Named things in the order of the text.
#[derive(Debug, Clone)]
pub struct Fields<T> {
    all: Vec<(Name, T)>,
}

impl<T> Default for Fields<T> {
    fn default() -> Self {
        Fields { all: Vec::new() }
    }
}

impl<T> Fields<T> {
    /// Adds one at the end. A name may be given twice, as requirements are.
    pub fn push(&mut self, name: Name, value: T) {
        self.all.push((name, value));
    }

    /// The first with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.entry(name).map(|(_, value)| value)
    }

    /// The first with this name, with its name.
    pub fn entry(&self, name: &str) -> Option<(&Name, &T)> {
        let found = self.all.iter().find(|(known, _)| known.text == name);
        found.map(|(name, value)| (name, value))
    }

    /// The place of a name in the order.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|(known, _)| known.text == name)
    }

    /// By its place in the order.
    pub fn at(&self, index: usize) -> Option<&(Name, T)> {
        self.all.get(index)
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &T)> {
        self.all.iter().map(|(name, value)| (name, value))
    }

    /// In order, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Name, &mut T)> {
        self.all.iter_mut().map(|(name, value)| (&*name, value))
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(name, _)| name.text.as_str())
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
