//! The events of a plan and the order between them.
//!
//! An operation is two events, its start and its end; a scaling is one. `a` ends before `b` starts
//! for every order edge. Whether one event must come before another is asked all the time, and a
//! closure would need a bit for every pair; so the events are covered by paths, and each event
//! knows how far down every path it reaches ([`Events::at_most`]). A sequence is one path, and
//! unrelated actions share nothing: both need memory in proportion to their length.
//!
//! Instances come into being whenever they like before their first operation, and go whenever they
//! like after their last one: as many such events as there are nodes have no order between them.
//! They are the *fringe*, are known by the one event that they are tied to, and lie on no path of
//! that cover; so what others reach stays as small as the plan is wide.

use std::sync::Arc;

use super::{Plan, PlanAction};

/// An event of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u32);

impl EventId {
    /// As an index into the list of events.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which part of its step an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum EventKind {
    /// An operation starts.
    Start,
    /// An operation ends.
    End,
    /// An operation as a whole, where operations are atomic.
    Whole,
    /// An instance is created.
    ScaleOut,
    /// An instance is destroyed.
    ScaleIn,
}

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The step it belongs to.
    pub step: usize,
    /// Which part of it.
    pub(crate) kind: EventKind,
}

/// How far down the other paths an event reaches: (path, number of its events), sorted by path.
type Reach = Arc<Vec<(u32, u32)>>;

/// The events of a plan with their order.
#[derive(Debug, Clone)]
pub struct Events {
    all: Vec<Event>,
    first: Vec<EventId>,
    predecessors: Vec<Vec<EventId>>,
    topological: Vec<EventId>,
    path: Vec<u32>,
    position: Vec<u32>,
    fringe: Vec<Fringe>,
    cover: Cover,
}

/// How an event is tied to the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fringe {
    /// By several events, or by none.
    Inner,
    /// Nothing comes before it, and only this directly after it.
    Before(EventId),
    /// Nothing comes after it, and only this directly before it.
    After(EventId),
}

/// Paths that cover all events but the fringe, and what is reached along them.
#[derive(Debug, Clone, Default)]
struct Cover {
    path: Vec<u32>,
    position: Vec<u32>,
    reach: Vec<Reach>,
    /// By path and position, how many events of the fringe come before it because of this one and
    /// those before it on the path.
    fringe: Vec<Vec<u32>>,
}

impl Events {
    /// The events of a plan, or the steps of a cycle in its order.
    pub fn new(plan: &Plan) -> Result<Self, Vec<usize>> {
        Self::of(plan, false)
    }

    /// The same for the relations of paper 003: an operation is one event.
    pub fn atomic(plan: &Plan) -> Result<Self, Vec<usize>> {
        Self::of(plan, true)
    }

    fn of(plan: &Plan, atomic: bool) -> Result<Self, Vec<usize>> {
        let steps = plan.topological_order()?;
        let mut events = Vec::with_capacity(2 * plan.steps.len());
        let mut first = Vec::with_capacity(plan.steps.len());
        for (step, planned) in plan.steps.iter().enumerate() {
            first.push(EventId(events.len() as u32));
            match planned.action {
                PlanAction::Operation { .. } if atomic => {
                    events.push(Event { step, kind: EventKind::Whole });
                }
                PlanAction::Operation { .. } => {
                    events.push(Event { step, kind: EventKind::Start });
                    events.push(Event { step, kind: EventKind::End });
                }
                PlanAction::ScaleOut { .. } => {
                    events.push(Event { step, kind: EventKind::ScaleOut });
                }
                PlanAction::ScaleIn { .. } => events.push(Event { step, kind: EventKind::ScaleIn }),
            }
        }
        let last = |step: usize| match events[first[step].index()].kind {
            EventKind::Start => EventId(first[step].0 + 1),
            _ => first[step],
        };
        let mut predecessors = vec![Vec::new(); events.len()];
        for edge in &plan.order {
            predecessors[first[edge.after].index()].push(last(edge.before));
        }
        for (step, start) in first.iter().enumerate() {
            if last(step) != *start {
                predecessors[last(step).index()].push(*start);
            }
        }
        for list in &mut predecessors {
            list.sort_unstable();
            list.dedup();
        }
        let topological = steps.into_iter().flat_map(|step| {
            let (from, to) = (first[step].0, last(step).0);
            (from..=to).map(EventId)
        });
        let topological = topological.collect();
        let count = events.len();
        let mut ordered = Events {
            all: events,
            first,
            predecessors,
            topological,
            path: Vec::new(),
            position: Vec::new(),
            fringe: vec![Fringe::Inner; count],
            cover: Cover::default(),
        };
        (ordered.path, ordered.position) = ordered.cover_by_paths();
        ordered.find_fringe();
        ordered.cover_without_fringe();
        Ok(ordered)
    }

    fn find_fringe(&mut self) {
        // How many events come directly after each, and one of them.
        let mut after: Vec<(usize, EventId)> = vec![(0, EventId(0)); self.len()];
        for event in self.ids() {
            for earlier in &self.predecessors[event.index()] {
                let (count, _) = after[earlier.index()];
                after[earlier.index()] = (count + 1, event);
            }
        }
        for event in self.ids() {
            if let ([], (1, only)) = (&self.predecessors[event.index()][..], after[event.index()]) {
                self.fringe[event.index()] = Fringe::Before(only);
            }
        }
        for event in self.ids() {
            if let ([only], (0, _)) = (&self.predecessors[event.index()][..], after[event.index()])
                && self.fringe[only.index()] == Fringe::Inner
            {
                self.fringe[event.index()] = Fringe::After(*only);
            }
        }
    }

    /// Appends each event to the path of a predecessor that no event continues yet.
    fn cover_by_paths(&self) -> (Vec<u32>, Vec<u32>) {
        let mut continued = vec![false; self.len()];
        let (mut path, mut position) = (vec![0; self.len()], vec![0; self.len()]);
        let mut paths = 0;
        for event in &self.topological {
            let mut before = self.predecessors[event.index()].iter();
            match before.find(|earlier| !continued[earlier.index()]) {
                Some(previous) => {
                    continued[previous.index()] = true;
                    path[event.index()] = path[previous.index()];
                    position[event.index()] = position[previous.index()] + 1;
                }
                None => {
                    path[event.index()] = paths;
                    paths += 1;
                }
            }
        }
        (path, position)
    }

    /// The same without the fringe, and merges what predecessors reach.
    fn cover_without_fringe(&mut self) {
        let nothing: Reach = Arc::new(Vec::new());
        let count = self.len();
        let mut continued = vec![false; count];
        let mut cover = Cover {
            path: vec![0; count],
            position: vec![0; count],
            reach: vec![Arc::clone(&nothing); count],
            fringe: Vec::new(),
        };
        for event in &self.topological {
            if self.fringe[event.index()] != Fringe::Inner {
                continue;
            }
            let all = &self.predecessors[event.index()];
            let is_inner = |earlier: &EventId| self.fringe[earlier.index()] == Fringe::Inner;
            let before: Vec<EventId> = all.iter().copied().filter(is_inner).collect();
            let tied = (all.len() - before.len()) as u32;
            match before.iter().find(|earlier| !continued[earlier.index()]) {
                Some(previous) => {
                    continued[previous.index()] = true;
                    let path = cover.path[previous.index()];
                    cover.path[event.index()] = path;
                    cover.position[event.index()] = cover.position[previous.index()] + 1;
                    let so_far = cover.fringe[path as usize].last().copied().unwrap_or(0);
                    cover.fringe[path as usize].push(so_far + tied);
                }
                None => {
                    cover.path[event.index()] = cover.fringe.len() as u32;
                    cover.fringe.push(vec![tied]);
                }
            }
            cover.reach[event.index()] = cover.merged_reach(*event, &before, &nothing);
        }
        self.cover = cover;
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the plan is empty.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The event with this id.
    pub fn get(&self, id: EventId) -> Event {
        self.all[id.index()]
    }

    /// Every event, in the order of the plan's text.
    pub fn ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.all.len() as u32).map(EventId)
    }

    /// The first event of a step: its start, or its only one.
    pub fn first_of(&self, step: usize) -> EventId {
        self.first[step]
    }

    /// The last event of a step: its end, or its only one.
    pub fn last_of(&self, step: usize) -> EventId {
        let first = self.first[step];
        if self.get(first).kind == EventKind::Start { EventId(first.0 + 1) } else { first }
    }

    /// The events that an event directly waits for.
    pub fn predecessors(&self, id: EventId) -> &[EventId] {
        &self.predecessors[id.index()]
    }

    /// One order of all events that respects the plan.
    pub(crate) fn topological(&self) -> &[EventId] {
        &self.topological
    }

    /// How many events can be the first one, or the last one, whichever are more. Each set of them
    /// has happened in some state on the way, so that the states are two to that power at least.
    pub(crate) fn breadth(&self) -> usize {
        let mut is_last = vec![true; self.len()];
        let mut firsts = 0;
        for event in self.ids() {
            let before = self.predecessors(event);
            firsts += usize::from(before.is_empty());
            for earlier in before {
                is_last[earlier.index()] = false;
            }
        }
        firsts.max(is_last.into_iter().filter(|last| *last).count())
    }

    /// Whether `a` is `b` or must come before it.
    pub fn at_most(&self, a: EventId, b: EventId) -> bool {
        match (self.fringe[a.index()], self.fringe[b.index()]) {
            _ if a == b => true,
            (Fringe::After(_), _) | (_, Fringe::Before(_)) => false,
            (Fringe::Before(next), _) => next == b || self.at_most(next, b),
            (Fringe::Inner, Fringe::After(previous)) => self.at_most(a, previous),
            (Fringe::Inner, Fringe::Inner) => {
                let (path, position) = self.cover.place(a);
                self.cover.count_on_path(path, b) > position
            }
        }
    }

    /// The paths that cover all events, each in its order: an event on a path comes after the one
    /// before it. So a set of events closed downward is known by how much of each path it has.
    pub(crate) fn paths(&self) -> Vec<Vec<EventId>> {
        let count = self.path.iter().max().map_or(0, |last| *last as usize + 1);
        let mut paths = vec![Vec::new(); count];
        for event in &self.topological {
            paths[self.path[event.index()] as usize].push(*event);
        }
        paths
    }

    /// The path on which an event lies, and how many events of it come before.
    pub(crate) fn place(&self, id: EventId) -> (usize, usize) {
        (self.path[id.index()] as usize, self.position[id.index()] as usize)
    }

    /// How many events are among `tops` or before one of them: the length of the shortest run
    /// that contains them all.
    pub(crate) fn count_below(&self, tops: &[EventId]) -> usize {
        let mut all: Vec<(u32, u32)> = Vec::new();
        let mut alone: Vec<EventId> = Vec::new();
        for top in tops {
            let inner = match self.fringe[top.index()] {
                Fringe::Inner => *top,
                Fringe::Before(_) => {
                    alone.push(*top);
                    continue;
                }
                Fringe::After(previous) => {
                    alone.push(*top);
                    previous
                }
            };
            let (path, position) = self.cover.place(inner);
            all.push((path, position + 1));
            all.extend(self.cover.reach[inner.index()].iter());
        }
        all.sort_unstable_by_key(|(path, count)| (*path, std::cmp::Reverse(*count)));
        all.dedup_by_key(|(path, _)| *path);
        alone.sort_unstable();
        alone.dedup();
        // What is before another one of them is counted with that.
        alone.retain(|event| !tops.iter().any(|top| top != event && self.at_most(*event, *top)));
        let tied = |path: u32, count: u32| self.cover.fringe[path as usize][count as usize - 1];
        let counted = all.into_iter().map(|(path, count)| (count + tied(path, count)) as usize);
        counted.sum::<usize>() + alone.len()
    }

    /// The events among `tops` or before one of them, in an order that respects the plan.
    pub(crate) fn below(&self, tops: &[EventId]) -> Vec<EventId> {
        let mut wanted = vec![false; self.all.len()];
        let mut open: Vec<EventId> = tops.to_vec();
        while let Some(event) = open.pop() {
            if !std::mem::replace(&mut wanted[event.index()], true) {
                open.extend(self.predecessors(event));
            }
        }
        self.topological.iter().copied().filter(|event| wanted[event.index()]).collect()
    }
}

impl Cover {
    /// The path on which an event lies, and how many events of it come before.
    fn place(&self, id: EventId) -> (u32, u32) {
        (self.path[id.index()], self.position[id.index()])
    }

    /// How many events of a path are `b` or come before it.
    fn count_on_path(&self, path: u32, b: EventId) -> u32 {
        if self.path[b.index()] == path {
            return self.position[b.index()] + 1;
        }
        let reach = &self.reach[b.index()];
        match reach.binary_search_by_key(&path, |(path, _)| *path) {
            Ok(at) => reach[at].1,
            Err(_) => 0,
        }
    }

    /// What an event reaches, when it is known what those before it do.
    fn merged_reach(&self, event: EventId, before: &[EventId], nothing: &Reach) -> Reach {
        let own = self.path[event.index()];
        if let [only] = before
            && self.path[only.index()] == own
        {
            return Arc::clone(&self.reach[only.index()]);
        }
        let mut all: Vec<(u32, u32)> = Vec::new();
        for previous in before {
            all.extend(self.reach[previous.index()].iter());
            all.push((self.path[previous.index()], self.position[previous.index()] + 1));
        }
        all.retain(|(path, _)| *path != own);
        if all.is_empty() {
            return Arc::clone(nothing);
        }
        // What each of them reaches is in order: a stable sort merges such runs.
        all.sort_by_key(|(path, count)| (*path, std::cmp::Reverse(*count)));
        all.dedup_by_key(|(path, _)| *path);
        Arc::new(all)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::plan_of;
    use super::*;

    /// The obvious way: walk backwards.
    fn reaches(events: &Events, a: EventId, b: EventId) -> bool {
        events.below(&[b]).contains(&a)
    }

    proptest! {
        #[test]
        fn the_cover_agrees_with_walking_backwards(
            operations in proptest::collection::vec(any::<bool>(), 1..12),
            edges in proptest::collection::vec((0_usize..12, 0_usize..12), 0..30),
        ) {
            let count = operations.len();
            let edges: Vec<_> = edges
                .into_iter()
                .map(|(a, b)| (a % count, b % count))
                .filter(|(a, b)| a < b)
                .collect();
            let events = Events::new(&plan_of(&operations, &edges)).expect("edges go upward");
            for a in events.ids() {
                prop_assert_eq!(events.count_below(&[a]), events.below(&[a]).len());
                for b in events.ids() {
                    prop_assert_eq!(events.at_most(a, b), reaches(&events, a, b));
                    prop_assert_eq!(events.count_below(&[a, b]), events.below(&[a, b]).len());
                }
            }
        }
    }

    #[test]
    fn a_sequence_is_one_path_and_unrelated_steps_share_nothing() {
        let sequence = plan_of(&[true; 50], &[]).into_sequence();
        let events = Events::new(&sequence).expect("a sequence has no cycle");
        assert!(events.cover.reach.iter().all(|reach| reach.is_empty()));
        let events = Events::new(&plan_of(&[true; 50], &[])).expect("no edges, no cycle");
        assert!(events.cover.reach.iter().all(|reach| reach.is_empty()));
    }

    /// Lives in layers of five: an instance and its operation, after two of the layer before.
    #[test]
    fn what_is_reached_is_as_small_as_the_plan_is_wide() {
        let edges = (0..500).flat_map(|at| {
            let before = [5, 4].map(|back| usize::checked_sub(at, back));
            let before = before.into_iter().flatten().map(move |it| (2 * it + 1, 2 * at + 1));
            before.chain([(2 * at, 2 * at + 1)])
        });
        let edges: Vec<_> = edges.collect();
        let events = Events::new(&plan_of(&[false, true].repeat(500), &edges)).expect("upward");
        assert!(events.cover.reach.iter().all(|reach| reach.len() <= 5));
    }
}
