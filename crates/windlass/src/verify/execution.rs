//! A plan as a transition system: which events have happened, and where that has led.
//!
//! A configuration is a set of events closed downward together with a state of the application.
//! An event whose predecessors have happened is taken by the step of the application, once per
//! choice. An event that is blocked leads to a configuration that says so and ends there; so does
//! one that leads to a state which the plan may not reach (003: an inconsistent one). The plan is
//! valid when no such configuration can be reached (004 Def. 4.2 and 4.3, where an action must be
//! executable), and the ordinary search, its shortest traces and the
//! ordinary checker of evidence answer that.
//!
//! Invariant: a path of `n` steps has executed `n` events, the failing one included.

mod compiled;

pub use compiled::CompiledExecution;

use crate::plan::events::{EventId, Events};
use crate::system::{Predicate, Successors, System, Trace};

/// How a configuration came out of the last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Condition {
    /// Well.
    Going,
    /// The event was blocked: the state is the one before it.
    Blocked,
    /// The event led to this state, which the plan may not reach.
    Unacceptable,
}

/// What has happened, and where that has led.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration<T> {
    /// How many events of each path of the plan have happened.
    pub executed: Vec<u32>,
    /// The state of the application.
    pub(crate) state: T,
    /// Whether the plan goes on from here.
    pub(crate) condition: Condition,
}

impl<T> Configuration<T> {
    /// Whether the last event failed.
    pub fn has_failed(&self) -> bool {
        self.condition != Condition::Going
    }
}

/// Why an event is not to be taken in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotEnabled {
    /// The plan has failed already.
    Failed,
    /// It has happened.
    Done,
    /// Something must come before it.
    Waits,
}

/// Why a plan fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason<T, B> {
    /// The premise of the event that does not hold.
    Blocked(B),
    /// The state that it leads to and that the plan may not reach.
    Unacceptable(T),
}

/// The end of a failing trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure<T, B> {
    /// The event that fails.
    pub(crate) event: EventId,
    /// How many events were executed before it.
    pub executed: usize,
    /// The state before it.
    pub(crate) before: T,
    /// Why it fails.
    pub(crate) reason: Reason<T, B>,
}

/// The run of a plan in the system `S`.
pub struct Execution<'a, S: System> {
    system: &'a S,
    /// By event.
    actions: Vec<S::Action>,
    paths: Vec<Vec<EventId>>,
    /// By event: its path.
    path: Vec<usize>,
    /// By event: (path, how many of its events must have happened), other paths only.
    waits: Vec<Vec<(usize, u32)>>,
    accepts: Option<Predicate<'a, S::State>>,
}

impl<'a, S: System> Execution<'a, S> {
    /// The run of a plan whose events are the actions that `action` says.
    pub fn new(system: &'a S, events: &Events, action: impl Fn(EventId) -> S::Action) -> Self {
        let place = events.ids().map(|event| events.place(event)).collect();
        Self::along(system, events, action, events.paths(), place)
    }

    /// The same with paths that never go from one part of the plan to another.
    pub fn in_parts(
        system: &'a S,
        events: &Events,
        action: impl Fn(EventId) -> S::Action,
        part: impl Fn(EventId) -> usize,
    ) -> Self {
        let mut paths: Vec<Vec<EventId>> = Vec::new();
        let mut place = vec![(0, 0); events.len()];
        for event in events.topological() {
            // The end of a path of the same part, if the event comes right after it.
            let continues = |before: &EventId| {
                let path: usize = place[before.index()].0;
                part(*before) == part(*event) && paths[path].last() == Some(before)
            };
            let before = events.predecessors(*event).iter().find(|before| continues(before));
            let path = before.map_or(paths.len(), |before| place[before.index()].0);
            if path == paths.len() {
                paths.push(Vec::new());
            }
            place[event.index()] = (path, paths[path].len());
            paths[path].push(*event);
        }
        Self::along(system, events, action, paths, place)
    }

    fn along(
        system: &'a S,
        events: &Events,
        action: impl Fn(EventId) -> S::Action,
        paths: Vec<Vec<EventId>>,
        place: Vec<(usize, usize)>,
    ) -> Self {
        let waits = |event: EventId| {
            let own = place[event.index()].0;
            let places = events.predecessors(event).iter().map(|before| place[before.index()]);
            places
                .filter(|(path, _)| *path != own)
                .map(|(path, at)| (path, at as u32 + 1))
                .collect()
        };
        Self {
            system,
            actions: events.ids().map(action).collect(),
            waits: events.ids().map(waits).collect(),
            paths,
            path: place.into_iter().map(|(path, _)| path).collect(),
            accepts: None,
        }
    }

    /// The same for a plan that may only reach states with this property.
    ///
    /// Paper: 003 Def. 7
    #[must_use]
    pub fn accepting(mut self, accepts: Predicate<'a, S::State>) -> Self {
        self.accepts = Some(accepts);
        self
    }

    /// The system in which the plan runs.
    pub(crate) fn system(&self) -> &'a S {
        self.system
    }

    /// The action that an event is.
    pub(crate) fn action(&self, event: EventId) -> &S::Action {
        &self.actions[event.index()]
    }

    /// How many events there are.
    pub(crate) fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether everything has been executed.
    pub(crate) fn is_complete(&self, configuration: &Configuration<S::State>) -> bool {
        !configuration.has_failed() && self.is_all(&configuration.executed)
    }

    /// Whether so many events of each path are all events.
    pub(super) fn is_all(&self, executed: &[u32]) -> bool {
        self.paths.iter().zip(executed).all(|(path, done)| path.len() == *done as usize)
    }

    /// How many events each path has: what has happened in the end.
    pub fn everything(&self) -> Vec<u32> {
        self.paths.iter().map(|path| path.len() as u32).collect()
    }

    /// Nothing has happened.
    pub(super) fn nothing(&self) -> Vec<u32> {
        vec![0; self.paths.len()]
    }

    /// The events that may come next, in the order of the paths.
    pub(super) fn enabled(&self, executed: &[u32]) -> impl Iterator<Item = EventId> {
        let next = self.paths.iter().zip(executed).filter_map(|(p, done)| p.get(*done as usize));
        next.copied().filter(|event| self.has_waited(*event, executed))
    }

    fn has_waited(&self, event: EventId, executed: &[u32]) -> bool {
        self.waits[event.index()].iter().all(|(path, count)| executed[*path] >= *count)
    }

    /// Why an event may not come next, if so.
    pub(super) fn why_not(&self, event: EventId, executed: &[u32]) -> Option<NotEnabled> {
        let path = self.path[event.index()];
        let position = self.paths[path].iter().position(|other| *other == event);
        let done = executed[path] as usize;
        match position {
            Some(position) if position < done => Some(NotEnabled::Done),
            Some(position) if position == done && self.has_waited(event, executed) => None,
            _ => Some(NotEnabled::Waits),
        }
    }

    /// `executed` with one more event, which may come next.
    pub(super) fn with(&self, executed: &[u32], event: EventId) -> Vec<u32> {
        let mut executed = executed.to_vec();
        executed[self.path[event.index()]] += 1;
        executed
    }

    /// Whether the plan may reach a state.
    pub(super) fn accepts(&self, state: &S::State) -> bool {
        self.accepts.is_none_or(|accepts| accepts(state))
    }

    /// Whether there are states that the plan may not reach.
    pub(super) fn is_selective(&self) -> bool {
        self.accepts.is_some()
    }

    /// Everywhere that an event leads from some states, in order; none when it fails in one.
    pub(super) fn after_all(&self, states: &[S::State], event: EventId) -> Option<Vec<S::State>> {
        let mut reached = Vec::new();
        for state in states {
            reached.extend(self.system.step(state, self.action(event)).ok()?);
        }
        reached.sort();
        reached.dedup();
        reached.iter().all(|state| self.accepts(state)).then_some(reached)
    }

    /// The end of a trace that fails; none when it does not.
    pub fn failure(
        &self,
        trace: &Trace<Configuration<S::State>, EventId>,
    ) -> Option<Failure<S::State, S::Blocked>> {
        let (last, earlier) = trace.steps.split_last()?;
        let event = last.action;
        let before = earlier.last().map_or(&trace.start, |step| &step.after).state.clone();
        let reason = match last.after.condition {
            Condition::Going => return None,
            Condition::Unacceptable => Reason::Unacceptable(last.after.state.clone()),
            Condition::Blocked => {
                Reason::Blocked(self.system.step(&before, self.action(event)).err()?)
            }
        };
        Some(Failure { event, executed: earlier.len(), before, reason })
    }
}

impl<S: System> System for Execution<'_, S> {
    type State = Configuration<S::State>;
    type Action = EventId;
    type Blocked = NotEnabled;

    fn initial(&self) -> Self::State {
        let (executed, state) = (self.nothing(), self.system.initial());
        Configuration { executed, state, condition: Condition::Going }
    }

    fn candidates(&self, configuration: &Self::State) -> Vec<EventId> {
        if configuration.has_failed() {
            return Vec::new();
        }
        self.enabled(&configuration.executed).collect()
    }

    fn step(
        &self,
        configuration: &Self::State,
        event: &EventId,
    ) -> Result<Successors<Self::State>, NotEnabled> {
        if configuration.has_failed() {
            return Err(NotEnabled::Failed);
        }
        if let Some(reason) = self.why_not(*event, &configuration.executed) {
            return Err(reason);
        }
        let Ok(successors) = self.system.step(&configuration.state, self.action(*event)) else {
            let condition = Condition::Blocked;
            return Ok(Successors::one(Configuration { condition, ..configuration.clone() }));
        };
        let executed = self.with(&configuration.executed, *event);
        let reached = |state: S::State| {
            let acceptable = self.accepts(&state);
            let condition = if acceptable { Condition::Going } else { Condition::Unacceptable };
            Configuration { executed: executed.clone(), state, condition }
        };
        Ok(successors.map(reached))
    }
}
