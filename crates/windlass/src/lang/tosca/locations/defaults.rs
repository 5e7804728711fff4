//! What types give to the locations of a service where its templates say nothing.
//!
//! A type of the profile has its defaults wherever the profile is. All others are known to a reader
//! by their names and by what their nodes say, so what they give is a value like any other.

use std::collections::BTreeMap;

use super::super::model::{Fields, NodeTemplate, Schema, Type, TypeId, Types};
use super::super::profiles::is_normative;
use super::super::value::Value;

/// What every type of a kind has: no reader lacks it.
const ROOTS: &[&str] = &["tosca.nodes.Root", "tosca.relationships.Root", "tosca.capabilities.Root"];

/// Names with what types give them.
pub(super) type Defaults<'m> = BTreeMap<&'m str, &'m Value>;

/// The part of a type: its properties or its attributes.
pub(super) type Part = fn(&Type) -> &Fields<Schema>;

/// What a type that is not of the profile gives, and what it derives from. `section` is where such
/// types are declared, and `name` how the reader knows it.
pub(super) fn of_type<'m>(
    types: &'m Types,
    section: &str,
    name: &str,
    id: Option<TypeId>,
    part: Part,
) -> Defaults<'m> {
    let mut found = Defaults::new();
    if is_normative(section, name) {
        return found;
    }
    for (_, of) in id.into_iter().flat_map(|id| types.chain(id)) {
        if ROOTS.contains(&&*of.name.text) {
            break;
        }
        add(&mut found, part(of));
    }
    found
}

/// The capabilities of a node, each with what the type of the node gives its properties.
pub(super) fn of_capabilities<'m>(
    types: &'m Types,
    template: &'m NodeTemplate,
) -> BTreeMap<&'m str, Defaults<'m>> {
    let mut all: BTreeMap<&str, Defaults<'_>> = BTreeMap::new();
    if is_normative("node_types", &template.of.name.text) {
        return all;
    }
    let mut kinds: BTreeMap<&str, TypeId> = BTreeMap::new();
    for (_, of) in template.of.id.into_iter().flat_map(|id| types.chain(id)) {
        if ROOTS.contains(&&*of.name.text) {
            break;
        }
        for (name, definition) in of.capabilities.iter() {
            add(all.entry(&name.text).or_default(), &definition.properties);
            if let Some(id) = definition.of.as_ref().and_then(|of| of.id) {
                kinds.entry(&name.text).or_insert(id);
            }
        }
    }
    for (name, id) in kinds {
        let kind = &types.get(id).name.text;
        let given = of_type(types, "capability_types", kind, Some(id), |of| &of.properties);
        let found = all.entry(name).or_default();
        for (name, value) in given {
            found.entry(name).or_insert(value);
        }
    }
    all
}

/// Adds what definitions give to names that have nothing yet.
fn add<'m>(found: &mut Defaults<'m>, definitions: &'m Fields<Schema>) {
    for (name, schema) in definitions.iter() {
        if let Some(value) = schema.value.as_ref().or(schema.default.as_ref()) {
            found.entry(&name.text).or_insert(value);
        }
    }
}
