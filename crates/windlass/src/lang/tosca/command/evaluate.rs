//! Values of inputs: what is known from the text, and what only the run can tell.

use super::super::lower::links::Link;
use super::super::lower::name_of;
use super::super::model::{FileId, Model, NodeTemplate, Service};
use super::super::value::{Data, Value};
use super::super::weaving::Kind;

/// The functions whose results inputs may be.
const FUNCTIONS: &[&str] = &[
    "get_input",
    "get_property",
    "get_attribute",
    "get_operation_output",
    "get_artifact",
    "concat",
];

/// How deep functions are followed into each other.
const DEEPEST: usize = 32;

/// What values are evaluated in.
pub(in super::super) struct Inputs<'a, 'm> {
    /// The model.
    pub(in super::super) model: &'m Model,
    /// The service.
    pub(in super::super) service: &'m Service,
    /// Its relationships.
    pub(in super::super) links: &'a [Link<'m>],
}

/// Whose operation it is.
pub(super) struct Place {
    /// The node template.
    pub(super) source: usize,
    /// Source and target, for an operation of a relationship.
    pub(super) link: Option<(usize, usize)>,
}

/// A value in parts.
pub(super) struct Found {
    parts: Vec<Part>,
}

enum Part {
    Text(String),
    /// What an earlier operation left in a file, or else a text that is known.
    Kept(String, Option<String>),
}

impl Found {
    fn text(text: impl Into<String>) -> Self {
        Found { parts: vec![Part::Text(text.into())] }
    }

    /// The text, when it is known before anything runs.
    pub(super) fn plain(&self) -> Option<String> {
        let part = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Kept(..) => None,
        };
        self.parts.iter().map(part).collect()
    }

    /// What stands between double quotes of a shell.
    pub(super) fn shell(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => escaped(text),
            Part::Kept(file, None) => format!("$(cat \"$kept/{file}\")"),
            Part::Kept(file, Some(known)) => {
                let known = super::quoted(known);
                format!("$(cat \"$kept/{file}\" 2>/dev/null || printf %s {known})")
            }
        };
        self.parts.iter().map(part).collect()
    }
}

fn escaped(text: &str) -> String {
    let mut all = String::new();
    for c in text.chars() {
        if "\"\\$`".contains(c) {
            all.push('\\');
        }
        all.push(c);
    }
    all
}

impl<'m> Inputs<'_, 'm> {
    /// A node and what it is hosted on, at any distance, nearest first.
    pub(in super::super) fn homes(&self, at: usize) -> impl Iterator<Item = usize> {
        let next = |at: &usize| self.host(*at);
        // A chain of hosts is no longer than there are nodes, unless it is a circle.
        std::iter::successors(Some(at), next).take(self.service.nodes.len())
    }

    /// What a node is hosted on.
    fn host(&self, at: usize) -> Option<usize> {
        let hosted = |link: &&Link<'m>| link.source == at && link.kind == Kind::Hosted;
        self.links.iter().find(hosted).map(|link| link.target)
    }

    /// A path as seen from the file of the service.
    pub(super) fn beside(&self, file: FileId, path: &str) -> String {
        let folder = |file: FileId| {
            let path = self.model.files.get(file.0 as usize)?.path.as_deref()?;
            path.rsplit_once('/').map(|(folder, _)| folder.to_owned())
        };
        let (own, other) = (folder(self.service.file), folder(file));
        let other = match (&own, other) {
            (Some(own), Some(other)) if other == *own => None,
            (Some(own), Some(other)) => {
                let below = other.strip_prefix(own).and_then(|rest| rest.strip_prefix('/'));
                below.map(str::to_owned)
            }
            (None, other) => other,
            (Some(_), None) => None,
        };
        match other {
            Some(folder) => format!("{folder}/{path}"),
            None => path.to_owned(),
        }
    }

    /// The node template that a word means.
    pub(super) fn node(&self, word: &str, place: &Place) -> Option<usize> {
        match word {
            "SELF" => Some(place.source),
            "SOURCE" => place.link.map(|(source, _)| source),
            "TARGET" => place.link.map(|(_, target)| target),
            "HOST" => self.host(place.source),
            name => self.service.nodes.position(name),
        }
    }

    /// Where a value of a node is kept.
    pub(super) fn kept(&self, node: usize, name: &str) -> String {
        let node = self.service.nodes.at(node).map_or("", |(name, _)| &*name.text);
        format!("{}/{}", name_of(node), name_of(name))
    }

    /// The value; none when it is not known and cannot become known.
    pub(super) fn evaluate(&self, value: &Value, place: &Place) -> Option<Found> {
        self.deep(value, place, 0)
    }

    fn deep(&self, value: &Value, place: &Place, depth: usize) -> Option<Found> {
        if depth > DEEPEST {
            return None;
        }
        match &value.data {
            Data::Null => Some(Found::text("")),
            Data::Bool(it) => Some(Found::text(it.to_string())),
            Data::Int(it) => Some(Found::text(it.to_string())),
            Data::Float(_, written) => Some(Found::text(written.clone())),
            Data::Text(text) => Some(Found::text(
                text.strip_prefix("$$").map_or_else(|| text.clone(), |rest| format!("${rest}")),
            )),
            Data::Map(entries) if entries.len() == 1 => {
                let name = entries[0].key.text().unwrap_or_default();
                let name = name.strip_prefix('$').unwrap_or(name);
                if FUNCTIONS.contains(&name) {
                    self.call(name, &entries[0].value, place, depth)
                } else {
                    Some(Found::text(json(value)))
                }
            }
            Data::Map(_) | Data::List(_) => Some(Found::text(json(value))),
        }
    }

    /// A call of one of [`FUNCTIONS`].
    fn call(&self, name: &str, argument: &Value, place: &Place, depth: usize) -> Option<Found> {
        let words: Vec<&str> = argument.items().iter().filter_map(Value::text).collect();
        match name {
            "get_input" => self.input(argument, place, depth),
            "get_property" => self.property(&words, place, depth),
            "get_attribute" => self.attribute(&words, place, depth),
            "get_operation_output" => match words[..] {
                [node, interface, operation, output] => {
                    let node = self.node(node, place)?;
                    let file = self.kept(node, &format!("{interface}.{operation}.{output}"));
                    Some(Found { parts: vec![Part::Kept(file, None)] })
                }
                _ => None,
            },
            "get_artifact" => self.artifact(&words, place),
            "concat" => {
                let mut parts = Vec::new();
                for item in argument.items() {
                    parts.extend(self.deep(item, place, depth + 1)?.parts);
                }
                Some(Found { parts })
            }
            _ => None,
        }
    }

    fn input(&self, argument: &Value, place: &Place, depth: usize) -> Option<Found> {
        let name = argument.text().or_else(|| argument.items().first().and_then(Value::text))?;
        let parameter = self.service.inputs.get(name)?;
        let value = parameter.value.as_ref().or(parameter.schema.value.as_ref());
        self.deep(value.or(parameter.schema.default.as_ref())?, place, depth + 1)
    }

    fn property(&self, words: &[&str], place: &Place, depth: usize) -> Option<Found> {
        let (node, rest) = words.split_first()?;
        let mut node = self.node(node, place)?;
        let mut rest = rest;
        // A requirement leads on to its target.
        if let [requirement, further @ ..] = rest
            && !further.is_empty()
            && let Some(link) =
                self.links.iter().find(|link| link.source == node && link.name == *requirement)
        {
            node = link.target;
            rest = further;
        }
        let (_, template) = self.service.nodes.at(node)?;
        let inner = Place { source: node, link: None };
        match rest {
            [capability, property] if template.properties.get(capability).is_none() => {
                let assigned = template.capabilities.get(capability);
                let assigned = assigned.and_then(|it| it.properties.get(property));
                let default = self.capability_default(template, capability, property);
                self.deep(assigned.or(default)?, &inner, depth + 1)
            }
            [property, further @ ..] => {
                let value = template.properties.get(property);
                let mut value = value.or_else(|| self.default(template, property))?;
                for key in further {
                    value = value.get(key)?;
                }
                self.deep(value, &inner, depth + 1)
            }
            [] => None,
        }
    }

    fn default(&self, template: &NodeTemplate, property: &str) -> Option<&'m Value> {
        let mut chain = template.of.id.into_iter().flat_map(|id| self.model.types.chain(id));
        chain.find_map(|(_, of)| of.properties.get(property)?.default.as_ref())
    }

    fn capability_default(
        &self,
        template: &NodeTemplate,
        capability: &str,
        property: &str,
    ) -> Option<&'m Value> {
        let mut chain = template.of.id.into_iter().flat_map(|id| self.model.types.chain(id));
        let definition = chain.find_map(|(_, of)| of.capabilities.get(capability))?;
        if let Some(schema) = definition.properties.get(property) {
            return schema.default.as_ref();
        }
        let mut chain = self.model.types.chain(definition.of.as_ref()?.id?);
        chain.find_map(|(_, of)| of.properties.get(property)?.default.as_ref())
    }

    fn attribute(&self, words: &[&str], place: &Place, depth: usize) -> Option<Found> {
        let (first, rest) = words.split_first()?;
        let mut node = self.node(first, place)?;
        let mut name = *rest.last()?;
        if let [requirement, further @ .., last] = rest
            && let Some(link) =
                self.links.iter().find(|link| link.source == node && link.name == *requirement)
            && further.is_empty()
        {
            node = link.target;
            name = last;
        }
        let (_, template) = self.service.nodes.at(node)?;
        let inner = Place { source: node, link: None };
        // An attribute starts with the value of the template, or of the property of its name.
        let known = template.attributes.get(name).or_else(|| template.properties.get(name));
        let known = known.and_then(|value| self.deep(value, &inner, depth + 1)?.plain());
        Some(Found { parts: vec![Part::Kept(self.kept(node, name), known)] })
    }

    fn artifact(&self, words: &[&str], place: &Place) -> Option<Found> {
        let [node, artifact, ..] = words else { return None };
        let (_, template) = self.service.nodes.at(self.node(node, place)?)?;
        let chain = template.of.id.into_iter().flat_map(|id| self.model.types.chain(id));
        let inherited = chain.map(|(_, of)| (of.file, &of.artifacts));
        let mut all = std::iter::once((self.service.file, &template.artifacts)).chain(inherited);
        let (file, artifact) =
            all.find_map(|(file, artifacts)| Some((file, artifacts.get(artifact)?)))?;
        Some(Found::text(self.beside(file, &artifact.file.as_ref()?.text)))
    }
}

/// Lists and mappings reach a script as JSON.
fn json(value: &Value) -> String {
    crate::tree::emit::json(&plain(value)).trim_end().to_owned()
}

fn plain(value: &Value) -> crate::tree::Value {
    use crate::tree::Value as Plain;
    match &value.data {
        Data::Null => Plain::Null,
        Data::Bool(it) => Plain::Bool(*it),
        Data::Int(it) => Plain::Int(*it),
        Data::Float(it, _) => Plain::Float(*it),
        Data::Text(it) => Plain::Str(it.clone()),
        Data::List(items) => Plain::List(items.iter().map(plain).collect()),
        Data::Map(entries) => Plain::Map(
            entries
                .iter()
                .map(|entry| (entry.key.text().unwrap_or_default().to_owned(), plain(&entry.value)))
                .collect(),
        ),
    }
}
