//! Small systems shared by the tests: a counter, graphs given by their edges, philosophers, and
//! interchangeable replicas.

use super::{Compile, Outgoing, Successors, System};

/// Counts from 0 to `last`, then begins again when `wraps`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counter {
    pub(crate) last: u32,
    pub(crate) wraps: bool,
}

impl System for Counter {
    type State = u32;
    type Action = &'static str;
    type Blocked = ();

    fn initial(&self) -> u32 {
        0
    }

    fn candidates(&self, _: &u32) -> Vec<&'static str> {
        vec!["tick", "reset"]
    }

    fn step(&self, state: &u32, action: &&'static str) -> Result<Successors<u32>, ()> {
        match *action {
            "tick" if *state < self.last => Ok(Successors::one(state + 1)),
            "reset" if self.wraps && *state == self.last => Ok(Successors::one(0)),
            _ => Err(()),
        }
    }
}

/// A directed graph: for each node its actions, for each action its targets (none: blocked).
#[derive(Debug, Clone)]
pub(crate) struct Graph(pub(crate) Vec<Vec<Vec<u8>>>);

impl Graph {
    /// A graph whose actions have one target each.
    pub(crate) fn of_edges(nodes: usize, edges: &[(u8, u8)]) -> Self {
        let mut graph = vec![Vec::new(); nodes];
        for (from, to) in edges {
            graph[usize::from(*from)].push(vec![*to]);
        }
        Self(graph)
    }
}

impl System for Graph {
    type State = u8;
    type Action = usize;
    type Blocked = &'static str;

    fn initial(&self) -> u8 {
        0
    }

    fn candidates(&self, node: &u8) -> Vec<usize> {
        (0..self.0[usize::from(*node)].len()).collect()
    }

    fn step(&self, node: &u8, action: &usize) -> Result<Successors<u8>, &'static str> {
        let targets = self.0[usize::from(*node)].get(*action).ok_or("no such action")?;
        Successors::from_vec(targets.clone()).ok_or("no target")
    }
}

impl Compile for Graph {
    fn words(&self) -> usize {
        2
    }

    // Both words carry the node, so that a mistake in the width of states is seen.
    fn encode(&self, node: &u8, into: &mut [u64]) {
        into[0] = u64::from(*node);
        into[1] = !u64::from(*node);
    }

    fn decode(&self, encoded: &[u64]) -> u8 {
        encoded[0] as u8
    }

    fn successors(&self, encoded: &[u64], out: &mut Outgoing) {
        for (action, targets) in self.0[encoded[0] as usize].iter().enumerate() {
            for target in targets {
                self.encode(target, out.push(action as u32, encoded));
            }
        }
    }

    fn action(&self, _: &[u64], id: u32) -> usize {
        id as usize
    }
}

/// Philosophers at a round table. Each takes the fork at the left, then the one at the right,
/// eats, and puts both back; so all can wait with one fork in hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Philosophers(pub(crate) usize);

/// What a philosopher has in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Forks {
    Nothing,
    Left,
    Both,
}

impl System for Philosophers {
    type State = Vec<Forks>;
    type Action = usize;
    type Blocked = ();

    fn initial(&self) -> Vec<Forks> {
        vec![Forks::Nothing; self.0]
    }

    fn candidates(&self, _: &Vec<Forks>) -> Vec<usize> {
        (0..self.0).collect()
    }

    fn step(&self, state: &Vec<Forks>, who: &usize) -> Result<Successors<Vec<Forks>>, ()> {
        let left = (who + self.0 - 1) % self.0;
        let right = (who + 1) % self.0;
        let mut next = state.clone();
        next[*who] = match state[*who] {
            Forks::Nothing if state[left] != Forks::Both => Forks::Left,
            Forks::Left if state[right] == Forks::Nothing => Forks::Both,
            Forks::Both => Forks::Nothing,
            _ => return Err(()),
        };
        Ok(Successors::one(next))
    }
}

/// Interchangeable replicas that pass through so many phases, then start again when `wraps`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replicas {
    pub(crate) count: usize,
    pub(crate) phases: u8,
    pub(crate) wraps: bool,
}

impl System for Replicas {
    type State = Vec<u8>;
    type Action = (usize, u8);
    type Blocked = &'static str;

    fn initial(&self) -> Vec<u8> {
        vec![0; self.count]
    }

    fn candidates(&self, state: &Vec<u8>) -> Vec<(usize, u8)> {
        state.iter().copied().enumerate().collect()
    }

    fn step(
        &self,
        state: &Vec<u8>,
        action: &(usize, u8),
    ) -> Result<Successors<Vec<u8>>, &'static str> {
        let (who, phase) = action;
        if state.get(*who) != Some(phase) {
            return Err("the replica is in another phase");
        }
        let last = self.phases - 1;
        let mut next = state.clone();
        next[*who] = match *phase {
            phase if phase == last && self.wraps => 0,
            phase if phase == last => return Err("the replica is done"),
            phase => phase + 1,
        };
        Ok(Successors::one(next))
    }
}
