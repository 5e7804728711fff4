//! An assembly whose actions are carried out elsewhere: the rules without an action are applied
//! here, and the owner of the actions reports when one starts and when it ends.
//!
//! The numbers and rules are those of a simulated run, so that a real run, a simulated one and the
//! reference cannot diverge; every step is recorded, and tests replay it by the reference.

use super::{Action, Assembly, Engine, Scenario, TransitionId, Waiting};
use crate::application::assembly::{DockId, PlaceId};

/// An assembly under way in real time.
pub struct Live<'a, 'b> {
    engine: Engine<'a, 'b>,
}

impl<'a, 'b> Live<'a, 'b> {
    /// Tokens on the initial places; nothing has started.
    pub fn new(assembly: &'a Assembly<'b>, scenario: &'a Scenario) -> Self {
        let mut engine = Engine::new(assembly, scenario);
        engine.mark_initial();
        Live { engine }
    }

    /// Applies the rules without an action, until a transition can start or nothing moves. The
    /// transitions that can start now; empty when nothing changes by itself any more.
    pub fn settle(&mut self) -> Vec<TransitionId> {
        let engine = &mut self.engine;
        loop {
            if let Some(place) = engine.to_enter.pop_front() {
                engine.enter(place);
            } else if !engine.ready.is_empty() {
                let mut ready: Vec<TransitionId> = engine.ready.drain(..).collect();
                ready.retain(|id| engine.can_fire(*id));
                ready.sort_unstable();
                ready.dedup();
                if !ready.is_empty() {
                    return ready;
                }
            } else if let Some(place) = engine.to_leave.pop_front() {
                engine.leave(place);
            } else {
                return Vec::new();
            }
        }
    }

    /// Whether the premises of rule 1 hold.
    pub fn can_start(&self, id: TransitionId) -> bool {
        self.engine.can_fire(id)
    }

    /// Rule 1; refused when a premise does not hold.
    pub fn start(&mut self, id: TransitionId) -> bool {
        if !self.engine.can_fire(id) {
            return false;
        }
        let assembly = self.engine.assembly;
        let (component, local) = assembly.local_transition(id);
        let source = assembly.dock(component, assembly.net(component).0.transition(local).source);
        self.engine.running += 1;
        self.engine.start(id, component, source);
        true
    }

    /// Rule 2; refused when the transition does not run.
    pub fn end(&mut self, id: TransitionId) -> bool {
        if !self.engine.transition_marked[id.index()] {
            return false;
        }
        self.engine.running -= 1;
        self.engine.end(id);
        true
    }

    /// A transition failed as often as it may: it keeps its token.
    pub fn give_up(&mut self, id: TransitionId) {
        self.engine.given_up.push(id);
    }

    /// A transition that was given up is tried again.
    pub fn retry_abandoned(&mut self, id: TransitionId) {
        self.engine.given_up.retain(|other| *other != id);
    }

    /// Why tokens are not where they should end; empty when every one is.
    pub fn waiting(&self) -> Vec<Waiting> {
        self.engine.waiting()
    }

    /// The places that hold a token, in order.
    pub fn marked_places(&self) -> impl Iterator<Item = PlaceId> {
        let marked = self.engine.place_marked.iter().enumerate();
        marked.filter(|(_, marked)| **marked).map(|(at, _)| PlaceId::from(at))
    }

    /// The transitions that hold a token, in order: they run, or have failed.
    pub fn marked_transitions(&self) -> impl Iterator<Item = TransitionId> {
        let marked = self.engine.transition_marked.iter().enumerate();
        marked.filter(|(_, marked)| **marked).map(|(at, _)| TransitionId::from(at))
    }

    /// The docks that hold a token, in order: before a transition or before a place.
    pub fn marked_docks(&self) -> impl Iterator<Item = DockId> {
        let marked = self.engine.dock_marked.iter().enumerate();
        marked.filter(|(_, marked)| **marked).map(|(at, _)| DockId::from(at))
    }

    /// Every rule applied so far, when the scenario asks for a trace.
    pub fn trace(&self) -> impl Iterator<Item = Action> {
        self.engine.schedule.trace.iter().map(|(_, action)| *action)
    }
}
