//! Functions: names, arguments, what they refer to, and the type of what they give.

use super::Checker;
use super::constraint_clause::{CHOICES, COMPARISONS};
use super::property_path::{Ends, Spot, Walk};
use super::validation_clause::is_call;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    Fields, Interface, NodeTemplate, Parameter, RelationshipTemplate, Schema, Service, Type,
    TypeId, TypeKind,
};
use crate::lang::tosca::switches;
use crate::lang::tosca::value::{BEFORE_2, Data, Name, Value};
use crate::lang::tosca::version::Version;
use crate::source::Span;
use crate::spelling;
use std::collections::BTreeMap;

/// What a type declares of one kind.
type OfType = fn(&Type) -> &Fields<Schema>;
const OF_PROPERTIES: OfType = |of| &of.properties;

/// Where a function is called.
#[derive(Clone, Copy)]
pub(super) enum Place<'m> {
    /// In a node template.
    Node(&'m str, &'m NodeTemplate),
    /// In a relationship.
    Relationship(&'m Ends<'m>),
    /// In a filter, or in a type: `SELF` is a node of this type.
    Filter(&'m str, TypeId),
    /// In a workflow, which may have inputs of its own.
    Workflow(&'m Fields<Parameter>),
    /// Elsewhere: outputs, policies.
    Service,
    /// In a type whose users are not known: `SELF` may be anything.
    Anywhere,
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

/// Functions of 2.0 that ask something of a text, a list or a map, beside the comparisons.
pub(super) const QUESTIONS: &[&str] =
    &["matches", "has_suffix", "has_prefix", "contains", "has_entry", "has_key"];

/// Whether a function of 2.0 takes two arguments.
fn takes_two(name: &str) -> bool {
    [COMPARISONS, CHOICES, QUESTIONS].iter().any(|names| names.contains(&name))
}

/// Functions of 2.0 that may be called by their name alone.
const WITHOUT_ARGUMENTS: &[&str] =
    &["value", "node_index", "relationship_index", "available_allocation"];

/// How many parts `token` finds, when the part that it is asked for is none of them.
fn parts_of(arguments: &Value) -> Option<usize> {
    let [text, delimiter, index] = arguments.items() else { return None };
    let (text, delimiter) = (text.text().filter(|it| is_plain(it))?, delimiter.text()?);
    let Data::Int(index) = index.data else { return None };
    let count = text.split(|letter| delimiter.contains(letter)).count();
    let is_there = usize::try_from(index).is_ok_and(|index| index < count);
    (!is_there && is_plain(delimiter)).then_some(count)
}

/// Whether a text means itself and calls no function.
pub(super) fn is_plain(text: &str) -> bool {
    !text.starts_with('$') || text.starts_with("$$")
}

impl Checker<'_> {
    /// Looks at every value of the service, and at those that types give.
    pub(super) fn functions(&mut self) {
        let model = self.model;
        self.functions_of_types();
        let Some(service) = &model.service else { return };
        self.parameters(service, &service.inputs, Place::Service);
        for (name, node) in service.nodes.iter() {
            self.node_functions(service, name, node);
        }
        for (name, template) in service.relationships.iter() {
            let ends = Self::ends_of(service, &name.text, template);
            let place = Place::Relationship(&ends);
            let of = template.of.as_ref().and_then(|of| of.id);
            self.typed(service, &template.properties, of, |of| &of.properties, place);
            self.typed(service, &template.attributes, of, |of| &of.attributes, place);
            self.in_interfaces(service, of, &template.interfaces, place);
        }
        for (name, output) in service.outputs.iter() {
            let is_open = output.value.is_none() && output.schema.default.is_none();
            if is_open && !output.has_unknown_key {
                let message = format!("nothing says what the output `{}` is", name.text);
                let finding = Diagnostic::warning(codes::MISSING_KEY, name.span, message);
                self.findings.push(finding.help("an output has a `value`"));
            }
            if let Some(value) = &output.value {
                self.calls(service, value, Place::Service);
                self.result(service, value, &output.schema, Place::Service);
            }
        }
        for (_, group) in service.groups.iter() {
            self.typed(service, &group.properties, group.of.id, OF_PROPERTIES, Place::Service);
        }
        for (_, policy) in service.policies.iter() {
            self.typed(service, &policy.properties, policy.of.id, OF_PROPERTIES, Place::Service);
            for (_, trigger) in policy.triggers.iter() {
                self.clauses(service, trigger.condition.as_ref(), Place::Service);
            }
        }
        if let Some(mapping) = &service.substitution
            && let Some(of) = mapping.of.id
        {
            let place = Place::Filter(&mapping.of.name.text, of);
            self.clauses(service, mapping.filter.as_ref(), place);
        }
        for (_, workflow) in service.workflows.iter() {
            let place = Place::Workflow(&workflow.inputs);
            self.parameters(service, &workflow.inputs, place);
            self.clauses(service, workflow.preconditions.as_ref(), place);
            for (_, step) in workflow.steps.iter() {
                self.clauses(service, step.filter.as_ref(), place);
            }
            for activity in workflow.steps.iter().flat_map(|(_, step)| &step.activities) {
                self.all(service, &activity.inputs, place);
            }
        }
    }

    fn node_functions(&mut self, service: &Service, name: &Name, node: &NodeTemplate) {
        let place = Place::Node(&name.text, node);
        self.typed(service, &node.properties, node.of.id, OF_PROPERTIES, place);
        self.typed(service, &node.attributes, node.of.id, |of| &of.attributes, place);
        for (name, capability) in node.capabilities.iter() {
            self.all(service, &capability.properties, place);
            let Some(id) = node.of.id else { continue };
            let schemas = self.model.capability_schemas(
                id,
                &name.text,
                |of| &of.properties,
                |of| &of.properties,
            );
            self.results(service, &capability.properties, &schemas, place);
        }
        self.in_interfaces(service, node.of.id, &node.interfaces, place);
        for (word, requirement) in node.requirements.iter() {
            self.filters(service, node, &word.text, requirement);
            if let Some(index) = requirement.index() {
                self.calls(service, index, place);
            }
            if let Some(inline) = &requirement.inline {
                let target = requirement.target.as_ref();
                let far = target.and_then(|target| service.nodes.entry(&target.node));
                let ends = Ends {
                    of: target.and_then(|target| target.relationship),
                    source: Some((&name.text, node)),
                    target: far.map(|(name, template)| (name.text.as_str(), template)),
                    target_type: None,
                    capability: target.and_then(|target| target.capability.clone()),
                };
                let place = Place::Relationship(&ends);
                self.typed(service, &inline.properties, ends.of, OF_PROPERTIES, place);
                self.in_interfaces(service, ends.of, &inline.interfaces, place);
            }
        }
        if let Some(of) = node.of.id {
            let place = Place::Filter(&name.text, of);
            self.clauses(service, node.node_filter.as_ref(), place);
        }
    }

    /// The filter of a requirement reads what nodes of the wanted type have.
    fn filters(
        &mut self,
        service: &Service,
        node: &NodeTemplate,
        name: &str,
        requirement: &crate::lang::tosca::model::RequirementAssignment,
    ) {
        let Some(filter) = &requirement.node_filter else { return };
        let definition = node.of.id.and_then(|id| self.model.requirement(id, name));
        let wanted = requirement.node.as_ref();
        let named = wanted.and_then(|name| service.nodes.get(&name.text)?.of.id);
        let typed = || self.model.type_named(TypeKind::Node, &wanted?.text);
        let of = named.or_else(typed).or_else(|| definition.and_then(|it| it.node?.id));
        match of {
            Some(of) => {
                let word = wanted.map_or(name, |name| &name.text);
                self.clauses(service, Some(filter), Place::Filter(word, of));
            }
            None => self.clauses(service, Some(filter), Place::Service),
        }
    }

    /// Boolean clauses, which from 2.0 are made of functions.
    fn clauses(&mut self, service: &Service, clause: Option<&Value>, place: Place<'_>) {
        let Some(clause) = clause.filter(|_| self.version().is_2()) else { return };
        let before = self.findings.len();
        self.calls(service, clause, place);
        // Who evaluates a clause may know more names than the standard has.
        for finding in &mut self.findings[before..] {
            finding.severity = Severity::Warning;
        }
    }

    /// What a relationship template connects: the first requirement that names it.
    fn ends_of<'s>(service: &'s Service, name: &str, template: &RelationshipTemplate) -> Ends<'s> {
        let mut ends = Ends { of: template.of.as_ref().and_then(|of| of.id), ..Ends::default() };
        for (source, node) in service.nodes.iter() {
            for (_, requirement) in node.requirements.iter() {
                let Some(target) = &requirement.target else { continue };
                if target.template.as_deref() == Some(name) {
                    ends.source = Some((&source.text, node));
                    let far = service.nodes.entry(&target.node);
                    ends.target = far.map(|(name, template)| (name.text.as_str(), template));
                    ends.capability.clone_from(&target.capability);
                    return ends;
                }
            }
        }
        ends
    }

    fn in_interfaces(
        &mut self,
        service: &Service,
        id: Option<TypeId>,
        interfaces: &Fields<Interface>,
        place: Place<'_>,
    ) {
        for (interface, body) in interfaces.iter() {
            let shared = body.inputs.iter().map(|input| (None, input));
            let own = body.operations.iter().flat_map(|(operation, body)| {
                body.inputs.iter().map(|input| (Some(operation.text.as_str()), input))
            });
            let of = body.of.as_ref().and_then(|of| of.id);
            for (operation, (name, input)) in shared.chain(own) {
                let Some(value) = &input.value else { continue };
                self.calls(service, value, place);
                let schema = id.and_then(|id| {
                    self.input_schema(id, of, &interface.text, operation, &name.text)
                });
                if let Some(schema) = schema {
                    self.result(service, value, &schema, place);
                }
            }
        }
    }

    /// Values of something that has a type.
    fn typed(
        &mut self,
        service: &Service,
        values: &Fields<Value>,
        of: Option<TypeId>,
        fields: OfType,
        place: Place<'_>,
    ) {
        self.all(service, values, place);
        if let Some(of) = of {
            let schemas = self.model.schemas(of, fields);
            self.results(service, values, &schemas, place);
        }
    }

    /// What functions in values give, against their schemas.
    fn results(
        &mut self,
        service: &Service,
        values: &Fields<Value>,
        schemas: &Fields<Schema>,
        place: Place<'_>,
    ) {
        for (name, value) in values.iter() {
            if let Some(schema) = schemas.get(&name.text) {
                self.result(service, value, schema, place);
            }
        }
    }

    /// The defaults and values of parameters.
    fn parameters(&mut self, service: &Service, all: &Fields<Parameter>, place: Place<'_>) {
        for (_, parameter) in all.iter() {
            for value in [&parameter.schema.default, &parameter.value].into_iter().flatten() {
                self.calls(service, value, place);
                self.result(service, value, &parameter.schema, place);
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
        if version_2
            && let Some(name) = value.text().and_then(|text| text.strip_prefix('$'))
            && !name.starts_with('$')
            && !self.own_functions(value.span).contains_key(name)
            && !self.is_open
            && !name.is_empty()
            && !WITHOUT_ARGUMENTS.contains(&name)
        {
            let message = if BUILT_IN.contains(&name) {
                format!("`{name}` takes arguments")
            } else {
                format!("there is no function `{name}`")
            };
            let help = format!("a text that begins with a dollar sign is written `$${name}`");
            self.advise(codes::FUNCTION, value.span, message, Some(help));
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
        span: Span,
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
            "join"
                if self.version().is_2() && arguments.items()[0].text().is_some_and(is_plain) =>
            {
                self.error(codes::FUNCTION, span, "`join` takes a list and a delimiter");
            }
            "token" if let Some(count) = parts_of(arguments) => {
                let message = format!("there is no such part: the text has {count}");
                self.error(codes::FUNCTION, arguments.items()[2].span, message);
            }
            "get_operation_output" => self.get_output(service, arguments, place),
            "get_nodes_of_type" => self.get_nodes(arguments),
            "token" if arguments.items()[2].text().is_some_and(is_plain) => {
                let message = "the last argument of `token` is an index";
                self.error(codes::FUNCTION, arguments.items()[2].span, message);
            }
            "get_artifact" => self.get_artifact(service, arguments, place),
            _ if self.version().is_2() => self.call_of_2(name, span, arguments),
            _ if !BEFORE_2.contains(&name)
                // Some processors declare functions in metadata.
                && !self.own_functions(span).contains_key(name) =>
            {
                let message = format!("there is no function `{name}`");
                let near = spelling::nearest(name, BEFORE_2.iter().copied());
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.advise(codes::FUNCTION, span, message, help);
            }
            _ => {}
        }
    }

    /// The functions of one's own that can be called where something stands.
    pub(super) fn own_functions(&self, at: Span) -> &BTreeMap<String, Name> {
        let files = &self.model.files;
        let file = files.iter().find(|file| file.source == at.source);
        &file.unwrap_or(&files[0]).functions
    }

    /// Functions of 2.0: those of the standard by how much they take, one's own by signatures.
    fn call_of_2(&mut self, name: &str, span: Span, arguments: &Value) {
        let own = self.own_functions(span);
        if own.contains_key(name) {
            return self.signature(name, span, arguments);
        }
        if !BUILT_IN.contains(&name) {
            if !self.is_open {
                let message = format!("there is no function `{name}`");
                let known = BUILT_IN.iter().copied().chain(own.keys().map(String::as_str));
                let near = spelling::nearest(name, known);
                let help = near.map(|near| format!("did you mean `${near}`?"));
                self.advise(codes::FUNCTION, span, message, help);
            }
            return;
        }
        let wanted = if takes_two(name) { 2 } else { 0 };
        let given = arguments.items().len();
        if wanted > 0 && given != wanted && matches!(arguments.data, Data::List(_)) {
            let message = format!("`{name}` takes {wanted} arguments, not {given}");
            self.error(codes::FUNCTION, span, message);
        }
        self.operands(name, arguments);
    }

    /// The artifact that is asked for exists.
    fn get_artifact(&mut self, service: &Service, arguments: &Value, place: Place<'_>) {
        let [entity, artifact, ..] = arguments.items() else { return };
        let (Some(who), Some(name)) = (entity.text(), artifact.text()) else { return };
        let node = match (who, place) {
            ("SELF", Place::Node(_, node)) => Some(node),
            ("SELF" | "SOURCE" | "TARGET" | "HOST" | "ORCHESTRATOR", _) => return,
            _ if self.model.service.is_none() => return,
            (name, _) => service.nodes.get(name),
        };
        let Some(node) = node else {
            let message = format!("there is no node template `{who}`");
            return self.error(codes::UNKNOWN_NAME, entity.span, message);
        };
        let Some(id) = node.of.id.filter(|id| !self.model.is_opaque(*id)) else { return };
        let inherited = self.model.types.chain(id).flat_map(|(_, of)| of.artifacts.names());
        let known: Vec<&str> = node.artifacts.names().chain(inherited).collect();
        if !known.contains(&name) {
            let message = format!("`{who}` has no artifact `{name}`");
            let near = spelling::nearest(name, known.iter().copied());
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::UNKNOWN_NAME, artifact.span, message, help);
        }
    }

    fn get_input(&mut self, service: &Service, arguments: &Value, place: Place<'_>) {
        let name = arguments.items().first().unwrap_or(arguments);
        let is_name = name.text().is_some() || matches!(name.data, Data::Int(_) | Data::Float(..));
        if !is_name && !is_call(name, self.version().is_2()) {
            let message = "`get_input` takes the name of an input";
            return self.error(codes::FUNCTION, arguments.span, message);
        }
        let Some(text) = name.text() else { return };
        if let [_, more @ ..] = arguments.items()
            && let Some(step) = more.first()
        {
            if self.version() < Version::V1_3 {
                let message = "before 1.3 `get_input` takes the name of an input and nothing else";
                return self.error(codes::FUNCTION, step.span, message);
            }
            let walk = Walk { model: self.model, service, with_attributes: false };
            let parts = |input: &Parameter| walk.parts(input.schema.clone(), more).err();
            match service.inputs.get(text).and_then(parts) {
                Some(wrong) => self.advise(wrong.code, wrong.span, wrong.message, wrong.help),
                None if self.tolerates_absent => {}
                None => {
                    self.within_list("get_input", arguments, place);
                    self.within_list_by_number("get_input", arguments, place);
                }
            }
        }
        let in_workflow = matches!(place, Place::Workflow(inputs) if inputs.get(text).is_some());
        // Who uses a file of types has inputs of its own.
        if self.model.service.is_none() {
            return;
        }
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
        let from = match (who, place) {
            ("SELF", Place::Node(name, node)) => Walk::node(name, node),
            ("SELF", Place::Relationship(ends)) => Spot::Relationship(ends.clone()),
            ("SELF", Place::Filter(name, of)) => {
                Spot::Node { name: name.to_owned(), of, template: None }
            }
            ("TARGET", Place::Relationship(ends)) => ends.far(),
            ("SOURCE", Place::Relationship(ends)) => {
                ends.source.map_or(Spot::Unknown, |(name, node)| Walk::node(name, node))
            }
            ("HOST", Place::Service) => {
                let message = "`HOST` means nothing here: there is no node that has a host";
                return self.error(codes::FUNCTION, entity.span, message);
            }
            ("HOST", Place::Node(name, node)) => {
                if self.host(name, node, entity) {
                    let with_attributes = function == "get_attribute";
                    self.of_hosts(service, node, rest, with_attributes);
                }
                return;
            }
            ("SOURCE" | "TARGET", Place::Node(..)) => {
                let message = format!("`{who}` is an end of a relationship, and this is a node");
                return self.error(codes::FUNCTION, entity.span, message);
            }
            ("SELF" | "SOURCE" | "TARGET", Place::Service) if !self.version().is_2() => {
                let message = format!("`{who}` means nothing here: name a node template");
                return self.error(codes::FUNCTION, entity.span, message);
            }
            ("SELF" | "SOURCE" | "TARGET" | "HOST" | "ORCHESTRATOR", _) => return,
            (name, _) => match service.nodes.get(name) {
                Some(node) => Walk::node(name, node),
                None => match service.relationships.get(name) {
                    Some(template) => Spot::Relationship(Self::ends_of(service, name, template)),
                    None if service.groups.get(name).is_some() => return,
                    None if self.model.service.is_none() => return,
                    None => {
                        let message = format!("there is no node template `{who}`");
                        let near = spelling::nearest(who, service.nodes.names());
                        let help = near.map(|near| format!("did you mean `{near}`?"));
                        return self.advise(codes::UNKNOWN_NAME, entity.span, message, help);
                    }
                },
            },
        };
        if rest.is_empty() {
            let message = format!("`{function}` takes a node and a name");
            return self.error(codes::FUNCTION, arguments.span, message);
        }
        let with_attributes = function == "get_attribute";
        let walk = Walk { model: self.model, service, with_attributes };
        match walk.follow(from, rest) {
            Err(wrong) if wrong.is_absent && self.tolerates_absent => {}
            Err(wrong) => self.advise(wrong.code, wrong.span, wrong.message, wrong.help),
            Ok(_) if with_attributes || self.tolerates_absent => {}
            Ok(_) => {
                self.within_list(function, arguments, place);
                self.within_list_by_number(function, arguments, place);
            }
        }
    }
}
