//! Inputs of operations that no run could compute: they are refused before anything runs, because a
//! script without a value that it was promised does something else.

use super::super::codes;
use super::super::model::{Fields, Interface, Model};
use super::super::value::{Data, Value};
use super::evaluate::DEEPEST;
use super::locate::inside;
use super::value_context::ValueContext;
use super::{Declared, Inputs, ReturnedAttributes, execution_host, others, static_values};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The operations of the life of a node.
const STANDARD: &[&str] = &["create", "configure", "start", "stop", "delete"];

/// What can be said about a value before a run.
enum Standing {
    /// It is known.
    Known,
    /// A run tells it.
    Late,
    /// It has no value: the variable is not set.
    Missing,
    /// It is made of what a run tells, in a way that no run follows.
    Refused(Span, String),
}

/// The inputs of operations that cannot be computed when the service runs.
pub(crate) fn refusals(model: &Model) -> Vec<Diagnostic> {
    let Some(service) = &model.service else { return Vec::new() };
    let links = super::super::lower::links::links(model, service);
    let given = ReturnedAttributes::new();
    let inputs = Inputs { model, service, links: &links, given: &given };
    let mut found: BTreeMap<Span, String> = BTreeMap::new();
    for (at, (_, template)) in service.nodes.iter().enumerate() {
        let standard = STANDARD.iter().map(|name| ("Standard".to_owned(), (*name).to_owned()));
        for (interface, operation) in standard.chain(others(&model.types, template)) {
            let declared = Declared::of_node(&inputs, template, &interface, &operation);
            of_operation(&inputs, &declared, &ValueContext::of_node(at), &mut found);
        }
        if let Some(address) = execution_host::differing(&inputs, at, template) {
            let message = "the instances of a machine have one address and not one each";
            found.insert(address.span, message.to_owned());
        }
    }
    for link in links.iter() {
        let chain = link.relationship.into_iter().flat_map(|id| model.types.chain(id));
        let inherited = chain.map(|(_, of)| &of.interfaces);
        let all = link.interfaces.iter().copied().chain(inherited);
        let names: BTreeSet<&str> = all.flat_map(operations).collect();
        for operation in names {
            let declared = Declared::of_link(&inputs, link, operation);
            let is_far = operation.ends_with("_configure_target");
            let asking = if is_far { link.target } else { link.source };
            of_operation(&inputs, &declared, &ValueContext::of_link(link, asking), &mut found);
        }
    }
    let refusal = |(span, message)| {
        let help = "a run reads attributes and outputs of operations, goes into lists and maps, and \
                    puts texts together (`concat`, `join`); let the script compute the rest";
        Diagnostic::error(codes::FUNCTION, span, message).help(help)
    };
    found.into_iter().map(refusal).collect()
}

fn operations(interfaces: &Fields<Interface>) -> impl Iterator<Item = &str> {
    interfaces.iter().flat_map(|(_, it)| it.operations.names())
}

fn of_operation(
    inputs: &Inputs<'_, '_>,
    declared: &Declared<'_>,
    place: &ValueContext,
    found: &mut BTreeMap<Span, String>,
) {
    if declared.implementation().is_none() {
        return;
    }
    // What is nearer replaces what is further away.
    let nearest: BTreeMap<&str, &Value> = declared.inputs().collect();
    for value in nearest.into_values() {
        match inputs.standing(value, place, 0) {
            Standing::Refused(span, message) => {
                found.insert(span, message);
            }
            Standing::Late if inputs.evaluate(value, place).is_none() => {
                let kind = value.kind_name();
                let message = format!("{kind} with parts that only a run knows is no input");
                found.insert(value.span, message);
            }
            _ => {}
        }
    }
}

impl Inputs<'_, '_> {
    fn standing(&self, value: &Value, place: &ValueContext, depth: usize) -> Standing {
        if depth > DEEPEST {
            return Standing::Missing;
        }
        if static_values::static_value(self, value, place).is_some() {
            return Standing::Known;
        }
        let Some((name, argument)) = static_values::function(value, self.model.version.is_2())
        else {
            return self.parts(value, place, depth);
        };
        let Some(argument) = static_values::steps(self, name, argument, place) else {
            return self.computed(name, value, place);
        };
        let argument = &*argument;
        match name {
            "get_input" => match self.input_value(argument) {
                Some(value) => self.standing(value, place, depth + 1),
                None if self.is_short(argument) => {
                    let message = "the value of this input has no such part".to_owned();
                    Standing::Refused(value.span, message)
                }
                None => Standing::Missing,
            },
            "get_property" => self.property(value, argument, place, depth),
            "get_attribute" | "get_operation_output" => {
                let found = self.evaluate(value, place);
                if found.is_some() { Standing::Late } else { Standing::Missing }
            }
            "get_artifact" => Standing::Missing,
            _ => {
                let parts = self.standing(argument, place, depth + 1);
                let is_given = matches!(parts, Standing::Known | Standing::Late);
                match parts {
                    Standing::Late if self.evaluate(value, place).is_none() => {
                        let message = format!("`{name}` is not computed of what only a run knows");
                        Standing::Refused(value.span, message)
                    }
                    _ if is_given => self.computed(name, value, place),
                    other => other,
                }
            }
        }
    }

    /// What a function gives that the run computes, if it does.
    fn computed(&self, name: &str, value: &Value, place: &ValueContext) -> Standing {
        match self.evaluate(value, place) {
            Some(_) => Standing::Late,
            None => Standing::Refused(value.span, format!("`{name}` gives no value here")),
        }
    }

    /// Whether an input has a value, and that is a list without the item that is asked for.
    fn is_short(&self, argument: &Value) -> bool {
        let [name, .., Value { data: Data::Int(_), .. }] = argument.items() else { return false };
        self.input_value(name).is_some()
    }

    /// A property that is made of something else.
    fn property(
        &self,
        call: &Value,
        argument: &Value,
        place: &ValueContext,
        depth: usize,
    ) -> Standing {
        let found = self.locate(argument.items(), place, false).and_then(|located| {
            let value = self.written(&located.owner, located.name, false)?;
            Some((inside(value, located.rest)?, self.place_of(&located, place)))
        });
        match found {
            Some((value, Some(inner))) => self.standing(value, &inner, depth + 1),
            Some((_, None)) => self.computed("get_property", call, place),
            None => Standing::Missing,
        }
    }

    /// What is worst among the parts of a list or a mapping.
    fn parts(&self, value: &Value, place: &ValueContext, depth: usize) -> Standing {
        let entries = value.entries().iter().map(|entry| &entry.value);
        let mut worst = Standing::Known;
        for part in value.items().iter().chain(entries) {
            worst = match (worst, self.standing(part, place, depth + 1)) {
                (Standing::Refused(span, why), _) | (_, Standing::Refused(span, why)) => {
                    Standing::Refused(span, why)
                }
                (Standing::Missing, _) | (_, Standing::Missing) => Standing::Missing,
                (Standing::Late, _) | (_, Standing::Late) => Standing::Late,
                _ => Standing::Known,
            };
        }
        worst
    }
}
