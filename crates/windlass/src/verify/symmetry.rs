//! Which parts of a plan are interchangeable: instances and events that can be swapped with others
//! so that start and plan stay the same.
//!
//! Instances and events are colored by what they are, and then again and again by the colors
//! around them, until no more differences show. What has a color of its own stays where it is. The
//! rest falls into connected parts, for instance one per stack; two parts of the same colors are
//! interchangeable when the swap by color keeps every relation. That is checked, so a part is
//! never taken for another by its colors alone.
//!
//! A swap of such parts maps runs of the plan to runs: everything that the relation of 004 looks at
//! is kept, as long as the policy does not look at names.

use std::collections::{BTreeMap, BTreeSet};

use crate::application::{Application, GlobalState, InstanceId};
use crate::lifecycle::protocol::Sort;
use crate::plan::events::{EventId, Events};
use crate::plan::{Plan, PlanAction};

/// Plans with more instances and events than this are not looked at.
const MOST: usize = 20_000;

/// Instances and events that move together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Its instances.
    pub instances: Vec<InstanceId>,
    /// Its events.
    pub(crate) events: Vec<EventId>,
}

/// The groups of interchangeable parts: of two parts of a group, instances and events correspond
/// by their places. Bindings of replica-unaware requirements are not looked at.
pub fn groups(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    events: &Events,
) -> Vec<Vec<Part>> {
    let graph = SwapGraph::new(application, start, plan, events);
    if graph.names.len() > MOST {
        return Vec::new();
    }
    let colors = graph.colors();
    let mut by_colors: BTreeMap<Vec<usize>, Vec<Vec<usize>>> = BTreeMap::new();
    for mut members in graph.components(&colors) {
        members.sort_by_key(|thing| colors[*thing]);
        let of: Vec<usize> = members.iter().map(|thing| colors[*thing]).collect();
        // With a color twice it is not clear what corresponds to what.
        if of.windows(2).all(|pair| pair[0] != pair[1]) {
            by_colors.entry(of).or_default().push(members);
        }
    }
    let mut groups = Vec::new();
    for components in by_colors.into_values() {
        let Some(first) = components.first() else { continue };
        let alike = components.iter().filter(|other| graph.can_swap(first, other));
        let parts: Vec<Part> = alike.map(|component| graph.part(component)).collect();
        if parts.len() > 1 {
            groups.push(parts);
        }
    }
    groups
}

/// By event: the number of its part, or 0 for what stays.
pub fn part_of(groups: &[Vec<Part>], events: &Events) -> Vec<usize> {
    let mut parts = vec![0; events.len()];
    for (at, part) in groups.iter().flatten().enumerate() {
        part.events.iter().for_each(|event| parts[event.index()] = at + 1);
    }
    parts
}

/// The graph of instances, then events, by their relations.
struct SwapGraph {
    ids: Vec<InstanceId>,
    /// What each vertex is, without its name.
    names: Vec<String>,
    /// By vertex: which relation, and to what. Each relation stands on both ends.
    relations: Vec<BTreeSet<(String, usize)>>,
}

impl SwapGraph {
    fn new(application: &Application, start: &GlobalState, plan: &Plan, events: &Events) -> Self {
        let mut ids: BTreeSet<&InstanceId> = start.instances.keys().collect();
        for step in &plan.steps {
            ids.insert(step.action.instance());
            if let PlanAction::ScaleOut { container: Some(container), .. } = &step.action {
                ids.insert(container);
            }
        }
        ids.extend(start.vertical.values().map(|(_, container)| container));
        ids.extend(start.horizontal.iter().flat_map(|(user, _, target)| [user, target]));
        let ids: Vec<InstanceId> = ids.into_iter().cloned().collect();
        let index: BTreeMap<&InstanceId, usize> =
            ids.iter().enumerate().map(|(at, id)| (id, at)).collect();
        let first_event = ids.len();
        let mut names: Vec<String> =
            ids.iter().map(|id| format!("{:?}", start.instance(id))).collect();
        let mut relations = vec![BTreeSet::new(); first_event + events.len()];
        let mut relate = |name: &str, from: usize, to: usize| {
            relations[from].insert((format!("{name} to"), to));
            relations[to].insert((format!("{name} from"), from));
        };
        for (id, (requirement, container)) in &start.vertical {
            relate(&format!("in {requirement:?}"), index[id], index[container]);
        }
        for (user, requirement, target) in &start.horizontal {
            let node = start.instance(user).map(|instance| instance.node);
            let sort = node.map(|n| application.type_of(n).requirements[requirement.index()].sort);
            if sort != Some(Sort::ReplicaUnaware) {
                relate(&format!("bound {requirement:?}"), index[user], index[target]);
            }
        }
        for event in events.ids() {
            let at = first_event + event.index();
            let of = events.get(event);
            let action = &plan.steps[of.step].action;
            relate("of", at, index[action.instance()]);
            let what = match action {
                PlanAction::Operation { operation, .. } => operation.as_str(),
                PlanAction::ScaleIn { .. } => "",
                PlanAction::ScaleOut { node, container, .. } => {
                    if let Some(container) = container {
                        relate("created in", at, index[container]);
                    }
                    node
                }
            };
            names.push(format!("{:?} {what}", of.kind));
            for before in events.predecessors(event) {
                relate("after", at, first_event + before.index());
            }
        }
        drop(index);
        SwapGraph { ids, names, relations }
    }

    /// A color for each vertex: those that a swap could exchange have the same.
    fn colors(&self) -> Vec<usize> {
        let mut colors = numbered(&self.names);
        loop {
            let around = |thing: usize| -> Vec<(&str, usize)> {
                let relations = self.relations[thing].iter();
                let mut around: Vec<_> =
                    relations.map(|(name, to)| (name.as_str(), colors[*to])).collect();
                around.sort_unstable();
                around
            };
            let refined: Vec<_> = (0..colors.len()).map(|at| (colors[at], around(at))).collect();
            let refined = numbered(&refined);
            if count(&refined) == count(&colors) {
                return refined;
            }
            colors = refined;
        }
    }

    /// The connected parts of what does not have a color of its own.
    fn components(&self, colors: &[usize]) -> Vec<Vec<usize>> {
        let mut sizes = vec![0; colors.len()];
        for color in colors {
            sizes[*color] += 1;
        }
        let moves = |thing: usize| sizes[colors[thing]] > 1;
        let mut seen = vec![false; colors.len()];
        let mut components = Vec::new();
        for first in (0..colors.len()).filter(|thing| moves(*thing)) {
            let mut component = Vec::new();
            let mut open = vec![first];
            while let Some(thing) = open.pop() {
                if moves(thing) && !std::mem::replace(&mut seen[thing], true) {
                    component.push(thing);
                    open.extend(self.relations[thing].iter().map(|(_, to)| *to));
                }
            }
            if !component.is_empty() {
                components.push(component);
            }
        }
        components
    }

    /// Whether the swap of two components, whose members correspond by their places, keeps
    /// everything. There is no relation between different components.
    fn can_swap(&self, one: &[usize], other: &[usize]) -> bool {
        let across: BTreeMap<usize, usize> =
            one.iter().copied().zip(other.iter().copied()).collect();
        one.iter().zip(other).all(|(a, b)| {
            let image = |(name, to): &(String, usize)| {
                (name.clone(), across.get(to).copied().unwrap_or(*to))
            };
            let images: BTreeSet<_> = self.relations[*a].iter().map(image).collect();
            self.names[*a] == self.names[*b] && images == self.relations[*b]
        })
    }

    fn part(&self, component: &[usize]) -> Part {
        let mut part = Part::default();
        for thing in component {
            match self.ids.get(*thing) {
                Some(id) => part.instances.push(id.clone()),
                None => part.events.push(EventId((thing - self.ids.len()) as u32)),
            }
        }
        part
    }
}

/// The place of each item among the distinct ones.
fn numbered<T: Ord>(items: &[T]) -> Vec<usize> {
    let distinct: BTreeSet<&T> = items.iter().collect();
    let distinct: Vec<&T> = distinct.into_iter().collect();
    items.iter().map(|item| distinct.binary_search(&item).unwrap_or_default()).collect()
}

fn count(colors: &[usize]) -> usize {
    colors.iter().max().map_or(0, |most| most + 1)
}
