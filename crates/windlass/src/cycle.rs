//! Directed graphs by number, and the one search for cycles in them.
//!
//! Three questions have an answer here: which cycles a walk through a graph closes ([`Cycles`]),
//! which vertices lie on a cycle together ([`components`]), and what the shortest cycle through a
//! vertex is ([`shortest_cycle`]). Every search has its own stack: the input decides how deep a
//! graph is.

use std::collections::{BTreeMap, VecDeque};

/// Edges by source, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edges {
    /// Where the edges of each source end.
    ends: Vec<usize>,
    targets: Vec<u32>,
}

impl Edges {
    /// Adds an edge of the source that is open.
    pub(crate) fn push(&mut self, target: u32) {
        self.targets.push(target);
    }

    /// Closes the open source; the next edges belong to the next one.
    pub(crate) fn close(&mut self) {
        self.ends.push(self.targets.len());
    }

    /// The targets of the edges of `source`; none for one that was not closed.
    pub(crate) fn of(&self, source: u32) -> &[u32] {
        let source = source as usize;
        let Some(end) = self.ends.get(source) else { return &[] };
        let start = if source == 0 { 0 } else { self.ends[source - 1] };
        &self.targets[start..*end]
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<usize>() * self.ends.capacity() + 4 * self.targets.capacity()
    }
}

/// The targets of each vertex, in the order of the vertices.
impl<T: IntoIterator<Item = usize>> FromIterator<T> for Edges {
    fn from_iter<I: IntoIterator<Item = T>>(vertices: I) -> Self {
        let mut edges = Edges::default();
        for targets in vertices {
            edges.targets.extend(targets.into_iter().map(|target| target as u32));
            edges.close();
        }
        edges
    }
}

/// A vertex of a cycle and which of its edges leads to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// The vertex.
    pub(crate) vertex: usize,
    /// The number of the edge among those of the vertex.
    pub(crate) edge: usize,
}

/// Where a vertex stands in a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    /// On the path, at this place.
    OnPath(usize),
    Done,
}

/// The cycles that a depth-first walk closes, in its order: from the first vertex, along the first
/// edges. Each vertex is entered once, so there is one cycle for each edge back to the path, and
/// not every cycle that exists; without any there is none.
#[derive(Debug)]
pub(crate) struct Cycles<'a> {
    edges: &'a Edges,
    marks: Vec<Mark>,
    /// Each vertex with the number of its edges that were followed.
    path: Vec<Step>,
    /// Where the next path begins.
    roots: std::ops::Range<usize>,
    are_disjoint: bool,
}

impl<'a> Cycles<'a> {
    /// Of the whole graph.
    pub(crate) fn new(edges: &'a Edges) -> Self {
        let count = edges.ends.len();
        let marks = vec![Mark::New; count];
        Cycles { edges, marks, path: Vec::new(), roots: 0..count, are_disjoint: false }
    }

    /// Of what can be reached from one vertex.
    pub(crate) fn reachable_from(edges: &'a Edges, root: usize) -> Self {
        Cycles { roots: root..root + 1, ..Cycles::new(edges) }
    }

    /// Of the whole graph, no two with a vertex in common: a cycle that was found is taken out.
    pub(crate) fn disjoint(edges: &'a Edges) -> Self {
        Cycles { are_disjoint: true, ..Cycles::new(edges) }
    }

    fn enter(&mut self, vertex: usize) {
        self.marks[vertex] = Mark::OnPath(self.path.len());
        self.path.push(Step { vertex, edge: 0 });
    }

    /// The end of the path, back from where it closes a cycle.
    fn closed_at(&mut self, place: usize) -> Vec<Step> {
        let steps = self.path[place..].iter();
        let cycle = steps.map(|step| Step { edge: step.edge - 1, ..*step }).collect();
        if self.are_disjoint {
            for step in self.path.drain(place..) {
                self.marks[step.vertex] = Mark::Done;
            }
        }
        cycle
    }
}

impl Iterator for Cycles<'_> {
    type Item = Vec<Step>;

    fn next(&mut self) -> Option<Vec<Step>> {
        loop {
            let Some(last) = self.path.last_mut() else {
                let marks = &self.marks;
                let root = self.roots.find(|root| marks[*root] == Mark::New)?;
                self.enter(root);
                continue;
            };
            let Some(target) = self.edges.of(last.vertex as u32).get(last.edge) else {
                self.marks[last.vertex] = Mark::Done;
                self.path.pop();
                continue;
            };
            last.edge += 1;
            let target = *target as usize;
            match self.marks[target] {
                Mark::New => self.enter(target),
                Mark::OnPath(place) => return Some(self.closed_at(place)),
                Mark::Done => {}
            }
        }
    }
}

/// The number that a vertex does not have yet.
const NONE: u32 = u32::MAX;

/// The strongly connected components of a graph.
pub(crate) struct Components {
    /// The component of each vertex. A component has a greater number than all others that can be
    /// reached from it, so without cycles the numbers are a measure that falls with every step.
    pub(crate) of: Vec<u32>,
    /// The first vertex, in the order of numbers, that lies on a cycle.
    pub(crate) on_cycle: Option<u32>,
}

/// Tarjan's algorithm. Following paths until a vertex repeats, without components, misses cycles
/// where paths join.
pub(crate) fn components(edges: &Edges, vertices: usize) -> Components {
    let mut of = vec![NONE; vertices];
    let mut order = vec![NONE; vertices];
    let mut low = vec![NONE; vertices];
    let mut on_cycle: Option<u32> = None;
    let (mut visited, mut closed) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    // A frame is a vertex and the number of its edges that were followed.
    let mut frames: Vec<(u32, usize)> = Vec::new();
    let mut roots = 0..vertices as u32;
    let mut next_frame = |frames: &mut Vec<(u32, usize)>, order: &[u32]| {
        let root = || Some((roots.find(|root| order[*root as usize] == NONE)?, 0));
        frames.pop().or_else(root)
    };
    while let Some((vertex, followed)) = next_frame(&mut frames, &order) {
        let at = vertex as usize;
        if followed == 0 {
            order[at] = visited;
            low[at] = visited;
            visited += 1;
            open.push(vertex);
        }
        let targets = edges.of(vertex);
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
            frames.push((vertex, next));
            frames.push((target, 0));
            continue;
        }
        if low[at] == order[at] {
            let start = open.iter().rposition(|other| *other == vertex).unwrap_or(0);
            let members = open.split_off(start);
            if members.len() > 1 || targets.contains(&vertex) {
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

/// A shortest way from a vertex back to itself: the vertices after each step, itself last. Empty
/// when there is none.
pub(crate) fn shortest_cycle(edges: &Edges, components: &Components, vertex: u32) -> Vec<u32> {
    let own = components.of[vertex as usize];
    let mut parent = BTreeMap::new();
    let mut queue = VecDeque::from([vertex]);
    while let Some(from) = queue.pop_front() {
        for target in edges.of(from) {
            if *target == vertex {
                let mut cycle = vec![vertex];
                let mut at = from;
                while at != vertex {
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

/// The same with the vertex first; none when there is none.
pub(crate) fn shortest_cycle_from(
    edges: &Edges,
    components: &Components,
    vertex: usize,
) -> Option<Vec<usize>> {
    let mut cycle = shortest_cycle(edges, components, vertex as u32);
    let first = cycle.pop()?;
    Some(std::iter::once(first).chain(cycle).map(|vertex| vertex as usize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(targets: &[&[usize]]) -> Edges {
        targets.iter().map(|targets| targets.iter().copied()).collect()
    }

    fn vertices(cycles: Cycles<'_>) -> Vec<Vec<usize>> {
        cycles.map(|cycle| cycle.iter().map(|step| step.vertex).collect()).collect()
    }

    #[test]
    fn every_edge_back_to_the_path_closes_a_cycle() {
        // 0 -> 1 -> 2 -> 0, 2 -> 1, and 3 -> 3 beside them.
        let edges = edges(&[&[1], &[2], &[0, 1], &[0, 3]]);
        assert_eq!(vertices(Cycles::new(&edges)), [vec![0, 1, 2], vec![1, 2], vec![3]]);
        assert_eq!(vertices(Cycles::reachable_from(&edges, 1)), [vec![1, 2, 0], vec![1, 2]]);
        assert_eq!(vertices(Cycles::disjoint(&edges)), [vec![0, 1, 2], vec![3]]);
        let step = Cycles::new(&edges).nth(1).and_then(|cycle| cycle.last().copied());
        assert_eq!(step, Some(Step { vertex: 2, edge: 1 }));
    }

    #[test]
    fn paths_that_join_close_none() {
        let edges = edges(&[&[1, 2], &[3], &[3], &[]]);
        assert_eq!(Cycles::new(&edges).next(), None);
        assert_eq!(components(&edges, 4).on_cycle, None);
    }

    #[test]
    fn a_cycle_that_the_first_vertex_does_not_reach_is_found() {
        let edges = edges(&[&[], &[2, 3], &[1], &[1, 3]]);
        let components = components(&edges, 4);
        assert_eq!(components.on_cycle, Some(1));
        assert!(components.of[1] == components.of[3] && components.of[0] != components.of[1]);
        assert_eq!(shortest_cycle(&edges, &components, 1), [2, 1]);
        assert_eq!(shortest_cycle(&edges, &components, 3), [3]);
        assert_eq!(shortest_cycle(&edges, &components, 0), [0; 0]);
        assert_eq!(shortest_cycle_from(&edges, &components, 1), Some(vec![1, 2]));
        assert_eq!(shortest_cycle_from(&edges, &components, 0), None);
    }
}
