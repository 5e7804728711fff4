//! A template after reading: what the rules look at.

use std::collections::BTreeMap;

use super::facts::TypeFacts;
use super::parameter::Parameter;
use super::value::{Data, Value};
use super::versions::Version;
use crate::source::Span;

/// One template with its values.
#[derive(Debug, Clone)]
pub struct Stack {
    /// Its version.
    pub(crate) version: &'static Version,
    /// The place of its version.
    pub(crate) span: Span,
    /// Its parameters, in order.
    pub(crate) parameters: Vec<Parameter>,
    /// Its resources, in order, then the members of groups.
    pub(crate) resources: Vec<Resource>,
    /// What it is for.
    pub(crate) description: Option<String>,
    /// Its outputs, in order.
    pub(crate) outputs: Vec<Output>,
    /// The names of its conditions, in order.
    pub(crate) conditions: Vec<String>,
    /// The templates that it uses as types: once for each use.
    pub nested: Vec<Stack>,
    by_type: BTreeMap<String, Vec<usize>>,
    by_name: BTreeMap<String, usize>,
}

/// What a template tells about the stack.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// Its name.
    pub(crate) name: String,
    /// What it is.
    pub(crate) description: Option<String>,
    /// Its value.
    pub(crate) value: Value,
}

/// One resource.
#[derive(Debug, Clone)]
pub struct Resource {
    /// Its name; a member of a group is called `group[0]`.
    pub name: String,
    /// Where the name is written.
    pub(crate) span: Span,
    /// Its type, after the environment.
    pub(crate) type_name: String,
    /// The facts of its type.
    pub(crate) facts: Option<&'static TypeFacts>,
    /// Its properties, a mapping.
    pub(crate) properties: Value,
    /// The resources that it must wait for, by position, with the place that says so.
    pub(crate) waits_for: Vec<(usize, Span)>,
    /// The resources that `depends_on` names.
    pub(crate) depends_on: Vec<String>,
    /// What becomes of it with the stack, in small letters, where that is said.
    pub(crate) deletion_policy: Option<String>,
    /// Whether its condition holds; none when that is not known.
    pub(crate) condition: Option<bool>,
    /// Its condition, when its value is unknown: equal texts have equal values.
    pub(crate) only_if: Option<String>,
    /// From its name to the end of what is said about it.
    pub(crate) extent: Span,
    /// Whether it exists already and is only named.
    pub(crate) is_external: bool,
    /// The group that it is a member of.
    pub(crate) group: Option<usize>,
    /// How many members a group has, when that is known.
    pub(crate) count: Option<u32>,
}

impl Stack {
    pub(super) fn new(version: &'static Version, span: Span) -> Self {
        Stack {
            version,
            span,
            parameters: Vec::new(),
            resources: Vec::new(),
            description: None,
            outputs: Vec::new(),
            conditions: Vec::new(),
            nested: Vec::new(),
            by_type: BTreeMap::new(),
            by_name: BTreeMap::new(),
        }
    }

    pub(super) fn push(&mut self, resource: Resource) -> usize {
        let at = self.resources.len();
        self.by_name.entry(resource.name.clone()).or_insert(at);
        if resource.condition != Some(false) {
            self.by_type.entry(resource.type_name.clone()).or_default().push(at);
        }
        self.resources.push(resource);
        at
    }

    /// The resources of some types that may be created, in order of the types.
    pub(crate) fn of<'s, 't>(
        &'s self,
        types: &'t [&'t str],
    ) -> impl Iterator<Item = &'s Resource> + use<'s, 't> {
        types.iter().flat_map(|name| self.positions(name)).map(|at| &self.resources[*at])
    }

    /// The positions of the resources of a type that may be created.
    pub(super) fn positions(&self, type_name: &str) -> &[usize] {
        self.by_type.get(type_name).map_or(&[], Vec::as_slice)
    }

    /// The resource with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Resource> {
        self.position(name).map(|at| &self.resources[at])
    }

    /// The position of the resource with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The resource that a value refers to.
    pub(crate) fn target(&self, value: &Value) -> Option<&Resource> {
        self.named(value.as_resource()?)
    }
}

impl Resource {
    /// The value of a property that is given, under the first of several names that has one.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.properties.get(name))
    }

    /// Whether a property is given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.properties.get(name).is_some()
    }

    /// Where to point at: the property if it is given, else the name of the resource.
    pub(crate) fn at(&self, name: &str) -> Span {
        self.properties.entry(name).map_or(self.span, |entry| entry.key_span.to(entry.value.span))
    }

    /// The entries of a property that is a list of mappings.
    pub(crate) fn list(&self, name: &str) -> &[Value] {
        match self.properties.get(name).map(|value| &value.data) {
            Some(Data::List(items)) => items,
            _ => &[],
        }
    }

    /// Whether the type is this.
    pub(crate) fn is(&self, type_name: &str) -> bool {
        self.type_name == type_name
    }
}
