//! Parameters of a template: types, constraints and values.

use super::constraint::{self, Constraint};
use super::value::{Data, Kind, Value};
use super::versions::Format;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling;
use crate::tree::{self, Node, Schema};

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterType {
    /// Text.
    String,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// A mapping or list.
    Json,
    /// A list of texts.
    List,
}

/// The types by their names in HOT.
const TYPES: &[(&str, ParameterType)] = &[
    ("string", ParameterType::String),
    ("number", ParameterType::Number),
    ("boolean", ParameterType::Boolean),
    ("json", ParameterType::Json),
    ("comma_delimited_list", ParameterType::List),
];

impl ParameterType {
    /// The name in HOT.
    pub(crate) fn as_str(self) -> &'static str {
        TYPES.iter().find(|(_, known)| *known == self).map_or("", |(word, _)| *word)
    }

    fn kind(self) -> Kind {
        match self {
            ParameterType::String => Kind::String,
            ParameterType::Number => Kind::Number,
            ParameterType::Boolean => Kind::Boolean,
            ParameterType::Json => Kind::Any,
            ParameterType::List => Kind::List,
        }
    }

    fn of_cfn(word: &str) -> Option<ParameterType> {
        match word {
            "String" | "string" => Some(ParameterType::String),
            "Number" | "number" => Some(ParameterType::Number),
            "Boolean" | "boolean" => Some(ParameterType::Boolean),
            "Json" | "json" => Some(ParameterType::Json),
            "CommaDelimitedList" | "comma_delimited_list" => Some(ParameterType::List),
            _ if word.starts_with("List<") => Some(ParameterType::List),
            _ if word.starts_with("AWS::") => Some(ParameterType::String),
            _ => None,
        }
    }
}

/// A parameter with its value.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: String,
    /// Where the name is written.
    pub(crate) span: Span,
    /// Its type; none when that is wrong.
    pub(crate) declared_type: Option<ParameterType>,
    /// Whether it has a default.
    pub(crate) has_default: bool,
    /// Whether an update may not change it.
    pub(crate) immutable: bool,
    /// What a value must satisfy.
    pub(crate) constraints: Vec<Constraint>,
    /// Its value: given, default, or unknown.
    pub(crate) value: Value,
}

/// Keys of a parameter in HOT.
const KEYS: &[&str] =
    &["type", "default", "description", "label", "hidden", "constraints", "immutable", "tags"];

/// Keys of a parameter in the notation of CloudFormation.
const CFN_KEYS: &[&str] = &[
    "Type",
    "Default",
    "Description",
    "Label",
    "NoEcho",
    "AllowedValues",
    "AllowedPattern",
    "MinValue",
    "MaxValue",
    "MinLength",
    "MaxLength",
    "ConstraintDescription",
    "CustomConstraint",
];

/// Reads one parameter; `given` is its value from outside.
pub(super) fn read(
    key: Node<'_>,
    node: Node<'_>,
    format: Format,
    given: Option<&Value>,
    findings: &mut Vec<Diagnostic>,
) -> Parameter {
    let name = key.as_str().unwrap_or_default().to_owned();
    if !node.is_mapping() {
        let message =
            format!("parameter `{name}` must be a mapping, and this is {}", node.kind_name());
        findings.push(Diagnostic::error("HOT002", key.span(), message));
    }
    let known = if format == Format::Hot { KEYS } else { CFN_KEYS };
    super::sections::unknown_keys(node, known, "HOT003", "a parameter", findings);
    let parameter_type = read_type(&name, key, node, format, findings);
    let constraints = constraint::read(node, format, parameter_type, findings);
    let default = node.get(if format == Format::Hot { "default" } else { "Default" });
    let default = default.filter(|default| !default.is_null());
    let own = default.map(plain);
    let immutable = node.get("immutable").and_then(Node::as_bool).unwrap_or(false);
    let mut parameter = Parameter {
        span: key.span(),
        declared_type: parameter_type,
        has_default: default.is_some(),
        immutable,
        constraints,
        value: Value::unknown(
            key.span(),
            parameter_type.map_or(Kind::Any, ParameterType::kind),
            Some(format!("parameter {name}")),
        ),
        name,
    };
    for (value, what) in own.iter().map(|v| (v, "default")).chain(given.map(|v| (v, "value"))) {
        if let Some(value) = parameter.accept(value, what, findings) {
            parameter.value = value;
        }
    }
    parameter
}

fn read_type(
    name: &str,
    key: Node<'_>,
    node: Node<'_>,
    format: Format,
    findings: &mut Vec<Diagnostic>,
) -> Option<ParameterType> {
    let word = if format == Format::Hot { "type" } else { "Type" };
    let Some(node) = node.get(word) else {
        if node.is_mapping() {
            let message = format!("parameter `{name}` has no `{word}` (C23)");
            findings.push(Diagnostic::error("HOT123", key.span(), message));
        }
        return None;
    };
    let text = node.as_str().unwrap_or_default();
    let found = match format {
        Format::Hot => TYPES.iter().find(|(word, _)| *word == text).map(|(_, found)| *found),
        Format::Cfn => ParameterType::of_cfn(text),
    };
    if found.is_none() {
        let message = format!("`{text}` is no type of parameters (C23)");
        let mut finding = Diagnostic::error("HOT123", node.span(), message);
        finding.help = Some(match spelling::nearest(text, TYPES.iter().map(|(word, _)| *word)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => spelling::known("type", TYPES.iter().map(|(word, _)| *word)),
        });
        findings.push(finding);
    }
    found
}

impl Parameter {
    /// The value as its type has it; says so when it does not fit.
    pub(super) fn accept(
        &self,
        value: &Value,
        what: &str,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Value> {
        if matches!(value.data, Data::Unknown(_) | Data::Resource(_)) {
            return Some(value.clone());
        }
        let name = &self.name;
        let Some(parameter_type) = self.declared_type else { return Some(value.clone()) };
        let Some(converted) = convert(value, parameter_type) else {
            let shown = value.shown();
            let word = parameter_type.as_str();
            let message = format!("{what} {shown} of parameter `{name}` is no {word}");
            findings.push(Diagnostic::error("HOT012", value.span, message));
            return None;
        };
        for constraint in &self.constraints {
            if let Some(problem) = constraint.violated_by(&converted) {
                let message = format!("{what} of parameter `{name}` {problem}");
                findings.push(Diagnostic::error("HOT012", value.span, message));
            }
        }
        Some(converted)
    }
}

/// A value as a type has it; none when it cannot be one.
fn convert(value: &Value, parameter_type: ParameterType) -> Option<Value> {
    let span = value.span;
    let data = match (parameter_type, &value.data) {
        // What is of the type already, or not known yet.
        (_, Data::Null | Data::Unknown(_) | Data::Resource(_))
        | (ParameterType::String, Data::Str(_))
        | (ParameterType::Number, Data::Int(_) | Data::Float(_))
        | (ParameterType::Json, Data::Map(_) | Data::List(_))
        | (ParameterType::List, Data::List(_)) => return Some(value.clone()),
        (ParameterType::String, Data::List(_) | Data::Map(_))
        | (ParameterType::List, Data::Map(_)) => return None,
        (ParameterType::String, _) => Data::Str(value.scalar_text()?),
        (ParameterType::Number, _) => match value.as_int() {
            Some(number) => Data::Int(number),
            None => Data::Float(value.as_number()?),
        },
        (ParameterType::Boolean, _) => Data::Bool(value.as_bool()?),
        (ParameterType::Json, Data::Str(text)) if text.trim().is_empty() => Data::Map(Vec::new()),
        (ParameterType::Json, Data::Str(text)) => {
            let looks = text.trim_start().starts_with(['{', '[']);
            return looks.then(|| Value::unknown(span, Kind::Any, None));
        }
        (ParameterType::Json, _) => return None,
        (ParameterType::List, _) => {
            let text = value.scalar_text()?;
            let parts = text.split(',').filter(|_| !text.is_empty());
            Data::List(parts.map(|part| Value::text(span, part.trim())).collect())
        }
    };
    Some(Value::new(span, data))
}

/// A value as it is written, without functions.
pub(super) fn plain(node: Node<'_>) -> Value {
    if node.is_list() {
        return Value::new(node.span(), Data::List(node.items().map(plain).collect()));
    }
    if node.is_mapping() {
        let entry = |entry: tree::Entry<'_>| super::value::Entry {
            key: entry.name().to_owned(),
            key_span: entry.key.span(),
            value: plain(entry.value),
        };
        return Value::new(node.span(), Data::Map(node.entries().map(entry).collect()));
    }
    Value::scalar(node)
}

/// How a template and an environment are read: as Heat's loader does.
pub(super) fn options() -> tree::Options {
    tree::Options::with_schema(Schema::Yaml11)
}
