//! The successors of each expanded state by number, and the cycles among them.
//!
//! `eventually` fails on a run that never ends, and a run in a finite space never ends only by
//! going round a cycle. Cycles are found as strongly connected components (Tarjan's algorithm,
//! with its own stack: the depth of a state space is decided by the input). Following paths until
//! a state repeats, without components, misses cycles where paths join.

use std::collections::VecDeque;

/// Edges by source, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub(super) struct Edges {
    /// Where the edges of each source end.
    ends: Vec<usize>,
    targets: Vec<u32>,
}

impl Edges {
    /// Adds an edge of the source that is open.
    pub(super) fn push(&mut self, target: u32) {
        self.targets.push(target);
    }

    /// Closes the open source; the next edges belong to the next one.
    pub(super) fn close(&mut self) {
        self.ends.push(self.targets.len());
    }

    /// The targets of the edges of `source`; none for a state that was not expanded.
    pub(super) fn of(&self, source: u32) -> &[u32] {
        let source = source as usize;
        let Some(end) = self.ends.get(source) else { return &[] };
        let start = if source == 0 { 0 } else { self.ends[source - 1] };
        &self.targets[start..*end]
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<usize>() * self.ends.capacity() + 4 * self.targets.capacity()
    }
}

/// The number that a state does not have yet.
const NONE: u32 = u32::MAX;

/// The strongly connected components of what is reachable from state 0.
pub(super) struct Components {
    /// The component of each state. A component has a greater number than all others that can be
    /// reached from it, so without cycles the numbers are a measure that falls with every step.
    pub(super) of: Vec<u32>,
    /// The first state, in the order of numbers, that lies on a cycle.
    pub(super) on_cycle: Option<u32>,
}

/// Tarjan's algorithm over `states` states.
pub(super) fn components(edges: &Edges, states: usize) -> Components {
    let mut of = vec![NONE; states];
    let mut order = vec![NONE; states];
    let mut low = vec![NONE; states];
    let mut on_cycle: Option<u32> = None;
    let (mut visited, mut closed) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    // A frame is a state and the number of its edges that were followed.
    let mut frames: Vec<(u32, usize)> = Vec::new();
    if states > 0 {
        frames.push((0, 0));
    }
    while let Some((state, followed)) = frames.pop() {
        let at = state as usize;
        if followed == 0 {
            order[at] = visited;
            low[at] = visited;
            visited += 1;
            open.push(state);
        }
        let targets = edges.of(state);
        let mut descend = None;
        let mut next = followed;
        // The edge followed last is looked at again: its target is finished now.
        for (position, target) in targets.iter().enumerate().skip(followed.saturating_sub(1)) {
            let to = *target as usize;
            if order[to] == NONE {
                descend = Some(*target);
                next = position + 1;
                break;
            }
            if of[to] == NONE {
                low[at] = low[at].min(low[to]);
            }
        }
        if let Some(target) = descend {
            frames.push((state, next));
            frames.push((target, 0));
            continue;
        }
        if low[at] == order[at] {
            let start = open.iter().rposition(|other| *other == state).unwrap_or(0);
            let members = open.split_off(start);
            if members.len() > 1 || targets.contains(&state) {
                on_cycle = members.iter().copied().chain(on_cycle).min();
            }
            for member in members {
                of[member as usize] = closed;
            }
            closed += 1;
        }
    }
    Components { of, on_cycle }
}

/// A shortest way from `state` back to itself: the states after each step, `state` last. Empty
/// when there is none.
pub(super) fn shortest_cycle(edges: &Edges, components: &Components, state: u32) -> Vec<u32> {
    let own = components.of[state as usize];
    let mut parent = std::collections::BTreeMap::new();
    let mut queue = VecDeque::from([state]);
    while let Some(from) = queue.pop_front() {
        for target in edges.of(from) {
            if *target == state {
                let mut cycle = vec![state];
                let mut at = from;
                while at != state {
                    cycle.push(at);
                    let Some(before) = parent.get(&at) else { break };
                    at = *before;
                }
                cycle.reverse();
                return cycle;
            }
            if components.of[*target as usize] == own && !parent.contains_key(target) {
                parent.insert(*target, from);
                queue.push_back(*target);
            }
        }
    }
    Vec::new()
}
