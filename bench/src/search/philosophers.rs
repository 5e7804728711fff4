//! Philosophers at a round table: a readable system whose `step` blocks often.

use windlass::system::{Successors, System};

/// So many philosophers. Each takes the fork at the left, then the one at the right, eats, and
/// puts both back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Philosophers(pub(super) usize);

/// What a philosopher has in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Forks {
    Nothing,
    Left,
    Both,
}

/// The premise that failed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Taken {
    LeftFork,
    RightFork,
}

impl System for Philosophers {
    type State = Vec<Forks>;
    type Action = usize;
    type Blocked = Taken;

    fn initial(&self) -> Vec<Forks> {
        vec![Forks::Nothing; self.0]
    }

    fn candidates(&self, _: &Vec<Forks>) -> Vec<usize> {
        (0..self.0).collect()
    }

    fn step(&self, state: &Vec<Forks>, who: &usize) -> Result<Successors<Vec<Forks>>, Taken> {
        let left = (who + self.0 - 1) % self.0;
        let right = (who + 1) % self.0;
        let after = match state[*who] {
            Forks::Nothing if state[left] == Forks::Both => return Err(Taken::LeftFork),
            Forks::Nothing => Forks::Left,
            Forks::Left if state[right] != Forks::Nothing => return Err(Taken::RightFork),
            Forks::Left => Forks::Both,
            Forks::Both => Forks::Nothing,
        };
        let mut next = state.clone();
        next[*who] = after;
        Ok(Successors::one(next))
    }
}
