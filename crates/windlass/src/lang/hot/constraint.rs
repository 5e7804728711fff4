//! Constraints on parameters (rows C14 to C20), and on values in general.

use super::address::{Range, address, mac};
use super::facts;
use super::parameter::{ParameterType, plain};
use super::value::{Data, Value, equal};
use super::versions::Format;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling;
use crate::tree::Node;

/// What a value of a parameter must satisfy.
#[derive(Debug, Clone)]
pub(crate) struct Constraint {
    /// Where it is written.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) rule: Rule,
}

/// The kinds of constraints.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// Length between bounds.
    Length(Option<f64>, Option<f64>),
    /// Value between bounds.
    Range(Option<f64>, Option<f64>),
    /// A multiple of the step, plus the offset.
    Modulo(i128, i128),
    /// One of these.
    AllowedValues(Vec<Value>),
    /// A regular expression for the whole text.
    AllowedPattern(String),
    /// Something that exists in the cloud, or a notation.
    Custom(String),
}

impl Rule {
    fn as_str(&self) -> &'static str {
        match self {
            Rule::Length(..) => "length",
            Rule::Range(..) => "range",
            Rule::Modulo(..) => "modulo",
            Rule::AllowedValues(_) => "allowed_values",
            Rule::AllowedPattern(_) => "allowed_pattern",
            Rule::Custom(_) => "custom_constraint",
        }
    }
}

impl Constraint {
    /// Why a known value does not satisfy it, as the end of a sentence.
    pub(crate) fn violated_by(&self, value: &Value) -> Option<String> {
        if let (Data::List(items), Rule::AllowedValues(_) | Rule::Custom(_)) =
            (&value.data, &self.rule)
        {
            return items.iter().find_map(|item| self.violated_by(item));
        }
        match &self.rule {
            Rule::Length(min, max) => {
                let length = length(value)? as f64;
                outside(length, *min, *max).map(|words| format!("has length {length}, {words}"))
            }
            Rule::Range(min, max) => {
                let number = value.as_number()?;
                outside(number, *min, *max).map(|words| format!("is {number}, {words}"))
            }
            Rule::Modulo(step, offset) => {
                let number = value.as_int()?;
                (*step != 0 && number.rem_euclid(step.abs()) != offset.rem_euclid(step.abs()))
                    .then(|| format!("is {number}, and only every {step} from {offset} is allowed"))
            }
            Rule::AllowedValues(values) => {
                let same = |allowed: &Value| {
                    equal(allowed, value) != Some(false)
                        || (allowed.as_number().is_some()
                            && allowed.as_number() == value.as_number())
                        || (allowed.scalar_text().is_some()
                            && allowed.scalar_text() == value.scalar_text())
                };
                (value.is_known() && !values.iter().any(same))
                    .then(|| format!("is {}, which is not among the allowed values", value.shown()))
            }
            Rule::AllowedPattern(pattern) => {
                let text = value.as_str()?;
                (matches(pattern, text) == Some(false))
                    .then(|| format!("is {}, which does not match `{pattern}`", value.shown()))
            }
            Rule::Custom(name) => {
                let text = value.as_str()?;
                notation(name, text).map(|wanted| format!("is {}, and not {wanted}", value.shown()))
            }
        }
    }
}

/// The length of a string, list or mapping.
pub(super) fn length(value: &Value) -> Option<usize> {
    match &value.data {
        Data::Str(text) => Some(text.chars().count()),
        Data::List(items) => Some(items.len()),
        Data::Map(entries) => Some(entries.len()),
        _ => None,
    }
}

/// In words, when a number is out of bounds.
pub(super) fn outside(number: f64, min: Option<f64>, max: Option<f64>) -> Option<String> {
    if let Some(min) = min.filter(|min| number < *min) {
        return Some(format!("which is less than {min}"));
    }
    max.filter(|max| number > *max).map(|max| format!("which is more than {max}"))
}

/// Whether a whole text matches; none when the pattern is not in the language of the engine.
pub(super) fn matches(pattern: &str, text: &str) -> Option<bool> {
    const LONGEST: usize = 1000;
    if pattern.len() > LONGEST {
        return None;
    }
    let pattern = format!("^(?:{pattern})$");
    let regex = regex::RegexBuilder::new(&pattern).size_limit(1 << 20).build().ok()?;
    Some(regex.is_match(text))
}

/// What a text should be, when a constraint is about notation and the text is not in it.
pub(super) fn notation(name: &str, text: &str) -> Option<&'static str> {
    let (good, wanted) = match name {
        "ip_addr" => (address(text).is_some(), "an IP address"),
        "net_cidr" => (Range::cidr(text).is_some(), "a network like 10.0.0.0/24"),
        "ip_or_cidr" => {
            (address(text).is_some() || Range::cidr(text).is_some(), "an IP address or a network")
        }
        "mac_addr" => (mac(text).is_some(), "a MAC address"),
        _ => return None,
    };
    (!good).then_some(wanted)
}

/// The constraints of a parameter, with everything that is wrong with them.
pub(super) fn read(
    node: Node<'_>,
    format: Format,
    parameter_type: Option<ParameterType>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    if format == Format::Cfn {
        read_cfn(node, &mut constraints);
        return constraints;
    }
    let Some(list) = node.get("constraints").filter(|list| !list.is_null()) else {
        return constraints;
    };
    if !list.is_list() {
        let message = format!("`constraints` must be a list, and this is {}", list.kind_name());
        findings.push(Diagnostic::error("HOT002", list.span(), message));
    }
    for item in list.items() {
        super::sections::unknown_keys(item, KEYS, "HOT003", "a constraint", findings);
        for entry in item.entries() {
            let before = findings.len();
            if let Some(rule) = one(entry.name(), entry.value, findings) {
                let constraint = Constraint { span: entry.span(), rule };
                fits_type(&constraint, parameter_type, findings);
                if findings.len() == before {
                    constraints.push(constraint);
                }
            }
        }
    }
    together(&constraints, findings);
    constraints
}

const KEYS: &[&str] = &[
    "length",
    "range",
    "modulo",
    "allowed_values",
    "allowed_pattern",
    "custom_constraint",
    "description",
];

fn read_cfn(node: Node<'_>, constraints: &mut Vec<Constraint>) {
    let number = |key: &str| node.get(key).and_then(|node| plain(node).as_number());
    let mut add = |key: &str, rule: Rule| {
        if let Some(entry) = node.get_entry(key) {
            constraints.push(Constraint { span: entry.span(), rule });
        }
    };
    add("MinLength", Rule::Length(number("MinLength"), None));
    add("MaxLength", Rule::Length(None, number("MaxLength")));
    add("MinValue", Rule::Range(number("MinValue"), None));
    add("MaxValue", Rule::Range(None, number("MaxValue")));
    if let Some(values) = node.get("AllowedValues") {
        add("AllowedValues", Rule::AllowedValues(values.items().map(plain).collect()));
    }
    if let Some(pattern) = node.get("AllowedPattern").and_then(Node::as_str) {
        add("AllowedPattern", Rule::AllowedPattern(pattern.to_owned()));
    }
}

fn one(kind: &str, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Rule> {
    match kind {
        "length" | "range" => {
            let (min, max) = bounds(kind, node, findings)?;
            Some(if kind == "length" { Rule::Length(min, max) } else { Rule::Range(min, max) })
        }
        "modulo" => modulo(node, findings),
        "allowed_values" => {
            if !node.is_list() {
                // A function may give the list; the environment cannot be asked here.
                if !node.is_mapping() {
                    let message = "`allowed_values` must be a list";
                    findings.push(Diagnostic::error("HOT002", node.span(), message));
                }
                return None;
            }
            Some(Rule::AllowedValues(node.items().map(plain).collect()))
        }
        "allowed_pattern" => match node.as_str() {
            Some(pattern) => Some(Rule::AllowedPattern(pattern.to_owned())),
            None => {
                let message = "`allowed_pattern` must be a regular expression";
                findings.push(Diagnostic::error("HOT002", node.span(), message));
                None
            }
        },
        "custom_constraint" => {
            let name = node.as_str().unwrap_or_default();
            if !facts::CUSTOM_CONSTRAINTS.contains(&name) {
                let message = format!("`{name}` is no custom constraint of Heat (C20)");
                let mut finding = Diagnostic::error("HOT120", node.span(), message);
                let near = spelling::nearest(name, facts::CUSTOM_CONSTRAINTS.iter().copied());
                finding.help = near.map(|near| format!("did you mean `{near}`?"));
                findings.push(finding);
            }
            Some(Rule::Custom(name.to_owned()))
        }
        _ => None,
    }
}

fn bounds(
    kind: &str,
    node: Node<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(Option<f64>, Option<f64>)> {
    if !node.is_mapping() {
        let message = format!("`{kind}` must be a mapping with `min`, `max` or both (C16)");
        findings.push(Diagnostic::error("HOT116", node.span(), message));
        return None;
    }
    super::sections::unknown_keys(node, &["min", "max"], "HOT003", "a constraint", findings);
    let mut bound = |name: &str| {
        let node = node.get(name)?;
        let number = plain(node).as_number();
        if number.is_none() {
            let message = format!("`{name}` must be a number");
            findings.push(Diagnostic::error("HOT002", node.span(), message));
        }
        number
    };
    let (min, max) = (bound("min"), bound("max"));
    if node.get("min").is_none() && node.get("max").is_none() {
        let message = format!("`{kind}` gives neither `min` nor `max` (C16)");
        findings.push(Diagnostic::error("HOT116", node.span(), message));
        return None;
    }
    if let (Some(min), Some(max)) = (min, max)
        && max < min
    {
        let message = format!("no value satisfies this `{kind}`: {max} is less than {min} (C17)");
        findings.push(Diagnostic::error("HOT117", node.span(), message));
    }
    if kind == "length" && [min, max].into_iter().flatten().any(|bound| bound < 0.0) {
        let message = "a length cannot be negative (C18)";
        findings.push(Diagnostic::error("HOT118", node.span(), message));
    }
    Some((min, max))
}

fn modulo(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Rule> {
    let number = |name: &str| node.get(name).and_then(|node| plain(node).as_int());
    let (Some(step), Some(offset)) = (number("step"), number("offset")) else {
        let message = "`modulo` needs the whole numbers `step` and `offset` (C19)";
        findings.push(Diagnostic::error("HOT119", node.span(), message));
        return None;
    };
    let problem = if step == 0 {
        "`step` must not be 0 (C19)"
    } else if offset.abs() >= step.abs() {
        "`offset` must be smaller than `step` (C19)"
    } else if offset != 0 && (offset < 0) != (step < 0) {
        "`step` and `offset` must have the same sign (C19)"
    } else {
        return Some(Rule::Modulo(step, offset));
    };
    findings.push(Diagnostic::error("HOT119", node.span(), problem));
    None
}

fn fits_type(
    constraint: &Constraint,
    parameter_type: Option<ParameterType>,
    findings: &mut Vec<Diagnostic>,
) {
    use ParameterType::{Boolean, Json, List, Number, String};
    let Some(parameter_type) = parameter_type else { return };
    let (code, row, allowed): (_, _, &[ParameterType]) = match &constraint.rule {
        Rule::Length(..) => ("HOT141", "C14a", &[String, Json, List]),
        Rule::Range(..) => ("HOT142", "C14b", &[Number]),
        Rule::Modulo(..) => ("HOT143", "C14c", &[Number]),
        Rule::AllowedValues(_) => ("HOT144", "C14d", &[String, Number, Boolean, List]),
        Rule::AllowedPattern(_) => ("HOT145", "C14e", &[String]),
        Rule::Custom(_) => return,
    };
    if !allowed.contains(&parameter_type) {
        let words: Vec<_> = allowed.iter().map(|allowed| allowed.as_str()).collect();
        let message = format!(
            "`{}` does not go with a parameter of type {} ({row})",
            constraint.rule.as_str(),
            parameter_type.as_str()
        );
        let help = format!("it goes with {}", words.join(", "));
        findings.push(Diagnostic::error(code, constraint.span, message).help(help));
    }
}

/// Several constraints of one kind must leave some value (C15).
fn together(constraints: &[Constraint], findings: &mut Vec<Diagnostic>) {
    for (at, second) in constraints.iter().enumerate() {
        for first in &constraints[..at] {
            let empty = match (&first.rule, &second.rule) {
                (Rule::Length(a, b), Rule::Length(c, d))
                | (Rule::Range(a, b), Rule::Range(c, d)) => {
                    let min = [*a, *c].into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
                    let max = [*b, *d].into_iter().flatten().fold(f64::INFINITY, f64::min);
                    max < min
                }
                (Rule::AllowedValues(a), Rule::AllowedValues(b)) => {
                    !a.iter().any(|a| b.iter().any(|b| equal(a, b) != Some(false)))
                }
                _ => false,
            };
            if empty {
                let message = format!(
                    "no value satisfies both this `{}` and the one before (C15)",
                    second.rule.as_str()
                );
                findings.push(
                    Diagnostic::error("HOT115", second.span, message)
                        .label(first.span, "the one before"),
                );
            }
        }
    }
}
