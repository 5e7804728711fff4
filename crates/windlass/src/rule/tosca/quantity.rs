//! Values that can be compared: numbers, numbers with units, versions, times, text.

use super::schema::Base;
use crate::lang::tosca::model::{Model, TypeId};
use crate::lang::tosca::value::{Data, Value};
use std::cmp::Ordering;
use std::fmt;

/// A value that can be compared with others of its kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Quantity {
    /// A number, with a unit already applied.
    Number(f64),
    /// The parts of a version.
    Version(Vec<u64>, String),
    /// Text.
    Text(String),
    /// A boolean.
    Bool(bool),
}

impl Quantity {
    /// The order of two of a kind.
    pub(super) fn order(&self, other: &Quantity) -> Option<Ordering> {
        match (self, other) {
            (Quantity::Number(one), Quantity::Number(other)) => one.partial_cmp(other),
            (Quantity::Version(one, rest), Quantity::Version(other, more)) => {
                Some(one.cmp(other).then_with(|| rest.cmp(more)))
            }
            (Quantity::Text(one), Quantity::Text(other)) => Some(one.cmp(other)),
            (Quantity::Bool(one), Quantity::Bool(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }
}

/// Units of the built-in scalars, without regard to case, with what one of them is.
const UNITS: &[(&str, &[(&str, f64)])] = &[
    (
        "scalar-unit.size",
        &[
            ("b", 1.0),
            ("kb", 1e3),
            ("kib", 1024.0),
            ("mb", 1e6),
            ("mib", 1_048_576.0),
            ("gb", 1e9),
            ("gib", 1_073_741_824.0),
            ("tb", 1e12),
            ("tib", 1_099_511_627_776.0),
        ],
    ),
    (
        "scalar-unit.time",
        &[
            ("d", 86400.0),
            ("h", 3600.0),
            ("m", 60.0),
            ("s", 1.0),
            ("ms", 1e-3),
            ("us", 1e-6),
            ("ns", 1e-9),
        ],
    ),
    ("scalar-unit.frequency", &[("hz", 1.0), ("khz", 1e3), ("mhz", 1e6), ("ghz", 1e9)]),
    (
        "scalar-unit.bitrate",
        &[
            ("bps", 1.0),
            ("kbps", 1e3),
            ("kibps", 1024.0),
            ("mbps", 1e6),
            ("mibps", 1_048_576.0),
            ("gbps", 1e9),
            ("gibps", 1_073_741_824.0),
            ("tbps", 1e12),
            ("tibps", 1_099_511_627_776.0),
        ],
    ),
];

/// The units that values of a type have, for advice.
pub(super) fn units(model: &Model, base: Base<'_>) -> Option<String> {
    let own = |id: TypeId, key: &str| {
        let entries = model.types.get(id).body.get(key).map_or(&[][..], Value::entries);
        entries.iter().filter_map(|entry| key_text(&entry.key)).collect::<Vec<_>>()
    };
    let names: Vec<String> = match base {
        Base::BuiltIn(of) => {
            let tables = UNITS.iter().filter(|(name, _)| *name == of || of == "scalar-unit");
            tables.flat_map(|(_, units)| *units).map(|(unit, _)| (*unit).to_owned()).collect()
        }
        Base::Scalar(id) => {
            let (units, prefixes) = (own(id, "units"), own(id, "prefixes"));
            let mut whole = units.clone();
            for unit in &units {
                whole.extend(prefixes.iter().map(|prefix| format!("{prefix}{unit}")));
            }
            whole
        }
        _ => return None,
    };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let case = if matches!(base, Base::BuiltIn(_)) { ", in letters of any case" } else { "" };
    (!names.is_empty()).then(|| format!("its units are {}{case}", names.join(", ")))
}

/// A number and its unit: `10 GB`.
pub(super) fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|(at, letter)| {
            !(letter.is_ascii_digit()
                || ['.', '+', '-'].contains(letter)
                || (['e', 'E'].contains(letter) && has_exponent(&text[*at..])))
        })
        .map_or(text.len(), |(at, _)| at);
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim_start()))
}

/// Whether an `e` starts an exponent and not a unit.
fn has_exponent(text: &str) -> bool {
    let rest = text[1..].trim_start_matches(['+', '-']);
    rest.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Why a text is no quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum QuantityError {
    /// It does not start with a number.
    NoNumber(String),
    /// Nothing follows the number.
    NoUnit(String),
    /// The number is below zero.
    Negative(String),
    /// The scalar type has no such unit.
    UnknownUnit {
        /// What follows the number.
        unit: String,
        /// The type, as it is shown.
        of: String,
    },
}

impl QuantityError {
    /// Whether another unit would help.
    pub(super) fn is_about_unit(&self) -> bool {
        matches!(self, QuantityError::NoUnit(_) | QuantityError::UnknownUnit { .. })
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuantityError::NoNumber(text) => write!(f, "`{text}` does not start with a number"),
            QuantityError::NoUnit(text) => write!(f, "`{text}` has no unit"),
            QuantityError::Negative(text) => write!(f, "`{text}` is negative"),
            QuantityError::UnknownUnit { unit, of } => write!(f, "`{unit}` is no unit of {of}"),
        }
    }
}

/// A built-in scalar as a number; the reason when it is none.
pub(super) fn scalar_unit(of: &str, text: &str) -> Result<f64, QuantityError> {
    let Some((number, unit)) = split(text) else {
        return Err(QuantityError::NoNumber(text.to_owned()));
    };
    if unit.is_empty() {
        return Err(QuantityError::NoUnit(text.to_owned()));
    }
    let lower = unit.to_lowercase();
    let tables = UNITS.iter().filter(|(name, _)| *name == of || of == "scalar-unit");
    let known = tables.flat_map(|(_, units)| *units).find(|(known, _)| *known == lower);
    match known {
        Some((_, factor)) if number >= 0.0 => Ok(number * factor),
        Some(_) => Err(QuantityError::Negative(text.to_owned())),
        None => Err(QuantityError::UnknownUnit { unit: unit.to_owned(), of: of.to_owned() }),
    }
}

/// A value of a scalar type of one's own as a number, and how it is written; the reason when it
/// is none.
pub(super) fn own_scalar(model: &Model, id: TypeId, text: &str) -> Result<f64, QuantityError> {
    let Some((number, unit)) = split(text) else {
        return Err(QuantityError::NoNumber(text.to_owned()));
    };
    if unit.is_empty() {
        return Err(QuantityError::NoUnit(text.to_owned()));
    }
    let of = model.types.get(id);
    let units = of.body.get("units");
    let entries = units.map_or(&[][..], Value::entries);
    for entry in entries {
        let Some(name) = key_text(&entry.key) else { continue };
        let factor = number_of(&entry.value).unwrap_or(1.0);
        if name == unit {
            return Ok(number * factor);
        }
        let prefixes = of.body.get("prefixes").map_or(&[][..], Value::entries);
        for prefix in prefixes {
            let whole = key_text(&prefix.key).map(|prefix| format!("{prefix}{name}"));
            if whole.as_deref() == Some(unit) {
                return Ok(number * factor * number_of(&prefix.value).unwrap_or(1.0));
            }
        }
    }
    Err(QuantityError::UnknownUnit { unit: unit.to_owned(), of: format!("`{}`", of.name.text) })
}

/// The text of a key, which may be written like a number.
pub(super) fn key_text(key: &Value) -> Option<String> {
    match &key.data {
        Data::Text(text) | Data::Float(_, text) => Some(text.clone()),
        Data::Int(number) => Some(number.to_string()),
        Data::Bool(value) => Some(value.to_string()),
        Data::Null => Some(String::new()),
        _ => None,
    }
}

/// A number, whole or not.
pub(super) fn number_of(value: &Value) -> Option<f64> {
    match value.data {
        Data::Int(number) => Some(number as f64),
        Data::Float(number, _) => Some(number),
        _ => None,
    }
}

/// A version as parts.
pub(super) fn version(text: &str) -> Option<Quantity> {
    let mut parts = text.splitn(4, '.');
    let mut numbers = Vec::new();
    for part in parts.by_ref().take(3) {
        numbers.push(part.parse().ok()?);
    }
    numbers.resize(3, 0);
    Some(Quantity::Version(numbers, parts.next().unwrap_or_default().to_owned()))
}

/// A value as something comparable, by what its type comes down to.
pub(super) fn of(model: &Model, value: &Value, base: Base<'_>) -> Option<Quantity> {
    let text = match &value.data {
        Data::Text(text) | Data::Float(_, text) => Some(text.as_str()),
        _ => None,
    };
    match base {
        Base::BuiltIn("version") => return version(text?),
        Base::BuiltIn(name) if name.starts_with("scalar-unit") => {
            return scalar_unit(name, text?).ok().map(Quantity::Number);
        }
        Base::Scalar(id) => return own_scalar(model, id, text?).ok().map(Quantity::Number),
        _ => {}
    }
    match &value.data {
        Data::Int(number) => Some(Quantity::Number(*number as f64)),
        Data::Float(number, _) => Some(Quantity::Number(*number)),
        // How the values of a type that is not known compare is not known either.
        Data::Text(_) if base == Base::Unknown => None,
        Data::Text(text) => Some(Quantity::Text(text.clone())),
        Data::Bool(value) => Some(Quantity::Bool(*value)),
        _ => None,
    }
}
