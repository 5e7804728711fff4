//! Node filters: why a node is not selected.

use super::Checker;
use super::schema::Base;
use super::validation_clause::holds_for;
use super::violated_constraint::{clause_violated, words};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Fields, Model, NodeTemplate, Schema, TypeId};
use crate::lang::tosca::value::{Data, Value};
use crate::spelling;

/// Why a filter rejects a node; none when it does not, or when that is not known.
pub(super) fn rejects(model: &Model, node: &NodeTemplate, filter: &Value) -> Option<String> {
    let id = node.of.id?;
    if model.version.is_2() {
        let is_false = holds_for(model, filter, node) == Some(false);
        return is_false.then(|| format!("it does not satisfy `{}`.", words(filter)));
    }
    if let Some(properties) = filter.get("properties") {
        let schemas = model.schemas(id, |of| &of.properties);
        if let Some(reason) = conditions(model, &node.properties, &schemas, properties) {
            return Some(reason);
        }
    }
    for (name, condition) in pairs(filter.get("capabilities")?) {
        // A capability is named by itself or by its type.
        let own = model.types.chain(id).flat_map(|(_, of)| of.capabilities.names());
        let found = own.into_iter().find(|known| {
            let of = model.capability_type(id, known).map(|of| &model.types.get(of).name.text);
            *known == name || of.is_some_and(|of| of == name)
        });
        let Some(found) = found else { return Some(format!("it has no capability `{name}`.")) };
        let Some(properties) = condition.get("properties") else { continue };
        let schemas = model.capability_schemas(id, found, |of| &of.properties, |of| &of.properties);
        let empty = Fields::default();
        let values = node.capabilities.get(found).map_or(&empty, |given| &given.properties);
        if let Some(reason) = conditions(model, values, &schemas, properties) {
            return Some(reason);
        }
    }
    None
}

/// Why values do not meet the conditions on them.
fn conditions(
    model: &Model,
    values: &Fields<Value>,
    schemas: &Fields<Schema>,
    wanted: &Value,
) -> Option<String> {
    for (name, condition) in pairs(wanted) {
        let schema = schemas.get(name);
        let value = values.get(name).or_else(|| schema.and_then(|schema| schema.default.as_ref()));
        let Some(value) = value else {
            return Some(format!("it gives `{name}` no value."));
        };
        let base = schema.and_then(|schema| schema.of.as_ref());
        let base = base.map_or(Base::Unknown, |of| model.base(of, model.version));
        let clauses: &[Value] = match &condition.data {
            Data::List(clauses) => clauses,
            _ => std::slice::from_ref(condition),
        };
        for clause in clauses {
            let reason = match clause.data {
                Data::Map(_) => clause_violated(model, value, base, clause),
                _ if super::validation_clause::is_call(value, false) || value == clause => None,
                _ => Some(format!("it must be `{}`", words(clause))),
            };
            if let Some(reason) = reason {
                return Some(format!("`{name}` is `{}` and {reason}.", words(value)));
            }
        }
    }
    None
}

impl Checker<'_> {
    /// The conditions of a filter of the versions before 2.0 can be asked of values; whether one
    /// is about a property whose name is misspelled.
    pub(super) fn filter_itself(&mut self, of: Option<TypeId>, filter: &Value) -> bool {
        let model = self.model;
        let empty = Fields::default();
        let before = self.findings.len();
        let of = of.filter(|of| !model.is_opaque(*of));
        if let Some(properties) = filter.get("properties") {
            let schemas = of.map(|of| model.schemas(of, |of| &of.properties));
            self.conditions_themselves(schemas.as_ref().unwrap_or(&empty), properties);
        }
        for (name, condition) in filter.get("capabilities").map(pairs).unwrap_or_default() {
            let Some(properties) = condition.get("properties") else { continue };
            let schemas = of.map(|of| {
                model.capability_schemas(of, name, |of| &of.properties, |of| &of.properties)
            });
            self.conditions_themselves(schemas.as_ref().unwrap_or(&empty), properties);
        }
        self.findings[before..].iter().any(|found| found.code == codes::UNKNOWN_NAME)
    }

    fn conditions_themselves(&mut self, schemas: &Fields<Schema>, wanted: &Value) {
        let model = self.model;
        for key in keys(wanted) {
            let Some(name) = key.text() else { continue };
            // Other names may be those of types that derive from the wanted one.
            let near = spelling::nearest(name, schemas.names());
            if let Some(near) = near.filter(|_| schemas.get(name).is_none()) {
                let message = format!("there is no property `{name}` to ask for");
                let help = format!("did you mean `{near}`?");
                self.advise(codes::UNKNOWN_NAME, key.span, message, Some(help));
            }
        }
        for (name, condition) in pairs(wanted) {
            let of = schemas.get(name).and_then(|schema| schema.of.as_ref());
            let base = of.map_or(Base::Unknown, |of| model.base(of, model.version));
            self.clauses_of(condition, base);
        }
    }
}

/// The keys of a map, or of a list of maps.
pub(super) fn keys(value: &Value) -> impl Iterator<Item = &Value> {
    let inner = value.items().iter().flat_map(Value::entries);
    value.entries().iter().chain(inner).map(|entry| &entry.key)
}

/// Names and values of a map, or of a list of maps with one entry each.
fn pairs(value: &Value) -> Vec<(&str, &Value)> {
    let own = value.entries().iter();
    let inner = value.items().iter().flat_map(Value::entries);
    own.chain(inner).filter_map(|entry| Some((entry.key.text()?, &entry.value))).collect()
}
