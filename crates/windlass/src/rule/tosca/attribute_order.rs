//! Attributes that an operation reads and that only a later one of the same node gives.
//!
//! Other sources of a value, or earlier ones, are believed: a default, the template, an
//! operation of a relationship, another node, a notification.

use super::Checker;
use super::value_order::{STANDARD, rank, reads};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Fields, Interface, NodeTemplate, Operation, Service, TypeKind};
use crate::lang::tosca::value::{Name, Value};
use crate::source::Span;

/// An operation of the life of a node, as the template or one of its types has it.
struct Part<'m> {
    rank: usize,
    name: &'m str,
    body: &'m Operation,
}

impl<'m> Checker<'m> {
    pub(super) fn attributes_too_early(&mut self, service: &Service) {
        let mut said: Vec<Span> = Vec::new();
        for (name, node) in service.nodes.iter() {
            let life = self.life(node);
            for (at, part) in life.iter().enumerate() {
                for (attribute, span) in self.read_by(part, &life[..at], name) {
                    let givers: Vec<&Part<'_>> =
                        life.iter().filter(|it| gives(it.body, name, attribute)).collect();
                    let Some(first) = givers.iter().min_by_key(|it| it.rank) else { continue };
                    let is_late = first.rank >= part.rank && !said.contains(&span);
                    if !is_late || self.is_given_otherwise(service, name, node, attribute) {
                        continue;
                    }
                    said.push(span);
                    let message = format!(
                        "`{}` reads `{attribute}`, which `{}` gives afterwards",
                        part.name, first.name
                    );
                    let help = "a node is created, configured and started, in this order";
                    self.advise(codes::TOO_EARLY, span, message, Some(help.to_owned()));
                    // Real files read what the operation itself gave before.
                    self.tolerate(first.rank == part.rank);
                }
            }
        }
    }

    /// The operations of the life of a node, those of the template first, then by type.
    fn life<'s>(&self, node: &'s NodeTemplate) -> Vec<Part<'s>>
    where
        'm: 's,
    {
        let types = &self.model.types;
        let chain = node.of.id.into_iter().flat_map(|id| types.chain(id));
        let all = std::iter::once(&node.interfaces).chain(chain.map(|(_, of)| &of.interfaces));
        let standard = all.filter_map(|interfaces| interfaces.get(STANDARD));
        let parts = standard.flat_map(|it| it.operations.iter()).filter_map(|(name, body)| {
            Some(Part { rank: rank(&name.text)?, name: &name.text, body })
        });
        parts.collect()
    }

    /// The attributes of the node itself that an operation reads, as far as nothing nearer says
    /// otherwise.
    fn read_by<'s>(
        &self,
        part: &Part<'s>,
        nearer: &[Part<'_>],
        node: &Name,
    ) -> Vec<(&'s str, Span)> {
        let is_hidden = |input: &str| {
            nearer.iter().any(|it| it.name == part.name && it.body.inputs.get(input).is_some())
        };
        let mut found = Vec::new();
        for (_, input) in part.body.inputs.iter().filter(|(name, _)| !is_hidden(&name.text)) {
            let value = input.value.as_ref().or(input.schema.default.as_ref());
            if let Some(value) = value {
                reads(value, "get_attribute", self.version().is_2(), &mut found);
            }
        }
        let own = found.into_iter().filter_map(|(arguments, span)| match arguments.items() {
            [who, attribute] if is_self(who, node) => Some((attribute.text()?, span)),
            _ => None,
        });
        own.collect()
    }

    /// Whether anything but the life of the node may give an attribute.
    fn is_given_otherwise(
        &self,
        service: &Service,
        name: &Name,
        node: &NodeTemplate,
        attribute: &str,
    ) -> bool {
        let model = self.model;
        let Some(id) = node.of.id.filter(|id| !model.is_opaque(*id)) else { return true };
        let schemas = model.schemas(id, |of| &of.attributes);
        let has_default = schemas.get(attribute).is_some_and(|schema| schema.default.is_some());
        let is_property = model.schemas(id, |of| &of.properties).get(attribute).is_some();
        if has_default || is_property || node.attributes.get(attribute).is_some() {
            return true;
        }
        let is_it =
            |mapping: &Value| mapping.items().last().and_then(Value::text) == Some(attribute);
        let of_kind = model.types.iter().filter(|(_, of)| of.kind == TypeKind::Relationship);
        let types = of_kind.flat_map(|(_, of)| of.interfaces.iter());
        let named = service.relationships.iter().flat_map(|(_, of)| of.interfaces.iter());
        let requirements = service.nodes.iter().flat_map(|(_, node)| node.requirements.iter());
        let inline = requirements.filter_map(|(_, one)| one.inline.as_ref());
        let inline = inline.flat_map(|of| of.interfaces.iter());
        if types.chain(named).chain(inline).any(|(_, it)| mappings(it, true).any(is_it)) {
            return true;
        }
        let own = model.types.chain(id).map(|(_, of)| &of.interfaces).chain([&node.interfaces]);
        let beside = own.flat_map(Fields::iter);
        if beside.into_iter().any(|(of, it)| mappings(it, of.text != STANDARD).any(is_it)) {
            return true;
        }
        let others = service.nodes.iter().filter(|(other, _)| other.text != name.text);
        let mut others = others.flat_map(|(_, node)| node.interfaces.iter());
        others.any(|(_, it)| mappings(it, true).any(|it| is_it(it) && !is_of_self(it)))
    }
}

/// Where outputs of an interface go: those of notifications, and those of operations if wanted.
fn mappings(interface: &Interface, with_operations: bool) -> impl Iterator<Item = &Value> {
    let operations = interface.operations.iter().filter(move |_| with_operations);
    let all = operations.chain(interface.notifications.iter());
    all.flat_map(|(_, it)| it.outputs.iter().map(|(_, mapping)| mapping))
}

fn is_of_self(mapping: &Value) -> bool {
    mapping.items().first().and_then(Value::text) == Some("SELF")
}

fn is_self(who: &Value, node: &Name) -> bool {
    who.text().is_some_and(|who| who == "SELF" || who == node.text)
}

/// Whether an operation gives an attribute of its own node.
fn gives(body: &Operation, node: &Name, attribute: &str) -> bool {
    body.outputs.iter().any(|(_, mapping)| match mapping.items() {
        [who, name] => is_self(who, node) && name.text() == Some(attribute),
        _ => false,
    })
}
