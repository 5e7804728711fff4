//! The way back of an assembly: what has been done is undone by its `compensate`, last first.
//!
//! A transition is undone when everything that began after its end has been: what ran at the same
//! time is undone at the same time. The rule `compensate` of the semantics is about a transition in
//! trouble; here it is applied to the whole run, from its last transition to its first.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::assembly::{Assembly, TransitionId};
use windlass::lifecycle::implementation::Effect;

use super::history::Span;
use crate::entry::Task;
use crate::machine::{Obstacle, Refusal};

/// Whether a crash in the middle of undoing can be mended by undoing again. A check that says
/// whether something has been done does not say whether it has been undone.
pub(super) fn effect(declared: Option<&Effect>) -> Effect {
    match declared {
        Some(Effect::Idempotent) => Effect::Idempotent,
        _ => Effect::AtMostOnce,
    }
}

/// Transitions that are being undone.
#[derive(Debug, Clone, Default)]
pub(super) struct Undoing {
    left: BTreeMap<TransitionId, Span>,
    running: BTreeSet<TransitionId>,
    failed: BTreeSet<TransitionId>,
    offered: BTreeSet<TransitionId>,
}

impl Undoing {
    /// Nothing of these transitions is undone yet.
    pub(super) fn new(left: BTreeMap<TransitionId, Span>) -> Self {
        Undoing { left, ..Undoing::default() }
    }

    /// Nothing that is left began after the end of this one.
    fn is_last(&self, id: TransitionId) -> bool {
        let latest = self.left.values().map(|span| span.began).max().unwrap_or(0);
        self.left.get(&id).is_some_and(|span| span.ended.is_none_or(|ended| ended > latest))
    }

    pub(super) fn ready(&mut self) -> Vec<Task> {
        let fresh = self.left.keys().filter(|id| !self.offered.contains(*id) && self.is_last(**id));
        let fresh: Vec<TransitionId> = fresh.copied().collect();
        self.offered.extend(&fresh);
        fresh.into_iter().map(|id| Task(id.0)).collect()
    }

    pub(super) fn start(&mut self, id: TransitionId) -> Result<(), Refusal> {
        if !self.is_last(id) || !self.running.insert(id) {
            return Err(Refusal::NotItsTurn);
        }
        Ok(())
    }

    pub(super) fn end(&mut self, id: TransitionId) -> Result<(), Refusal> {
        if !self.running.remove(&id) {
            return Err(Refusal::NotRunning);
        }
        self.left.remove(&id);
        Ok(())
    }

    pub(super) fn give_up(&mut self, id: TransitionId) {
        self.failed.insert(id);
    }

    pub(super) fn retry_abandoned(&mut self, id: TransitionId) {
        self.failed.remove(&id);
    }

    pub(super) fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    pub(super) fn left(&self) -> impl Iterator<Item = TransitionId> {
        self.left.keys().copied()
    }

    /// What keeps those that are left.
    pub(super) fn obstacles(&self, assembly: &Assembly<'_>) -> Vec<Obstacle> {
        let obstacle = |id: &TransitionId| {
            let action = format!("undo {}", assembly.transition_name(*id));
            if self.failed.contains(id) {
                return Some(Obstacle::Failed { action });
            }
            let waits = !self.running.contains(id);
            waits.then_some(Obstacle::UndoneLater { action })
        };
        self.left.keys().filter_map(obstacle).collect()
    }
}
