//! Whether the invariants of a goal hold in every order that a plan allows.
//!
//! Where nothing faults, a set of events that is closed downward says where every instance is, and
//! invariants look at the instances of some nodes only: what they see changes with the events that
//! enter a stage of one of those. Every closed set of all events holds a closed set of those
//! events, and every closed set of those is held by one of all events, what lies below it. So it
//! is enough to look at the closed sets of those events. Where all invariants are bounds on
//! numbers, that is a matching (`cuts.rs`); else they are listed, no more than `MOST` of them.

pub(crate) mod cuts;

use std::collections::BTreeSet;

use self::cuts::{Bound, Watched};
use crate::application::{Application, GlobalState, Instance, InstanceId};
use crate::goal::evaluate::Closure;
use crate::goal::{Goal, GoalFile};
use crate::plan::Plan;
use crate::plan::events::{EventId, Events};
use crate::plan::lives::{Life, Lives};

/// How many closed sets are looked at; where there are more, nothing is known.
const MOST: usize = 2_000;

/// What has to hold on the way.
#[derive(Debug, Clone, Copy)]
pub struct Invariants<'a> {
    /// By node, whether the invariants look at its instances.
    pub watched: &'a [bool],
    /// The invariants.
    pub file: &'a GoalFile,
}

impl Invariants<'_> {
    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        !self.watched.contains(&true)
    }

    /// Whether they hold in every order that a plan free of faults allows, as far as that is known.
    pub fn hold(&self, application: &Application, start: &GlobalState, plan: &Plan) -> bool {
        let Ok(events) = Events::new(plan) else { return false };
        let Ok(lives) = Lives::new(application, start, plan, &events) else { return false };
        let (seen, rest) = self.look(start, &lives);
        let watched = Watched { application, lives: &seen, rest: &rest };
        match cuts::bounds(&watched, self.file) {
            Some(bounds) => bounds.iter().all(|bound| bound.holds(&|a, b| events.at_most(a, b))),
            None => self
                .everywhere(application, &PlanView { events: &events, lives: &seen, rest: &rest }),
        }
    }

    /// The invariants of a plan as bounds on numbers, where they are all such.
    pub(crate) fn bounds(
        &self,
        application: &Application,
        start: &GlobalState,
        plan: &Plan,
    ) -> Option<Vec<Bound>> {
        let events = Events::new(plan).ok()?;
        let lives = Lives::new(application, start, plan, &events).ok()?;
        let (seen, rest) = self.look(start, &lives);
        cuts::bounds(&Watched { application, lives: &seen, rest: &rest }, self.file)
    }

    /// The lives that are looked at, and the instances without any.
    fn look<'a>(&self, start: &GlobalState, lives: &'a Lives) -> (Vec<&'a Life>, GlobalState) {
        let is_watched = |life: &&Life| self.watched[life.node.index()];
        let seen: Vec<&Life> = lives.ids().map(|id| lives.get(id)).filter(is_watched).collect();
        let known: BTreeSet<&InstanceId> = seen.iter().map(|life| &life.instance).collect();
        let mut rest = start.clone();
        rest.instances
            .retain(|id, instance| self.watched[instance.node.index()] && !known.contains(id));
        (seen, rest)
    }

    /// Looks at every closed set, smaller ones first.
    fn everywhere(&self, application: &Application, view: &PlanView<'_>) -> bool {
        let Some(below) = view.below() else { return false };
        let mut open = vec![0_u128];
        let mut known = BTreeSet::from([0_u128]);
        while let Some(done) = open.pop() {
            if known.len() > MOST || !self.allow(application, &view.state(&below, done)) {
                return false;
            }
            for (at, (_, before)) in below.iter().enumerate() {
                let more = done | 1 << at;
                if more != done && before & !done == 0 && known.insert(more) {
                    open.push(more);
                }
            }
        }
        true
    }

    /// Whether they hold in one state.
    pub(crate) fn allow(&self, application: &Application, state: &GlobalState) -> bool {
        let GoalFile { always, never, budget, .. } = self.file;
        let holds = |goal: &Goal| goal.holds(application, state, Closure::Open);
        always.iter().all(holds)
            && !never.iter().any(holds)
            && budget.iter().all(|(node, most)| state.of_node(*node).count() <= *most as usize)
    }
}

/// The part of a plan that invariants look at.
struct PlanView<'a> {
    events: &'a Events,
    lives: &'a [&'a Life],
    /// Instances that nothing happens to.
    rest: &'a GlobalState,
}

impl PlanView<'_> {
    /// The events that change something, each with those of them that come before it, as bits;
    /// none when they are too many.
    fn below(&self) -> Option<Vec<(EventId, u128)>> {
        let stages = self.lives.iter().flat_map(|life| &life.stages);
        let all: BTreeSet<EventId> = stages.filter_map(|stage| stage.enter).collect();
        let all: Vec<EventId> = all.into_iter().collect();
        if all.len() > 128 {
            return None;
        }
        let before = |event: EventId| {
            let earlier = all
                .iter()
                .enumerate()
                .filter(|(_, other)| **other != event && self.events.at_most(**other, event));
            earlier.fold(0_u128, |bits, (at, _)| bits | 1 << at)
        };
        Some(all.iter().map(|event| (*event, before(*event))).collect())
    }

    /// The instances that invariants look at when these events have happened.
    fn state(&self, below: &[(EventId, u128)], done: u128) -> GlobalState {
        let has_happened = |event: EventId| {
            let at = below.binary_search_by_key(&event, |(event, _)| *event);
            at.is_ok_and(|at| done >> at & 1 == 1)
        };
        let mut state = self.rest.clone();
        for life in self.lives {
            let entered = |stage: &&crate::plan::lives::Stage| stage.enter.is_none_or(has_happened);
            let stage = life.stages.iter().take_while(entered).last();
            if let Some(element) = stage.and_then(|stage| stage.element) {
                let instance = Instance { node: life.node, element };
                state.instances.insert(life.instance.clone(), instance);
            }
        }
        state
    }
}
