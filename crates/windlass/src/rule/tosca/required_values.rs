//! Values that must be given to parts of nodes, and values that are fixed.

use super::Checker;
use super::value::is_required;
use super::violated_constraint::words;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Fields, NodeTemplate, Schema, TypeId};
use crate::lang::tosca::value::{Name, Value};
use crate::spelling;
use std::collections::BTreeSet;

impl Checker<'_> {
    /// Required properties of capabilities have values. What only normative types require, many
    /// files leave out.
    pub(super) fn given_to_capabilities(&mut self, id: TypeId, name: &Name, node: &NodeTemplate) {
        let model = self.model;
        let chain = model.types.chain(id);
        let all: BTreeSet<&str> = chain.flat_map(|(_, of)| of.capabilities.names()).collect();
        for capability in all {
            let Some(of) = model.capability_type(id, capability) else { continue };
            let assigned = node.capabilities.entry(capability);
            let values = assigned.map(|(_, it)| &it.properties);
            let span = assigned.map_or(name.span, |(name, _)| name.span);
            let schemas =
                model.capability_schemas(id, capability, |of| &of.properties, |of| &of.properties);
            let unknown = values.into_iter().flat_map(Fields::names);
            let unknown = unknown.filter(|name| schemas.get(name).is_none());
            let meant: Vec<&str> =
                unknown.filter_map(|name| spelling::nearest(name, schemas.names())).collect();
            for (property, schema) in schemas.iter() {
                let is_given = values.is_some_and(|it| it.get(&property.text).is_some())
                    || meant.contains(&property.text.as_str());
                if is_given || !is_required(schema) || !self.is_own_property(of, &property.text) {
                    continue;
                }
                let message = format!(
                    "`{capability}` of `{}` must give `{}` a value",
                    name.text, property.text
                );
                let of = &model.types.get(of).name.text;
                let help = format!("`{}` is a required property of `{of}`", property.text);
                let finding = Diagnostic::warning(codes::MISSING_VALUE, span, message);
                self.findings.push(finding.help(help));
            }
        }
    }

    /// Whether a type of the author declares a property, and no normative one.
    fn is_own_property(&self, id: TypeId, property: &str) -> bool {
        let model = self.model;
        let declares = |at: TypeId| model.types.get(at).properties.get(property).is_some();
        let mut chain = model.types.chain(id);
        !chain.any(|(at, _)| model.is_normative(at) && declares(at))
    }

    /// Required properties of the artifacts that only the template has.
    pub(super) fn given_to_artifacts(&mut self, id: TypeId, node: &NodeTemplate) {
        let model = self.model;
        for (name, artifact) in node.artifacts.iter() {
            let mut chain = model.types.chain(id);
            let is_inherited = chain.any(|(_, of)| of.artifacts.get(&name.text).is_some());
            let of = artifact.of.as_ref().and_then(|of| of.id);
            let Some(of) = of.filter(|of| !is_inherited && !model.is_normative(*of)) else {
                continue;
            };
            let before = self.findings.len();
            self.required_values(of, &artifact.properties, name.span, &name.text);
            for found in &mut self.findings[before..] {
                found.severity = Severity::Warning;
            }
        }
    }

    /// From 2.0 a value that a definition fixes is not given again, unless it is the same.
    pub(super) fn unfixed(&mut self, value: &Value, schema: &Schema) {
        let Some(fixed) = schema.value.as_ref().filter(|_| self.version().is_2()) else { return };
        if words(value) == words(fixed) {
            return;
        }
        let message = format!("this value is fixed by its definition: `{}`", words(fixed));
        let help = "a definition with `default` in place of `value` lets others replace it";
        self.advise(codes::WRONG_VALUE, value.span, message, Some(help.to_owned()));
    }
}
