//! What a data type comes down to, and what a type declares together with what it inherits.

use crate::lang::tosca::build::is_built_in;
use crate::lang::tosca::model::{Fields, Model, Schema, Type, TypeId, TypeRef};
use crate::lang::tosca::value::Name;
use crate::lang::tosca::version::Version;
use std::collections::BTreeSet;

/// What the values of a data type are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base<'m> {
    /// A built-in type.
    BuiltIn(&'m str),
    /// A structure: a map of declared properties.
    Structure(TypeId),
    /// A number with a unit, by the type that declares the units.
    Scalar(TypeId),
    /// A type that is not known.
    Unknown,
}

impl Model {
    /// What the values of a data type are.
    pub(super) fn base<'m>(&'m self, of: &'m TypeRef, version: Version) -> Base<'m> {
        let Some(id) = of.id else {
            let name = of.name.text.as_str();
            return if is_built_in(name, version) { Base::BuiltIn(name) } else { Base::Unknown };
        };
        let mut units = None;
        for (at, of) in self.types.chain(id) {
            if units.is_none() && of.body.get("units").is_some() {
                units = Some(at);
            }
            let Some(parent) = of.parent.as_ref().filter(|parent| parent.id.is_none()) else {
                continue;
            };
            let name = parent.name.text.as_str();
            let version = self.files[of.file.0 as usize].version;
            return match name {
                "scalar" => Base::Scalar(units.unwrap_or(at)),
                name if is_built_in(name, version) => Base::BuiltIn(name),
                _ => Base::Unknown,
            };
        }
        Base::Structure(id)
    }

    /// Whether a type derives from one that is not known, so that it may declare anything.
    pub(super) fn is_opaque(&self, id: TypeId) -> bool {
        let is_open = |of: &Type| {
            let unknown = of.parent.as_ref().is_some_and(|parent| parent.id.is_none());
            // A name with a namespace refines a type from there.
            unknown || of.name.text.contains(':')
        };
        self.types.chain(id).any(|(_, of)| is_open(of))
    }

    /// The schemas that a type declares and inherits, each refined as its chain says.
    pub(super) fn schemas(
        &self,
        id: TypeId,
        of: impl Fn(&Type) -> &Fields<Schema>,
    ) -> Fields<Schema> {
        let mut order: Vec<&Name> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut merged = std::collections::BTreeMap::<&str, Schema>::new();
        for (_, at) in self.types.chain(id) {
            for (name, schema) in of(at).iter() {
                match merged.get_mut(name.text.as_str()) {
                    Some(known) => inherit(known, schema),
                    None => {
                        merged.insert(&name.text, schema.clone());
                    }
                }
                if seen.insert(name.text.as_str()) {
                    order.push(name);
                }
            }
        }
        let mut fields = Fields::default();
        for name in order {
            if let Some(schema) = merged.remove(name.text.as_str()) {
                fields.push(name.clone(), schema);
            }
        }
        fields
    }

    /// One schema that a type declares, completed up to the definition that names its type.
    pub(super) fn schema_of(
        &self,
        id: TypeId,
        name: &str,
        of: fn(&Type) -> &Fields<Schema>,
    ) -> Option<Schema> {
        let mut found: Option<Schema> = None;
        for (_, at) in self.types.chain(id) {
            let Some(schema) = of(at).get(name) else { continue };
            match &mut found {
                Some(found) => inherit(found, schema),
                None => found = Some(schema.clone()),
            }
            if found.as_ref().is_some_and(|found| found.of.is_some()) {
                break;
            }
        }
        found
    }

    /// What the entries of a list or map are: its schema says it, or its type.
    pub(super) fn entry_of<'m>(&'m self, schema: &'m Schema) -> Option<&'m Schema> {
        self.inner(schema, |schema| schema.entry.as_deref())
    }

    /// What the keys of a map are.
    pub(super) fn key_of<'m>(&'m self, schema: &'m Schema) -> Option<&'m Schema> {
        self.inner(schema, |schema| schema.key.as_deref())
    }

    fn inner<'m>(
        &'m self,
        schema: &'m Schema,
        pick: fn(&Schema) -> Option<&Schema>,
    ) -> Option<&'m Schema> {
        let declared = schema.of.as_ref().and_then(|of| of.id);
        let mut chain = declared.into_iter().flat_map(|id| self.types.chain(id));
        pick(schema).or_else(|| chain.find_map(|(_, of)| pick(&of.schema)))
    }

    /// The version of the file that declares a type.
    pub(super) fn version_of(&self, id: TypeId) -> Version {
        self.files[self.types.get(id).file.0 as usize].version
    }

    /// Whether a type comes with the program.
    pub(super) fn is_normative(&self, id: TypeId) -> bool {
        self.files[self.types.get(id).file.0 as usize].path.is_none()
    }
}

/// Takes over what a refinement leaves out.
pub(super) fn inherit(refined: &mut Schema, from: &Schema) {
    fn take<T: Clone>(to: &mut Option<T>, from: Option<&T>) {
        if to.is_none() {
            *to = from.cloned();
        }
    }
    take(&mut refined.of, from.of.as_ref());
    take(&mut refined.required, from.required.as_ref());
    take(&mut refined.default, from.default.as_ref());
    take(&mut refined.value, from.value.as_ref());
    take(&mut refined.constraints, from.constraints.as_ref());
    take(&mut refined.entry, from.entry.as_ref());
    take(&mut refined.key, from.key.as_ref());
}
