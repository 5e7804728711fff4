//! A worked example of a [`System`] with a compiled form: operations that start and end.
//!
//! `n` independent operations, each idle, then running, then done, have 3^n states. It is the
//! space that a search over the interleavings of a parallel plan has to walk through (004,
//! section 4, without its faults), and the model of our search benchmark.
//!
//! ```
//! use windlass::explore::{self, Compiled, Options};
//! use windlass::system::{Property, Unlimited, example::Operations};
//!
//! let system = Operations::new(4);
//! let finished = |encoded: &[u64]| encoded[0] == 0b10_10_10_10;
//! let always_ends = explore::search(
//!     &Compiled(&system),
//!     Property::Eventually(&finished),
//!     &Options::default(),
//!     &mut Unlimited,
//! );
//! assert!(always_ends.verdict.holds());
//! assert_eq!(always_ends.progress.states, 81);
//! ```

use super::{Compile, Outgoing, Successors, System};

/// How far an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Not started.
    Idle,
    /// Started and not ended.
    Running,
    /// Ended.
    Done,
}

/// Starting or ending one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// The operation with this number starts.
    Start(usize),
    /// The operation with this number ends.
    End(usize),
}

/// The premise that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotPossible {
    /// There is no operation with this number.
    Unknown(usize),
    /// The operation is in another phase than the event needs.
    Phase(Phase),
}

/// So many independent operations.
#[derive(Debug, Clone, Copy)]
pub struct Operations {
    count: usize,
}

/// Operations per word: two bits each.
const PER_WORD: usize = 32;

impl Operations {
    /// `count` operations.
    pub fn new(count: usize) -> Self {
        Self { count }
    }
}

impl System for Operations {
    type State = Vec<Phase>;
    type Action = Event;
    type Blocked = NotPossible;

    fn initial(&self) -> Vec<Phase> {
        vec![Phase::Idle; self.count]
    }

    fn candidates(&self, state: &Vec<Phase>) -> Vec<Event> {
        let next = |(index, phase): (usize, &Phase)| match phase {
            Phase::Idle => Some(Event::Start(index)),
            Phase::Running => Some(Event::End(index)),
            Phase::Done => None,
        };
        state.iter().enumerate().filter_map(next).collect()
    }

    fn step(
        &self,
        state: &Vec<Phase>,
        event: &Event,
    ) -> Result<Successors<Vec<Phase>>, NotPossible> {
        let (index, before, after) = match *event {
            Event::Start(index) => (index, Phase::Idle, Phase::Running),
            Event::End(index) => (index, Phase::Running, Phase::Done),
        };
        let phase = *state.get(index).ok_or(NotPossible::Unknown(index))?;
        if phase != before {
            return Err(NotPossible::Phase(phase));
        }
        let mut next = state.clone();
        next[index] = after;
        Ok(Successors::one(next))
    }
}

impl Compile for Operations {
    fn words(&self) -> usize {
        self.count.div_ceil(PER_WORD).max(1)
    }

    fn encode(&self, state: &Vec<Phase>, into: &mut [u64]) {
        for (index, phase) in state.iter().enumerate() {
            into[index / PER_WORD] |= (*phase as u64) << (2 * (index % PER_WORD));
        }
    }

    fn decode(&self, encoded: &[u64]) -> Vec<Phase> {
        let phase = |index: usize| match encoded[index / PER_WORD] >> (2 * (index % PER_WORD)) & 3 {
            0 => Phase::Idle,
            1 => Phase::Running,
            _ => Phase::Done,
        };
        (0..self.count).map(phase).collect()
    }

    fn successors(&self, encoded: &[u64], out: &mut Outgoing) {
        for index in 0..self.count {
            let (word, shift) = (index / PER_WORD, 2 * (index % PER_WORD));
            let phase = encoded[word] >> shift & 3;
            if phase < 2 {
                let id = 2 * index as u32 + phase as u32;
                out.push(id, encoded)[word] += 1 << shift;
            }
        }
    }

    fn action(&self, _: &[u64], id: u32) -> Event {
        let index = id as usize / 2;
        if id.is_multiple_of(2) { Event::Start(index) } else { Event::End(index) }
    }
}
