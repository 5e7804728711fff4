//! Targets of requirements with an index, from 2.0: a node template, and which of its nodes.

use super::Checker;
use super::function::Place;
use super::standard_function;
use super::validation_clause::is_call;
use crate::lang::tosca::codes;
use crate::lang::tosca::command::{Inputs, ReturnedAttributes};
use crate::lang::tosca::lower::links::Links;
use crate::lang::tosca::model::{RequirementAssignment, Service, TypeKind};
use crate::lang::tosca::value::{Data, Entry, Name, Value};

/// So many nodes of a template are asked for their targets.
const ASKED: usize = 1000;

/// Whether a value calls a function of 2.0, by its name alone or with arguments.
fn is_function(value: &Value) -> bool {
    let is_name = |text: &str| text.starts_with('$') && !text.starts_with("$$");
    is_call(value, true) || value.text().is_some_and(is_name)
}

/// The function that a value calls.
fn called(value: &Value) -> Option<&str> {
    let name = value.entries().first().map_or(value.text(), |entry| entry.key.text());
    name.map(|name| name.trim_start_matches('$'))
}

/// A requirement whose target is a node template and an index.
#[derive(Debug, Clone, Copy)]
struct Indexed<'a> {
    /// The node that has the requirement, by its place in the template.
    source: usize,
    name: &'a Name,
    /// The node that the requirement names, likewise.
    target: usize,
    template: &'a str,
    assignment: &'a RequirementAssignment,
    index: &'a Value,
}

impl Checker<'_> {
    /// The index of a target is one, and there is a node of that index.
    pub(super) fn indexed(
        &mut self,
        service: &Service,
        source: usize,
        name: &Name,
        assignment: &RequirementAssignment,
    ) {
        let Some(target) = &assignment.indexed else { return };
        let template = target.items().first().and_then(Value::text);
        let (Some(template), [first, index]) = (template, target.items()) else {
            let message = "a target is a node template, or a list of a node template and an index";
            return self.error(codes::WRONG_SHAPE, target.span, message);
        };
        let gives = called(index).and_then(|name| standard_function::gives(name, true));
        let is_integer = match &index.data {
            Data::Int(index) => *index >= 0,
            _ => is_function(index) && gives.is_none_or(standard_function::Gives::is_index),
        };
        if !is_integer {
            let message = "the index of a target is an integer from 0 on, or a function";
            return self.error(codes::WRONG_SHAPE, index.span, message);
        }
        match service.nodes.position(template) {
            Some(at) => {
                let indexed = Indexed { source, name, target: at, template, assignment, index };
                self.within_count(service, &indexed);
            }
            None if self.model.type_named(TypeKind::Node, template).is_some() => {
                let message = format!("`{template}` is a node type, which has no indexes");
                let help = "an index is that of a node template".to_owned();
                self.advise(codes::UNKNOWN_NAME, first.span, message, Some(help));
            }
            // That there is nothing of this name is said where targets are looked for.
            None => {}
        }
    }

    /// The index of every node of the source is below the count of the target, where both are
    /// known.
    fn within_count(&mut self, service: &Service, indexed: &Indexed<'_>) {
        let Indexed { source, name, target, template, assignment, index } = *indexed;
        let (links, given) = (Links::default(), ReturnedAttributes::new());
        let inputs = Inputs { model: self.model, service, links: &links, given: &given };
        let Some(count) = inputs.known_count(target) else { return };
        let asked = (inputs.count(source) as usize).min(ASKED);
        let first = earlier(&inputs, source, assignment);
        let own = inputs.relationships(source, assignment).unwrap_or(1) as usize;
        let own = first..first.saturating_add(own.min(ASKED));
        let outside = (0..asked).find_map(|number| {
            own.clone().find_map(|relationship| {
                let wanted = inputs.index(source, number, relationship, index)?;
                (!(0..i128::from(count)).contains(&wanted)).then_some((number, wanted))
            })
        });
        let Some((number, wanted)) = outside else { return };
        let who = match index.data {
            Data::Int(_) => String::new(),
            _ => format!(" for node {number} of `{}`", name.text),
        };
        let message = format!("`{template}` has no node of index {wanted}{who}");
        let help = format!("its count is {count}, and the first index is 0");
        self.advise(codes::UNMATCHED, index.span, message, Some(help));
    }
}

impl Checker<'_> {
    /// `$node_index` on the way of `get_input` or `get_property` is that of an entry for every node
    /// of the template, where the list and the count are known.
    pub(super) fn within_list_by_number(&mut self, function: &str, way: &Value, place: Place<'_>) {
        let Place::Node(name, _) = place else { return };
        let Some(service) = self.model.service.as_ref() else { return };
        let Some(node) = service.nodes.position(name) else { return };
        let is_number = |value: &Value| called(value) == Some("node_index") && is_function(value);
        let Some(at) = way.items().iter().position(is_number).filter(|at| *at > 0) else { return };
        let (links, given) = (Links::default(), ReturnedAttributes::new());
        let inputs = Inputs { model: self.model, service, links: &links, given: &given };
        let Some(count) = inputs.known_count(node) else { return };
        let before = Value { span: way.span, data: Data::List(way.items()[..at].to_vec()) };
        let key = Value { span: way.span, data: Data::Text(format!("${function}")) };
        let call = Data::Map(vec![Entry { key, value: before }]);
        let list = self.constant_value(&Value { span: way.span, data: call }, place);
        let Some(Data::List(items)) = list.map(|list| list.data) else { return };
        if items.len() >= count as usize {
            return;
        }
        let message =
            format!("the list has no entry of index {} for a node of `{name}`", items.len());
        let words = if items.len() == 1 { "entry" } else { "entries" };
        let help = format!("it has {} {words}, and the count of `{name}` is {count}", items.len());
        self.advise(codes::FUNCTION, way.items()[at].span, message, Some(help));
    }
}

/// How many relationships of the same requirement are assigned before: their numbers are taken.
fn earlier(inputs: &Inputs<'_, '_>, source: usize, assignment: &RequirementAssignment) -> usize {
    let Some((_, node)) = inputs.service.nodes.at(source) else { return 0 };
    let is_own = |known: &RequirementAssignment| std::ptr::eq(known, assignment);
    let own = node.requirements.iter().find(|(_, known)| is_own(known));
    let Some((own, _)) = own else { return 0 };
    let before = node.requirements.iter().take_while(|(_, known)| !is_own(known));
    let counts = before.filter(|(name, _)| name.text == own.text).map(|(_, known)| {
        // One whose number is not known counts as one, as it does when it is carried out.
        inputs.relationships(source, known).unwrap_or(1) as usize
    });
    counts.fold(0, usize::saturating_add)
}
