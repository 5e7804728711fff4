//! What differs from instance to instance: values by the number of the instance, and how many
//! instances there are.

use super::super::model::{NodeTemplate, RequirementAssignment};
use super::super::value::Value;
use super::Inputs;
use super::evaluate::Trail;
use super::runtime_values::{Part, RuntimeValue};
use super::static_values;
use super::value_context::ValueContext;
use crate::tree::Value as Plain;

/// So many instances are looked at although fewer are wanted: a node may be scaled later.
const SPARE: usize = 32;
/// For more instances than that nothing is computed one by one.
const MOST: usize = 4096;

impl Inputs<'_, '_> {
    /// How many instances are wanted: `count` of 2.0, or what `scalable` says; none when an input
    /// without a value says it.
    pub(crate) fn known_count(&self, at: usize) -> Option<u32> {
        let (_, template) = self.service.nodes.at(at)?;
        let Some(said) = self.said_count(template) else { return Some(1) };
        match static_values::settled(self, at, said) {
            Some(Plain::Int(number)) => u32::try_from(number).ok(),
            _ => None,
        }
    }

    fn said_count<'t>(&self, template: &'t NodeTemplate) -> Option<&'t Value> {
        let scalable = template.capabilities.get("scalable");
        let scalable = scalable.and_then(|it| it.properties.get("default_instances"));
        if self.model.version.is_2() { template.count.as_ref() } else { scalable }
    }

    /// The same, and 1 when it is unknown.
    pub(crate) fn count(&self, at: usize) -> u32 {
        self.known_count(at).unwrap_or(1)
    }

    /// How many relationships a requirement of a node has: none when that is not known.
    pub(crate) fn relationships(
        &self,
        at: usize,
        requirement: &RequirementAssignment,
    ) -> Option<u32> {
        let Some(said) = &requirement.count else { return Some(1) };
        match static_values::settled(self, at, said) {
            Some(Plain::Int(number)) => u32::try_from(number).ok(),
            _ => None,
        }
    }

    /// The index that a value gives for a relationship of an instance of a node: none when it is
    /// not known, or when it is no integer.
    pub(crate) fn index(
        &self,
        at: usize,
        number: usize,
        relationship: usize,
        value: &Value,
    ) -> Option<i128> {
        let place = ValueContext::of_requirement(at, relationship).numbered(number);
        match static_values::static_value(self, value, &place) {
            Some(Plain::Int(index)) => Some(index),
            _ => None,
        }
    }

    /// What an instance of a node is called: the one that asks, or that is meant, or the first.
    pub(crate) fn instance(&self, node: usize, name: &str, place: &ValueContext) -> RuntimeValue {
        let count = self.count(node) as usize;
        let called = |number: usize| RuntimeValue::text(format!("{name}-{}", number + 1));
        match place.number.filter(|_| place.asking == Some(node)) {
            _ if count <= 1 => RuntimeValue::text(name),
            Some(number) => called(number),
            None if place.asking == Some(node) && count <= MOST => {
                Part::Numbered((0..count.max(SPARE)).map(called).collect()).into()
            }
            None => called(0),
        }
    }

    /// The value for each instance, where nothing but its number is missing.
    pub(crate) fn by_number(
        &self,
        value: &Value,
        place: &ValueContext,
        trail: &Trail<'_>,
    ) -> Option<RuntimeValue> {
        let asking = place.asking.filter(|_| place.is_open())?;
        let count = (self.count(asking) as usize).max(1);
        if count > MOST {
            return None;
        }
        let mut all = Vec::new();
        for number in 0..count.max(SPARE) {
            match self.deep(value, &place.numbered(number), trail) {
                Some(found) => all.push(found),
                None if number < count => return None,
                None => break,
            }
        }
        Some(Part::Numbered(all).into())
    }
}
