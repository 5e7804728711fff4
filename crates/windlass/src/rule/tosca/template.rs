//! Templates give what their types declare: properties, attributes, capabilities, operations.

use super::Checker;
use super::value::is_required;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    CapabilityDefinition, Fields, Interface, Model, NodeTemplate, Schema, Type, TypeId, TypeKind,
};
use crate::lang::tosca::quirks;
use crate::lang::tosca::value::{Name, Value};
use crate::source::Span;
use crate::spelling;

impl Model {
    /// What the nearest type of a chain says about a name.
    pub(super) fn nearest<'m, T>(
        &'m self,
        id: TypeId,
        of: impl Fn(&'m Type) -> Option<&'m T>,
    ) -> Option<&'m T> {
        self.types.chain(id).find_map(|(_, at)| of(at))
    }

    /// A capability that a node type declares or inherits.
    pub(super) fn capability(&self, id: TypeId, name: &str) -> Option<&CapabilityDefinition> {
        self.nearest(id, |of| of.capabilities.get(name))
    }

    /// The type of a capability of a node type: the nearest definition that names one.
    pub(super) fn capability_type(&self, id: TypeId, name: &str) -> Option<TypeId> {
        let typed = |of: &'_ Type| of.capabilities.get(name).and_then(|c| c.of.as_ref()?.id);
        self.types.chain(id).find_map(|(_, of)| typed(of))
    }

    /// The properties of a capability of a node type, refined as the node types say.
    pub(super) fn capability_schemas(
        &self,
        id: TypeId,
        name: &str,
        of_type: fn(&Type) -> &Fields<Schema>,
        of_definition: fn(&CapabilityDefinition) -> &Fields<Schema>,
    ) -> Fields<Schema> {
        let Some(of) = self.capability_type(id, name) else { return Fields::default() };
        let mut fields = self.schemas(of, of_type);
        let chain = self.types.chain(id).collect::<Vec<_>>();
        for (_, at) in chain.into_iter().rev() {
            let Some(definition) = at.capabilities.get(name) else { continue };
            for (name, schema) in of_definition(definition).iter() {
                let known = fields.iter_mut().find(|(known, _)| known.text == name.text);
                match known {
                    Some((_, known)) => {
                        let mut refined = schema.clone();
                        super::schema::inherit(&mut refined, known);
                        *known = refined;
                    }
                    None => fields.push(name.clone(), schema.clone()),
                }
            }
        }
        fields
    }
}

impl Checker<'_> {
    /// Checks every template of the service.
    pub(super) fn templates(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        for (_, parameter) in service.inputs.iter().chain(service.outputs.iter()) {
            let schema = &parameter.schema;
            self.schema_itself(schema, model.version);
            for value in [&schema.default, &parameter.value].into_iter().flatten() {
                self.value(value, schema, model.version);
            }
        }
        for (name, node) in service.nodes.iter() {
            self.node(name, node);
        }
        for (name, template) in service.relationships.iter() {
            let Some(id) = template.of.as_ref().and_then(|of| of.id) else { continue };
            self.assigned(id, &template.properties, |of| &of.properties, "property");
            self.required_values(id, &template.properties, name.span, &name.text);
            self.assigned(id, &template.attributes, |of| &of.attributes, "attribute");
            self.interfaces(id, &template.interfaces);
            self.operations_themselves(id, &template.interfaces);
            self.given_inputs(id, &template.interfaces);
            self.needed_inputs(id, "Configure", name, &template.interfaces);
        }
        for (name, group) in service.groups.iter() {
            let Some(id) = group.of.id else { continue };
            self.assigned(id, &group.properties, |of| &of.properties, "property");
            self.required_values(id, &group.properties, name.span, &name.text);
        }
        for (name, policy) in service.policies.iter() {
            let Some(id) = policy.of.id else { continue };
            self.assigned(id, &policy.properties, |of| &of.properties, "property");
            self.required_values(id, &policy.properties, name.span, &name.text);
        }
    }

    fn node(&mut self, name: &Name, node: &NodeTemplate) {
        let model = self.model;
        let Some(id) = node.of.id else { return };
        // A node that is found or made elsewhere has its values there.
        let is_elsewhere = self.is_elsewhere(node);
        self.directives(node);
        self.assigned(id, &node.properties, |of| &of.properties, "property");
        if !is_elsewhere {
            self.required_values(id, &node.properties, name.span, &name.text);
            self.given_to_capabilities(id, name, node);
            self.given_to_artifacts(id, node);
        }
        self.assigned(id, &node.attributes, |of| &of.attributes, "attribute");
        for (capability, assignment) in node.capabilities.iter() {
            if model.capability(id, &capability.text).is_none() {
                if !model.is_opaque(id) {
                    let names = model.types.chain(id).flat_map(|(_, of)| of.capabilities.names());
                    self.undeclared(id, capability, "capability", names.collect());
                }
                continue;
            }
            let word = &capability.text;
            let fields =
                model.capability_schemas(id, word, |of| &of.properties, |of| &of.properties);
            // A type that nothing declares was reported where it is named.
            let Some(of) = model.capability_type(id, word) else { continue };
            self.each(of, &assignment.properties, &fields, "property");
            let fields =
                model.capability_schemas(id, word, |of| &of.attributes, |of| &of.attributes);
            self.each(of, &assignment.attributes, &fields, "attribute");
        }
        self.interfaces(id, &node.interfaces);
        self.operations_themselves(id, &node.interfaces);
        self.given_inputs(id, &node.interfaces);
        if !is_elsewhere {
            self.needed_inputs(id, "Standard", name, &node.interfaces);
        }
    }

    /// Whether a node is selected or substituted: by a directive, or, before directives said so,
    /// because an imported template stands for its type.
    pub(super) fn is_elsewhere(&self, node: &NodeTemplate) -> bool {
        const WORDS: &[&str] = &["select", "selectable", "substitute", "substitutable"];
        let is_imported = node.of.id.is_some_and(|id| self.model.substituted.contains_key(&id));
        is_imported && !self.version().is_2()
            || node.directives.iter().any(|word| WORDS.contains(&word.text.as_str()))
    }

    fn directives(&mut self, node: &NodeTemplate) {
        const KNOWN: &[&str] = &[
            "select",
            "substitute",
            "create",
            "selectable",
            "substitutable",
            "count",
            "internal",
            "external",
        ];
        for word in &node.directives {
            let is_own = word.text.contains(['.', ':']);
            if !KNOWN.contains(&word.text.as_str()) && !is_own {
                let message = format!("there is no directive `{}`", word.text);
                let finding = Diagnostic::warning(codes::UNKNOWN_NAME, word.span, message);
                let near = spelling::nearest(&word.text, KNOWN.iter().copied());
                self.findings.push(match near {
                    Some(near) => finding.help(format!("did you mean `{near}`?")),
                    None => finding,
                });
            }
        }
        for (_, requirement) in node.requirements.iter() {
            for word in &requirement.directives {
                if !["internal", "external"].contains(&word.text.as_str()) {
                    let message = format!("there is no directive `{}`", word.text);
                    let finding = Diagnostic::warning(codes::UNKNOWN_NAME, word.span, message);
                    self.findings.push(finding.help("it is `internal` or `external`"));
                }
            }
        }
    }

    /// Values against the schemas of a type.
    pub(super) fn assigned(
        &mut self,
        id: TypeId,
        values: &Fields<Value>,
        of: fn(&Type) -> &Fields<Schema>,
        word: &str,
    ) {
        if values.is_empty() {
            return;
        }
        let fields = self.model.schemas(id, of);
        self.each(id, values, &fields, word);
    }

    fn each(&mut self, id: TypeId, values: &Fields<Value>, fields: &Fields<Schema>, word: &str) {
        for (name, value) in values.iter() {
            match fields.get(&name.text) {
                Some(schema) => {
                    self.value(value, schema, self.model.version);
                    if word == "property" {
                        self.unfixed(value, schema);
                    }
                }
                None if self.model.is_opaque(id) => {}
                // Attributes may take over the names of properties.
                None if word == "attribute"
                    && self.model.schemas(id, |of| &of.properties).get(&name.text).is_some() => {}
                None => {
                    let names = fields.names().collect();
                    self.undeclared(id, name, word, names);
                }
            }
        }
    }

    /// Required properties have values.
    pub(super) fn required_values(
        &mut self,
        id: TypeId,
        values: &Fields<Value>,
        at: Span,
        owner: &str,
    ) {
        let model = self.model;
        let schemas = model.schemas(id, |of| &of.properties);
        // A property whose name is misspelled is not missing, too.
        let unknown = values.names().filter(|name| schemas.get(name).is_none());
        let meant: Vec<&str> =
            unknown.filter_map(|name| spelling::nearest(name, schemas.names())).collect();
        // What cannot be parsed was reported.
        let is_whole = self.is_parsed;
        for (name, schema) in schemas.iter() {
            let given = values.entry(&name.text);
            let is_nil =
                schema.of.as_ref().is_some_and(|of| ["nil", "null"].contains(&&*of.name.text));
            // Null is nothing: it stands where a value should.
            let is_empty = |value: &Value| value.is_null() && !is_nil && is_whole;
            let span = given.filter(|(_, value)| is_empty(value)).map(|(name, _)| name.span);
            let is_given = span.is_none() && given.is_some() || meant.contains(&&*name.text);
            let span = span.unwrap_or(at);
            if is_required(schema) && !is_given {
                let message = format!("`{owner}` must give `{}` a value", name.text);
                let of = &model.types.get(id).name.text;
                let help = format!("`{}` is a required property of `{of}`", name.text);
                self.advise(codes::MISSING_VALUE, span, message, Some(help));
                self.tolerate(self.is_often_left_out(id, &name.text));
            }
        }
    }

    fn is_often_left_out(&self, id: TypeId, property: &str) -> bool {
        let mut chain = self.model.types.chain(id);
        let declares = |(at, of): (TypeId, &Type)| {
            self.model.is_normative(at)
                && of.properties.get(property).is_some()
                && quirks::is_often_left_out(&of.name.text, property)
        };
        chain.any(declares)
    }

    pub(super) fn undeclared(&mut self, id: TypeId, name: &Name, word: &str, known: Vec<&str>) {
        let of = &self.model.types.get(id).name.text;
        let message = format!("`{of}` has no {word} `{}`", name.text);
        let help = match spelling::nearest(&name.text, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => format!("it has no {word} at all"),
            None => spelling::known(word, known.into_iter()),
        };
        self.advise(codes::UNDECLARED, name.span, message, Some(help));
    }

    /// Interfaces and operations are declared.
    pub(super) fn interfaces(&mut self, id: TypeId, interfaces: &Fields<Interface>) {
        let model = self.model;
        if model.is_opaque(id) {
            return;
        }
        for (name, interface) in interfaces.iter() {
            if self.is_unknown_interface(id, &name.text) {
                continue;
            }
            let Some(known) = self.operations(id, &name.text) else {
                if interface.of.is_none() {
                    let names = model.types.chain(id).flat_map(|(_, of)| of.interfaces.names());
                    self.undeclared(id, name, "interface", names.collect());
                    // Without operations it changes nothing.
                    if interface.operations.is_empty()
                        && let Some(last) = self.findings.last_mut()
                    {
                        last.severity = Severity::Warning;
                    }
                }
                continue;
            };
            let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            for (operation, _) in interface.operations.iter() {
                if !known.is_empty() && !known.contains(&operation.text.as_str()) {
                    let message = format!(
                        "the interface `{}` has no operation `{}`",
                        name.text, operation.text
                    );
                    let near = spelling::nearest(&operation.text, known.iter().copied());
                    let help = near.map(|near| format!("did you mean `{near}`?"));
                    self.advise(codes::UNDECLARED, operation.span, message, help);
                }
            }
        }
    }

    /// Whether nothing declares the type that a definition of an interface names.
    fn is_unknown_interface(&self, id: TypeId, name: &str) -> bool {
        let mut chain = self.model.types.chain(id);
        chain.any(|(_, of)| {
            let definition = of.interfaces.get(name).and_then(|it| it.of.as_ref());
            definition.is_some_and(|of| of.id.is_none())
        })
    }

    /// The operations of an interface of a type; none when the type has no such interface.
    pub(super) fn operations(&self, id: TypeId, interface: &str) -> Option<Vec<&str>> {
        let model = self.model;
        let mut known = Vec::new();
        let mut found = false;
        for (_, of) in model.types.chain(id) {
            let Some((_, definition)) = named_interface(model, of, interface) else { continue };
            found = true;
            known.extend(definition.operations.names());
            known.extend(definition.notifications.names());
            if let Some(of) = definition.of.as_ref().and_then(|of| of.id) {
                known.extend(model.types.chain(of).flat_map(|(_, of)| of.operations.names()));
            }
        }
        if !found {
            let names = &model.files[0].names;
            let of = names.get(&(TypeKind::Interface, interface.to_owned()))?;
            known.extend(model.types.chain(*of).flat_map(|(_, of)| of.operations.names()));
        }
        Some(known)
    }
}

/// An interface of a type by its name, by the name of its type, or by the last part of that.
pub(super) fn named_interface<'m>(
    model: &'m Model,
    of: &'m Type,
    name: &str,
) -> Option<(&'m Name, &'m Interface)> {
    of.interfaces.entry(name).or_else(|| {
        of.interfaces.iter().find(|(known, interface)| {
            let of = interface.of.as_ref().and_then(|of| of.id);
            let of = of.map(|of| model.types.get(of).name.text.as_str());
            let last = |text: &str| text.rsplit('.').next() == name.rsplit('.').next();
            of == Some(name) || of.is_some_and(last) && last(&known.text)
        })
    })
}
