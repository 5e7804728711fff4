//! Functions of a template, evaluated symbolically: what is known is computed, what is not becomes
//! an unknown of known type. References are collected on the way.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::Conditions;
use super::facts::TypeFacts;
use super::parameter::Parameter;
use super::value::{Data, Entry, Kind, Value};
use super::versions::{Format, Version};
use crate::diagnostic::Diagnostic;
use crate::lang::names;
use crate::source::Span;
use crate::spelling;
use crate::tree::Node;

/// What can be said about a resource before its properties are evaluated.
#[derive(Debug, Clone)]
pub(super) struct Head {
    /// The facts of its type; none for nested templates and types that only an environment knows.
    pub(super) facts: Option<&'static TypeFacts>,
    /// The outputs of the template that the type is; none when any attribute may be asked for.
    pub(super) outputs: Option<BTreeSet<String>>,
}

/// That one part of a template names a resource.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    /// The resource.
    pub(super) target: String,
    /// Where it is named.
    pub(super) span: Span,
}

/// What the functions of one template see.
pub(super) struct Evaluator<'a> {
    pub(super) version: &'static Version,
    pub(super) parameters: &'a BTreeMap<String, Parameter>,
    pub(super) mappings: Option<Node<'a>>,
    pub(super) heads: &'a BTreeMap<String, Head>,
    pub(super) conditions: &'a Conditions,
    pub(super) findings: Vec<Diagnostic>,
    /// Resources named since this was last taken.
    pub(super) references: Vec<Reference>,
    /// Files named since this was last taken.
    pub(super) files: Vec<(String, Span)>,
    /// Parameters that something reads.
    pub(super) used: BTreeSet<String>,
    /// Texts that stand for others: variables of `repeat`, `%index%`.
    pub(super) substitutions: Vec<(String, Value)>,
    /// Whether resources may be named: not in conditions.
    pub(super) resources_allowed: bool,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(
        version: &'static Version,
        parameters: &'a BTreeMap<String, Parameter>,
        heads: &'a BTreeMap<String, Head>,
        conditions: &'a Conditions,
    ) -> Self {
        Evaluator {
            version,
            parameters,
            mappings: None,
            heads,
            conditions,
            findings: Vec::new(),
            references: Vec::new(),
            files: Vec::new(),
            used: BTreeSet::new(),
            substitutions: Vec::new(),
            resources_allowed: true,
        }
    }

    /// The value of a node.
    pub(super) fn value(&mut self, node: Node<'a>) -> Value {
        if node.is_list() {
            let items = node.items().map(|item| self.value(item)).collect();
            return Value::new(node.span(), Data::List(items));
        }
        if !node.is_mapping() {
            return self.substituted(Value::scalar(node));
        }
        if node.len() == 1
            && let Some(entry) = node.entries().next()
        {
            let name = entry.name();
            if let Some(function) = self.version.function(name) {
                return self.function(function, entry.key, entry.value);
            }
            self.look_for_other_version(name, entry.key, entry.value);
        }
        let entries = node.entries().map(|entry| Entry {
            key: self.replaced(entry.name()),
            key_span: entry.key.span(),
            value: self.value(entry.value),
        });
        Value::new(node.span(), Data::Map(entries.collect()))
    }

    fn look_for_other_version(&mut self, name: &str, key: Node<'a>, arguments: Node<'a>) {
        // Words that are also ordinary keys count only with arguments that fit the function.
        let plausible = match name {
            "if" => arguments.is_list() && arguments.len() == 3,
            "repeat" => arguments.get("for_each").is_some(),
            "yaql" => arguments.get("expression").is_some(),
            "filter" | "contains" | "digest" => arguments.is_list() && arguments.len() == 2,
            "Ref" | "Fn::Select" => false,
            _ => true,
        };
        if let Some(other) = self.version.other_version_with(name).filter(|_| plausible) {
            let message = format!(
                "`{name}` is no function in version {}, so this is an ordinary mapping",
                self.version.as_str()
            );
            let help = format!("version {} has it", other.as_str());
            self.findings.push(Diagnostic::warning("HOT010", key.span(), message).help(help));
        }
    }

    fn replaced(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (from, to) in &self.substitutions {
            if text.contains(from.as_str())
                && let Some(to) = to.scalar_text()
            {
                text = text.replace(from.as_str(), &to);
            }
        }
        text
    }

    fn substituted(&self, value: Value) -> Value {
        let Data::Str(text) = &value.data else { return value };
        for (from, to) in &self.substitutions {
            if text == from {
                return Value::new(value.span, to.data.clone());
            }
            if text.contains(from.as_str()) && to.scalar_text().is_none() {
                return Value::unknown(value.span, Kind::String, None);
            }
        }
        Value::text(value.span, self.replaced(text))
    }

    pub(super) fn wrong(&mut self, span: Span, message: impl Into<String>) {
        self.findings.push(Diagnostic::error("HOT009", span, message));
    }

    fn function(&mut self, name: &'static str, key: Node<'a>, arguments: Node<'a>) -> Value {
        let span = key.span().to(arguments.span());
        match name {
            "get_param" => self.get_param(span, arguments),
            "get_resource" => self.get_resource(span, arguments),
            "get_attr" | "Fn::GetAtt" => self.get_attr(name, span, arguments),
            "get_file" => self.get_file(span, arguments),
            "Ref" => self.reference(span, arguments),
            "str_replace" | "str_replace_strict" | "str_replace_vstrict" | "Fn::Replace" => {
                self.str_replace(name, span, arguments)
            }
            "list_join" | "Fn::Join" => self.join(name, span, arguments),
            "str_split" | "Fn::Split" => self.split(name, span, arguments),
            "repeat" => self.repeat(span, arguments),
            "if" | "Fn::If" => self.choose(name, span, arguments),
            "list_concat" | "list_concat_unique" => self.concat(name, span, arguments),
            "map_merge" => self.merge(span, arguments),
            "map_replace" => self.map_replace(span, arguments),
            "yaql" => self.yaql(span, arguments),
            "digest" => self.pair(name, span, arguments, Kind::String),
            "filter" => self.pair(name, span, arguments, Kind::List),
            "contains" => self.pair(name, span, arguments, Kind::Boolean),
            "Fn::Select" => self.select(span, arguments),
            "Fn::FindInMap" => self.find_in_map(span, arguments),
            "Fn::GetAZs" | "Fn::MemberListToMap" => {
                self.value(arguments);
                let kind = if name == "Fn::GetAZs" { Kind::List } else { Kind::Map };
                Value::unknown(span, kind, None)
            }
            "Fn::Base64" => {
                let value = self.value(arguments);
                Value::new(span, value.data)
            }
            "make_url" => {
                self.value(arguments);
                Value::unknown(span, Kind::String, None)
            }
            _ => {
                self.value(arguments);
                Value::unknown(span, Kind::Any, None)
            }
        }
    }

    fn get_param(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let arguments = self.value(arguments);
        let (name, path) = match &arguments.data {
            Data::List(items) if !items.is_empty() => (&items[0], &items[1..]),
            Data::List(_) | Data::Map(_) | Data::Null => {
                self.wrong(
                    span,
                    "`get_param` takes the name of a parameter, or a list that starts with one",
                );
                return Value::unknown(span, Kind::Any, None);
            }
            _ => (&arguments, &[][..]),
        };
        let Some(name) = name.scalar_text() else {
            return Value::unknown(span, Kind::Any, None);
        };
        let value = self.parameter(&name, arguments.span, span);
        descend(value, path)
    }

    /// The value of a parameter, at the place where it is read.
    fn parameter(&mut self, name: &str, at: Span, span: Span) -> Value {
        if is_pseudo_parameter(name) {
            return Value::unknown(span, Kind::String, Some(format!("parameter {name}")));
        }
        let Some(parameter) = self.parameters.get(name) else {
            let known = self.parameters.keys().map(String::as_str);
            names::missing("HOT007", "parameter", name, at, known, &mut self.findings);
            return Value::unknown(span, Kind::Any, None);
        };
        self.used.insert(name.to_owned());
        Value::new(span, parameter.value.data.clone())
    }

    fn get_resource(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let argument = self.value(arguments);
        match argument.scalar_text().filter(|_| !argument.is_null()) {
            Some(name) => self.resource(&name, argument.span, span),
            None => {
                if argument.is_known() {
                    self.wrong(span, "`get_resource` takes the name of a resource");
                }
                Value::unknown(span, Kind::String, None)
            }
        }
    }

    fn resource(&mut self, name: &str, at: Span, span: Span) -> Value {
        if self.names_resource(name, at) {
            return Value::new(span, Data::Resource(name.to_owned()));
        }
        Value::unknown(span, Kind::String, None)
    }

    /// Whether a resource is there; says so when it is not.
    fn names_resource(&mut self, name: &str, at: Span) -> bool {
        if !self.resources_allowed {
            self.wrong(at, "a condition cannot refer to a resource");
            return false;
        }
        if self.heads.contains_key(name) {
            self.references.push(Reference { target: name.to_owned(), span: at });
            return true;
        }
        let known = self.heads.keys().map(String::as_str);
        names::missing("HOT007", "resource", name, at, known, &mut self.findings);
        false
    }

    /// `Ref` of CloudFormation: a parameter or a resource.
    fn reference(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let argument = self.value(arguments);
        let Some(name) = argument.scalar_text() else {
            self.wrong(span, "`Ref` takes a name");
            return Value::unknown(span, Kind::String, None);
        };
        if self.parameters.contains_key(&name) || is_pseudo_parameter(&name) {
            return self.parameter(&name, argument.span, span);
        }
        self.resource(&name, argument.span, span)
    }

    fn get_attr(&mut self, name: &str, span: Span, arguments: Node<'a>) -> Value {
        let value = self.value(arguments);
        let dotted: Vec<Value>;
        let items = match &value.data {
            Data::List(items) => items.as_slice(),
            Data::Str(text) if name == "Fn::GetAtt" => {
                let split = text.splitn(2, '.');
                dotted = split.map(|part| Value::text(value.span, part)).collect();
                &dotted
            }
            Data::Unknown(_) => return Value::unknown(span, Kind::Any, None),
            _ => &[],
        };
        let least =
            if self.version.format == Format::Hot && self.version.rank >= 3 { 1 } else { 2 };
        let (Some(resource), true) = (items.first(), items.len() >= least) else {
            self.wrong(span, format!("`{name}` takes a list: resource, attribute, and a path"));
            return Value::unknown(span, Kind::Any, None);
        };
        let Some(target) = resource.scalar_text() else {
            return Value::unknown(span, Kind::Any, None);
        };
        if !self.names_resource(&target, resource.span) {
            return Value::unknown(span, Kind::Any, None);
        }
        let path: Vec<String> = items[1..].iter().filter_map(Value::scalar_text).collect();
        let kind = match items.get(1) {
            Some(attribute) => self.attribute(&target, attribute),
            None => Kind::Map,
        };
        let kind = if items.len() > 2 { Kind::Any } else { kind };
        Value::unknown(span, kind, Some(format!("attribute {target} {}", path.join(" / "))))
    }

    /// The type of an attribute; says so when the resource has none of that name.
    fn attribute(&mut self, target: &str, attribute: &Value) -> Kind {
        let Some(name) = attribute.as_str() else { return Kind::Any };
        let head = &self.heads[target];
        let (kind, known): (_, Vec<&str>) = match (&head.outputs, head.facts) {
            (Some(outputs), _) => {
                let found = outputs.contains(name).then_some(Kind::Any);
                let found = found.or((name == "show" || name == "outputs").then_some(Kind::Map));
                (found, outputs.iter().map(String::as_str).collect())
            }
            (None, Some(facts)) if !has_any_attribute(facts.name) => {
                (facts.attribute(name), facts.attributes.iter().map(|a| a.0).collect())
            }
            _ => return Kind::Any,
        };
        if let Some(kind) = kind {
            return kind;
        }
        // Attributes of members of a nested stack are asked for by their path.
        if name.starts_with("resource.") || name.starts_with("Outputs.") {
            return Kind::Any;
        }
        let message = format!("resource `{target}` has no attribute `{name}`");
        let mut finding = Diagnostic::error("HOT008", attribute.span, message);
        finding.help = spelling::advice("attribute", name, known.into_iter(), self.findings.len());
        self.findings.push(finding);
        Kind::Any
    }

    fn get_file(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let argument = self.value(arguments);
        match &argument.data {
            Data::Str(path) => {
                self.files.push((path.clone(), argument.span));
                Value::unknown(span, Kind::String, Some(format!("file {path}")))
            }
            _ => {
                if argument.is_known() {
                    self.wrong(span, "`get_file` takes the path of a file");
                }
                Value::unknown(span, Kind::String, None)
            }
        }
    }

    fn yaql(&mut self, span: Span, arguments: Node<'a>) -> Value {
        let arguments = self.value(arguments);
        if !matches!(arguments.data, Data::Map(_)) {
            self.wrong(span, "`yaql` takes a mapping with `expression` and `data`");
        } else if let Some(expression) = arguments.get("expression") {
            if expression.is_known() && expression.as_str().is_none() {
                self.wrong(expression.span, "`expression` of `yaql` must be a string");
            }
        } else {
            self.wrong(span, "`yaql` needs an `expression`");
        }
        Value::unknown(span, Kind::Any, None)
    }

    fn pair(&mut self, name: &str, span: Span, arguments: Node<'a>, kind: Kind) -> Value {
        let value = self.value(arguments);
        let known = value.is_known();
        if known && (!matches!(value.data, Data::List(_)) || value.items().len() != 2) {
            self.wrong(span, format!("`{name}` takes a list of two"));
        }
        Value::unknown(span, kind, None)
    }

    fn choose(&mut self, name: &str, span: Span, arguments: Node<'a>) -> Value {
        let items: Vec<Node<'a>> = arguments.items().collect();
        let optional = self.version.format == Format::Hot && self.version.rank >= 10;
        let (condition, then, otherwise) = match items.as_slice() {
            [condition, then] if optional => (condition, then, None),
            [condition, then, otherwise] => (condition, then, Some(otherwise)),
            _ => {
                self.wrong(span, format!("`{name}` takes a condition and two values"));
                return Value::unknown(span, Kind::Any, None);
            }
        };
        let truth = self.condition(*condition);
        match truth {
            Some(true) => {
                let value = self.value(*then);
                if let Some(otherwise) = otherwise {
                    self.not_taken(*otherwise);
                }
                value
            }
            Some(false) => {
                self.not_taken(*then);
                otherwise.map_or(Value::new(span, Data::Null), |node| self.value(*node))
            }
            None => {
                let then = self.value(*then);
                let otherwise = otherwise.map(|node| self.value(*node));
                let kind = match (&then.data, otherwise.as_ref().map(|value| &value.data)) {
                    (Data::List(_), Some(Data::List(_))) => Kind::List,
                    (Data::Map(_), Some(Data::Map(_))) => Kind::Map,
                    (Data::Str(_), Some(Data::Str(_))) => Kind::String,
                    _ => Kind::Any,
                };
                Value::unknown(span, kind, None)
            }
        }
    }

    /// Reads a branch that is not taken: what is wrong with it is reported, but nothing waits for
    /// what it names.
    fn not_taken(&mut self, node: Node<'a>) {
        let before = self.references.len();
        self.value(node);
        self.references.truncate(before);
    }

    /// Whether a condition holds: a name, a boolean or a function.
    pub(super) fn condition(&mut self, node: Node<'a>) -> Option<bool> {
        if let Some(value) = node.as_bool() {
            return Some(value);
        }
        if let Some(name) = node.as_str() {
            if let Ok(truth) = self.conditions.get(name) {
                return truth;
            }
            let known = self.conditions.names();
            names::missing("HOT007", "condition", name, node.span(), known, &mut self.findings);
            return None;
        }
        super::conditions::function(self, node, &mut |evaluator, node| evaluator.condition(node))
    }
}

fn is_pseudo_parameter(name: &str) -> bool {
    matches!(
        name,
        "OS::stack_name"
            | "OS::stack_id"
            | "OS::project_id"
            | "AWS::StackName"
            | "AWS::StackId"
            | "AWS::Region"
    )
}

/// Types whose attributes come from what they contain or run.
fn has_any_attribute(type_name: &str) -> bool {
    let rest = type_name.strip_prefix("OS::Heat::").unwrap_or_default();
    rest.ends_with("Group")
        || rest.contains("Deployment")
        || matches!(rest, "ResourceChain" | "Stack" | "SoftwareComponent" | "None")
        || type_name.starts_with("AWS::CloudFormation::")
        || type_name.starts_with("AWS::AutoScaling::")
}

/// What stands at a path in a value.
fn descend(value: Value, path: &[Value]) -> Value {
    let span = value.span;
    let mut value = value;
    for step in path {
        let next = match (&value.data, &step.data) {
            (Data::Map(_), _) => step.scalar_text().and_then(|key| value.get(&key).cloned()),
            (Data::List(items), Data::Int(at)) => {
                usize::try_from(*at).ok().and_then(|at| items.get(at).cloned())
            }
            (Data::Unknown(unknown), _) => {
                let from = unknown.from.as_ref().zip(step.scalar_text());
                let from = from.map(|(from, step)| format!("{from} / {step}"));
                Some(Value::unknown(span, Kind::Any, from))
            }
            _ => None,
        };
        // What is not there reads as an empty text, as in Heat.
        value = next.unwrap_or_else(|| Value::unknown(span, Kind::Any, None));
    }
    Value::new(span, value.data)
}
