//! What the rules say to an operation that is about to start, and what follows from its end.

use std::collections::BTreeSet;

use windlass::application::{Faults, NodeId};
use windlass::lifecycle::protocol::{RequirementId, TransitionId};
use windlass::semantics::Semantics;
use windlass::semantics::protocol::observe::{self, Handled};
use windlass::semantics::protocol::{self, Action, Blocked, States};
use windlass::system::System;

use super::super::{Note, PlanError, Refusal};
use super::{Running, SingleMachine};

impl SingleMachine<'_> {
    /// A fault in words.
    fn fault(&self, states: &States, node: NodeId, requirement: RequirementId) -> String {
        let (id, requirement) = (self.name(node), self.requirement_name(node, requirement));
        let state = self.state_name(node, states.of(node));
        format!("`{id}` in `{state}` lacks `{requirement}`")
    }

    fn explain(&self, blocked: &Blocked) -> String {
        self.rules.explain(blocked)
    }

    /// What the rules say to an operation now: the transition that it would be.
    pub(super) fn allowed(&self, node: NodeId, action: &Action) -> Result<TransitionId, Refusal> {
        let refused = |blocked: Blocked| Refusal::Blocked(self.explain(&blocked));
        let after = self.template().step(&self.states, action).map_err(refused)?;
        if self.application.faults == Faults::Handled {
            // Handlers lead on from wherever it leads.
            self.rules.step(&self.states, action).map_err(refused)?;
        }
        let (Action::Perform { operation, .. }, to) = (*action, after.first().of(node)) else {
            return Err(Refusal::NoOperation);
        };
        let protocol = self.template().protocol(node);
        let all = protocol::intensional(protocol, self.states.of(node), operation).into_iter();
        let mut fits = all
            .filter(|id| protocol.transition(*id).to == to && self.holds(&self.states, node, *id));
        fits.next().ok_or(Refusal::NoTransition)
    }

    /// Whether everything that a transition needs is offered.
    fn holds(&self, states: &States, node: NodeId, transition: TransitionId) -> bool {
        let needs = &self.template().protocol(node).transition(transition).requires;
        needs.iter().all(|requirement| self.template().is_offered(states, node, *requirement))
    }

    pub(super) fn after(&self, states: &States, node: NodeId, transition: TransitionId) -> States {
        states.with(node, self.template().protocol(node).transition(transition).to)
    }

    /// Why an operation may not run at the same time as those that do; else whether it has to be
    /// alone.
    pub(super) fn check_overlap(
        &self,
        node: NodeId,
        transition: TransitionId,
    ) -> Result<bool, Refusal> {
        let label = |running: &Running| {
            let step = self.progress.step(running.task);
            step.map_or_else(String::new, |step| step.label.clone())
        };
        let first = self.running.values().next();
        if let Some(other) = first.filter(|_| self.alone) {
            return Err(Refusal::RunsAlone(label(other)));
        }
        let after = self.after(&self.states, node, transition);
        if let Some((lacking, requirement)) = self.template().faults(&after).first() {
            let fault = self.fault(&after, *lacking, *requirement);
            if self.application.faults == Faults::Forbidden {
                return Err(Refusal::Inconsistent(fault));
            }
            return match first {
                Some(other) => Err(Refusal::Handlers(label(other))),
                None => Ok(true),
            };
        }
        for (other, running) in &self.running {
            if !self.related[node.index()].contains(other) {
                continue;
            }
            let other_first = self.after(&self.states, *other, running.transition);
            let both = self.after(&after, *other, running.transition);
            let fits = self.holds(&other_first, node, transition)
                && self.holds(&after, *other, running.transition)
                && protocol::is_consistent(self.template(), &both);
            if !fits {
                return Err(Refusal::Overlap(label(running)));
            }
        }
        Ok(false)
    }

    /// Faults settle as far as they may after something happened to a node; what else happened,
    /// in words.
    pub(super) fn settle(&mut self, node: NodeId) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut changed = BTreeSet::from([node]);
        if self.application.faults == Faults::Handled {
            let busy = |node| self.running.contains_key(&node);
            let (states, handled, blocked) = observe::settle(self.template(), &self.states, &busy);
            changed.extend(handled.iter().map(|step| step.node));
            notes.extend(handled.into_iter().map(|step| self.handled(step)));
            let words = blocked.map(|blocked| self.explain(&blocked));
            notes.extend(words.map(|what| Note { what, fault: true }));
            self.states = states;
        } else {
            let faults = self.faults().into_iter();
            notes.extend(faults.map(|what| Note { what, fault: true }));
        }
        for node in changed {
            self.update_view(node);
        }
        self.progress.offer_again();
        notes
    }

    fn handled(&self, Handled { node, requirement, to }: Handled) -> Note {
        let (id, requirement) = (self.name(node), self.requirement_name(node, requirement));
        let what = format!("{id} loses {requirement} and goes to {}", self.state_name(node, to));
        Note { what, fault: true }
    }

    /// All faults, in words.
    fn faults(&self) -> Vec<String> {
        let faults = self.template().faults(&self.states).into_iter();
        faults.map(|(node, requirement)| self.fault(&self.states, node, requirement)).collect()
    }

    /// The faults that nothing takes.
    pub(super) fn pending_faults(&self) -> Option<PlanError> {
        let faults = self.faults();
        let forbidden = self.application.faults == Faults::Forbidden;
        (!faults.is_empty()).then_some(PlanError::Faults { forbidden, faults })
    }

    /// A plan that begins where a fault is pending is one of an operator who gave up what lacks
    /// something: it counts as dead.
    pub(super) fn reap(&mut self) {
        let found = observe::given_up(self.template(), &self.states);
        if let Some((states, dead)) = found {
            self.states = states;
            for node in dead {
                self.update_view(node);
            }
        }
    }
}
