//! Instances with names: from a global state to classes, and from a path of moves back to actions.

use std::collections::{BTreeMap, BTreeSet};

use super::class::{Class, ClassId, Counts, Mark, add};
use super::moves::{Edit, Kind, Move, Moves};
use crate::application::{Application, GlobalState, InstanceId, NodeId};
use crate::lifecycle::protocol::{Element, Sort};
use crate::plan::PlanAction;

/// An instance of the start or of the plan.
#[derive(Debug, Clone)]
struct Named {
    id: InstanceId,
    class: ClassId,
    home: Option<usize>,
    is_there: bool,
}

/// The instances that a path of moves is about.
#[derive(Debug, Clone)]
pub(crate) struct NamedInstances {
    all: Vec<Named>,
    taken: BTreeSet<InstanceId>,
    /// Those of `all` that are there.
    there: BTreeSet<InstanceId>,
    /// By node: names with smaller numbers are taken.
    numbers: BTreeMap<usize, u64>,
}

impl NamedInstances {
    /// The instances of a global state with their classes, and the state in counts.
    pub(crate) fn new(moves: &mut Moves<'_>, start: &GlobalState) -> (Self, Counts) {
        let ids: Vec<&InstanceId> = start.instances.keys().collect();
        let groups = groups(moves, start);
        if groups.len() > MOST_GROUPS {
            moves.is_incomplete = true;
        }
        let taken: BTreeSet<InstanceId> = start.instances.keys().cloned().collect();
        let (there, numbers) = (taken.clone(), BTreeMap::new());
        let mut named_instances = NamedInstances { all: Vec::new(), taken, there, numbers };
        let mut counts = Counts::new();
        let mut homes = Vec::new();
        for id in &ids {
            let home = start.container(id).and_then(|home| ids.binary_search(&home).ok());
            homes.push(home.filter(|_| !moves.tables.atomic));
        }
        let mut classes: Vec<Option<ClassId>> = vec![None; ids.len()];
        let instances = StartInstances { start, ids: &ids, homes: &homes, groups: &groups };
        for at in 0..ids.len() {
            instances.class_of(moves, at, &mut classes);
        }
        for (at, id) in ids.iter().enumerate() {
            let class = classes[at].unwrap_or_default();
            if homes[at].is_none() {
                add(&mut counts, class);
            }
            let named = Named { id: (*id).clone(), class, home: homes[at], is_there: true };
            named_instances.all.push(named);
        }
        (named_instances, counts)
    }

    /// The actions of a path, one after another.
    pub(crate) fn play(
        mut self,
        moves: &mut Moves<'_>,
        application: &Application,
        start: &Counts,
        path: &[Move],
    ) -> Option<Vec<PlanAction>> {
        let mut state = start.clone();
        let mut actions = Vec::with_capacity(path.len());
        for step in path {
            state = moves.perform(&state, step)?;
            let edits = std::mem::take(&mut moves.log);
            let actor = self.follow(moves, application, &edits, step.kind == Kind::Remove)?;
            let instance = self.all[actor].id.clone();
            actions.push(match step.kind {
                Kind::Operation(way) => {
                    let last = step.path.last()?;
                    let node = moves.classes.get(*last).node;
                    let operation = moves.tables.nodes[node].ways[way].operation;
                    let component = application.type_of(NodeId::from(node));
                    let operation = component.operations.get(operation)?.name.clone();
                    PlanAction::Operation { instance, operation }
                }
                Kind::Remove => PlanAction::ScaleIn { instance },
                Kind::Create(node, _) => PlanAction::ScaleOut {
                    node: application.node(NodeId::from(node)).name.clone(),
                    instance,
                    container: self.all[actor].home.map(|home| self.all[home].id.clone()),
                },
            });
        }
        Some(actions)
    }

    /// Follows the edits of one move; the instance that acts.
    fn follow(
        &mut self,
        moves: &Moves<'_>,
        application: &Application,
        edits: &[Edit],
        last_first: bool,
    ) -> Option<usize> {
        let mut actor = None;
        for edit in edits {
            match edit {
                Edit::Map(mapping) => {
                    for named in &mut self.all {
                        named.class = mapping.get(named.class).unwrap_or(named.class);
                    }
                }
                Edit::Become { path, place } => {
                    let at = actor.map_or_else(|| self.find(path, last_first), Some)?;
                    self.rename(Some(at), place);
                    actor = Some(at);
                }
                Edit::Gone { path, place } => {
                    let at = self.find(path, last_first)?;
                    self.rename(self.all[at].home, place);
                    self.remove(at);
                    actor = Some(at);
                }
                Edit::Born { path, place, class, node, role } => {
                    let home = match path.as_slice() {
                        [] => None,
                        path => Some(self.find(path, false)?),
                    };
                    self.rename(home, place);
                    let id = self.fresh_name(moves, application, *node, *role);
                    self.taken.insert(id.clone());
                    self.there.insert(id.clone());
                    actor = Some(self.all.len());
                    self.all.push(Named { id, class: *class, home, is_there: true });
                }
            }
        }
        actor
    }

    /// An instance at the end of a path of classes.
    fn find(&self, path: &[ClassId], last_first: bool) -> Option<usize> {
        let last = path.last()?;
        let fits = |at: &usize| {
            let mut here = Some(*at);
            let up = path.iter().rev().all(|class| {
                let named = here.map(|at| &self.all[at]);
                here = named.and_then(|named| named.home);
                named.is_some_and(|named| named.is_there && named.class == *class)
            });
            up && here.is_none()
        };
        let mut able = (0..self.all.len()).filter(|at| self.all[*at].class == *last);
        if last_first { able.rfind(fits) } else { able.find(fits) }
    }

    /// Gives the classes of `place` to an instance and to what it lives in.
    fn rename(&mut self, at: Option<usize>, place: &[ClassId]) {
        let mut here = at;
        for class in place.iter().rev() {
            let Some(at) = here else { return };
            self.all[at].class = *class;
            here = self.all[at].home;
        }
    }

    fn remove(&mut self, at: usize) {
        self.all[at].is_there = false;
        self.there.remove(&self.all[at].id);
        let inside: Vec<usize> = (0..self.all.len())
            .filter(|inner| self.all[*inner].home == Some(at) && self.all[*inner].is_there)
            .collect();
        for inner in inside {
            self.remove(inner);
        }
    }

    /// A name for a new instance: that of its role, one that the description has, or a number.
    fn fresh_name(
        &mut self,
        moves: &Moves<'_>,
        application: &Application,
        node: usize,
        role: u32,
    ) -> InstanceId {
        let of_role = &moves.target.roles[role as usize].ids;
        if let Some(id) = of_role.iter().find(|id| !self.there.contains(*id)) {
            return id.clone();
        }
        let described = &application.nodes[node];
        let free = |id: &InstanceId| !self.taken.contains(id) && moves.target.role_of(id) == 0;
        let declared = described.instances.iter().map(|i| InstanceId(i.id.clone()));
        let plain = InstanceId(described.name.clone());
        // The one with the plain name is the first.
        let least = if self.taken.contains(&plain) { 2 } else { 1 };
        let plain = (described.count <= 1).then_some(plain);
        if let Some(id) = declared.chain(plain).find(free) {
            return id;
        }
        // What is taken stays taken, so the search goes on where it ended.
        let first = self.numbers.get(&node).copied().unwrap_or(least);
        let mut numbered = (first..).map(|n| (n, InstanceId(format!("{}-{n}", described.name))));
        let found = numbered.find(|(_, id)| free(id));
        let (number, id) = found.unwrap_or((first, InstanceId(described.name.clone())));
        self.numbers.insert(node, number);
        id
    }
}

/// The sets of instances that replica-aware requirements are bound to, each with its number.
fn groups(moves: &Moves<'_>, start: &GlobalState) -> Vec<BTreeSet<InstanceId>> {
    let mut groups: Vec<BTreeSet<InstanceId>> = Vec::new();
    for (id, instance) in &start.instances {
        for requirement in aware_needs(moves, instance.node.index(), instance.element) {
            let bound: BTreeSet<InstanceId> =
                start.bound(id, requirement.into()).cloned().collect();
            if !bound.is_empty() && !groups.contains(&bound) {
                groups.push(bound);
            }
        }
    }
    groups
}

/// More sets than this are taken together, which asks for more than is needed and never for less.
pub(super) const MOST_GROUPS: usize = 48;

/// The replica-aware requirements that an instance in a state relies on.
fn aware_needs(moves: &Moves<'_>, node: usize, element: Element) -> Vec<usize> {
    if matches!(element, Element::Transition(_)) {
        return Vec::new();
    }
    let row = moves.tables.row(node, moves.tables.element(node, element));
    let requirements = &moves.tables.nodes[node].requirements;
    let aware = row.needs.iter().filter(|r| requirements[**r].sort == Sort::ReplicaAware);
    aware.copied().collect()
}

/// The instances of a global state, by their place.
#[derive(Clone, Copy)]
struct StartInstances<'a> {
    start: &'a GlobalState,
    ids: &'a [&'a InstanceId],
    /// The container of each.
    homes: &'a [Option<usize>],
    /// The sets of providers that replica-aware requirements are bound to.
    groups: &'a [BTreeSet<InstanceId>],
}

impl StartInstances<'_> {
    /// The class of an instance, after those of what it contains.
    fn class_of(
        &self,
        moves: &mut Moves<'_>,
        at: usize,
        classes: &mut Vec<Option<ClassId>>,
    ) -> ClassId {
        let StartInstances { start, ids, homes, groups } = *self;
        if let Some(known) = classes[at] {
            return known;
        }
        let mut children = Counts::new();
        for inner in (0..ids.len()).filter(|inner| homes[*inner] == Some(at)) {
            let child = self.class_of(moves, inner, classes);
            add(&mut children, child);
        }
        let instance = start.instances[ids[at]];
        let node = instance.node.index();
        let number = |bound: &BTreeSet<InstanceId>| {
            groups.iter().position(|group| group == bound).map(|at| at.min(MOST_GROUPS))
        };
        let pins =
            aware_needs(moves, node, instance.element).into_iter().filter_map(|requirement| {
                let bound = start.bound(ids[at], requirement.into()).cloned().collect();
                Some((requirement, number(&bound)? as u32))
            });
        let mut pins: Vec<(usize, u32)> = pins.collect();
        pins.sort_unstable();
        let member = |(number, group): (usize, &BTreeSet<InstanceId>)| {
            if group.contains(ids[at]) { 1_u64 << number.min(MOST_GROUPS) } else { 0 }
        };
        let class = Class {
            node,
            element: moves.tables.element(node, instance.element),
            mark: Mark {
                role: moves.target.role_of(ids[at]),
                created: false,
                stuck: matches!(instance.element, Element::Transition(_)),
            },
            pins,
            groups: groups.iter().enumerate().map(member).fold(0, |a, b| a | b),
            children,
        };
        let class = moves.classes.number(class);
        classes[at] = Some(class);
        class
    }
}
