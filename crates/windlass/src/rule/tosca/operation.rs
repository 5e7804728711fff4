//! Interfaces of types and templates: where operations run and how long, what they take and where
//! what they give goes.

use super::Checker;
use super::schema::Base;
use super::template::named_interface;
use super::validation_clause::is_call;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::grammar::data::PARAMETER;
use crate::lang::tosca::model::{
    Fields, Interface, Operation, Parameter, Schema, Service, TypeId, TypeKind,
};
use crate::lang::tosca::value::{Data, Entry, Name, Value};
use crate::spelling;

/// Where operations of nodes may run.
const OF_NODES: &[&str] = &["SELF", "HOST", "ORCHESTRATOR"];
/// Where operations of relationships may run.
const OF_RELATIONSHIPS: &[&str] = &["SOURCE", "TARGET", "ORCHESTRATOR"];
/// Interfaces of life cycles by their short names.
const SHORT: &[&str] = &["Standard", "Configure"];

impl Checker<'_> {
    /// The interfaces that types declare.
    pub(super) fn declared_operations(&mut self, id: TypeId) {
        let of = self.model.types.get(id);
        self.operations_themselves(id, &of.interfaces);
        let inner = |interface: &'_ Interface| {
            let all = [&interface.operations, &interface.notifications];
            all.into_iter().flat_map(Fields::iter).map(|(_, it)| it.inputs.clone()).collect()
        };
        let own = [&of.operations, &of.notifications].into_iter().flat_map(Fields::iter);
        let mut all: Vec<Fields<Parameter>> = own.map(|(_, it)| it.inputs.clone()).collect();
        all.push(of.inputs.clone());
        for (_, interface) in of.interfaces.iter() {
            all.push(interface.inputs.clone());
            all.extend::<Vec<_>>(inner(interface));
        }
        let version = self.model.version_of(id);
        if [TypeKind::Node, TypeKind::Relationship].contains(&of.kind)
            && version.is_2() == self.version().is_2()
        {
            self.given_inputs(id, &of.interfaces);
            self.added_operations(id);
            self.new_interfaces(id);
        }
        for (_, input) in all.iter().flat_map(Fields::iter) {
            self.schema_itself(&input.schema, version);
            for value in [&input.schema.default, &input.value].into_iter().flatten() {
                self.value(value, &input.schema, version);
            }
        }
    }

    /// A type may add operations to an interface; one that is almost an inherited one is a slip.
    fn added_operations(&mut self, id: TypeId) {
        let types = &self.model.types;
        let interfaces = &types.get(id).interfaces;
        if interfaces.is_empty() || self.model.is_opaque(id) {
            return;
        }
        for (name, own) in interfaces.iter() {
            let above = types.chain(id).skip(1);
            let above = above.filter_map(|(_, of)| of.interfaces.get(&name.text));
            let mut known: Vec<&str> = Vec::new();
            for interface in above.chain([own]) {
                let of = interface.of.as_ref().and_then(|of| of.id);
                let chain = of.into_iter().flat_map(|of| types.chain(of));
                known.extend(chain.flat_map(|(_, of)| of.operations.names()));
                if !std::ptr::eq(interface, own) {
                    known.extend(interface.operations.names());
                }
            }
            for (operation, _) in own.operations.iter() {
                let is_known = known.contains(&operation.text.as_str());
                let free = known.iter().copied().filter(|it| own.operations.get(it).is_none());
                let Some(near) = spelling::nearest(&operation.text, free) else { continue };
                // Names that are counted through are no slips.
                let stem = |name: &str| name.trim_end_matches(|it: char| it.is_ascii_digit()).len();
                let is_counted = operation.text[..stem(&operation.text)] == near[..stem(near)];
                if !is_known && !is_counted {
                    let message = format!(
                        "the interface `{}` has no operation `{}`, which is added here",
                        name.text, operation.text
                    );
                    let finding = Diagnostic::warning(codes::UNDECLARED, operation.span, message);
                    self.findings.push(finding.help(format!("did you mean `{near}`?")));
                }
            }
        }
    }

    /// An interface that no type above has needs a type; the life cycles go by their short names,
    /// and before 2.0 the name of an interface type is enough.
    fn new_interfaces(&mut self, id: TypeId) {
        let model = self.model;
        let of = model.types.get(id);
        if model.is_opaque(id) {
            return;
        }
        let names = &model.files[of.file.0 as usize].names;
        for (name, _) in of.interfaces.iter().filter(|(_, it)| it.of.is_none()) {
            let mut above = model.types.chain(id).skip(1);
            let is_inherited =
                above.any(|(_, of)| named_interface(model, of, &name.text).is_some());
            let is_type = names.contains_key(&(TypeKind::Interface, name.text.clone()));
            if is_inherited || is_type || SHORT.contains(&name.text.as_str()) {
                continue;
            }
            let inherited = model.types.chain(id).skip(1).flat_map(|(_, of)| of.interfaces.names());
            let near = spelling::nearest(&name.text, inherited.chain(SHORT.iter().copied()));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "say `type:` with a type of interfaces".to_owned(),
            };
            let message = format!("the interface `{}` is new here and has no type", name.text);
            self.advise(codes::UNDECLARED, name.span, message, Some(help));
        }
    }

    /// What operations say about themselves, in a type or in a template of it.
    pub(super) fn operations_themselves(&mut self, id: TypeId, interfaces: &Fields<Interface>) {
        for (_, interface) in interfaces.iter() {
            for (_, operation) in interface.operations.iter().chain(interface.notifications.iter())
            {
                self.implemented(id, operation);
                for (_, mapping) in operation.outputs.iter() {
                    self.output(id, mapping);
                }
            }
        }
    }

    fn implemented(&mut self, id: TypeId, operation: &Operation) {
        let Some(implementation) = &operation.implementation else { return };
        if let Some(host) = &implementation.host {
            let known = match self.model.types.get(id).kind {
                TypeKind::Relationship => OF_RELATIONSHIPS,
                _ => OF_NODES,
            };
            self.operation_host(host, known, None);
        }
        if let Some(timeout) = &implementation.timeout
            && !is_call(timeout, self.version().is_2())
            && !matches!(timeout.data, Data::Int(0..))
        {
            let message = "a timeout is a number of seconds";
            self.error(codes::WRONG_VALUE, timeout.span, message);
        }
    }

    /// An operation runs on a node that exists: by a word, in workflows also by its name.
    pub(super) fn operation_host(
        &mut self,
        host: &Name,
        known: &[&str],
        service: Option<&Service>,
    ) {
        let word = host.text.as_str();
        let is_named = service.is_some_and(|service| {
            service.nodes.get(word).is_some() || service.groups.get(word).is_some()
        });
        if known.contains(&word) || is_named || self.is_open {
            return;
        }
        let message = format!("operations do not run on `{word}`");
        let names = service.into_iter().flat_map(|service| service.nodes.names());
        let near = spelling::nearest(word, known.iter().copied().chain(names));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => spelling::known("operation host", known.iter().copied()),
        };
        self.advise(codes::UNKNOWN_NAME, host.span, message, Some(help));
    }

    /// An output goes to an attribute of the node or relationship.
    fn output(&mut self, id: TypeId, mapping: &Value) {
        let [entity, rest @ ..] = mapping.items() else { return };
        let is_own = entity.text() == Some("SELF");
        self.output_of(entity);
        if !is_own || rest.is_empty() || self.model.is_opaque(id) {
            return;
        }
        let Some(name) = rest[0].text() else { return };
        let attributes = self.model.schemas(id, |of| &of.attributes);
        let properties = self.model.schemas(id, |of| &of.properties);
        let is_capability = rest.len() > 1 && self.model.capability(id, name).is_some();
        let is_path = ["CAPABILITY", "RELATIONSHIP"].contains(&name);
        let is_there = attributes.get(name).is_some() || properties.get(name).is_some();
        if is_there || is_capability || is_path {
            return;
        }
        let of = &self.model.types.get(id).name.text;
        let message = format!("`{of}` has no attribute `{name}`");
        let near = spelling::nearest(name, attributes.names());
        let help = near.map(|near| format!("did you mean `{near}`?"));
        self.advise(codes::UNKNOWN_NAME, rest[0].span, message, help);
        // Before 2.0 a mapping may name an undeclared attribute: it is kept all the same.
        self.tolerate(true);
    }

    /// What an output goes to is one of the ends by its word, or a template by its name.
    fn output_of(&mut self, entity: &Value) {
        const WORDS: &[&str] = &["SELF", "SOURCE", "TARGET", "HOST", "ORCHESTRATOR"];
        let Some(name) = entity.text().filter(|name| !WORDS.contains(name)) else { return };
        let Some(service) = self.model.service.as_ref().filter(|_| !self.is_open) else { return };
        let is_there =
            service.nodes.get(name).is_some() || service.relationships.get(name).is_some();
        let is_plain = !name.starts_with('$');
        if is_there || !is_plain {
            return;
        }
        let message = format!("there is no node template `{name}`");
        let near = spelling::nearest(name, service.nodes.names().chain(WORDS.iter().copied()));
        let help = near.map(|near| format!("did you mean `{near}`?"));
        let finding = Diagnostic::error(codes::UNKNOWN_NAME, entity.span, message);
        self.findings.push(match help {
            Some(help) => finding.help(help),
            None => finding.help(spelling::known("word", WORDS.iter().copied())),
        });
    }

    /// What a template gives to operations fits what they declare.
    pub(super) fn given_inputs(&mut self, id: TypeId, interfaces: &Fields<Interface>) {
        for (name, interface) in interfaces.iter() {
            let of = interface.of.as_ref().and_then(|of| of.id);
            for (input, parameter) in interface.inputs.iter() {
                let schema = self.input_schema(id, of, &name.text, None, &input.text);
                self.given_input(parameter, schema);
            }
            for (operation, body) in interface.operations.iter() {
                for (input, parameter) in body.inputs.iter() {
                    let of =
                        self.input_schema(id, of, &name.text, Some(&operation.text), &input.text);
                    self.given_input(parameter, of);
                }
            }
            let known = self.notifications(id, &name.text);
            for (notification, _) in interface.notifications.iter() {
                if !known.is_empty() && !known.contains(&notification.text) {
                    let message = format!(
                        "the interface `{}` has no notification `{}`",
                        name.text, notification.text
                    );
                    let near =
                        spelling::nearest(&notification.text, known.iter().map(String::as_str));
                    let help = near.map(|near| format!("did you mean `{near}`?"));
                    self.advise(codes::UNDECLARED, notification.span, message, help);
                }
            }
        }
    }

    /// The notifications and operations of an interface of a type.
    pub(super) fn notifications(&self, id: TypeId, interface: &str) -> Vec<String> {
        let Some(mut known) = self.operations(id, interface) else { return Vec::new() };
        let types = &self.model.types;
        for (_, of) in types.chain(id) {
            let Some(definition) = of.interfaces.get(interface) else { continue };
            let Some(of) = definition.of.as_ref().and_then(|of| of.id) else { continue };
            known.extend(types.chain(of).flat_map(|(_, of)| of.notifications.names()));
        }
        known.into_iter().map(str::to_owned).collect()
    }

    fn given_input(&mut self, given: &Parameter, schema: Option<Schema>) {
        let Some(schema) = schema else { return };
        // A definition without a type is one of the inherited type; others are looked at by
        // themselves.
        if let Some(default) = given.schema.default.as_ref().filter(|_| given.schema.of.is_none()) {
            self.value(default, &schema, self.version());
        }
        let Some(value) = &given.value else { return };
        self.unfixed(value, &schema);
        // Some templates write a definition where a value stands.
        let is_key =
            |entry: &Entry| PARAMETER.keys.iter().any(|key| entry.key.text() == Some(key.name));
        let entries = value.entries();
        if !entries.is_empty() && entries.iter().all(is_key) {
            let base = schema.of.as_ref().map(|of| self.model.base(of, self.version()));
            if matches!(base, Some(Base::Structure(_) | Base::BuiltIn("map"))) {
                return;
            }
            for value in ["value", "default"].into_iter().filter_map(|key| value.get(key)) {
                self.value(value, &schema, self.version());
            }
            return;
        }
        self.value(value, &schema, self.version());
    }

    /// What an input of an operation, or of all operations of an interface, must be.
    pub(super) fn input_schema(
        &self,
        id: TypeId,
        of: Option<TypeId>,
        interface: &str,
        operation: Option<&str>,
        input: &str,
    ) -> Option<Schema> {
        let model = self.model;
        let typed = |schema: &Schema| schema.of.is_some().then(|| schema.clone());
        let mut interface_types: Vec<TypeId> = of.into_iter().collect();
        for (_, at) in model.types.chain(id) {
            let Some(definition) = at.interfaces.get(interface) else { continue };
            interface_types.extend(definition.of.as_ref().and_then(|of| of.id));
            let own = operation.and_then(|operation| definition.operations.get(operation));
            let own = own.and_then(|operation| operation.inputs.get(input));
            let found = own.or_else(|| definition.inputs.get(input));
            if let Some(found) = found.and_then(|parameter| typed(&parameter.schema)) {
                return Some(found);
            }
        }
        for of in interface_types {
            for (_, at) in model.types.chain(of) {
                let own = operation.and_then(|operation| at.operations.get(operation));
                let own = own.and_then(|operation| operation.inputs.get(input));
                let found = own.or_else(|| at.inputs.get(input));
                if let Some(found) = found.and_then(|parameter| typed(&parameter.schema)) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// A name that is almost one of those that are known.
    pub(super) fn near_miss(&mut self, name: &Name, what: &str, known: &[String]) {
        let near = spelling::nearest(&name.text, known.iter().map(String::as_str));
        if let Some(near) = near {
            let message = format!("there is no {what} `{}`", name.text);
            let finding = Diagnostic::warning(codes::UNKNOWN_NAME, name.span, message);
            self.findings.push(finding.help(format!("did you mean `{near}`?")));
        }
    }
}
