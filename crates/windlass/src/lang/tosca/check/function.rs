//! Functions: names, arguments, what they refer to, and the type of what they give.

use super::super::codes;
use super::super::model::{Fields, Interface, Model, NodeTemplate, Parameter, Schema, Service};
use super::super::switches;
use super::super::value::{Data, Name, Value};
use super::super::version::Version;
use super::Checker;
use super::evaluate::is_call;
use super::schema::Base;
use crate::diagnostic::Diagnostic;
use crate::spelling;

/// Where a function is called.
#[derive(Clone, Copy)]
pub(super) enum Place<'m> {
    /// In a node template.
    Node(&'m str, &'m NodeTemplate),
    /// In a relationship.
    Relationship,
    /// In a workflow, which may have inputs of its own.
    Workflow(&'m Fields<Parameter>),
    /// Elsewhere: outputs, policies.
    Service,
}

/// Functions of 2.0 without their dollar sign.
pub(super) const BUILT_IN: &[&str] = &[
    "get_input",
    "get_property",
    "get_attribute",
    "get_artifact",
    "value",
    "node_index",
    "relationship_index",
    "available_allocation",
    "and",
    "or",
    "not",
    "xor",
    "equal",
    "greater_than",
    "greater_or_equal",
    "less_than",
    "less_or_equal",
    "in_range",
    "valid_values",
    "matches",
    "has_suffix",
    "has_prefix",
    "contains",
    "has_entry",
    "has_key",
    "has_all_entries",
    "has_all_keys",
    "has_any_entry",
    "has_any_key",
    "length",
    "concat",
    "join",
    "token",
    "union",
    "intersection",
    "sum",
    "difference",
    "product",
    "quotient",
    "remainder",
    "round",
    "floor",
    "ceil",
    "get_operation_output",
    "get_nodes_of_type",
];

impl Checker<'_> {
    /// Looks at every value of the service.
    pub(super) fn functions(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        for (name, node) in service.nodes.iter() {
            self.node_functions(service, name, node);
        }
        for (_, template) in service.relationships.iter() {
            let place = Place::Relationship;
            self.all(service, &template.properties, place);
            self.all(service, &template.attributes, place);
            self.in_interfaces(service, &template.interfaces, place);
        }
        for (_, output) in service.outputs.iter() {
            if let Some(value) = &output.value {
                self.calls(service, value, Place::Service);
                self.result(service, value, &output.schema, Place::Service);
            }
        }
        for (_, policy) in service.policies.iter() {
            self.all(service, &policy.properties, Place::Service);
        }
        for (_, workflow) in service.workflows.iter() {
            let place = Place::Workflow(&workflow.inputs);
            for activity in workflow.steps.iter().flat_map(|(_, step)| &step.activities) {
                self.all(service, &activity.inputs, place);
            }
        }
    }

    fn node_functions(&mut self, service: &Service, name: &Name, node: &NodeTemplate) {
        let place = Place::Node(&name.text, node);
        self.all(service, &node.properties, place);
        self.all(service, &node.attributes, place);
        if let Some(id) = node.of.id {
            let schemas = self.model.schemas(id, |of| &of.properties);
            for (name, value) in node.properties.iter() {
                if let Some(schema) = schemas.get(&name.text) {
                    self.result(service, value, schema, place);
                }
            }
        }
        for (name, capability) in node.capabilities.iter() {
            self.all(service, &capability.properties, place);
            let Some(id) = node.of.id else { continue };
            let schemas = self.model.capability_schemas(
                id,
                &name.text,
                |of| &of.properties,
                |of| &of.properties,
            );
            for (name, value) in capability.properties.iter() {
                if let Some(schema) = schemas.get(&name.text) {
                    self.result(service, value, schema, place);
                }
            }
        }
        self.in_interfaces(service, &node.interfaces, place);
        for (_, requirement) in node.requirements.iter() {
            if let Some(inline) = &requirement.inline {
                self.all(service, &inline.properties, Place::Relationship);
                self.in_interfaces(service, &inline.interfaces, Place::Relationship);
            }
        }
    }

    fn in_interfaces(
        &mut self,
        service: &Service,
        interfaces: &Fields<Interface>,
        place: Place<'_>,
    ) {
        for (_, interface) in interfaces.iter() {
            let own =
                interface.operations.iter().flat_map(|(_, operation)| operation.inputs.iter());
            for (_, input) in interface.inputs.iter().chain(own) {
                if let Some(value) = &input.value {
                    self.calls(service, value, place);
                }
            }
        }
    }

    fn all(&mut self, service: &Service, values: &Fields<Value>, place: Place<'_>) {
        for (_, value) in values.iter() {
            self.calls(service, value, place);
        }
    }

    /// Checks the calls in a value. Values are at most a few hundred levels deep.
    pub(super) fn calls(&mut self, service: &Service, value: &Value, place: Place<'_>) {
        let version_2 = self.version().is_2();
        if is_call(value, version_2)
            && let [entry] = value.entries()
            && let Some(name) = entry.key.text()
        {
            let name = name.trim_start_matches('$');
            self.call_of(service, name, entry.key.span, &entry.value, place);
        }
        let before = self.findings.len();
        for item in value.items() {
            self.calls(service, item, place);
        }
        for entry in value.entries() {
            self.calls(service, &entry.value, place);
        }
        if value.entries().iter().any(|entry| entry.key.text() == Some("concat")) {
            let below = &mut self.findings[before..];
            for finding in below.iter_mut().filter(|found| found.code == codes::UNKNOWN_NAME) {
                finding.quirk = Some(switches::UNCHECKED_CONCAT);
            }
        }
    }

    fn call_of(
        &mut self,
        service: &Service,
        name: &str,
        span: crate::source::Span,
        arguments: &Value,
        place: Place<'_>,
    ) {
        let count = arguments.items().len();
        match name {
            "get_input" => self.get_input(service, arguments, place),
            "get_property" | "get_attribute" => self.get_part(service, name, arguments, place),
            "concat" if count == 0 => {
                self.error(codes::FUNCTION, span, "`concat` takes a list of at least one part");
            }
            "token" if count != 3 => {
                let message =
                    "`token` takes a text, the characters between its parts, and an index";
                self.error(codes::FUNCTION, span, message);
            }
            "join" if count == 0 || count > 2 => {
                self.error(codes::FUNCTION, span, "`join` takes a list and a delimiter");
            }
            _ if self.version().is_2() && !BUILT_IN.contains(&name) => {
                let own = &self.model.files[0].functions;
                if !own.contains_key(name) && !self.is_open {
                    let message = format!("there is no function `{name}`");
                    let near = spelling::nearest(name, BUILT_IN.iter().copied());
                    let help = near.map(|near| format!("did you mean `${near}`?"));
                    self.advise(codes::FUNCTION, span, message, help);
                }
            }
            _ => {}
        }
    }

    fn get_input(&mut self, service: &Service, arguments: &Value, place: Place<'_>) {
        let name = arguments.items().first().unwrap_or(arguments);
        let Some(text) = name.text() else { return };
        if let [_, more @ ..] = arguments.items()
            && let Some(step) = more.first()
        {
            if self.version() < Version::V1_3 {
                let message = "before 1.3 `get_input` takes the name of an input and nothing else";
                return self.error(codes::FUNCTION, step.span, message);
            }
            self.index(service.inputs.get(text).map(|input| &input.schema), more);
        }
        let in_workflow = matches!(place, Place::Workflow(inputs) if inputs.get(text).is_some());
        if service.inputs.get(text).is_none() && !in_workflow {
            let message = format!("there is no input `{text}`");
            let near = spelling::nearest(text, service.inputs.names());
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::UNKNOWN_NAME, name.span, message, help);
        }
    }

    /// `get_property` and `get_attribute`: the node and what is asked of it exist.
    fn get_part(&mut self, service: &Service, function: &str, arguments: &Value, place: Place<'_>) {
        let [entity, rest @ ..] = arguments.items() else {
            if arguments.text().is_some() || arguments.items().is_empty() {
                let message = format!("`{function}` takes a list: a node and a name");
                self.error(codes::FUNCTION, arguments.span, message);
            }
            return;
        };
        let Some(who) = entity.text() else { return };
        let (owner, node) = match (who, place) {
            ("SELF", Place::Node(name, node)) => (name.to_owned(), Some(node)),
            ("HOST", Place::Service) => {
                let message = "`HOST` means nothing here: there is no node that has a host";
                return self.error(codes::FUNCTION, entity.span, message);
            }
            ("HOST", Place::Node(name, node)) => return self.host(service, name, node, entity),
            ("SELF" | "SOURCE" | "TARGET" | "HOST" | "ORCHESTRATOR", _) => return,
            (name, _) => (name.to_owned(), service.nodes.get(name)),
        };
        let Some(node) = node else {
            if service.relationships.get(who).is_some() || service.groups.get(who).is_some() {
                return;
            }
            let message = format!("there is no node template `{who}`");
            let near = spelling::nearest(who, service.nodes.names());
            let help = near.map(|near| format!("did you mean `{near}`?"));
            return self.advise(codes::UNKNOWN_NAME, entity.span, message, help);
        };
        let Some(id) = node.of.id.filter(|id| !self.model.is_opaque(*id)) else { return };
        let [name, more @ ..] = rest else {
            let message = format!("`{function}` takes a node and a name");
            return self.error(codes::FUNCTION, arguments.span, message);
        };
        let Some(text) = name.text() else { return };
        if self.version().is_2() && !more.is_empty() {
            return;
        }
        let model = self.model;
        let own = |text: &str| has_part(model, id, text, function);
        if own(text) {
            return self.index(model.schemas(id, |of| &of.attributes).get(text), more);
        }
        // Which of several relationships is meant may stand between.
        let second = more.iter().find(|step| !matches!(step.data, Data::Int(_)));
        if let Some(second) = second.and_then(Value::text)
            && self.through(service, node, text, second)
        {
            return;
        }
        let word = if function == "get_property" { "property" } else { "attribute" };
        let what = more.first().and_then(Value::text).unwrap_or(text);
        let message = format!("`{owner}` has no {word} `{what}`");
        self.error(codes::UNKNOWN_NAME, name.span, message);
    }

    /// An index goes into a list or map only.
    fn index(&mut self, schema: Option<&Schema>, more: &[Value]) {
        let Some(of) = schema.and_then(|schema| schema.of.as_ref()) else { return };
        let base = self.model.base(of, self.version());
        let Some(step) = more.first() else { return };
        let is_flat = matches!(base, Base::BuiltIn(name) if name != "list" && name != "map");
        let is_wrong = is_flat && (matches!(step.data, Data::Int(_)) || step.text().is_some());
        if is_wrong {
            let message = format!("a {} has no parts", of.name.text);
            self.error(codes::FUNCTION, step.span, message);
        }
    }

    /// A property of a capability, or of the target of a requirement.
    fn through(&self, service: &Service, node: &NodeTemplate, first: &str, second: &str) -> bool {
        let model = self.model;
        let Some(id) = node.of.id else { return true };
        let has = |of: super::super::model::TypeId, name: &str| {
            has_part(model, of, name, "get_attribute") || has_part(model, of, name, "get_property")
        };
        let in_capability = |id, name: &str| {
            let fields =
                model.capability_schemas(id, name, |of| &of.properties, |of| &of.properties);
            let attributes =
                model.capability_schemas(id, name, |of| &of.attributes, |of| &of.attributes);
            fields.get(second).is_some() || attributes.get(second).is_some()
        };
        if model.capability(id, first).is_some() {
            return in_capability(id, first);
        }
        let mut requirements = node.requirements.iter().filter(|(name, _)| name.text == first);
        let Some((_, requirement)) = requirements.next() else { return false };
        let Some(target) = &requirement.target else { return true };
        let Some(of) = service.nodes.get(&target.node).and_then(|node| node.of.id) else {
            return true;
        };
        let is_of_relationship = target.relationship.is_some_and(|of| has(of, second));
        is_of_relationship
            || has(of, second)
            || target.capability.as_ref().is_none_or(|capability| in_capability(of, capability))
    }

    /// A node that asks its host has one.
    fn host(&mut self, service: &Service, name: &str, node: &NodeTemplate, at: &Value) {
        let _ = service;
        let Some(id) = node.of.id.filter(|id| !self.model.is_opaque(*id)) else { return };
        let has_host = self.model.requirement_names(id).iter().any(|requirement| {
            let of = self.model.requirement(id, requirement).and_then(|r| r.relationship?.id);
            of.is_some_and(|of| {
                self.model.types.chain(of).any(|(_, of)| of.name.text.ends_with("HostedOn"))
            }) || *requirement == "host"
        });
        if !has_host {
            let message = format!("`{name}` is hosted on nothing");
            self.error(codes::FUNCTION, at.span, message);
        }
    }

    /// What a function gives must fit where it is put.
    fn result(&mut self, service: &Service, value: &Value, schema: &Schema, place: Place<'_>) {
        let [entry] = value.entries() else { return };
        if !is_call(value, self.version().is_2()) {
            return;
        }
        let Some(name) = entry.key.text() else { return };
        let Some(wanted) = &schema.of else { return };
        let model = self.model;
        let wanted_base = model.base(wanted, model.version);
        let given = match name.trim_start_matches('$') {
            "get_input" => {
                let Some(input) = entry.value.text() else { return };
                let Some(input) = service.inputs.get(input) else { return };
                if let Some(default) = &input.schema.default {
                    let before = self.findings.len();
                    self.value(default, schema, model.version);
                    // What the default violates is found where it is used, too.
                    let found = self.findings.split_off(before);
                    if let Some(first) = found.into_iter().next() {
                        let message =
                            format!("the default of this input does not fit: {}", first.message);
                        let mut found =
                            Diagnostic::new(first.code, first.severity, value.span, message);
                        found.quirk = is_about_type(&first).then_some(switches::UNCHECKED_INPUTS);
                        self.findings.push(found);
                        return;
                    }
                }
                input.schema.of.clone()
            }
            "get_property" => self.property_type(service, &entry.value, place),
            "concat" | "join" | "token" => {
                return self.text_into(value, wanted_base, &wanted.name.text);
            }
            _ => return,
        };
        let Some(given) = given else { return };
        if !fits(model, model.base(&given, model.version), wanted_base) {
            let message =
                format!("this gives `{}` where `{}` is needed", given.name.text, wanted.name.text);
            self.error(codes::FUNCTION, value.span, message);
        }
    }

    fn text_into(&mut self, value: &Value, wanted: Base<'_>, name: &str) {
        if matches!(wanted, Base::BuiltIn("integer" | "float" | "boolean" | "list" | "map")) {
            let message = format!("this gives `string` where `{name}` is needed");
            self.error(codes::FUNCTION, value.span, message);
        }
    }

    /// The type of a property that is asked for plainly.
    fn property_type(
        &self,
        service: &Service,
        arguments: &Value,
        place: Place<'_>,
    ) -> Option<super::super::model::TypeRef> {
        let [entity, name] = arguments.items() else { return None };
        let node = match (entity.text()?, place) {
            ("SELF", Place::Node(_, node)) => node,
            (name, _) => service.nodes.get(name)?,
        };
        let schemas = self.model.schemas(node.of.id?, |of| &of.properties);
        schemas.get(name.text()?)?.of.clone()
    }
}

/// Whether a finding says that a value is of another type, and not that it is a bad one.
fn is_about_type(finding: &Diagnostic) -> bool {
    finding.code == codes::WRONG_VALUE
}

/// Whether a node type has a property or attribute; every property is an attribute too.
fn has_part(model: &Model, id: super::super::model::TypeId, name: &str, function: &str) -> bool {
    let property = model.schemas(id, |of| &of.properties).get(name).is_some();
    let attribute = || model.schemas(id, |of| &of.attributes).get(name).is_some();
    property || function == "get_attribute" && attribute()
}

/// Whether values of one type may stand for values of another.
fn fits(model: &Model, given: Base<'_>, wanted: Base<'_>) -> bool {
    match (given, wanted) {
        (Base::BuiltIn("integer"), Base::BuiltIn("float")) => true,
        (Base::BuiltIn(given), Base::BuiltIn(wanted)) => {
            given == wanted
                || given.starts_with("scalar-unit") && wanted.starts_with("scalar-unit")
                || (given == "string"
                    && !["integer", "float", "boolean", "list", "map"].contains(&wanted))
        }
        (Base::Structure(given), Base::Structure(wanted)) => {
            model.types.derives(given, wanted) || model.types.derives(wanted, given)
        }
        (Base::Structure(_), Base::BuiltIn(wanted)) => wanted == "map",
        _ => true,
    }
}
