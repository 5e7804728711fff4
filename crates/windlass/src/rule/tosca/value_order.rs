//! Values made of each other, and values read before they can exist.

use super::Checker;
use super::property_path::Walk;
use super::validation_clause::is_call;
use crate::cycle::{Cycles, Edges};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Fields, Interface, NodeTemplate, Schema, Service};
use crate::lang::tosca::value::Value;
use crate::source::Span;
use std::collections::BTreeMap;

/// The interface of the life of a node.
pub(super) const STANDARD: &str = "Standard";

/// The place of an operation in the life of a node.
pub(super) fn rank(operation: &str) -> Option<usize> {
    ["create", "configure", "start", "stop", "delete"].iter().position(|it| *it == operation)
}

/// Operations of a relationship that run before its source exists.
const BEFORE_SOURCE: &[&str] = &["pre_configure_target", "post_configure_target"];

impl Checker<'_> {
    pub(super) fn flow(&mut self) {
        let model = self.model;
        let Some(service) = &model.service else { return };
        self.value_cycles(service);
        self.outputs_too_early(service);
        self.attributes_too_early(service);
        if self.version().is_2() {
            return;
        }
        for (_, template) in service.relationships.iter() {
            self.too_early(&template.interfaces);
        }
        for (_, node) in service.nodes.iter() {
            for inline in node.requirements.iter().filter_map(|(_, one)| one.inline.as_ref()) {
                self.too_early(&inline.interfaces);
            }
        }
    }

    /// An operation reads what a later one of the same node gives.
    fn outputs_too_early(&mut self, service: &Service) {
        let model = self.model;
        let mut said: Vec<Span> = Vec::new();
        for (name, node) in service.nodes.iter() {
            let chain = node.of.id.into_iter().flat_map(|id| model.types.chain(id));
            let all = chain.map(|(_, of)| &of.interfaces).chain([&node.interfaces]);
            let standard = all.filter_map(|interfaces| interfaces.get(STANDARD));
            for (operation, body) in standard.flat_map(|it| it.operations.iter()) {
                let Some(own) = rank(&operation.text) else { continue };
                let mut found = Vec::new();
                for value in body.inputs.iter().filter_map(|(_, input)| input.value.as_ref()) {
                    reads(value, "get_operation_output", self.version().is_2(), &mut found);
                }
                for (arguments, span) in found {
                    let words: Vec<&str> =
                        arguments.items().iter().filter_map(Value::text).collect();
                    let [who, STANDARD, other, ..] = words[..] else { continue };
                    let is_own = who == "SELF" || who == name.text;
                    let is_late = rank(other).is_some_and(|other| other >= own);
                    if is_own && is_late && !said.contains(&span) {
                        said.push(span);
                        let message =
                            format!("`{}` reads what `{other}` gives afterwards", operation.text);
                        let help = "a node is created, configured and started, in this order";
                        self.advise(codes::TOO_EARLY, span, message, Some(help.to_owned()));
                        // Real files read what the operation itself gave before.
                        self.tolerate(other == operation.text);
                    }
                }
            }
        }
    }

    /// A target is configured before its source is created: attributes of the source have no
    /// value then.
    fn too_early(&mut self, interfaces: &Fields<Interface>) {
        for (_, interface) in interfaces.iter() {
            for (name, operation) in interface.operations.iter() {
                if !BEFORE_SOURCE.contains(&name.text.as_str()) {
                    continue;
                }
                let values = operation.inputs.iter().filter_map(|(_, input)| input.value.as_ref());
                let mut found = Vec::new();
                for value in values {
                    reads(value, "get_attribute", false, &mut found);
                }
                for (arguments, span) in found {
                    if arguments.items().first().and_then(Value::text) == Some("SOURCE") {
                        let message = format!(
                            "`{}` reads an attribute of the source before the source exists",
                            name.text
                        );
                        let help = "the source is created when the target is started: use \
                                    `add_source`, or `get_property`";
                        self.advise(codes::TOO_EARLY, span, message, Some(help.to_owned()));
                    }
                }
            }
        }
    }

    /// Properties whose values need each other.
    fn value_cycles(&mut self, service: &Service) {
        let mut places: Vec<(&str, &str, Span)> = Vec::new();
        let mut index: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        // What a template leaves out has the default of its type, which may be made of others.
        let is_made = |value: &Value| is_call(value, self.version().is_2());
        let schemas: Vec<Fields<Schema>> = (service.nodes.iter())
            .map(|(_, node)| match node.of.id {
                Some(id) => self.model.schemas(id, |of| &of.properties),
                None => Fields::default(),
            })
            .collect();
        let defaults = |at: usize, node: &NodeTemplate| {
            let made =
                schemas[at].iter().filter_map(|(name, of)| Some((name, of.default.as_ref()?)));
            let given: Vec<&str> = node.properties.names().collect();
            made.filter(|(name, value)| !given.contains(&&*name.text) && is_made(value))
                .collect::<Vec<_>>()
        };
        for (at, (node, template)) in service.nodes.iter().enumerate() {
            for (name, _) in template.properties.iter().chain(defaults(at, template)) {
                index.insert((&node.text, &name.text), places.len());
                places.push((&node.text, &name.text, name.span));
            }
        }
        let mut edges: Vec<Vec<usize>> = Vec::new();
        for (at, (node, template)) in service.nodes.iter().enumerate() {
            for (_, value) in template.properties.iter().chain(defaults(at, template)) {
                let mut found = Vec::new();
                reads(value, "get_property", self.version().is_2(), &mut found);
                let walk = Walk { model: self.model, service, with_attributes: false };
                let targets = found.into_iter().filter_map(|(arguments, _)| {
                    let [owner, rest @ ..] = arguments.items() else { return None };
                    let owner = owner.text()?;
                    let owner = if owner == "SELF" { node.text.as_str() } else { owner };
                    let from = Walk::node(owner, service.nodes.get(owner)?);
                    let found = walk.follow(from, rest).ok()??;
                    index.get(&(found.owner?.as_str(), found.name.as_str())).copied()
                });
                edges.push(targets.collect());
            }
        }
        let edges: Edges = edges.into_iter().collect();
        let Some(cycle) = Cycles::new(&edges).next() else { return };
        let way: Vec<usize> = cycle.iter().map(|step| step.vertex).collect();
        let names: Vec<String> =
            way.iter().map(|at| format!("`{}` of `{}`", places[*at].1, places[*at].0)).collect();
        let message = match names.len() {
            1 => format!("{} is made of itself", names[0]),
            _ => format!("{} are made of each other", names.join(" and ")),
        };
        self.error(codes::VALUE_CYCLE, places[way[0]].2, message);
    }
}

/// The calls of one function in a value, with their arguments.
pub(super) fn reads<'v>(
    value: &'v Value,
    name: &str,
    version_2: bool,
    found: &mut Vec<(&'v Value, Span)>,
) {
    if is_call(value, version_2)
        && let [entry] = value.entries()
        && entry.key.text().is_some_and(|key| key.trim_start_matches('$') == name)
    {
        found.push((&entry.value, value.span));
    }
    for item in value.items() {
        reads(item, name, version_2, found);
    }
    for entry in value.entries() {
        reads(&entry.value, name, version_2, found);
    }
}
