//! Which value a path means, as far as the text tells: of a node, of one of its capabilities, or of
//! a relationship; and the way into it.

use super::super::lower::links::{Index, Link};
use super::super::model::{NodeTemplate, TypeId};
use super::super::value::{Data, Value, index};
use super::Inputs;
use super::static_values;
use super::value_context::ValueContext;
use crate::tree::Value as Plain;

/// ValueOwner value it is.
#[derive(Debug, Clone)]
pub(crate) enum Owner {
    /// A node template.
    Node(usize),
    /// A capability of a node template.
    Capability(usize, String),
    /// A relationship, by its place among the links.
    Relationship(usize),
}

/// What a path means: whose value, its name, and the way into it.
pub(crate) struct Located<'v> {
    pub(crate) owner: Owner,
    pub(crate) name: &'v str,
    pub(crate) rest: &'v [Value],
    /// The relationship at whose target the owner is, by its place among the links.
    pub(crate) through: Option<usize>,
}

impl<'m> Inputs<'_, 'm> {
    /// Follows the arguments of `get_property` or `get_attribute`.
    pub(crate) fn locate<'v>(
        &self,
        arguments: &'v [Value],
        place: &ValueContext,
        attributes: bool,
    ) -> Option<Located<'v>> {
        let (entity, mut rest) = arguments.split_first()?;
        let mut owner = match (entity.text()?, place.relationship) {
            ("SELF", Some(link)) => Owner::Relationship(link),
            (word, _) => match self.node(word, place) {
                Some(node) => Owner::Node(node),
                None => Owner::Relationship(self.links.iter().position(|link| {
                    let named = self.service.relationships.get(word);
                    named.is_some_and(|it| link.templates.iter().any(|own| std::ptr::eq(*own, it)))
                })?),
            },
        };
        let is_target = entity.text() == Some("TARGET");
        let mut through = place.relationship.filter(|_| is_target);
        loop {
            let (first, further) = rest.split_first()?;
            let word = first.text()?;
            match self.turn(&owner, word, further, attributes) {
                Some((next, left)) => {
                    through = match (&owner, &next) {
                        (Owner::Relationship(_), _) if word == "SOURCE" => None,
                        (Owner::Relationship(link), _) => Some(*link),
                        // Its own capability may have the name of a requirement.
                        (Owner::Node(node), Owner::Node(far) | Owner::Capability(far, _))
                            if far != node =>
                        {
                            self.link(*node, word, index(further).0)
                        }
                        _ => through,
                    };
                    owner = next;
                    rest = left;
                }
                None => return Some(Located { owner, name: word, rest: further, through }),
            }
        }
    }

    /// A step that names no value.
    fn turn<'v>(
        &self,
        owner: &Owner,
        word: &str,
        further: &'v [Value],
        attributes: bool,
    ) -> Option<(Owner, &'v [Value])> {
        let step = further.first().and_then(Value::text);
        let is_2 = self.model.version.is_2();
        match (owner, word) {
            (Owner::Node(node), "RELATIONSHIP") if is_2 => {
                let (at, left) = index(further.get(1..)?);
                Some((Owner::Relationship(self.link(*node, step?, at)?), left))
            }
            (Owner::Node(node), "CAPABILITY") if is_2 => {
                Some((Owner::Capability(*node, step?.to_owned()), further.get(1..)?))
            }
            (Owner::Relationship(link), "TARGET") => {
                Some((Owner::Node(self.links[*link].target), further))
            }
            (Owner::Relationship(link), "SOURCE") => {
                Some((Owner::Node(self.links[*link].source), further))
            }
            (Owner::Relationship(link), "CAPABILITY") => {
                let link = &self.links[*link];
                Some((Owner::Capability(link.target, link.capability.clone()), further))
            }
            (Owner::Node(node), word) if !further.is_empty() => {
                self.turn_1(*node, word, further, attributes)
            }
            _ => None,
        }
    }

    /// Before 2.0: a capability or a requirement, unless the node has a value of that name.
    fn turn_1<'v>(
        &self,
        node: usize,
        word: &str,
        further: &'v [Value],
        attributes: bool,
    ) -> Option<(Owner, &'v [Value])> {
        let (_, template) = self.service.nodes.at(node)?;
        if self.has(&Owner::Node(node), word, attributes) {
            return None;
        }
        let mut chain = template.of.id.into_iter().flat_map(|id| self.model.types.chain(id));
        if chain.any(|(_, of)| of.capabilities.get(word).is_some()) {
            return Some((Owner::Capability(node, word.to_owned()), further));
        }
        let (at, left) = index(further);
        let link = self.link(node, word, at)?;
        let target = self.links[link].target;
        let asked = left.first().and_then(Value::text)?;
        let capability = Owner::Capability(target, self.links[link].capability.clone());
        let all = [Owner::Node(target), capability, Owner::Relationship(link)];
        let found = all.into_iter().find(|owner| self.has(owner, asked, attributes));
        Some((found.unwrap_or(Owner::Node(target)), left))
    }

    /// A relationship of a node, by its requirement; those after the first have numbers.
    fn link(&self, node: usize, requirement: &str, at: usize) -> Option<usize> {
        let name = super::super::lower::name_of(requirement);
        let name = if at == 0 { name } else { format!("{name}_{}", at + 1) };
        self.links.of(node).iter().find(|link| link.name == name).map(|link| link.at)
    }

    /// Whether something has a value of this name, or its type says so.
    fn has(&self, owner: &Owner, name: &str, attributes: bool) -> bool {
        if self.written(owner, name, attributes).is_some() {
            return true;
        }
        let of = match owner {
            Owner::Node(node) => self.service.nodes.at(*node).and_then(|(_, it)| it.of.id),
            Owner::Capability(node, capability) => self.capability_type(*node, capability),
            Owner::Relationship(link) => self.links[*link].relationship,
        };
        let mut chain = of.into_iter().flat_map(|id| self.model.types.chain(id));
        chain.any(|(_, of)| {
            of.properties.get(name).is_some() || attributes && of.attributes.get(name).is_some()
        })
    }

    fn capability_type(&self, node: usize, capability: &str) -> Option<TypeId> {
        let (_, template) = self.service.nodes.at(node)?;
        let mut chain = self.model.types.chain(template.of.id?);
        chain.find_map(|(_, of)| of.capabilities.get(capability)?.of.as_ref()?.id)
    }

    /// The value that is written for a name: in a template, or as a default.
    pub(crate) fn written(&self, owner: &Owner, name: &str, attributes: bool) -> Option<&'m Value> {
        match owner {
            Owner::Node(node) => {
                let (_, template) = self.service.nodes.at(*node)?;
                let own = attributes.then(|| template.attributes.get(name)).flatten();
                let own = own.or_else(|| template.properties.get(name));
                own.or_else(|| self.default(template.of.id?, name, attributes))
            }
            Owner::Capability(node, capability) => {
                let (_, template) = self.service.nodes.at(*node)?;
                let assigned = template.capabilities.get(capability);
                let own = assigned.and_then(|it| {
                    let attribute = attributes.then(|| it.attributes.get(name)).flatten();
                    attribute.or_else(|| it.properties.get(name))
                });
                own.or_else(|| self.capability_default(template, capability, name, attributes))
            }
            Owner::Relationship(link) => {
                let link: &Link<'m> = &self.links[*link];
                let own = link.templates.iter().find_map(|template| {
                    let attribute = attributes.then(|| template.attributes.get(name)).flatten();
                    attribute.or_else(|| template.properties.get(name))
                });
                own.or_else(|| self.default(link.relationship?, name, attributes))
            }
        }
    }

    fn default(&self, id: TypeId, name: &str, attributes: bool) -> Option<&'m Value> {
        self.model.types.chain(id).find_map(|(_, of)| {
            let schema = of.properties.get(name);
            let schema =
                schema.or_else(|| attributes.then(|| of.attributes.get(name)).flatten())?;
            schema.value.as_ref().or(schema.default.as_ref())
        })
    }

    fn capability_default(
        &self,
        template: &NodeTemplate,
        capability: &str,
        name: &str,
        attributes: bool,
    ) -> Option<&'m Value> {
        let chain: Vec<_> = self.model.types.chain(template.of.id?).collect();
        for (_, of) in &chain {
            let Some(definition) = of.capabilities.get(capability) else { continue };
            if let Some(schema) = definition.properties.get(name)
                && schema.default.is_some()
            {
                return schema.default.as_ref();
            }
        }
        let of = chain.iter().find_map(|(_, of)| of.capabilities.get(capability)?.of.as_ref()?.id);
        self.default(of?, name, attributes)
    }

    /// The node whose text a value is part of, as seen from another place; none when it is at a
    /// target whose index is not known.
    pub(crate) fn place_of(
        &self,
        located: &Located<'_>,
        from: &ValueContext,
    ) -> Option<ValueContext> {
        let link = |link: usize| -> &Link<'m> { &self.links[link] };
        let place = match &located.owner {
            Owner::Node(node) | Owner::Capability(node, _) => ValueContext::of_node(*node),
            Owner::Relationship(at) => ValueContext::of_link(link(*at), link(*at).source),
        };
        let Some((link, index)) = self.indexed(located) else { return Some(from.seeing(place)) };
        // An index that is made of what it leads to would never end.
        if from.is_index {
            return None;
        }
        let number = match index {
            Index::Number(number) => number,
            Index::Written(index) => {
                let near = from.seeing(ValueContext::of_requirement(link.source, link.number));
                match static_values::static_value(
                    self,
                    index,
                    &ValueContext { is_index: true, ..near },
                )? {
                    Plain::Int(number) => usize::try_from(number).ok()?,
                    _ => return None,
                }
            }
        };
        Some(ValueContext { asking: Some(link.target), number: Some(number), ..place })
    }

    /// The relationship with an index at whose target something is.
    fn indexed(&self, located: &Located<'_>) -> Option<(&Link<'m>, Index<'m>)> {
        let link: &Link<'m> = &self.links[located.through?];
        Some((link, link.index?))
    }

    /// The folder in which values of an owner are kept: of the instance that is meant, if one is.
    pub(crate) fn folder_at(
        &self,
        located: &Located<'_>,
        at: &ValueContext,
        node: usize,
    ) -> String {
        let folder = self.folder(node);
        let number = at.number.filter(|_| self.indexed(located).is_some() && self.count(node) > 1);
        match number {
            Some(number) => format!("{folder}/{folder}-{}", number + 1),
            None => folder,
        }
    }
}

/// Goes into lists and mappings.
pub(crate) fn inside<'v>(value: &'v Value, rest: &[Value]) -> Option<&'v Value> {
    let mut value = value;
    for step in rest {
        value = match &step.data {
            Data::Int(at) => value.items().get(usize::try_from(*at).ok()?)?,
            _ => value.get(step.text()?)?,
        };
    }
    Some(value)
}
