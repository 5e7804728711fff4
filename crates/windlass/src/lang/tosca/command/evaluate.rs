//! Values of inputs: what is known from the text, and what only the run can tell.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::super::lower::links::{Link, Links};
use super::super::lower::name_of;
use super::super::model::{FileId, Model, Service};
use super::super::value::{Data, Value};
use super::super::weaving::Kind;
use super::locate::{Owner, inside};
use super::runtime_values::{Kept, Part, RuntimeValue, shown};
use super::state;
use super::static_values;
use super::value_context::ValueContext;
use crate::tree::Value as Plain;

/// How deep functions are followed into each other.
pub(crate) const DEEPEST: usize = 32;

/// What values are evaluated in.
pub(crate) struct Inputs<'a, 'm> {
    /// The model.
    pub(crate) model: &'m Model,
    /// The service.
    pub(crate) service: &'m Service,
    /// Its relationships.
    pub(crate) links: &'a Links<'m>,
    /// What its operations give back.
    pub(crate) given: &'a ReturnedAttributes,
}

/// The attributes of each node that operations of the service give back; found out when a function
/// asks, and once.
pub(crate) type ReturnedAttributes = OnceCell<BTreeMap<usize, BTreeSet<String>>>;

/// The way that led to a value: how deep it is, and which attributes it is part of.
pub(crate) struct Trail<'t> {
    above: Option<&'t Trail<'t>>,
    depth: usize,
    attribute: String,
}

impl Trail<'_> {
    fn start() -> Self {
        Trail { above: None, depth: 0, attribute: String::new() }
    }

    fn deeper(&self) -> Trail<'_> {
        self.into(String::new())
    }

    /// The way into an attribute.
    fn into(&self, attribute: String) -> Trail<'_> {
        Trail { above: Some(self), depth: self.depth + 1, attribute }
    }

    /// Whether it leads through an attribute already.
    fn has(&self, attribute: &str) -> bool {
        let mut all = std::iter::successors(Some(self), |trail| trail.above);
        all.any(|trail| trail.attribute == attribute)
    }
}

/// A name as one of a file: no name leads anywhere else. The shell does the same to instances.
fn file_name(name: &str) -> String {
    name_of(name).replace('/', "_").replace("..", "__")
}

impl<'m> Inputs<'_, 'm> {
    /// A node and what it is hosted on, at any distance, nearest first.
    pub(crate) fn homes(&self, at: usize) -> impl Iterator<Item = usize> {
        let next = |at: &usize| self.host(*at);
        // A chain of hosts is no longer than there are nodes, unless it is a cycle.
        std::iter::successors(Some(at), next).take(self.service.nodes.len())
    }

    /// What a node is hosted on.
    fn host(&self, at: usize) -> Option<usize> {
        let hosted = |link: &&Link<'m>| link.kind == Kind::Hosted;
        self.links.of(at).iter().find(hosted).map(|link| link.target)
    }

    /// A path as seen from the file of the service.
    pub(crate) fn beside(&self, file: FileId, path: &str) -> String {
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
    pub(crate) fn node(&self, word: &str, place: &ValueContext) -> Option<usize> {
        match word {
            "SELF" => Some(place.source),
            "SOURCE" => place.link.map(|(source, _)| source),
            "TARGET" => place.link.map(|(_, target)| target),
            "HOST" => self.host(place.source),
            name => self.service.nodes.position(name),
        }
    }

    /// The folder in which values of a node are kept.
    pub(crate) fn folder(&self, node: usize) -> String {
        file_name(self.service.nodes.at(node).map_or("", |(name, _)| &*name.text))
    }

    /// The files in which a value of a node may be: its own, and that of its first instance.
    pub(crate) fn files(&self, node: usize, name: &str) -> Vec<String> {
        let (folder, name) = (self.folder(node), file_name(name));
        let several = self.service.nodes.at(node).is_some_and(|(_, template)| {
            template.count.is_some() || template.capabilities.get("scalable").is_some()
        });
        let first = several.then(|| format!("{folder}/{folder}-1/{name}"));
        std::iter::once(format!("{folder}/{name}")).chain(first).collect()
    }

    /// Where the value is kept that a path means: the folder of its node, and a name.
    pub(crate) fn target(&self, path: &[Value], place: &ValueContext) -> Option<(usize, String)> {
        if let Some(located) = self.locate(path, place, true) {
            return Some((self.keeper(&located.owner), joined(located.name, located.rest)));
        }
        let [entity, .., name] = path else { return None };
        Some((self.node(entity.text()?, place)?, file_name(name.text()?)))
    }

    /// The node with which values of an owner are kept.
    fn keeper(&self, owner: &Owner) -> usize {
        match owner {
            Owner::Node(node) | Owner::Capability(node, _) => *node,
            Owner::Relationship(link) => self.links[*link].source,
        }
    }

    /// The value; none when it is not known and cannot become known.
    pub(crate) fn evaluate(&self, value: &Value, place: &ValueContext) -> Option<RuntimeValue> {
        self.deep(value, place, &Trail::start())
    }

    /// What a call of the functions reads that only a run can answer.
    pub(crate) fn late(
        &self,
        name: &str,
        argument: &Value,
        place: &ValueContext,
    ) -> Option<RuntimeValue> {
        self.read(name, argument, place, &Trail::start())
    }

    pub(crate) fn deep(
        &self,
        value: &Value,
        place: &ValueContext,
        trail: &Trail<'_>,
    ) -> Option<RuntimeValue> {
        if trail.depth > DEEPEST {
            return None;
        }
        if let Some(known) = static_values::static_value(self, value, place) {
            return Some(RuntimeValue::text(shown(&known)));
        }
        let Some((name, argument)) = static_values::function(value, self.model.version.is_2())
        else {
            return self.by_number(value, place, &trail.deeper());
        };
        let Some(argument) = static_values::steps(self, name, argument, place) else {
            return self.by_number(value, place, &trail.deeper());
        };
        let argument = &*argument;
        match name {
            "get_input" => self.deep(self.input_value(argument)?, place, &trail.deeper()),
            "get_property" => {
                let located = self.locate(argument.items(), place, false)?;
                let written = self.written(&located.owner, located.name, false)?;
                let written = inside(written, located.rest)?;
                match self.place_of(&located, place) {
                    Some(inner) => self.deep(written, &inner, &trail.deeper()),
                    None => self.by_number(value, place, &trail.deeper()),
                }
            }
            "concat" => self.joined(argument.items(), "", place, trail),
            "join" => {
                let [parts, rest @ ..] = argument.items() else { return None };
                let between = rest.first().map(|it| self.deep(it, place, &trail.deeper())?.plain());
                let between = between.unwrap_or(Some(String::new()))?;
                if static_values::function(parts, self.model.version.is_2()).is_some() {
                    let list = self.deep(parts, place, &trail.deeper())?;
                    return Some(Part::Joined(list, between).into());
                }
                self.joined(parts.items(), &between, place, trail)
            }
            "node_index" if argument.items().is_empty() => Some(Part::Index.into()),
            "get_attribute" | "get_operation_output" => {
                let read = self.read(name, argument, place, trail);
                read.or_else(|| self.by_number(value, place, &trail.deeper()))
            }
            _ => self.by_number(value, place, &trail.deeper()),
        }
    }

    fn read(
        &self,
        name: &str,
        argument: &Value,
        place: &ValueContext,
        trail: &Trail<'_>,
    ) -> Option<RuntimeValue> {
        match name {
            "get_attribute" => self.attribute(argument.items(), place, trail),
            "get_operation_output" => {
                let [node, interface, operation, output, rest @ ..] = argument.items() else {
                    return None;
                };
                let folder = self.folder(self.node(node.text()?, place)?);
                let (interface, operation) = (interface.text()?, operation.text()?);
                let name = file_name(&format!("{interface}.{operation}.{}", output.text()?));
                Some(RuntimeValue::kept(Kept { folder, name, way: way(rest), known: None }))
            }
            _ => None,
        }
    }

    fn joined(
        &self,
        items: &[Value],
        between: &str,
        place: &ValueContext,
        trail: &Trail<'_>,
    ) -> Option<RuntimeValue> {
        let mut parts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            if at > 0 && !between.is_empty() {
                parts.push(Part::Text(between.to_owned()));
            }
            parts.extend(self.deep(item, place, &trail.deeper())?.parts);
        }
        Some(RuntimeValue { parts })
    }

    /// What is given for an input, or its default.
    pub(crate) fn input_value(&self, argument: &Value) -> Option<&'m Value> {
        let name = argument.text().or_else(|| argument.items().first().and_then(Value::text))?;
        let parameter = self.service.inputs.get(name)?;
        let value = parameter.value.as_ref().or(parameter.schema.value.as_ref());
        let value = value.or(parameter.schema.default.as_ref())?;
        inside(value, argument.items().get(1..).unwrap_or_default())
    }

    /// What an operation leaves, or else what the text says: an attribute starts with the value of
    /// the template, or of the property of its name, which may be made of others.
    fn attribute(
        &self,
        arguments: &[Value],
        place: &ValueContext,
        trail: &Trail<'_>,
    ) -> Option<RuntimeValue> {
        let located = self.locate(arguments, place, true)?;
        let node = self.keeper(&located.owner);
        let own = format!("{:?} {}", located.owner, located.name);
        let is_cycle = trail.has(&own);
        let written = self.written(&located.owner, located.name, true).filter(|_| !is_cycle);
        let written = written.and_then(|value| inside(value, located.rest));
        let inner = self.place_of(&located, place)?;
        let trail = trail.into(own);
        let known = written.and_then(|value| self.deep(value, &inner, &trail));
        // The profile has a first state for every node; how far one is, is known better here.
        let is_state = located.name == state::ATTRIBUTE;
        let known = known.filter(|_| !is_state || self.says(node, located.name));
        let known = known.or_else(|| self.of_orchestrator(&located.owner, located.name, &inner));
        let (folder, name) = (self.folder_at(&located, &inner, node), file_name(located.name));
        // Operations may give parts of it, each by itself.
        let given = self.given.get_or_init(|| super::given_back(self)).get(&node);
        let path = joined(located.name, located.rest);
        let is_given = |path: &String| given.is_some_and(|given| given.contains(path));
        let whole = Kept { folder: folder.clone(), name, way: way(located.rest), known };
        if !located.rest.is_empty() && is_given(&path) {
            let known = Some(RuntimeValue::kept(whole));
            return Some(RuntimeValue::kept(Kept { folder, name: path, way: Vec::new(), known }));
        }
        let start = format!("{path}=");
        let pieces = given.into_iter().flatten().filter_map(|name| name.strip_prefix(&start));
        let pieces: Vec<&str> = pieces.filter(|rest| !rest.contains('=')).collect();
        if pieces.is_empty() {
            return Some(RuntimeValue::kept(whole));
        }
        let mut parts = Vec::new();
        for (at, piece) in pieces.into_iter().enumerate() {
            let before = if at == 0 { "{" } else { ", " };
            parts.push(Part::Text(format!("{before}\"{piece}\": ")));
            let name = format!("{start}{piece}");
            let kept = Kept { folder: folder.clone(), name, way: Vec::new(), known: None };
            parts.push(Part::Json(RuntimeValue::kept(kept)));
        }
        parts.push(Part::Text("}".to_owned()));
        Some(RuntimeValue::kept(Kept { known: Some(RuntimeValue { parts }), ..whole }))
    }

    /// Whether a node template itself gives an attribute a value.
    fn says(&self, node: usize, name: &str) -> bool {
        let template = self.service.nodes.at(node);
        template.is_some_and(|(_, template)| template.attributes.get(name).is_some())
    }

    /// Attributes that only who runs a service can tell.
    fn of_orchestrator(
        &self,
        owner: &Owner,
        name: &str,
        place: &ValueContext,
    ) -> Option<RuntimeValue> {
        let of_node = |node: usize| self.service.nodes.at(node).map(|(name, _)| &*name.text);
        let text = match (owner, name) {
            (Owner::Node(node), "tosca_name") => of_node(*node).map(str::to_owned),
            (Owner::Node(node), "tosca_id") => {
                return of_node(*node).map(|name| self.instance(*node, &name_of(name), place));
            }
            (Owner::Node(node), state::ATTRIBUTE) => state::before(self, *node),
            (Owner::Relationship(link), "tosca_name") => Some(self.links[*link].name.clone()),
            (Owner::Relationship(link), "tosca_id") => {
                let link = &self.links[*link];
                of_node(link.source).map(|source| format!("{}/{}", name_of(source), link.name))
            }
            _ => None,
        };
        text.map(RuntimeValue::text)
    }

    /// The file of an artifact.
    pub(crate) fn artifact(&self, words: &[&str], place: &ValueContext) -> Option<String> {
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

/// The name of a part of a value: `ATTRIBUTE=KEY=KEY`.
fn joined(name: &str, rest: &[Value]) -> String {
    let steps = way(rest);
    let all = std::iter::once(name).chain(steps.iter().map(String::as_str)).map(file_name);
    all.collect::<Vec<_>>().join("=")
}

/// Steps into lists and mappings, as words.
fn way(rest: &[Value]) -> Vec<String> {
    rest.iter().map(|step| shown(&plain(step))).collect()
}

/// A value without its places.
pub(crate) fn plain(value: &Value) -> Plain {
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
