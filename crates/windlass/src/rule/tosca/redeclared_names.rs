//! Names of properties and attributes that more than one type has something to say about.
//!
//! A chain of derivation may be thousands of types long. A name that is declared once
//! needs no walk along it.

use std::collections::BTreeSet;

use crate::lang::tosca::model::{Model, Schema};
use crate::lang::tosca::value::Name;

/// What is known about the names that types declare.
#[derive(Debug, Default)]
pub(super) struct Declared<'m> {
    once: BTreeSet<&'m str>,
    several: BTreeSet<&'m str>,
    restricted: BTreeSet<&'m str>,
}

impl<'m> Declared<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let mut declared = Declared::default();
        for (_, of) in model.types.iter() {
            let fields = of.properties.iter().chain(of.attributes.iter());
            for (name, schema) in fields {
                declared.add(name, schema);
            }
        }
        declared
    }

    fn add(&mut self, name: &'m Name, schema: &Schema) {
        if !self.once.insert(&name.text) {
            self.several.insert(&name.text);
        }
        if schema.constraints.is_some() {
            self.restricted.insert(&name.text);
        }
    }

    /// Whether no more than one type declares a name.
    pub(super) fn is_alone(&self, name: &str) -> bool {
        !self.several.contains(name)
    }

    /// Whether some type restricts the values of a name.
    pub(super) fn is_restricted(&self, name: &str) -> bool {
        self.restricted.contains(name)
    }
}
