//! `faults: handled` as a plan sees it: an operation, then handlers until no fault is pending.
//!
//! Operations are refused while a fault is pending anywhere, so between two operations of a plan
//! nothing but handlers (and hard resets, where asked for) can happen, in any order, until there
//! is nothing left to do. [`Settled`] makes that one step, once for each way it can go.

use std::collections::BTreeSet;

use super::{Action, Blocked, ServiceTemplate, States, handle_fault, hard_reset, perform};
use crate::semantics::Semantics;
use crate::system::{Successors, System};

/// A template whose faults settle after each operation.
#[derive(Debug, Clone)]
pub struct Settled<'a>(pub ServiceTemplate<'a>);

impl Settled<'_> {
    /// What may happen by itself in a state; none when it is settled.
    fn internal(&self, states: &States) -> Result<Option<Vec<States>>, Blocked> {
        let template = &self.0;
        let mut next = Vec::new();
        let mut blocked = None;
        if template.hard_recovery
            && let Some((orphan, _)) = template.orphan(states)
        {
            next.extend(hard_reset(template, states, orphan)?);
        }
        for (node, requirement) in template.faults(states) {
            match handle_fault(template, states, node, requirement) {
                Ok(handled) => next.extend(handled),
                Err(premise) => drop(blocked.get_or_insert(premise)),
            }
        }
        match blocked {
            Some(premise) if next.is_empty() => Err(premise),
            None if next.is_empty() => Ok(None),
            _ => Ok(Some(next)),
        }
    }
}

impl System for Settled<'_> {
    type State = States;
    type Action = Action;
    type Blocked = Blocked;

    fn initial(&self) -> States {
        self.0.initial()
    }

    /// Operations only: everything else happens by itself.
    fn candidates(&self, states: &States) -> Vec<Action> {
        let all = self.0.candidates(states).into_iter();
        all.filter(|action| matches!(action, Action::Perform { .. })).collect()
    }

    fn step(&self, states: &States, action: &Action) -> Result<Successors<States>, Blocked> {
        let Action::Perform { node, operation } = *action else {
            return self.0.step(states, action);
        };
        let mut open = perform(&self.0, states, node, operation)?.into_vec();
        let mut seen: BTreeSet<States> = open.iter().cloned().collect();
        let mut settled = BTreeSet::new();
        while let Some(reached) = open.pop() {
            match self.internal(&reached)? {
                None => drop(settled.insert(reached)),
                Some(next) => {
                    open.extend(next.into_iter().filter(|after| seen.insert(after.clone())));
                }
            }
        }
        let pending = seen.iter().find_map(|states| self.0.faults(states).first().copied());
        Successors::from_vec(settled.into_iter().collect()).ok_or(match pending {
            // Handlers that lead in a cycle never let go of the fault.
            Some((node, requirement)) => Blocked::FaultPending { node, requirement },
            None => Blocked::NotHandled,
        })
    }
}

impl Semantics for Settled<'_> {
    fn describe(&self, action: &Action) -> String {
        self.0.describe(action)
    }

    fn explain(&self, blocked: &Blocked) -> String {
        self.0.explain(blocked)
    }
}
