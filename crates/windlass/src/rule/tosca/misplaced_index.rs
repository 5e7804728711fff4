//! Indexes where there is nothing to count, from 2.0: `$relationship_index` outside of a
//! relationship, `$node_index` outside of a node.

use super::Checker;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{
    Fields, Interface, NodeTemplate, Parameter, Schema, Type, TypeKind,
};
use crate::lang::tosca::value::Value;
use crate::source::Span;

/// The index of a relationship, and the index of a node.
const OF_RELATIONSHIP: &str = "relationship_index";
const OF_NODE: &str = "node_index";

impl Checker<'_> {
    /// Looks for indexes in everything that is no part of a node or of a relationship.
    pub(super) fn outside(&mut self) {
        let model = self.model;
        if !self.version().is_2() {
            return;
        }
        for (id, of) in model.types.iter() {
            if of.kind == TypeKind::Node && model.version_of(id).is_2() {
                self.no_relationship(of_type(of));
            }
        }
        let Some(service) = &model.service else { return };
        for (_, node) in service.nodes.iter() {
            self.no_relationship(of_node(node));
        }
        let parameters = parameters(&service.inputs).chain(parameters(&service.outputs));
        let policies = service.policies.iter().flat_map(|(_, policy)| values(&policy.properties));
        let groups = service.groups.iter().flat_map(|(_, group)| values(&group.properties));
        for value in parameters.chain(policies).chain(groups) {
            self.absent(value, OF_RELATIONSHIP, "relationship");
            self.absent(value, OF_NODE, "node");
        }
    }

    fn no_relationship<'v>(&mut self, values: impl Iterator<Item = &'v Value>) {
        for value in values {
            self.absent(value, OF_RELATIONSHIP, "relationship");
        }
    }

    fn absent(&mut self, value: &Value, function: &str, what: &str) {
        for span in calls(value, function) {
            let message = format!("`{function}` outside of a {what}");
            let help = match what {
                "node" => "nodes have indexes: use it in a node template or a node type",
                _ => {
                    "the relationships of a requirement have indexes: use it in the requirement \
                      or in the type of the relationship; `node_index` is that of a node"
                }
            };
            self.advise(codes::FUNCTION, span, message, Some(help.to_owned()));
        }
    }
}

fn values(fields: &Fields<Value>) -> impl Iterator<Item = &Value> {
    fields.iter().map(|(_, value)| value)
}

fn schemas(fields: &Fields<Schema>) -> impl Iterator<Item = &Value> {
    fields.iter().flat_map(|(_, schema)| schema.value.iter().chain(&schema.default))
}

fn parameters(fields: &Fields<Parameter>) -> impl Iterator<Item = &Value> {
    fields
        .iter()
        .flat_map(|(_, it)| it.value.iter().chain(it.schema.value.iter()).chain(&it.schema.default))
}

fn interfaces(fields: &Fields<Interface>) -> impl Iterator<Item = &Value> {
    fields.iter().flat_map(|(_, interface)| {
        let own = interface.operations.iter().flat_map(|(_, it)| parameters(&it.inputs));
        parameters(&interface.inputs).chain(own)
    })
}

/// What a node type gives to its nodes; its requirements are about relationships.
fn of_type(of: &Type) -> impl Iterator<Item = &Value> {
    schemas(&of.properties).chain(schemas(&of.attributes)).chain(interfaces(&of.interfaces))
}

/// The same for a node template.
fn of_node(node: &NodeTemplate) -> impl Iterator<Item = &Value> {
    let capabilities = node.capabilities.iter();
    let capabilities =
        capabilities.flat_map(|(_, it)| values(&it.properties).chain(values(&it.attributes)));
    let own = values(&node.properties).chain(values(&node.attributes)).chain(capabilities);
    own.chain(interfaces(&node.interfaces)).chain(&node.count)
}

/// Where a value calls a function without arguments.
fn calls(value: &Value, function: &str) -> Vec<Span> {
    let is_call = |text: &str| text.strip_prefix('$') == Some(function);
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if value.text().is_some_and(is_call) {
            found.push(value.span);
        }
        open.extend(value.items());
        for entry in value.entries() {
            if entry.key.text().is_some_and(is_call) {
                found.push(entry.key.span);
            }
            open.push(&entry.value);
        }
    }
    found
}
