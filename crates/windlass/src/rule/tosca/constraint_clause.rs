//! Constraints themselves: a pattern that is none, a range without anything in it, a bound of
//! another type than the values.

use super::Checker;
use super::function::BUILT_IN;
use super::quantity;
use super::schema::Base;
use super::standard_function::{Gives, gives};
use super::validation_clause::is_call;
use super::violated_constraint::words;
use crate::diagnostic::Severity;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Schema, TypeId};
use crate::lang::tosca::value::{Data, Entry, Value};
use crate::lang::tosca::version::Version;
use crate::source::Span;
use crate::spelling;
use std::cmp::Ordering;

/// Clauses that compare a value with another one; from 2.0 functions of two arguments.
pub(super) const COMPARISONS: &[&str] =
    &["equal", "greater_than", "greater_or_equal", "less_than", "less_or_equal"];

/// Clauses that compare a value with several; from 2.0 functions of two arguments.
pub(super) const CHOICES: &[&str] = &["in_range", "valid_values"];

/// Clauses before 2.0 that no function has the name of, `length` apart.
const OLD: &[&str] = &["length", "min_length", "max_length", "pattern", "schema"];

/// The clauses before 2.0.
fn old_clauses() -> impl Iterator<Item = &'static str> {
    [COMPARISONS, CHOICES, OLD].into_iter().flatten().copied()
}

/// Whether there is a clause of this name before 2.0.
pub(super) fn is_clause(name: &str) -> bool {
    old_clauses().any(|known| known == name)
}

/// What a clause can be asked of, when it is not values of this type.
fn unlike(name: &str, base: Base<'_>) -> Option<&'static str> {
    let is = |names: &[&str]| matches!(base, Base::BuiltIn(name) if names.contains(&name));
    match name {
        "length" | "min_length" | "max_length" => {
            is(&["integer", "float", "boolean"]).then_some("strings, lists and maps")
        }
        "pattern" => is(&["integer", "float", "boolean", "list", "map"]).then_some("strings"),
        "in_range" | "greater_than" | "greater_or_equal" | "less_than" | "less_or_equal" => {
            let has_no_order = is(&["boolean", "list", "map"]);
            (has_no_order || matches!(base, Base::Structure(_))).then_some("what has an order")
        }
        _ => None,
    }
}

impl Checker<'_> {
    /// The constraints of a definition.
    pub(super) fn constraints_of(&mut self, schema: &Schema, version: Version) {
        let Some(constraints) = &schema.constraints else { return };
        let model = self.model;
        let base = schema.of.as_ref().map_or(Base::Unknown, |of| model.base(of, version));
        if version.is_2() {
            self.validation_itself(constraints);
            self.validation_of(constraints, base);
        } else {
            self.clauses_of(constraints, base);
        }
    }

    /// A list of clauses, or one.
    pub(super) fn clauses_of(&mut self, constraints: &Value, base: Base<'_>) {
        let alone = std::slice::from_ref(constraints);
        let is_list = matches!(constraints.data, Data::List(_));
        let clauses = if is_list { constraints.items() } else { alone };
        for clause in clauses {
            if let [_, second, ..] = clause.entries() {
                let message = "a constraint has one operator";
                let help = "write a list of constraints: all of them must hold";
                self.advise(codes::CONSTRAINT, second.key.span, message, Some(help.to_owned()));
                // The first one counts then.
                self.tolerate(true);
            }
        }
        for entry in clauses.iter().flat_map(Value::entries) {
            let Some(name) = entry.key.text() else { continue };
            if !old_clauses().any(|known| known == name) {
                let message = format!("there is no constraint `{name}`");
                let near = spelling::nearest(name, old_clauses());
                let help = near.map(|near| format!("did you mean `{near}`?"));
                let is_typo = help.is_some();
                self.advise(codes::CONSTRAINT, entry.key.span, message, help);
                // Some processors have constraints of their own.
                self.tolerate(!is_typo);
                continue;
            }
            self.clause(name, &entry.value, base);
        }
    }

    /// A validation clause is one call, and what it calls exists.
    fn validation_itself(&mut self, clause: &Value) {
        let is_text_call = clause.text().is_some_and(|text| text.starts_with('$'));
        let is_map = |item: &Value| matches!(item.data, Data::Map(_));
        // The constraints of 1.3, which were reported as a key that 2.0 does not have.
        let is_old = !clause.items().is_empty() && clause.items().iter().all(is_map);
        // What begins so is a name of some processor's own.
        let foreign = |entry: &Entry| entry.key.text().is_some_and(|name| name.starts_with('_'));
        if is_old || clause.entries().iter().any(foreign) {
            return;
        }
        if is_text_call || matches!(clause.data, Data::Bool(_) | Data::Null) {
            return;
        }
        let name = match clause.entries() {
            [entry] => entry.key.text().and_then(|name| name.strip_prefix('$')),
            _ => None,
        };
        let Some(name) = name else {
            let message = "a validation is one call of a function";
            let help = "such as `{ $greater_than: [ $value, 0 ] }`; `$and` joins several";
            return self.advise(codes::CONSTRAINT, clause.span, message, Some(help.to_owned()));
        };
        if !self.is_function(name) && !self.is_open {
            let message = format!("there is no function `{name}`");
            let near = spelling::nearest(name, BUILT_IN.iter().copied());
            let help = near.map(|near| format!("did you mean `${near}`?"));
            self.advise(codes::FUNCTION, clause.span, message, help);
            // Who evaluates a clause may know more names than the standard has.
            if let Some(last) = self.findings.last_mut().filter(|_| near.is_none()) {
                last.severity = Severity::Warning;
            }
        }
        if let Some(given) = gives(name, true).filter(|given| *given != Gives::Boolean) {
            let message =
                format!("a validation is true or false, and `{name}` gives {}", given.describe());
            self.error(codes::CONSTRAINT, clause.span, message);
        }
        if ["and", "or", "not", "xor"].contains(&name) {
            for item in clause.entries().iter().flat_map(|entry| entry.value.items()) {
                self.validation_itself(item);
            }
        }
    }

    /// Whether the standard or one of the files has a function of this name.
    fn is_function(&self, name: &str) -> bool {
        let mut files = self.model.files.iter();
        BUILT_IN.contains(&name) || files.any(|file| file.functions.contains_key(name))
    }

    /// The calls in a validation clause.
    fn validation_of(&mut self, clause: &Value, base: Base<'_>) {
        if let [entry] = clause.entries()
            && let Some(name) = entry.key.text().and_then(|name| name.strip_prefix('$'))
        {
            let arguments = entry.value.items();
            let is_own = arguments.first().is_some_and(|it| it.text() == Some("$value"));
            match (name, arguments) {
                ("matches", [_, pattern]) => {
                    let base = if is_own { base } else { Base::Unknown };
                    self.clause("pattern", pattern, base);
                }
                (name, [_, wanted]) if is_own && old_clauses().any(|known| known == name) => {
                    self.clause(name, wanted, base);
                }
                _ => {}
            }
        }
        for item in clause.items() {
            self.validation_of(item, base);
        }
        for entry in clause.entries() {
            self.validation_of(&entry.value, base);
        }
    }

    fn clause(&mut self, name: &str, wanted: &Value, base: Base<'_>) {
        let version_2 = self.version().is_2();
        let dollar = |value: &Value| value.text().is_some_and(|text| text.starts_with('$'));
        if is_call(wanted, version_2) || version_2 && dollar(wanted) {
            return;
        }
        if let Some(such) = unlike(name, base) {
            let message = format!("`{name}` is for {such}, and these values are none");
            self.error(codes::CONSTRAINT, wanted.span, message);
            // It holds of nothing and refuses nothing; some files have it.
            return self.tolerate(true);
        }
        match name {
            "pattern" => {
                if let Some(reason) = wanted.text().and_then(broken_pattern) {
                    let message = format!("this is no pattern: {reason}");
                    self.error(codes::CONSTRAINT, wanted.span, message);
                }
            }
            "length" | "min_length" | "max_length" if !matches!(wanted.data, Data::Int(0..)) => {
                let message = format!("a length is a whole number, not `{}`", words(wanted));
                self.error(codes::CONSTRAINT, wanted.span, message);
            }
            "valid_values" if !matches!(wanted.data, Data::List(_)) => {
                let message = "`valid_values` is a list of values";
                self.error(codes::CONSTRAINT, wanted.span, message);
            }
            "valid_values" => {
                for value in wanted.items() {
                    self.bound(value, base);
                }
            }
            "in_range" => {
                let [lower, upper] = wanted.items() else {
                    let message = "`in_range` is a list of two bounds";
                    return self.error(codes::CONSTRAINT, wanted.span, message);
                };
                let is_open = |bound: &Value| bound.text() == Some("UNBOUNDED");
                for bound in [lower, upper].into_iter().filter(|bound| !is_open(bound)) {
                    self.bound(bound, base);
                }
                let of =
                    if base == Base::BuiltIn("range") { Base::BuiltIn("integer") } else { base };
                let order = quantity::of(self.model, lower, of)
                    .zip(quantity::of(self.model, upper, of))
                    .and_then(|(lower, upper)| lower.order(&upper));
                if order == Some(Ordering::Greater) && !is_open(upper) {
                    let message = format!("nothing is in the range `{}`", words(wanted));
                    self.error(codes::CONSTRAINT, wanted.span, message);
                }
            }
            name if COMPARISONS.contains(&name) => self.bound(wanted, base),
            _ => {}
        }
    }

    /// What values are compared with is one of them.
    fn bound(&mut self, bound: &Value, base: Base<'_>) {
        if is_call(bound, self.version().is_2()) {
            return;
        }
        let base = if base == Base::BuiltIn("range") { Base::BuiltIn("integer") } else { base };
        let wanted = match base {
            Base::BuiltIn("integer") => {
                (!matches!(bound.data, Data::Int(_))).then_some("an integer".to_owned())
            }
            Base::BuiltIn("float") => {
                let fits = matches!(bound.data, Data::Int(_) | Data::Float(..));
                (!fits).then_some("a number".to_owned())
            }
            Base::BuiltIn("string") => bound.text().is_none().then_some("a string".to_owned()),
            Base::BuiltIn("boolean") => {
                (!matches!(bound.data, Data::Bool(_))).then_some("a boolean".to_owned())
            }
            Base::BuiltIn(name) if name.starts_with("scalar-unit") => {
                quantity::scalar_unit(name, &words(bound)).err().map(|error| error.to_string())
            }
            Base::Scalar(id) => self.scalar_bound(bound, id),
            _ => None,
        };
        if let Some(wanted) = wanted {
            let is_reason = matches!(base, Base::Scalar(_))
                || matches!(base, Base::BuiltIn(name) if name.starts_with("scalar-unit"));
            let message = if is_reason {
                format!("values cannot be compared with this: {wanted}")
            } else {
                format!("values are compared with {wanted}, not `{}`", words(bound))
            };
            self.error(codes::CONSTRAINT, bound.span, message);
            // A number without a unit is taken for one of the smallest.
            let lacks_unit = is_reason && matches!(bound.data, Data::Int(_));
            // Nothing is equal to it, which does no more harm than that.
            self.tolerate(lacks_unit || base == Base::BuiltIn("string"));
        }
    }

    fn scalar_bound(&self, bound: &Value, id: TypeId) -> Option<String> {
        quantity::own_scalar(self.model, id, &words(bound)).err().map(|error| error.to_string())
    }

    /// A range of occurrences has something in it.
    pub(super) fn bounds(&mut self, range: Option<crate::lang::tosca::model::Range>) {
        let Some(range) = range else { return };
        if range.is_empty() {
            self.empty_range(range.span);
        }
    }

    fn empty_range(&mut self, span: Span) {
        let message = "the lower bound is greater than the upper one";
        self.error(codes::WRONG_VALUE, span, message);
    }
}

/// Why a text is no pattern. What other engines know and ours does not is no reason.
fn broken_pattern(pattern: &str) -> Option<String> {
    let error = regex::RegexBuilder::new(pattern).size_limit(1 << 22).build().err()?;
    let regex::Error::Syntax(text) = error else { return None };
    const FOREIGN: &[&str] = &["look-around", "backreference", "unrecognized", "Unicode"];
    if FOREIGN.iter().any(|word| text.contains(word)) {
        return None;
    }
    let last = text.lines().last().unwrap_or_default();
    Some(last.trim().trim_start_matches("error: ").to_owned())
}
