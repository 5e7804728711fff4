//! Which relationship each requirement of a node template becomes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, Range};

use super::super::command::{Inputs, ReturnedAttributes};
use super::super::model::{
    Fields, Interface, Model, NodeTemplate, RelationshipTemplate, RequirementAssignment,
    RequirementDefinition, Service, TypeId,
};
use super::super::resolve_relationship::ResolvedRelationship;
use super::super::value::Value;
use super::super::weaving::Kind;
use crate::source::Span;

/// A requirement with its target.
#[derive(Clone)]
pub(crate) struct Link<'m> {
    /// Its place among all.
    pub(crate) at: usize,
    /// The name of the requirement; a name that is used again gets a number.
    pub(crate) name: String,
    /// The node template that requires, by its place.
    pub source: usize,
    /// The node template that offers, by its place.
    pub target: usize,
    /// Which of the nodes of the target is meant, when that is said.
    pub(crate) index: Option<Index<'m>>,
    /// Its number among the relationships of the requirement, from 0: `relationship_index`.
    pub(crate) number: usize,
    /// The capability.
    pub(crate) capability: String,
    /// What kind of relationship it is.
    pub(crate) kind: Kind,
    /// The relationship type, when one is known.
    pub relationship: Option<TypeId>,
    /// What is written in place, then the template that is named.
    pub(crate) templates: Vec<&'m RelationshipTemplate>,
    /// Interfaces of the relationship: of its template, or written in place.
    pub(crate) interfaces: Vec<&'m Fields<Interface>>,
    /// Where the requirement is written.
    pub(crate) span: Span,
}

/// Which of the nodes of its target a relationship means.
#[derive(Clone, Copy)]
pub(crate) enum Index<'m> {
    /// What the file says.
    Written(&'m Value),
    /// The relationships of a requirement with a `count` have different targets.
    Number(usize),
}

/// For more relationships of a requirement than that there is one link, as for one.
const MOST: u32 = 256;

/// The relationships of a service, in the order of the nodes that require.
#[derive(Default)]
pub(crate) struct Links<'m> {
    all: Vec<Link<'m>>,
    /// By node template, where its own are.
    own: Vec<Range<usize>>,
    /// By node template, where those are that lead to it.
    to: Vec<Vec<usize>>,
}

impl<'m> Deref for Links<'m> {
    type Target = [Link<'m>];

    fn deref(&self) -> &[Link<'m>] {
        &self.all
    }
}

impl<'m> Links<'m> {
    /// Those of a node that requires.
    pub(crate) fn of(&self, source: usize) -> &[Link<'m>] {
        self.own.get(source).map_or(&[], |own| &self.all[own.clone()])
    }

    /// Those that lead to a node.
    pub(crate) fn to(&self, target: usize) -> impl Iterator<Item = &Link<'m>> {
        self.to.get(target).into_iter().flatten().map(|at| &self.all[*at])
    }
}

/// The relationships of a service; a requirement without a target is none. A requirement with a
/// `count` is that many.
pub(crate) fn links<'m>(model: &'m Model, service: &'m Service) -> Links<'m> {
    let (none, given) = (Links::default(), ReturnedAttributes::new());
    let inputs = Inputs { model, service, links: &none, given: &given };
    made(model, service, |link, requirement| {
        let count = inputs.relationships(link.source, requirement).unwrap_or(1).min(MOST + 1);
        // A link that means nothing is still one, as before anything is counted.
        let count = if count > MOST { 1 } else { count.max(1) };
        let targets = inputs.count(link.target) as usize;
        let is_spread = link.index.is_none() && count > 1 && targets > 1;
        let index = |number: usize| match link.index {
            None if is_spread && number < targets => Some(Index::Number(number)),
            said => said,
        };
        (0..count as usize).map(index).collect()
    })
}

/// The same with one for each requirement that is written: how templates are connected.
pub(crate) fn templates<'m>(model: &'m Model, service: &'m Service) -> Links<'m> {
    made(model, service, |link, _| vec![link.index])
}

/// The relationships, so many of each requirement as there are targets of it.
fn made<'m>(
    model: &'m Model,
    service: &'m Service,
    targets: impl Fn(&Link<'m>, &'m RequirementAssignment) -> Vec<Option<Index<'m>>>,
) -> Links<'m> {
    let mut links = Links { to: vec![Vec::new(); service.nodes.len()], ..Links::default() };
    for (source, (_, template)) in service.nodes.iter().enumerate() {
        let first = links.len();
        let mut names = Names::default();
        for (name, requirement) in template.requirements.iter() {
            let Some(link) = link(model, service, source, template, &name.text, requirement) else {
                continue;
            };
            for index in targets(&link, requirement) {
                let (name, number) = names.next(&link.name);
                let at = links.len();
                links.to[link.target].push(at);
                links.all.push(Link { at, name, index, number, ..link.clone() });
            }
        }
        links.own.push(first..links.len());
    }
    links
}

/// The names of the relationships of one node.
#[derive(Default)]
struct Names {
    taken: BTreeSet<String>,
    /// What is taken stays taken, so the numbers of a name go on where they ended.
    numbers: BTreeMap<String, usize>,
    /// How many relationships a requirement has.
    counts: BTreeMap<String, usize>,
}

impl Names {
    /// A name for one more relationship of a requirement, and its number among those.
    fn next(&mut self, wish: &str) -> (String, usize) {
        let count = self.counts.entry(wish.to_owned()).or_default();
        let own = *count;
        *count += 1;
        let mut name = wish.to_owned();
        if self.taken.contains(&name) {
            let number = self.numbers.entry(wish.to_owned()).or_insert(2);
            while self.taken.contains(&name) {
                name = format!("{wish}_{number}");
                *number += 1;
            }
        }
        self.taken.insert(name.clone());
        (name, own)
    }
}

fn link<'m>(
    model: &'m Model,
    service: &'m Service,
    source: usize,
    template: &'m NodeTemplate,
    name: &str,
    requirement: &'m RequirementAssignment,
) -> Option<Link<'m>> {
    let resolved = requirement.target.as_ref();
    let written = requirement.node.as_ref().map(|name| &*name.text);
    let target = service.nodes.position(resolved.map(|target| &*target.node).or(written)?)?;
    // Only a quirk tolerates a node as its own target that does not even fit; it means nothing.
    if target == source && resolved.is_none() {
        return None;
    }
    let definitions = || definitions(model, template, name);
    let inline = requirement.inline.as_ref();
    let declared =
        definitions().find(|it| it.relationship.as_ref().is_some_and(|of| of.id.is_some()));
    let of_requirement = ResolvedRelationship::resolve(model, requirement, declared);
    let relationship_template = of_requirement.template.map(|(_, template)| template);
    let relationship = resolved.and_then(|target| target.relationship).or(of_requirement.of);
    let capability = resolved.and_then(|target| target.capability.clone());
    let capability = capability.or_else(|| capability_of(model, service, target, requirement));
    let templates: Vec<_> = inline.into_iter().chain(relationship_template).collect();
    let mut interfaces: Vec<&Fields<Interface>> = Vec::new();
    interfaces.extend(templates.iter().map(|template| &template.interfaces));
    interfaces.extend(definitions().map(|definition| &definition.interfaces));
    Some(Link {
        at: 0,
        name: super::name_of(name),
        source,
        target,
        index: requirement.index().map(Index::Written),
        number: 0,
        capability: capability.unwrap_or_else(|| "feature".to_owned()),
        kind: kind(model, relationship, name),
        relationship,
        templates,
        interfaces,
        span: requirement.span,
    })
}

/// The definitions of a requirement in the type of a node template and its parents, nearest first.
fn definitions<'m>(
    model: &'m Model,
    template: &NodeTemplate,
    name: &str,
) -> impl Iterator<Item = &'m RequirementDefinition> {
    let chain = template.of.id.into_iter().flat_map(|id| model.types.chain(id));
    chain.filter_map(move |(_, of)| of.requirements.get(name))
}

/// The capability that is written, when the target has one of that name.
fn capability_of(
    model: &Model,
    service: &Service,
    target: usize,
    requirement: &RequirementAssignment,
) -> Option<String> {
    let written = &requirement.capability.as_ref()?.text;
    let (_, template) = service.nodes.at(target)?;
    let mut chain = template.of.id.into_iter().flat_map(|id| model.types.chain(id));
    chain.any(|(_, of)| of.capabilities.get(written).is_some()).then(|| written.clone())
}

/// What a relationship means for the order.
pub(crate) fn kind(model: &Model, relationship: Option<TypeId>, requirement: &str) -> Kind {
    let is = |names: [&str; 2]| {
        relationship
            .is_some_and(|id| names.iter().any(|name| model.types.derives_from_name(id, name)))
    };
    if is(["tosca.relationships.HostedOn", "HostedOn"]) {
        Kind::Hosted
    } else if is(["tosca.relationships.ConnectsTo", "ConnectsTo"]) {
        Kind::Connects
    } else if relationship.is_none() && requirement == "host" {
        // Nothing else says what it is.
        Kind::Hosted
    } else {
        Kind::Depends
    }
}
