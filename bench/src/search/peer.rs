//! The same models for stateright.

use std::hash::Hash;

use stateright::{Checker, Model};
use windlass::system::System;
use windlass::system::example::{Event, Phase};

use super::Phases;
use crate::case::Work;

/// One of our systems under stateright's search: the same `candidates` and `step`.
struct Adapted<S: System> {
    system: S,
    invariant: fn(&S::State) -> bool,
}

impl<S> Model for Adapted<S>
where
    S: System,
    S::State: Hash,
{
    type State = S::State;
    type Action = S::Action;

    fn init_states(&self) -> Vec<S::State> {
        vec![self.system.initial()]
    }

    fn actions(&self, state: &S::State, actions: &mut Vec<S::Action>) {
        actions.extend(self.system.candidates(state));
    }

    fn next_state(&self, state: &S::State, action: S::Action) -> Option<S::State> {
        self.system.step(state, &action).ok()?.into_iter().next()
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        let holds = |model: &Self, state: &S::State| (model.invariant)(state);
        vec![stateright::Property::always("invariant", holds)]
    }
}

/// The n-operations model as a user of stateright would write it.
struct ByHand(usize);

impl Model for ByHand {
    type State = Phases;
    type Action = Event;

    fn init_states(&self) -> Vec<Phases> {
        vec![vec![Phase::Idle; self.0]]
    }

    fn actions(&self, state: &Phases, actions: &mut Vec<Event>) {
        for (index, phase) in state.iter().enumerate() {
            match phase {
                Phase::Idle => actions.push(Event::Start(index)),
                Phase::Running => actions.push(Event::End(index)),
                Phase::Done => {}
            }
        }
    }

    fn next_state(&self, state: &Phases, action: Event) -> Option<Phases> {
        let mut next = state.clone();
        match action {
            Event::Start(index) => next[index] = Phase::Running,
            Event::End(index) => next[index] = Phase::Done,
        }
        Some(next)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        let holds = |model: &Self, state: &Phases| state.len() == model.0;
        vec![stateright::Property::always("invariant", holds)]
    }
}

/// The same with the state packed into one word.
struct Packed(usize);

impl Model for Packed {
    type State = u64;
    type Action = u32;

    fn init_states(&self) -> Vec<u64> {
        vec![0]
    }

    fn actions(&self, state: &u64, actions: &mut Vec<u32>) {
        actions.extend((0..self.0 as u32).filter(|index| state >> (2 * index) & 3 < 2));
    }

    fn next_state(&self, state: &u64, index: u32) -> Option<u64> {
        Some(state + (1 << (2 * index)))
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        let holds = |_: &Self, state: &u64| state & (state >> 1) & 0x5555_5555_5555_5555_u64 == 0;
        vec![stateright::Property::always("invariant", holds)]
    }
}

fn check<M>(model: M) -> Work
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Hash + PartialEq + Send + Sync + std::fmt::Debug + 'static,
    M::Action: Clone + PartialEq,
{
    let checker = model.checker().threads(1).spawn_bfs().join();
    Work { units: checker.unique_state_count() as u64, bytes: None }
}

/// One of our systems under stateright's search.
pub(super) fn same_step<S>(system: S, invariant: fn(&S::State) -> bool) -> Work
where
    S: System + Send + Sync + 'static,
    S::State: Hash + Send + Sync + 'static,
    S::Action: 'static,
{
    check(Adapted { system, invariant })
}

/// `count` operations, written by hand.
pub(super) fn by_hand(count: usize) -> Work {
    check(ByHand(count))
}

/// `count` operations, written by hand and packed.
pub(super) fn packed(count: usize) -> Work {
    check(Packed(count))
}
