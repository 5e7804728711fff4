//! Values of inputs: what is known from the text, and what only the run can tell.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::super::lower::links::{Link, Links};
use super::super::lower::name_of;
use super::super::model::{FileId, Model, Service};
use super::super::value::{Data, Value};
use super::super::weaving::Kind;
use super::compute;
use super::locate::{Owner, inside};
use super::settled;
use super::state;
use crate::tree::Value as Plain;

/// How deep functions are followed into each other.
pub(super) const DEEPEST: usize = 32;

/// What values are evaluated in.
pub(in super::super) struct Inputs<'a, 'm> {
    /// The model.
    pub(in super::super) model: &'m Model,
    /// The service.
    pub(in super::super) service: &'m Service,
    /// Its relationships.
    pub(in super::super) links: &'a Links<'m>,
    /// What its operations give back.
    pub(in super::super) given: &'a GivenBack,
}

/// The attributes of each node that operations of the service give back; found out when somebody
/// asks, and once.
pub(in super::super) type GivenBack = OnceCell<BTreeMap<usize, BTreeSet<String>>>;

/// Whose operation it is.
pub(super) struct Place {
    /// The node template.
    pub(super) source: usize,
    /// Source and target, for an operation of a relationship.
    pub(super) link: Option<(usize, usize)>,
    /// The relationship, by its place among the links.
    pub(super) relationship: Option<usize>,
}

impl Place {
    /// The place of a node.
    pub(super) fn of_node(source: usize) -> Self {
        Place { source, link: None, relationship: None }
    }
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

    /// The text with what operations have left.
    pub(super) fn with(&self, kept: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let part = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Kept(file, known) => kept(file).or_else(|| known.clone()),
        };
        self.parts.iter().map(part).collect()
    }

    /// What the engine resolves when it needs the value: files among what is shared.
    pub(super) fn reference(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Kept(file, _) => Found::first_of(std::slice::from_ref(file)),
        };
        self.parts.iter().map(part).collect()
    }

    /// A reference to the first of some files that is there.
    pub(super) fn first_of(files: &[String]) -> String {
        format!("${{shared:{}}}", files.join("|"))
    }

    /// What stands between double quotes of a shell.
    pub(super) fn shell(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => escaped(text),
            Part::Kept(file, None) => {
                let missing = super::quoted(&format!("no operation has given {}", said(file)));
                format!(
                    "$(cat \"$kept/{file}\" 2>/dev/null || {{ printf '%s\\n' {missing} >&2; exit 1; }})"
                )
            }
            Part::Kept(file, Some(known)) => {
                let known = super::quoted(known);
                format!("$(cat \"$kept/{file}\" 2>/dev/null || printf %s {known})")
            }
        };
        self.parts.iter().map(part).collect()
    }
}

/// A name as one of a file: no name leads anywhere else. The shell does the same to instances.
fn file_name(name: &str) -> String {
    name_of(name).replace('/', "_").replace("..", "__")
}

/// A value that is kept, for people.
fn said(file: &str) -> String {
    match file.rsplit_once('/') {
        Some((node, name)) => format!("`{name}` of `{node}`"),
        None => format!("`{file}`"),
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
        let hosted = |link: &&Link<'m>| link.kind == Kind::Hosted;
        self.links.of(at).iter().find(hosted).map(|link| link.target)
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
        format!("{}/{}", file_name(node), file_name(name))
    }

    /// The value; none when it is not known and cannot become known.
    pub(super) fn evaluate(&self, value: &Value, place: &Place) -> Option<Found> {
        self.deep(value, place, 0)
    }

    fn deep(&self, value: &Value, place: &Place, depth: usize) -> Option<Found> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(known) = settled::known(self, value, place) {
            return Some(Found::text(shown(&known)));
        }
        let (name, argument) = settled::function(value, self.model.version.is_2())?;
        match name {
            "get_input" => self.deep(self.input_value(argument)?, place, depth + 1),
            "get_property" => {
                let located = self.locate(argument.items(), place, false)?;
                let value = self.written(&located.owner, located.name, false)?;
                let inner = self.place_of(&located.owner);
                self.deep(inside(value, located.rest)?, &inner, depth + 1)
            }
            "get_attribute" => self.attribute(argument.items(), place, depth),
            "get_operation_output" => {
                let words: Vec<&str> = argument.items().iter().filter_map(Value::text).collect();
                let [node, interface, operation, output] = words[..] else { return None };
                let node = self.node(node, place)?;
                let file = self.kept(node, &format!("{interface}.{operation}.{output}"));
                Some(Found { parts: vec![Part::Kept(file, None)] })
            }
            "concat" => self.joined(argument.items(), "", place, depth),
            "join" => {
                let [parts, rest @ ..] = argument.items() else { return None };
                let between = rest.first().map(|it| self.deep(it, place, depth + 1)?.plain());
                let between = between.unwrap_or(Some(String::new()))?;
                self.joined(parts.items(), &between, place, depth)
            }
            _ => None,
        }
    }

    fn joined(&self, items: &[Value], between: &str, place: &Place, depth: usize) -> Option<Found> {
        let mut parts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            if at > 0 && !between.is_empty() {
                parts.push(Part::Text(between.to_owned()));
            }
            parts.extend(self.deep(item, place, depth + 1)?.parts);
        }
        Some(Found { parts })
    }

    /// What is given for an input, or its default.
    pub(super) fn input_value(&self, argument: &Value) -> Option<&'m Value> {
        let name = argument.text().or_else(|| argument.items().first().and_then(Value::text))?;
        let parameter = self.service.inputs.get(name)?;
        let value = parameter.value.as_ref().or(parameter.schema.value.as_ref());
        let value = value.or(parameter.schema.default.as_ref())?;
        inside(value, argument.items().get(1..).unwrap_or_default())
    }

    /// What an operation leaves, or else what the text says: an attribute starts with the value of
    /// the template, or of the property of its name.
    fn attribute(&self, arguments: &[Value], place: &Place, depth: usize) -> Option<Found> {
        let located = self.locate(arguments, place, true)?;
        let node = match &located.owner {
            Owner::Node(node) | Owner::Capability(node, _) => *node,
            Owner::Relationship(link) => self.links[*link].source,
        };
        let written = self.written(&located.owner, located.name, true);
        let written = written.and_then(|value| inside(value, located.rest));
        let inner = self.place_of(&located.owner);
        let known = written.and_then(|value| self.deep(value, &inner, depth + 1)?.plain());
        // The profile has a first state for every node; how far one is, is known better here.
        let is_state = located.name == state::ATTRIBUTE;
        let known = known.filter(|_| !is_state || self.says(node, located.name));
        let known = known.or_else(|| self.of_orchestrator(&located.owner, located.name));
        // A part of what an operation leaves cannot be told from the whole.
        let name = located.rest.last().and_then(Value::text).unwrap_or(located.name);
        Some(Found { parts: vec![Part::Kept(self.kept(node, name), known)] })
    }

    /// Whether a node template itself gives an attribute a value.
    fn says(&self, node: usize, name: &str) -> bool {
        let template = self.service.nodes.at(node);
        template.is_some_and(|(_, template)| template.attributes.get(name).is_some())
    }

    /// Attributes that only who runs a service can tell.
    fn of_orchestrator(&self, owner: &Owner, name: &str) -> Option<String> {
        let of_node = |node: usize| self.service.nodes.at(node).map(|(name, _)| &*name.text);
        match (owner, name) {
            (Owner::Node(node), "tosca_name") => of_node(*node).map(str::to_owned),
            (Owner::Node(node), "tosca_id") => of_node(*node).map(name_of),
            (Owner::Node(node), state::ATTRIBUTE) => state::before(self, *node),
            (Owner::Relationship(link), "tosca_name") => Some(self.links[*link].name.clone()),
            (Owner::Relationship(link), "tosca_id") => {
                let link = &self.links[*link];
                of_node(link.source).map(|source| format!("{}/{}", name_of(source), link.name))
            }
            _ => None,
        }
    }

    /// The file of an artifact.
    pub(super) fn artifact(&self, words: &[&str], place: &Place) -> Option<String> {
        let [node, artifact, ..] = words else { return None };
        let (_, template) = self.service.nodes.at(self.node(node, place)?)?;
        let chain = template.of.id.into_iter().flat_map(|id| self.model.types.chain(id));
        let inherited = chain.map(|(_, of)| (of.file, &of.artifacts));
        let mut all = std::iter::once((self.service.file, &template.artifacts)).chain(inherited);
        let (file, artifact) =
            all.find_map(|(file, artifacts)| Some((file, artifacts.get(artifact)?)))?;
        Some(self.beside(file, &artifact.file.as_ref()?.text))
    }
}

/// A value for a script: lists and mappings are JSON on one line.
fn shown(value: &Plain) -> String {
    match value {
        Plain::Null => String::new(),
        other => compute::text(other).unwrap_or_else(|| {
            crate::tree::emit::json(&other.clone().inline()).trim_end().to_owned()
        }),
    }
}

/// A value without its places.
pub(super) fn plain(value: &Value) -> Plain {
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
