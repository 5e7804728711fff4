//! Values against data types, schemas and constraints.

use super::Checker;
use super::function;
use super::quantity;
use super::schema::Base;
use super::violated_constraint::{self, words};
use crate::lang::tosca::codes;
use crate::lang::tosca::grammar::is_version_text;
use crate::lang::tosca::model::{Schema, TypeId};
use crate::lang::tosca::switches;
use crate::lang::tosca::value::{Data, Value};
use crate::lang::tosca::version::Version;
use crate::spelling;
use std::fmt;

/// Why a value is not of a type.
#[derive(Debug)]
enum Mismatch {
    /// It is of another kind, or outside of what the type allows.
    Kind(String),
    /// It is no quantity.
    Quantity(quantity::QuantityError),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Kind(reason) => f.write_str(reason),
            Mismatch::Quantity(error) => error.fmt(f),
        }
    }
}

impl Checker<'_> {
    /// Compares a value with what it must be. Functions are looked at elsewhere.
    pub(super) fn value(&mut self, value: &Value, schema: &Schema, version: Version) {
        if super::validation_clause::is_call(value, version.is_2()) || is_dollar(value, version) {
            return;
        }
        let Some(of) = &schema.of else { return };
        let model = self.model;
        let base = model.base(of, version);
        if value.is_null() && base != Base::BuiltIn("nil") {
            return;
        }
        if let Err(mismatch) = self.fits(value, base, version) {
            let help = match &mismatch {
                Mismatch::Quantity(error) if error.is_about_unit() => quantity::units(model, base),
                _ => None,
            };
            self.advise(codes::WRONG_VALUE, value.span, mismatch.to_string(), help);
            if let Some(quirk) = self.quirk_of(value, base, version) {
                self.quirk(quirk);
            }
            return;
        }
        match base {
            Base::Structure(id) => self.structure(value, id, version),
            Base::BuiltIn("list" | "map") => self.entries(value, schema, version),
            _ => {}
        }
        let inherited = of.id.into_iter().flat_map(|id| model.types.chain(id));
        let inherited = inherited.filter_map(|(_, of)| of.schema.constraints.as_ref());
        let mut all = schema.constraints.iter().chain(inherited);
        if let Some(reason) =
            all.find_map(|one| violated_constraint::violated(model, value, base, one))
        {
            let message = format!("`{}` is not allowed: {reason}", words(value));
            self.error(codes::CONSTRAINT, value.span, message);
        }
    }

    /// Whether a value is of the kind of a type; the reason when it is not.
    fn fits(&self, value: &Value, base: Base<'_>, version: Version) -> Result<(), Mismatch> {
        let wanted = match base {
            Base::Unknown => return Ok(()),
            Base::Structure(_) => {
                let fits = matches!(value.data, Data::Map(_));
                return fits.then_some(()).ok_or_else(|| Mismatch::Kind(unlike("a map", value)));
            }
            Base::Scalar(id) => return self.scalar_value(value, id),
            Base::BuiltIn(name) => name,
        };
        let text = value.text();
        let fits = match wanted {
            "string" => text.is_some(),
            "integer" => matches!(value.data, Data::Int(_)),
            "float" => matches!(value.data, Data::Int(_) | Data::Float(..)),
            "boolean" => self.is_boolean(value, version),
            "timestamp" => text.is_some_and(|text| is_timestamp(text, version)),
            "nil" | "null" => value.is_null(),
            "bytes" => text.is_some_and(is_base64),
            "version" => is_version(value),
            "range" if is_upside_down(value) => {
                let reason = "the lower bound is greater than the upper one";
                return Err(Mismatch::Kind(reason.to_owned()));
            }
            "range" => is_range(value),
            "list" => matches!(value.data, Data::List(_)),
            "map" => matches!(value.data, Data::Map(_)),
            name if name.starts_with("scalar-unit") => {
                let text = text.map_or_else(|| words(value), str::to_owned);
                return quantity::scalar_unit(name, &text).map(|_| ()).map_err(Mismatch::Quantity);
            }
            _ => true,
        };
        let article = if wanted == "integer" { "an" } else { "a" };
        fits.then_some(())
            .ok_or_else(|| Mismatch::Kind(unlike(&format!("{article} {wanted}"), value)))
    }

    /// The quirk that tolerates a value that does not fit.
    fn quirk_of(&self, value: &Value, base: Base<'_>, version: Version) -> Option<&'static str> {
        if let [entry] = value.entries()
            && let Some(name) = entry.key.text()
        {
            if version.is_2() && function::BUILT_IN.contains(&name) {
                return Some(switches::FUNCTIONS_WITHOUT_DOLLAR);
            }
            let root = self.model.files.first()?;
            return (!version.is_2() && root.functions.contains_key(name))
                .then_some(switches::FUNCTIONS_IN_METADATA);
        }
        let text = words(value);
        match base {
            Base::Scalar(id) if self.is_fraction(value, id) => Some(switches::FRACTIONS_OF_UNITS),
            Base::BuiltIn("integer" | "boolean") if switches::is_old_boolean(&text) => {
                Some(switches::LOOSE_BOOLEANS)
            }
            Base::BuiltIn("timestamp") if is_timestamp(&text, Version::V1_3) => {
                Some(switches::LOOSE_TIMESTAMPS)
            }
            // The qualifier would follow a dot.
            Base::BuiltIn("version") if is_version_text(&text.replacen('-', ".", 1)) => {
                Some(switches::LOOSE_VERSIONS)
            }
            _ => None,
        }
    }

    /// Whether a value is one of a scalar of whole numbers but for its fraction.
    fn is_fraction(&self, value: &Value, id: TypeId) -> bool {
        let text = words(value);
        let number = quantity::split(&text).map(|(number, _)| number);
        quantity::own_scalar(self.model, id, &text).is_ok()
            && self.is_integer(self.model.types.get(id))
            && number.is_some_and(|number| number.fract() != 0.0)
    }

    /// In 2.0 a boolean is written `true` or `false`.
    fn is_boolean(&self, value: &Value, version: Version) -> bool {
        let written = self.sources.slice(value.span);
        let is_odd = version.is_2()
            && ["true", "false"].iter().any(|word| written.eq_ignore_ascii_case(word))
            && !["true", "false"].contains(&written);
        matches!(value.data, Data::Bool(_)) && !is_odd
    }

    fn scalar_value(&self, value: &Value, id: TypeId) -> Result<(), Mismatch> {
        let text = words(value);
        quantity::own_scalar(self.model, id, &text).map_err(Mismatch::Quantity)?;
        let of = self.model.types.get(id);
        let Some((number, _)) = quantity::split(&text) else { return Ok(()) };
        if self.is_integer(of) && number.fract() != 0.0 {
            return Err(Mismatch::Kind(format!("`{text}` is not a whole number of units")));
        }
        let Some(name) = of.body.get("data_type").and_then(Value::text) else { return Ok(()) };
        let names = &self.model.files[of.file.0 as usize].names;
        let key = (crate::lang::tosca::model::TypeKind::Data, name.to_owned());
        let Some(id) = names.get(&key) else { return Ok(()) };
        let number = Value { span: value.span, data: Data::Float(number, number.to_string()) };
        let chain = self.model.types.chain(*id);
        let mut constraints = chain.filter_map(|(_, of)| of.schema.constraints.as_ref());
        let base = Base::BuiltIn("float");
        let violated = constraints.find_map(|constraint| {
            violated_constraint::violated(self.model, &number, base, constraint)
        });
        let reason = |reason| format!("`{text}` is no value of `{name}`: {reason}");
        violated.map_or(Ok(()), |violated| Err(Mismatch::Kind(reason(violated))))
    }

    /// A structure has the properties that its type declares.
    fn structure(&mut self, value: &Value, id: TypeId, version: Version) {
        let model = self.model;
        let properties = model.schemas(id, |of| &of.properties);
        let of = model.types.get(id);
        if properties.is_empty() || model.is_opaque(id) {
            return;
        }
        // A property whose name is misspelled is not missing, too.
        let mut meant = Vec::new();
        for entry in value.entries() {
            let Some(name) = entry.key.text() else { continue };
            match properties.get(name) {
                Some(schema) => self.value(&entry.value, schema, version),
                None => {
                    let message = format!("`{}` has no property `{name}`", of.name.text);
                    let free = properties.names().filter(|known| value.get(known).is_none());
                    let advice = spelling::nearest(name, free);
                    meant.extend(advice);
                    let help = advice.map(|near| format!("did you mean `{near}`?"));
                    self.advise(codes::UNDECLARED, entry.key.span, message, help);
                }
            }
        }
        for (name, schema) in properties.iter() {
            let is_given = value.get(&name.text).is_some();
            if !is_given && is_required(schema) && !meant.contains(&name.text.as_str()) {
                let message = format!("`{}` of `{}` is required", name.text, of.name.text);
                self.error(codes::MISSING_VALUE, value.span, message);
            }
        }
    }

    /// The entries of a list or map.
    fn entries(&mut self, value: &Value, schema: &Schema, version: Version) {
        let model = self.model;
        if let Some(entry) = model.entry_of(schema) {
            let own = value.items().iter().chain(value.entries().iter().map(|entry| &entry.value));
            for item in own {
                self.value(item, entry, version);
            }
        }
        if let Some(key) = model.key_of(schema) {
            for entry in value.entries() {
                self.value(&entry.key, key, version);
            }
        }
    }
}

/// Whether a value must be given for a definition.
pub(super) fn is_required(schema: &Schema) -> bool {
    schema.required.unwrap_or(true) && schema.default.is_none() && schema.value.is_none()
}

fn unlike(wanted: &str, value: &Value) -> String {
    let written = match value.data {
        Data::List(_) | Data::Map(_) | Data::Null => String::new(),
        _ => format!("`{}`, ", words(value)),
    };
    format!("this must be {wanted}, not {written}{}", value.kind_name())
}

/// A function without arguments, from 2.0.
fn is_dollar(value: &Value, version: Version) -> bool {
    version.is_2()
        && value.text().is_some_and(|text| text.starts_with('$') && !text.starts_with("$$"))
}

fn is_version(value: &Value) -> bool {
    match &value.data {
        Data::Text(text) | Data::Float(_, text) => is_version_text(text),
        _ => false,
    }
}

fn is_upside_down(value: &Value) -> bool {
    matches!(value.items(), [lower, upper] if matches!(
        (&lower.data, &upper.data),
        (Data::Int(lower), Data::Int(upper)) if lower > upper
    ))
}

fn is_range(value: &Value) -> bool {
    let [lower, upper] = value.items() else { return false };
    match (&lower.data, &upper.data) {
        (Data::Int(lower), Data::Int(upper)) => lower <= upper,
        (Data::Int(_), Data::Text(word)) => word == "UNBOUNDED",
        _ => false,
    }
}

/// `YYYY-MM-DD`, alone or with `T`, a time and a zone.
///
/// Before 2.0 blanks may stand for the `T`.
pub(super) fn is_timestamp(text: &str, version: Version) -> bool {
    if !version.is_2() && text.contains(' ') {
        return is_timestamp(&text.trim().replacen(' ', "T", 1), Version::V2_0);
    }
    const PATTERN: &str = r"\d{4}-\d{1,2}-\d{1,2}([Tt]\d{1,2}:\d{2}(:\d{2}(\.\d*)?)?\s*([Zz]|[+-]\d{1,2}(:\d{2})?)?)?";
    violated_constraint::matches(text.trim(), PATTERN).unwrap_or(true) && is_day(text.trim())
}

/// Whether a date that is written like one is in the calendar.
fn is_day(text: &str) -> bool {
    let date = text.split(['T', 't']).next().unwrap_or(text);
    let mut parts = date.trim().split('-').map(|part| part.parse::<u32>().unwrap_or(0));
    let (year, month, day) =
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}

fn is_base64(text: &str) -> bool {
    text.chars().all(|letter| {
        letter.is_ascii_alphanumeric() || letter.is_whitespace() || "+/=".contains(letter)
    }) && text.chars().filter(|letter| !letter.is_whitespace()).count() % 4 == 0
}
