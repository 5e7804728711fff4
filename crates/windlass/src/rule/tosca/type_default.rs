//! Functions in what types give: defaults and fixed values of properties, attributes and inputs.
//!
//! What `SELF` has is known best in a template of the type. A type that no template has is asked
//! itself; a name that it lacks may then be one of a type that derives from it.

use super::Checker;
use super::function::Place;
use super::property_path::Ends;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    Fields, Interface, NodeTemplate, Operation, Parameter, Schema, Service, Type, TypeId, TypeKind,
};
use crate::lang::tosca::value::Value;
use std::collections::BTreeMap;

/// A value that a type gives, what it must be, and whether `SELF` is a node or relationship of the
/// type there.
struct TypeValue<'m> {
    value: &'m Value,
    schema: Schema,
    is_of_self: bool,
    /// The property or attribute that it is for.
    name: Option<&'m str>,
    /// Whether every node of the type has that one.
    is_needed: bool,
}

impl<'m> TypeValue<'m> {
    fn of(value: &'m Value, schema: Schema) -> Self {
        TypeValue { value, schema, is_of_self: false, name: None, is_needed: false }
    }
}

type Users<'m> = BTreeMap<TypeId, Vec<(&'m str, &'m NodeTemplate)>>;

impl Checker<'_> {
    pub(super) fn functions_of_types(&mut self) {
        let model = self.model;
        let nothing = Service::default();
        let service = model.service.as_ref().unwrap_or(&nothing);
        let mut users: Users<'_> = BTreeMap::new();
        for (name, node) in service.nodes.iter() {
            for (id, _) in node.of.id.into_iter().flat_map(|id| model.types.chain(id)) {
                users.entry(id).or_default().push((&name.text, node));
            }
        }
        for (id, of) in model.types.iter() {
            // In a file of another version other things are functions.
            let is_alike = model.version_of(id).is_2() == self.version().is_2();
            if model.is_normative(id) || !is_alike {
                continue;
            }
            for given in self.given_by(id, of) {
                let users = users.get(&id).map_or(&[][..], Vec::as_slice);
                self.preset(service, id, of, &given, users);
            }
        }
    }

    fn preset(
        &mut self,
        service: &Service,
        id: TypeId,
        of: &Type,
        given: &TypeValue<'_>,
        users: &[(&str, &NodeTemplate)],
    ) {
        let before = self.findings.len();
        let look = |checker: &mut Self, place: Place<'_>, is_left: bool| {
            checker.calls(service, given.value, place);
            // A default of an input is one that can be had without anything else.
            if is_left || is_input(given.value) {
                checker.result(service, given.value, &given.schema, place);
            } else {
                checker.result_type(service, given.value, &given.schema, place);
            }
            checker.findings.len() > before
        };
        if of.kind == TypeKind::Node && given.is_of_self && !users.is_empty() {
            // Several nodes of a type give the same findings.
            for (name, node) in users {
                // Another value may take its place, and operations may do without.
                let is_left = given.name.is_some_and(|name| self.is_left(node, name, given.value));
                self.tolerates_absent = !(given.is_needed && is_left);
                if look(self, Place::Node(name, node), is_left) {
                    break;
                }
            }
            self.tolerates_absent = false;
            return self.once(before);
        }
        let ends = Ends { of: Some(id), ..Ends::default() };
        look(
            self,
            match of.kind {
                TypeKind::Node if given.is_of_self => Place::Filter(&of.name.text, id),
                TypeKind::Relationship if given.is_of_self => Place::Relationship(&ends),
                _ => Place::Anywhere,
            },
            // Who refines the type may give another value.
            false,
        );
        for found in &mut self.findings[before..] {
            if found.code == codes::UNKNOWN_NAME {
                found.severity = Severity::Warning;
            }
        }
        self.once(before);
    }

    /// Whether a node has the value that a type gives: neither the template nor a nearer type gives
    /// another one.
    fn is_left(&self, node: &NodeTemplate, name: &str, value: &Value) -> bool {
        let mut own = [&node.properties, &node.attributes].into_iter();
        let mut chain = node.of.id.into_iter().flat_map(|id| self.model.types.chain(id));
        let nearest = chain.find_map(|(_, of)| {
            let schema = of.properties.get(name).or_else(|| of.attributes.get(name))?;
            schema.value.as_ref().or(schema.default.as_ref())
        });
        own.all(|it| it.get(name).is_none()) && nearest.is_some_and(|it| std::ptr::eq(it, value))
    }

    /// Leaves out what was said before.
    fn once(&mut self, before: usize) {
        for found in self.findings.split_off(before) {
            let is_same =
                |known: &Diagnostic| (known.code, known.primary) == (found.code, found.primary);
            if !self.findings.iter().any(is_same) {
                self.findings.push(found);
            }
        }
    }

    /// What a type gives a value with a function in it.
    fn given_by<'m>(&self, id: TypeId, of: &'m Type) -> Vec<TypeValue<'m>> {
        let mut all = Vec::new();
        let fields: [fn(&Type) -> &Fields<Schema>; 2] = [|of| &of.properties, |of| &of.attributes];
        for (at, fields) in fields.into_iter().enumerate() {
            for (name, own) in fields(of).iter() {
                for value in [&own.default, &own.value].into_iter().flatten() {
                    let schema = self.model.schema_of(id, &name.text, fields).unwrap_or_default();
                    let is_needed = at == 0 && schema.required != Some(false);
                    let name = Some(name.text.as_str());
                    all.push(TypeValue { value, schema, is_of_self: true, name, is_needed });
                }
            }
        }
        for (name, capability) in of.capabilities.iter() {
            let refined = self.model.capability_schemas(
                id,
                &name.text,
                |of| &of.properties,
                |of| &of.properties,
            );
            for (name, own) in capability.properties.iter() {
                for value in [&own.default, &own.value].into_iter().flatten() {
                    let schema = refined.get(&name.text).cloned().unwrap_or_default();
                    all.push(TypeValue { is_of_self: false, ..TypeValue::of(value, schema) });
                }
            }
        }
        let of_operations = |all: &'m Fields<Operation>| all.iter().map(|(_, it)| &it.inputs);
        let inside = |it: &'m Interface| {
            let own = of_operations(&it.operations).chain(of_operations(&it.notifications));
            own.chain([&it.inputs]).collect::<Vec<&'m Fields<Parameter>>>()
        };
        let own = of.interfaces.iter().flat_map(|(_, it)| inside(it)).map(|it| (it, true));
        let typed = of_operations(&of.operations).chain(of_operations(&of.notifications));
        let typed = typed.chain([&of.inputs]).map(|it| (it, false));
        for (inputs, is_of_self) in own.chain(typed) {
            for (_, input) in inputs.iter() {
                for value in [&input.schema.default, &input.value].into_iter().flatten() {
                    all.push(TypeValue {
                        is_of_self,
                        ..TypeValue::of(value, input.schema.clone())
                    });
                }
            }
        }
        all.retain(|given| may_call(given.value));
        all
    }
}

/// Whether a value is what an input gives.
fn is_input(value: &Value) -> bool {
    ["get_input", "$get_input"].iter().any(|name| value.get(name).is_some())
}

/// Whether a value has a part that may be a call.
fn may_call(value: &Value) -> bool {
    let is_word = value.text().is_some_and(|text| text.starts_with('$'));
    is_word || !value.entries().is_empty() || value.items().iter().any(may_call)
}
