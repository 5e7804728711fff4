//! Scalar types of one's own: units, prefixes, canonical units.

use super::Checker;
use super::quantity::{key_text, number_of};
use super::schema::Base;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Type, TypeId};
use crate::lang::tosca::value::{Data, Value};

impl Checker<'_> {
    /// Checks the definition of a data type that comes down to a scalar, or has keys of one.
    pub(super) fn scalar_type(&mut self, id: TypeId) {
        let model = self.model;
        let of = model.types.get(id);
        let base = of.parent.as_ref().map(|parent| model.base(parent, model.version_of(id)));
        let is_scalar = of
            .parent
            .as_ref()
            .is_some_and(|parent| parent.name.text == "scalar" && parent.id.is_none())
            || matches!(base, Some(Base::Scalar(_)));
        if !is_scalar {
            for key in ["units", "prefixes", "canonical_unit", "data_type"] {
                if let Some(value) = of.body.get(key) {
                    let message = format!("only a scalar type has `{key}`");
                    self.error(codes::SCALAR, value.span, message);
                }
            }
            return;
        }
        for key in ["properties", "entry_schema", "key_schema"] {
            if let Some(value) = of.body.get(key) {
                self.error(codes::SCALAR, value.span, format!("a scalar type has no `{key}`"));
            }
        }
        let parent_is_scalar = of.parent.as_ref().is_some_and(|parent| parent.id.is_none());
        match of.body.get("units") {
            Some(units) => self.units(of, units),
            None if parent_is_scalar => {
                self.error(codes::SCALAR, of.span, "a scalar type needs `units`");
            }
            None => {}
        }
        if !parent_is_scalar {
            self.derived_scalar(id, of);
        }
    }

    fn units(&mut self, of: &Type, units: &Value) {
        let entries = units.entries();
        if entries.is_empty() {
            return self.error(codes::SCALAR, units.span, "`units` must name at least one unit");
        }
        let integer = self.is_integer(of);
        let prefixes = of.body.get("prefixes");
        self.multipliers(entries.iter().map(|entry| &entry.value), integer);
        if let Some(prefixes) = prefixes {
            if entries.len() > 1 {
                let message = "`prefixes` go with one unit only";
                self.error(codes::SCALAR, prefixes.span, message);
            }
            self.multipliers(prefixes.entries().iter().map(|entry| &entry.value), integer);
        }
        let ones: Vec<String> = entries
            .iter()
            .filter(|entry| number_of(&entry.value) == Some(1.0))
            .filter_map(|entry| key_text(&entry.key))
            .collect();
        // A multiplier that is none, and was reported as such, may have been meant to be 1.
        let is_open = entries.iter().any(|entry| number_of(&entry.value).is_none());
        if ones.is_empty() && !is_open {
            self.error(codes::SCALAR, units.span, "one unit must have the multiplier 1");
        }
        match of.body.get("canonical_unit") {
            Some(canonical) => self.canonical(of, canonical, &ones),
            None if ones.len() > 1 => {
                let message = "several units have the multiplier 1: `canonical_unit` must say \
                               which one is meant";
                self.error(codes::SCALAR, units.span, message);
            }
            None => {}
        }
    }

    fn canonical(&mut self, of: &Type, canonical: &Value, ones: &[String]) {
        let Some(name) = canonical.text() else { return };
        if ones.iter().any(|one| one == name) {
            return;
        }
        let entries = |key: &str| of.body.get(key).map_or(&[][..], Value::entries);
        let is_unit =
            entries("units").iter().any(|entry| key_text(&entry.key).as_deref() == Some(name));
        let with_prefix = entries("prefixes").iter().any(|prefix| {
            entries("units").iter().any(|unit| {
                let whole = key_text(&prefix.key).zip(key_text(&unit.key));
                whole.is_some_and(|(prefix, unit)| format!("{prefix}{unit}") == name)
            })
        });
        let of_unit = entries("units").iter().find(|it| key_text(&it.key).as_deref() == Some(name));
        if of_unit.is_some_and(|unit| number_of(&unit.value).is_none()) {
            return;
        }
        if is_unit {
            let message = format!("the canonical unit `{name}` must have the multiplier 1");
            self.error(codes::SCALAR, canonical.span, message);
        } else if !with_prefix {
            self.error(codes::SCALAR, canonical.span, format!("there is no unit `{name}`"));
        }
    }

    fn multipliers<'v>(&mut self, values: impl Iterator<Item = &'v Value>, integer: bool) {
        for value in values {
            let fits = match value.data {
                Data::Int(number) => number > 0,
                Data::Float(number, _) => number > 0.0 && (!integer || number.fract() == 0.0),
                _ => false,
            };
            if !fits {
                let kind = if integer { "a positive integer" } else { "a positive number" };
                let message = format!("a multiplier must be {kind}, this is {}", value.kind_name());
                self.error(codes::SCALAR, value.span, message);
            }
        }
    }

    /// Whether the numbers of a scalar are whole.
    pub(super) fn is_integer(&self, of: &Type) -> bool {
        let Some(name) = of.body.get("data_type").and_then(Value::text) else { return false };
        if name == "integer" {
            return true;
        }
        let names = &self.model.files[of.file.0 as usize].names;
        let key = (crate::lang::tosca::model::TypeKind::Data, name.to_owned());
        names.get(&key).is_some_and(|id| {
            self.model.types.chain(*id).any(|(_, of)| {
                of.parent.as_ref().is_some_and(|parent| parent.name.text == "integer")
            })
        })
    }

    /// A scalar derived from one of one's own may restrict it, not change it.
    fn derived_scalar(&mut self, id: TypeId, of: &Type) {
        let model = self.model;
        let inherited = |key: &str| {
            let mut chain = model.types.chain(id).skip(1);
            chain.find_map(|(_, of)| of.body.get(key))
        };
        let number = inherited("data_type").map_or(Some("float"), Value::text);
        if let Some(own) = of.body.get("data_type")
            && own.text() != number
        {
            self.error(codes::REFINEMENT, own.span, "a derived scalar keeps its `data_type`");
        }
        let (Some(own), Some(from)) = (of.body.get("units"), inherited("units")) else { return };
        for entry in own.entries() {
            let Some(known) = from.entries().iter().find(|known| known.key == entry.key) else {
                continue;
            };
            let (from, own) = (number_of(&known.value), number_of(&entry.value));
            // What is no multiplier was reported as such.
            if from.is_some() && own.is_some() && from != own {
                let message = "a derived scalar keeps the multipliers of its units";
                self.error(codes::REFINEMENT, entry.value.span, message);
            }
        }
    }
}
