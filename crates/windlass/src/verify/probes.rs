//! A few runs of a plan that is known to be valid, to see where they end.
//!
//! Two runs that end differently prove that a plan is not deterministic, and what a run brought
//! about is possible. Nothing follows from what no run did.

use std::collections::BTreeSet;

use super::effects::{Effect, Effects, effects};
use crate::application::{Application, GlobalState, InstanceId};
use crate::plan::cover::Cover;
use crate::plan::events::{EventId, Events};
use crate::plan::lives::Lives;
use crate::semantics::replica::{Action, Replica};
use crate::system::System;

/// The most runs, and the most steps times instances of all of them: each step copies a state.
const MOST_RUNS: usize = 24;
const MOST_WORK: usize = 4_000_000;

/// Where some runs end; each in an order and with choices of its own, the same at every call.
pub(super) fn finals(
    replica: &Replica<'_>,
    events: &Events,
    action: impl Fn(EventId) -> Action,
    instances: usize,
) -> Vec<GlobalState> {
    let runs = (MOST_WORK / (events.len() * instances).max(1)).clamp(2, MOST_RUNS);
    let mut finals: BTreeSet<GlobalState> = BTreeSet::new();
    for run in 0..runs as u64 {
        let mut random = Random(run);
        finals.extend(end(replica, events, &action, |count| match run {
            // The plan as it is written, and as nearly backwards as it allows.
            0 => 0,
            1 => count - 1,
            _ => random.below(count),
        }));
    }
    finals.into_iter().collect()
}

/// One run; `pick` chooses among the events that are next and among outcomes.
fn end(
    replica: &Replica<'_>,
    events: &Events,
    action: &impl Fn(EventId) -> Action,
    mut pick: impl FnMut(usize) -> usize,
) -> Option<GlobalState> {
    let mut waits: Vec<usize> = events.ids().map(|id| events.predecessors(id).len()).collect();
    let mut after: Vec<Vec<EventId>> = vec![Vec::new(); events.len()];
    for id in events.ids() {
        for before in events.predecessors(id) {
            after[before.index()].push(id);
        }
    }
    let mut next: BTreeSet<EventId> = events.ids().filter(|id| waits[id.index()] == 0).collect();
    let mut state = replica.initial();
    while !next.is_empty() {
        let event = *next.iter().nth(pick(next.len()))?;
        next.remove(&event);
        let outcomes = replica.step(&state, &action(event)).ok()?;
        let at = pick(outcomes.len());
        state = outcomes.into_iter().nth(at)?;
        for id in &after[event.index()] {
            waits[id.index()] -= 1;
            if waits[id.index()] == 0 {
                next.insert(*id);
            }
        }
    }
    Some(state)
}

/// What is known of the effects: certain is what the cover leaves no choice about, possible what
/// some run did.
pub(super) fn effects_of(
    application: &Application,
    start: &GlobalState,
    finals: &[GlobalState],
    lives: &Lives,
    cover: &Cover,
) -> Effects {
    let settled: BTreeSet<&InstanceId> = lives
        .ids()
        .filter(|id| cover.possible.0[id.index()].last().is_some_and(|last| last.len() == 1))
        .map(|id| &lives.get(id).instance)
        .collect();
    let mut all = Effects::default();
    let seen = effects(application, start, finals);
    for effect in seen.certain {
        let certain = match &effect {
            Effect::Created(id, ..) | Effect::Moved(id, ..) => settled.contains(id),
            // An instance ends with its scale-in, whatever else happens.
            Effect::Destroyed(..) => true,
            Effect::Bound(..) | Effect::Unbound(..) | Effect::Gained(..) | Effect::Lost(..) => {
                false
            }
        };
        all.add(effect, certain);
    }
    all.possible.extend(seen.possible);
    all
}

/// Numbers that look random and are the same at every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        let mut word = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0 = word;
        word ^= word >> 30;
        word = word.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word ^= word >> 27;
        (word >> 11) as usize % end.max(1)
    }
}
