//! What the functions of the standard give, and what they take when it is written in place.

use super::Checker;
use super::constraint_clause::{CHOICES, COMPARISONS};
use super::function::QUESTIONS;
use super::schema::Base;
use super::violated_constraint::words;
use crate::lang::tosca::codes;
use crate::lang::tosca::value::{Data, Value};

/// What a function gives, whatever its arguments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Boolean,
    /// An integer, a float or a number with a unit.
    Number,
    Integer,
    Text,
    List,
}

/// Functions of 2.0 whose arguments are true or false.
const LOGIC: &[&str] = &["and", "or", "not", "xor"];
/// Functions of 2.0 that ask for several entries or keys.
const MEMBERS: &[&str] = &["has_all_entries", "has_all_keys", "has_any_entry", "has_any_key"];
/// Functions of 2.0 over numbers, with or without units.
const SUMS: &[&str] = &["sum", "difference", "product", "quotient", "remainder"];
/// Functions of 2.0 from one number to a whole one.
const ROUNDED: &[&str] = &["round", "floor", "ceil"];

/// What a function gives; none for those whose result is decided elsewhere.
pub(super) fn gives(name: &str, version_2: bool) -> Option<Gives> {
    let asks = [LOGIC, MEMBERS, COMPARISONS, CHOICES, QUESTIONS];
    Some(match name {
        "concat" | "join" | "token" => Gives::Text,
        _ if !version_2 => return None,
        name if asks.iter().any(|names| names.contains(&name)) => Gives::Boolean,
        name if SUMS.contains(&name) => Gives::Number,
        name if ROUNDED.contains(&name) => Gives::Integer,
        "length" | "node_index" | "relationship_index" => Gives::Integer,
        "union" | "intersection" => Gives::List,
        _ => return None,
    })
}

impl Gives {
    /// As part of a sentence.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Gives::Boolean => "a boolean",
            Gives::Number => "a number",
            Gives::Integer => "an integer",
            Gives::Text => "a string",
            Gives::List => "a list",
        }
    }

    /// As the name of a type.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Gives::Boolean => "boolean",
            Gives::Number => "number",
            Gives::Integer => "integer",
            Gives::Text => "string",
            Gives::List => "list",
        }
    }

    /// Whether what is given may be an index.
    pub(super) fn is_index(self) -> bool {
        matches!(self, Gives::Integer | Gives::Number)
    }

    /// Whether what is given may stand for values of a type.
    pub(super) fn fits(self, wanted: Base<'_>) -> bool {
        let Base::BuiltIn(wanted) = wanted else {
            return !matches!(wanted, Base::Structure(_) | Base::Scalar(_))
                || matches!((self, wanted), (Gives::Number | Gives::Text, Base::Scalar(_)))
                || matches!((self, wanted), (Gives::Text, Base::Structure(_)));
        };
        let plain = ["string", "integer", "float", "boolean", "list", "map"].contains(&wanted);
        match self {
            Gives::Boolean => wanted == "boolean",
            Gives::Number => !plain || ["integer", "float"].contains(&wanted),
            Gives::Integer => ["integer", "float"].contains(&wanted),
            // A text may say a timestamp, a version, a size.
            Gives::Text => !plain || wanted == "string",
            Gives::List => wanted == "list",
        }
    }
}

impl Checker<'_> {
    /// Numbers are added, and what is true or false is joined: where that can be seen.
    pub(super) fn operands(&mut self, name: &str, arguments: &Value) {
        if name == "concat" {
            self.concatenated(arguments);
        }
        let alone = std::slice::from_ref(arguments);
        let given = if matches!(arguments.data, Data::List(_)) { arguments.items() } else { alone };
        for value in given {
            let is_number = match &value.data {
                Data::Int(_) | Data::Float(..) | Data::Map(_) => true,
                Data::Text(text) => {
                    text.starts_with(|it: char| it.is_ascii_digit() || "+-.$".contains(it))
                }
                _ => false,
            };
            let is_truth = match &value.data {
                Data::Bool(_) | Data::Map(_) => true,
                Data::Text(text) => text.starts_with('$'),
                _ => false,
            };
            let wanted = match name {
                name if SUMS.contains(&name) || ROUNDED.contains(&name) => {
                    (!is_number).then_some("numbers")
                }
                name if LOGIC.contains(&name) => (!is_truth).then_some("what is true or false"),
                _ => None,
            };
            if let Some(wanted) = wanted {
                let message = format!("`{name}` takes {wanted}, not `{}`", words(value));
                self.error(codes::FUNCTION, value.span, message);
            }
        }
    }
    /// Texts are joined with texts, and lists with lists.
    fn concatenated(&mut self, arguments: &Value) {
        let plain = |value: &&Value| match &value.data {
            Data::Text(text) => !text.starts_with('$') || text.starts_with("$$"),
            Data::Int(_) | Data::Float(..) | Data::Bool(_) | Data::List(_) => true,
            _ => false,
        };
        let is_list = |value: &Value| matches!(value.data, Data::List(_));
        let mut parts = arguments.items().iter().filter(plain);
        let Some(first) = parts.next().map(is_list) else { return };
        if let Some(other) = parts.find(|part| is_list(part) != first) {
            let message = "`concat` joins texts or lists, and not a text with a list";
            self.error(codes::FUNCTION, other.span, message);
        }
    }
}
