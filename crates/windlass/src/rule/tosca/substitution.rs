//! Does the service fit the node type that it stands for?

use super::Checker;
use super::function_result::fits;
use super::node_filter::keys;
use super::value::is_required;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Service, Substitution, TypeId};
use crate::lang::tosca::value::{Name, Value};
use crate::spelling;

impl Checker<'_> {
    pub(super) fn substitution(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        self.substituting(service);
        let Some(substitution) = &service.substitution else { return };
        let Some(id) = substitution.of.id.filter(|id| !model.is_opaque(*id)) else { return };
        self.mapped_properties(service, substitution, id);
        self.substituted_ones(substitution, id);
        for (name, value) in substitution.capabilities.iter() {
            if model.capability(id, &name.text).is_none() {
                let names = model.types.chain(id).flat_map(|(_, of)| of.capabilities.names());
                self.undeclared(id, name, "capability", names.collect());
            }
            self.mapped(service, value, "capability");
            self.same_capability(service, id, name, value);
        }
        self.mapped_requirements(service, substitution, id);
        let attributes = model.schemas(id, |of| &of.attributes);
        for (name, value) in substitution.attributes.iter() {
            if attributes.get(&name.text).is_none() {
                let names = attributes.names().collect();
                self.undeclared(id, name, "attribute", names);
            }
            self.mapped_attribute(service, value);
            if let Some(node) = value.items().first().and_then(Value::text)
                && value.items().len() > 1
                && service.nodes.get(node).is_none()
            {
                self.no_node(value, node);
            }
        }
        for (name, value) in substitution.interfaces.iter() {
            self.mapped_interface(service, id, name, value);
        }
        self.behavior(service, substitution);
    }

    /// Before 2.0 an imported template that stands for a node takes all that the node must give.
    fn substituting(&mut self, service: &Service) {
        let model = self.model;
        for (id, template) in &model.substituted {
            let is_used = service.nodes.iter().any(|(_, node)| node.of.id == Some(*id));
            let Some(inputs) = template.inputs.as_ref().filter(|_| is_used) else { continue };
            for (name, schema) in model.schemas(*id, |of| &of.properties).iter() {
                let is_taken = inputs.contains(&name.text);
                if is_required(schema) && !is_taken && !self.version().is_2() {
                    let message = format!("no input takes the property `{}`", name.text);
                    self.error(codes::SUBSTITUTION, template.span, message);
                }
            }
        }
    }

    /// Properties are fed to inputs that exist; before 1.2 by having the same name.
    fn mapped_properties(&mut self, service: &Service, substitution: &Substitution, id: TypeId) {
        let properties = self.model.schemas(id, |of| &of.properties);
        for (name, value) in substitution.properties.iter() {
            if properties.get(&name.text).is_none() {
                let names = properties.names().collect();
                self.undeclared(id, name, "property", names);
            }
            let input = value.items().first().or(Some(value)).and_then(Value::text);
            let is_input = value.items().len() <= 1;
            if let Some(input) = input.filter(|_| is_input && !value.is_null())
                && service.inputs.get(input).is_none()
                && !super::validation_clause::is_call(value, true)
            {
                let message = format!("there is no input `{input}`");
                let near = spelling::nearest(input, service.inputs.names());
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.advise(codes::SUBSTITUTION, value.span, message, help);
            }
            let fed = input.filter(|_| is_input).and_then(|input| service.inputs.get(input));
            let both = properties.get(&name.text).and_then(|it| it.of.as_ref());
            if let Some((given, wanted)) = both.zip(fed.and_then(|fed| fed.schema.of.as_ref())) {
                let base = |of| self.model.base(of, self.version());
                if !fits(self.model, base(given), base(wanted)) {
                    let message = format!(
                        "`{}` is a `{}`, and the input a `{}`",
                        name.text, given.name.text, wanted.name.text
                    );
                    self.error(codes::SUBSTITUTION, value.span, message);
                }
            }
        }
        if self.version().is_2() {
            return self.fed_inputs(service, substitution);
        }
        if !substitution.properties.is_empty() {
            return;
        }
        for (name, schema) in properties.iter() {
            if is_required(schema) && service.inputs.get(&name.text).is_none() {
                let message = format!(
                    "no input takes the property `{}` of `{}`",
                    name.text, substitution.of.name.text
                );
                self.error(codes::SUBSTITUTION, substitution.span, message);
            }
        }
    }

    /// From 2.0 only the mapping gives values to the inputs of a service that stands for a node.
    fn fed_inputs(&mut self, service: &Service, substitution: &Substitution) {
        let named =
            |value: &Value| value.items().first().unwrap_or(value).text().map(str::to_owned);
        let mapped = substitution.properties.iter().filter_map(|(_, value)| named(value));
        let mapped: Vec<String> = mapped.collect();
        // A name that is no input may be meant for one that seems to be left out.
        if mapped.iter().any(|name| service.inputs.get(name).is_none()) {
            return;
        }
        for (name, input) in service.inputs.iter() {
            let is_given = input.value.is_some() || mapped.contains(&name.text);
            if is_required(&input.schema) && !is_given {
                let message = format!("no property is mapped to the input `{}`", name.text);
                let help = format!(
                    "a `{}` has no value for it: map a property, or give it a `default`",
                    substitution.of.name.text
                );
                self.advise(codes::SUBSTITUTION, name.span, message, Some(help));
            }
        }
    }

    /// The filter asks for properties that nodes of the type have; from 2.0 it is made of
    /// functions, which are looked at with all others.
    fn substituted_ones(&mut self, substitution: &Substitution, id: TypeId) {
        let Some(filter) = substitution.filter.as_ref().filter(|_| !self.version().is_2()) else {
            return;
        };
        let filter = filter.get("node_filter").unwrap_or(filter);
        if self.filter_itself(Some(id), filter) {
            return;
        }
        let known = self.model.schemas(id, |of| &of.properties);
        for key in filter.get("properties").into_iter().flat_map(keys) {
            let Some(name) = key.text().filter(|name| known.get(name).is_none()) else { continue };
            // A node of a type that derives from it may have more.
            let message = format!("`{}` has no property `{name}`", substitution.of.name.text);
            self.findings.push(Diagnostic::warning(codes::UNKNOWN_NAME, key.span, message));
        }
    }

    /// A mapping names a node template and one of its capabilities or requirements.
    pub(super) fn mapped(&mut self, service: &Service, value: &Value, word: &str) {
        let [node, name, ..] = value.items() else { return };
        let (Some(node_name), Some(name)) = (node.text(), name.text()) else { return };
        let Some(template) = service.nodes.get(node_name) else {
            return self.no_node(node, node_name);
        };
        let Some(id) = template.of.id.filter(|id| !self.model.is_opaque(*id)) else { return };
        let known: Vec<&str> = match word {
            "capability" => {
                self.model.types.chain(id).flat_map(|(_, of)| of.capabilities.names()).collect()
            }
            _ => self.model.requirement_names(id),
        };
        if !known.contains(&name) {
            let message = format!("`{node_name}` has no {word} `{name}`");
            let near = spelling::nearest(name, known);
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::SUBSTITUTION, value.span, message, help);
        }
    }

    /// What stands for a capability is of its type.
    fn same_capability(&mut self, service: &Service, id: TypeId, name: &Name, value: &Value) {
        let model = self.model;
        let [node, inner, ..] = value.items() else { return };
        let template = node.text().and_then(|node| service.nodes.get(node));
        let own = template.and_then(|node| node.of.id).filter(|id| !model.is_opaque(*id));
        let own = own.zip(inner.text()).and_then(|(id, name)| model.capability_type(id, name));
        let wanted = model.capability_type(id, &name.text);
        if let (Some(own), Some(wanted)) = (own, wanted)
            && !model.types.derives(own, wanted)
            && !model.is_opaque(own)
        {
            let (own, wanted) =
                (&model.types.get(own).name.text, &model.types.get(wanted).name.text);
            let message = format!("this capability is a `{own}`, and `{}` a `{wanted}`", name.text);
            self.error(codes::SUBSTITUTION, value.span, message);
        }
    }

    /// An attribute is one of a node template, or from 2.0 an output.
    fn mapped_attribute(&mut self, service: &Service, value: &Value) {
        let model = self.model;
        if let [node, name] = value.items() {
            let (Some(node), Some(name)) = (node.text(), name.text()) else { return };
            let of = service.nodes.get(node).and_then(|node| node.of.id);
            let Some(of) = of.filter(|id| !model.is_opaque(*id)) else { return };
            let is_there = model.schemas(of, |of| &of.attributes).get(name).is_some()
                || model.schemas(of, |of| &of.properties).get(name).is_some();
            if !is_there && service.nodes.get(name).is_none() {
                let message = format!("`{node}` has no attribute `{name}`");
                self.error(codes::SUBSTITUTION, value.span, message);
            }
        } else if let Some(output) = value.text().filter(|_| self.version().is_2())
            && service.outputs.get(output).is_none()
        {
            let message = format!("there is no output `{output}`");
            self.error(codes::SUBSTITUTION, value.span, message);
        }
    }

    pub(super) fn no_node(&mut self, at: &Value, name: &str) {
        let known = self.model.service.iter().flat_map(|service| service.nodes.names());
        let help = spelling::nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        let message = format!("there is no node template `{name}`");
        self.advise(codes::UNKNOWN_NAME, at.span, message, help);
    }

    /// A workflow that stands for an operation exists; before 2.0 the orchestrator has some.
    fn mapped_workflow(&mut self, service: &Service, name: &Name) {
        if !self.version().is_2() {
            // Some files name a node and one of its operations.
            let node = name.text.split_once('.').and_then(|(node, _)| service.nodes.get(node));
            if node.is_none() {
                self.known_workflow(service, name);
            }
            return;
        }
        if service.workflows.get(&name.text).is_none() {
            let message = format!("there is no workflow `{}`", name.text);
            let near = spelling::nearest(&name.text, service.workflows.names());
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::UNKNOWN_NAME, name.span, message, help);
        }
    }

    /// Operations are mapped to workflows.
    fn mapped_interface(&mut self, service: &Service, id: TypeId, name: &Name, value: &Value) {
        let Some(known) = self.operations(id, &name.text) else {
            let names = self.model.types.chain(id).flat_map(|(_, of)| of.interfaces.names());
            let names = names.collect();
            return self.undeclared(id, name, "interface", names);
        };
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        let body = value.get("operations").unwrap_or(value);
        for entry in body.entries() {
            let Some(operation) = entry.key.text() else { continue };
            if !known.iter().any(|known| known == operation) && operation != "type" {
                let message =
                    format!("the interface `{}` has no operation `{operation}`", name.text);
                self.error(codes::UNDECLARED, entry.key.span, message);
            }
            if let Some(text) = entry.value.text().filter(|_| operation != "type") {
                let workflow = Name { text: text.to_owned(), span: entry.value.span };
                self.mapped_workflow(service, &workflow);
            }
        }
    }
}
