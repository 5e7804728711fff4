//! The planning graph of paper 004 (Def. 4.5 and 4.6), walked through exhaustively.
//!
//! Every requirement of every instance of start and goal has a support instance of its own. A
//! vertex is a set of states, because with the policy `any` a path has to be good for every
//! choice. With [`Manner`] operations are arcs as a whole, as plans order them, or their starts
//! and ends are arcs of their own, as the definition has it; and faults are left out, or followed.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{Application, GlobalState, NodeId};
use windlass::goal::evaluate::Closure;
use windlass::goal::{Amount, Goal, Want};
use windlass::lifecycle::protocol::Arity;

use super::settle::settle;
use super::state::{Place, State};
use super::workflow::Event;
use super::world::World;

/// Which arcs there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Whether starts and ends of operations are arcs of their own.
    pub(crate) interleaved: bool,
    /// Whether arcs may fault.
    pub(crate) faults: bool,
}

/// What exhaustive search says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// A cheapest path has so many observable actions.
    Length(usize),
    /// Everything was looked at, and nothing is the goal.
    Unreachable,
    /// Too large.
    TooLarge,
}

/// A vertex: where the application may be, and what was created on the way.
type Vertex = (BTreeSet<State>, BTreeSet<String>);

/// The graph of one question.
pub(crate) struct Graph<'a> {
    world: World<'a>,
    application: &'a Application,
    goal: &'a Goal,
    closure: Closure,
    /// By node, the names that may be created, in order.
    pool: BTreeMap<String, Vec<String>>,
    manner: Manner,
    /// Where the start settles, when something in it moves by itself.
    settling: Option<BTreeSet<State>>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(
        application: &'a Application,
        start: &GlobalState,
        goal: &'a Goal,
        closure: Closure,
        manner: Manner,
    ) -> Self {
        let mut given = vec![0_usize; application.nodes.len()];
        for instance in start.instances.values() {
            given[instance.node.index()] += 1;
        }
        for want in &goal.wants {
            if let Want::Node { node, amount, .. } = want {
                given[node.index()] += match amount {
                    Amount::Wanted => application.node(*node).count.max(1) as usize,
                    Amount::Exactly(number) | Amount::AtLeast(number) => *number as usize,
                };
            }
        }
        let mut all = given.clone();
        for (node, count) in given.iter().enumerate() {
            for _ in 0..*count {
                support(application, NodeId::from(node), &mut all);
            }
        }
        let pool = all.iter().enumerate().map(|(node, count)| {
            let name = application.nodes[node].name.clone();
            let names = (0..*count).map(|at| format!("{name}+{at}")).collect();
            (name, names)
        });
        let world = World { application, policy: application.policy };
        let given = State::from_global(application, start);
        let settled = settle(&world, vec![given.clone()]).settled;
        let moves = settled.iter().any(|state| state.active != given.active);
        let settling = (moves || settled.is_empty()).then_some(settled);
        let pool = pool.collect();
        Graph { world, application, goal, closure, pool, manner, settling }
    }

    /// The length of a shortest path, looking at no more than `limit` vertices.
    pub(crate) fn search(&self, start: &State, limit: usize) -> Truth {
        let first: Vertex = (BTreeSet::from([start.clone()]), BTreeSet::new());
        let mut open: BTreeMap<usize, Vec<Vertex>> = BTreeMap::from([(0, vec![first])]);
        let mut done: BTreeSet<Vertex> = BTreeSet::new();
        while let Some((cost, vertices)) = open.pop_first() {
            for vertex in vertices {
                if !done.insert(vertex.clone()) {
                    continue;
                }
                if done.len() > limit {
                    return Truth::TooLarge;
                }
                // An unsettled start is no state that anybody can stay in.
                let is_first = cost == 0 && self.settling.is_some();
                if !is_first && self.is_goal(&vertex) {
                    return Truth::Length(cost);
                }
                for (more, next) in self.arcs(&vertex, is_first) {
                    if !done.contains(&next) {
                        open.entry(cost + more).or_default().push(next);
                    }
                }
            }
        }
        Truth::Unreachable
    }

    /// Every action that is good for every choice.
    fn arcs(&self, (belief, created): &Vertex, is_first: bool) -> Vec<(usize, Vertex)> {
        let some = belief.first().expect("a vertex has a state");
        let mut arcs = Vec::new();
        for id in some.active.keys() {
            if let Some(next) = self.all(belief, &[Event::ScaleIn { id: id.clone() }], is_first) {
                let left = next.first().expect("there is one");
                let gone = |id: &&String| left.active.contains_key(*id);
                let created = created.iter().filter(gone).cloned().collect();
                arcs.push((1, (next, created)));
            }
            for events in self.performances(some, id) {
                if let Some(next) = self.all(belief, &events, is_first) {
                    arcs.push((events.len(), (next, created.clone())));
                }
            }
        }
        for (node, names) in &self.pool {
            // Names of support instances mean nothing: the first that is free stands for all.
            let Some(id) = names.iter().find(|id| !some.active.contains_key(*id)) else { continue };
            let exists = some.instances_of(node).len();
            if exists >= names.len() {
                continue;
            }
            for container in self.containers(some, node) {
                let event = Event::ScaleOut { node: node.clone(), id: id.clone(), container };
                if let Some(next) = self.all(belief, &[event], is_first) {
                    let mut created = created.clone();
                    created.insert(id.clone());
                    arcs.push((1, (next, created)));
                }
            }
        }
        arcs
    }

    /// The operations of an instance, whole or as the start or the end of one.
    fn performances(&self, some: &State, id: &str) -> Vec<Vec<Event>> {
        let active = &some.active[id];
        let operations = self.world.type_of(&active.node).operations.iter();
        let of = |operation: String| {
            let start = Event::Start { id: id.to_owned(), operation: operation.clone() };
            let end = Event::End { id: id.to_owned(), operation };
            match (&active.place, self.manner.interleaved) {
                (Place::In(_), false) => vec![start, end],
                (Place::In(_), true) => vec![start],
                (Place::Doing(_), true) => vec![end],
                (Place::Doing(_), false) => Vec::new(),
            }
        };
        let all = operations.map(|operation| of(operation.name.clone()));
        all.filter(|events| !events.is_empty()).collect()
    }

    fn containers(&self, state: &State, node: &str) -> Vec<Option<String>> {
        let component = self.world.type_of(node);
        let Some(containment) = component.containment() else { return vec![None] };
        let binding = self.world.node(node).binding(containment);
        let Some(home) = binding.map(|b| &self.application.node(b.target).name) else {
            return Vec::new();
        };
        state.instances_of(home).into_iter().map(Some).collect()
    }

    /// The states after some events, when each is good in every state and nothing faults without
    /// leave.
    fn all(
        &self,
        belief: &BTreeSet<State>,
        events: &[Event],
        is_first: bool,
    ) -> Option<BTreeSet<State>> {
        let mut belief = belief.clone();
        for (at, event) in events.iter().enumerate() {
            let mut next = BTreeSet::new();
            for state in &belief {
                let outcome = super::step(&self.world, state, event);
                if !outcome.is_good() {
                    return None;
                }
                let settles = is_first && at == 0 && self.only_settles(state, event, &outcome);
                if outcome.fault && !self.manner.faults && !settles {
                    return None;
                }
                next.extend(outcome.settled);
            }
            belief = next;
        }
        Some(belief)
    }

    /// Whether all that faults with the first action are instances that the faults of the start
    /// move anyway, and no fault is left.
    fn only_settles(&self, before: &State, event: &Event, outcome: &super::Outcome) -> bool {
        let Some(settling) = &self.settling else { return false };
        let actor = match event {
            Event::ScaleOut { id, .. }
            | Event::ScaleIn { id }
            | Event::Start { id, .. }
            | Event::End { id, .. }
            | Event::Atomic { id, .. } => id,
        };
        let moved = |id: &String| {
            settling.iter().any(|state| state.active.get(id) != before.active.get(id))
        };
        outcome.settled.iter().all(|after| {
            let is_fine = |id: &String| match (before.active.get(id), after.active.get(id)) {
                (Some(was), Some(is)) if id == actor => was != is,
                (Some(was), Some(is)) => was == is || moved(id),
                (None, Some(is)) => is.place == self.first_place(&is.node),
                _ => true,
            };
            let pending = super::faults::pending(&self.world, after);
            after.active.keys().all(is_fine) && pending.is_empty()
        })
    }

    fn first_place(&self, node: &str) -> Place {
        let protocol = self.world.type_of(node).protocol().expect("protocols");
        Place::In(protocol.state(protocol.initial).name.clone())
    }

    /// Without an instance, when nothing faults by that.
    fn removed(&self, belief: &BTreeSet<State>, id: &str) -> Option<BTreeSet<State>> {
        let mut next = BTreeSet::new();
        for state in belief {
            let outcome = super::step(&self.world, state, &Event::ScaleIn { id: id.to_owned() });
            if !outcome.is_good() || outcome.fault {
                return None;
            }
            next.extend(outcome.settled);
        }
        Some(next)
    }

    fn holds(&self, belief: &BTreeSet<State>) -> bool {
        belief.iter().all(|state| {
            self.goal.holds(self.application, &state.to_global(self.application), self.closure)
        })
    }

    /// The goal holds, and nothing that was created for support can be taken away again.
    fn is_goal(&self, (belief, created): &Vertex) -> bool {
        let named: BTreeSet<&str> = self
            .goal
            .wants
            .iter()
            .filter_map(|want| match want {
                Want::Node { node, .. } | Want::NodeGone(node) => {
                    Some(self.application.node(*node).name.as_str())
                }
                _ => None,
            })
            .collect();
        let some = belief.first().expect("a vertex has a state");
        let rests = |state: &State| state.active.values().all(|a| matches!(a.place, Place::In(_)));
        self.holds(belief)
            && (!self.manner.interleaved || belief.iter().all(rests))
            && created
                .iter()
                .filter(|id| !named.contains(some.active[*id].node.as_str()))
                .filter_map(|id| self.removed(belief, id))
                .all(|without| !self.holds(&without))
    }
}

/// Def. 4.5: one support instance for each requirement, and those of that instance.
fn support(application: &Application, node: NodeId, all: &mut [usize]) {
    for binding in &application.node(node).bindings {
        let requirement = &application.type_of(node).requirements[binding.requirement.index()];
        let several = match requirement.arity {
            Arity::Any => 1,
            Arity::AtLeast(number) => number.max(1),
            Arity::All => application.node(binding.target).count.max(1),
        };
        for _ in 0..several {
            all[binding.target.index()] += 1;
            support(application, binding.target, all);
        }
    }
}
