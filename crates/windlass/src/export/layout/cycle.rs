//! Which edges are turned round so that no cycle is left.
//!
//! The heuristic of Eades, Lin and Smyth: vertices with nothing before them go to the front, with
//! nothing after them to the back, and when neither exists, the one that sends most more than it
//! receives goes to the front. Acyclic graphs are left alone.

use super::Arc;

/// For every arc whether it points against the order that the heuristic finds.
pub(super) fn against(count: usize, arcs: &[Arc]) -> Vec<bool> {
    let place = linear_order(count, arcs);
    arcs.iter().map(|arc| place[arc.from] > place[arc.to]).collect()
}

/// The place of every vertex in an order in which few arcs point backwards.
fn linear_order(count: usize, arcs: &[Arc]) -> Vec<usize> {
    let mut degrees = Degrees::new(count, arcs);
    let (mut front, mut back) = (Vec::new(), Vec::new());
    while front.len() + back.len() < count {
        if let Some(sink) = degrees.sinks.pop_last() {
            degrees.remove(sink);
            back.push(sink);
        } else if let Some(source) = degrees.sources.pop_first() {
            degrees.remove(source);
            front.push(source);
        } else if let Some(next) = degrees.most_generous() {
            degrees.remove(next);
            front.push(next);
        } else {
            break;
        }
    }
    let mut place = vec![0; count];
    for (at, &vertex) in front.iter().chain(back.iter().rev()).enumerate() {
        place[vertex] = at;
    }
    place
}

/// What is left of the graph while vertices are taken out.
struct Degrees {
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    outgoing: Vec<usize>,
    incoming: Vec<usize>,
    left: Vec<bool>,
    sinks: std::collections::BTreeSet<usize>,
    sources: std::collections::BTreeSet<usize>,
}

impl Degrees {
    fn new(count: usize, arcs: &[Arc]) -> Self {
        let mut after = vec![Vec::new(); count];
        let mut before = vec![Vec::new(); count];
        for arc in arcs.iter().filter(|arc| arc.from != arc.to) {
            after[arc.from].push(arc.to);
            before[arc.to].push(arc.from);
        }
        let outgoing: Vec<usize> = after.iter().map(Vec::len).collect();
        let incoming: Vec<usize> = before.iter().map(Vec::len).collect();
        let sinks = (0..count).filter(|&at| outgoing[at] == 0).collect();
        let sources = (0..count).filter(|&at| outgoing[at] > 0 && incoming[at] == 0).collect();
        let left = vec![true; count];
        Degrees { after, before, outgoing, incoming, left, sinks, sources }
    }

    fn remove(&mut self, vertex: usize) {
        self.left[vertex] = false;
        self.sinks.remove(&vertex);
        self.sources.remove(&vertex);
        for &next in &self.after[vertex] {
            self.incoming[next] -= 1;
            if self.left[next] && self.incoming[next] == 0 && self.outgoing[next] > 0 {
                self.sources.insert(next);
            }
        }
        for &previous in &self.before[vertex] {
            self.outgoing[previous] -= 1;
            if self.left[previous] && self.outgoing[previous] == 0 {
                self.sources.remove(&previous);
                self.sinks.insert(previous);
            }
        }
    }

    /// The first of the vertices left that send most more than they receive.
    fn most_generous(&self) -> Option<usize> {
        let left = (0..self.left.len()).filter(|&at| self.left[at]);
        left.min_by_key(|&at| {
            let surplus = self.outgoing[at].cast_signed() - self.incoming[at].cast_signed();
            (std::cmp::Reverse(surplus), at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(count: usize, pairs: &[(usize, usize)]) -> Vec<bool> {
        let arcs: Vec<Arc> = pairs.iter().map(|&(from, to)| Arc { from, to }).collect();
        against(count, &arcs)
    }

    #[test]
    fn nothing_is_turned_without_a_cycle() {
        assert_eq!(turned(4, &[(3, 2), (2, 1), (1, 0), (3, 0)]), [false; 4]);
    }

    #[test]
    fn one_arc_of_a_cycle_is_turned() {
        let turned = turned(4, &[(0, 1), (1, 2), (2, 0), (2, 3)]);
        assert_eq!(turned, [false, false, true, false]);
    }
}
