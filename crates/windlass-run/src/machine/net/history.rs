//! What the transitions of an assembly have done, in this run and in earlier ones.
//!
//! Inside a machine they are numbers of its assembly ([`TransitionLog`]); from one machine to the
//! next, and in the journal, they are names ([`NetHistory`]), because the description may have
//! changed meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::lang::windlass::digest;
use windlass::lifecycle::implementation::{CommandLine, EnvironmentValue};
use windlass::plan::{Plan, PlanAction};

use super::undo::Undoing;
use crate::entry::undo_step;
use crate::machine::{FollowError, PlanError};

/// When a transition began and ended, by the count of such events in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) began: u64,
    /// None while it runs, and for one that failed.
    pub(super) ended: Option<u64>,
}

/// Something that happened to a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Began(TransitionId),
    Ended(TransitionId),
}

/// What an assembly has done.
#[derive(Debug, Clone, Default)]
pub(super) struct TransitionLog {
    events: u64,
    spans: BTreeMap<TransitionId, Span>,
    /// Those that have been done more than once.
    repeated: BTreeSet<TransitionId>,
    /// How many events there were when this run began: it goes back to there.
    floor: u64,
    /// Digests of the commands by which earlier runs have done it.
    commands: BTreeMap<TransitionId, String>,
}

/// What an assembly has done, for another run: transitions by name, with when they began and ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct NetHistory(Vec<TransitionRecord>);

/// One transition of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TransitionRecord {
    transition: String,
    began: u64,
    ended: Option<u64>,
    /// A digest of the command that did it.
    #[serde(default, rename = "by", skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

/// Why a history does not fit an assembly.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryError {
    /// The text of a journal is no history.
    Unreadable(String),
    /// The assembly has no such transition.
    NoTransition(String),
    /// A transition has been done more than once: only its last time is known.
    Repeated(String),
    /// A port that a transition uses was not provided when it began.
    PortNotProvided(String),
    /// Nothing had come to the place where a transition begins.
    PlaceEmpty {
        /// The transition.
        transition: String,
        /// The place.
        place: String,
    },
    /// A transition ended that did not run.
    NotRunning(String),
}

impl fmt::Display for HistoryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryError::Unreadable(why) => out.write_str(why),
            HistoryError::NoTransition(name) => write!(out, "there is no transition `{name}`"),
            HistoryError::Repeated(name) => write!(out, "`{name}` has been done more than once"),
            HistoryError::PortNotProvided(name) => {
                write!(out, "a port that `{name}` uses was not provided when it began")
            }
            HistoryError::PlaceEmpty { transition, place } => {
                write!(out, "nothing had come to `{place}`, where `{transition}` begins now")
            }
            HistoryError::NotRunning(name) => write!(out, "`{name}` does not run"),
        }
    }
}

impl std::error::Error for HistoryError {}

impl NetHistory {
    /// What [`NetHistory::to_text`] wrote into a journal.
    pub(crate) fn from_text(text: &str) -> Result<Self, HistoryError> {
        serde_json::from_str(text).map_err(|error| HistoryError::Unreadable(error.to_string()))
    }

    /// As a journal keeps it: a JSON list with a line for each transition.
    pub(crate) fn to_text(&self) -> String {
        // Words and numbers can always be written.
        let lines: Vec<String> =
            self.0.iter().filter_map(|one| serde_json::to_string(one).ok()).collect();
        format!("[{}]\n", lines.join(",\n "))
    }
}

impl TransitionLog {
    pub(super) fn began(&mut self, id: TransitionId) {
        self.events += 1;
        self.commands.remove(&id);
        let before = self.spans.insert(id, Span { began: self.events, ended: None });
        // One that failed in an earlier run has not been done.
        if before.is_some_and(|span| span.ended.is_some()) {
            self.repeated.insert(id);
        }
    }

    pub(super) fn ended(&mut self, id: TransitionId) {
        self.events += 1;
        if let Some(span) = self.spans.get_mut(&id) {
            span.ended = Some(self.events);
        }
    }

    /// For another run.
    pub(super) fn history(&self, assembly: &Assembly<'_>) -> NetHistory {
        let command = |id: &TransitionId, span: &Span| {
            let own = || (span.began > self.floor).then(|| digest_of(assembly, *id));
            self.commands.get(id).cloned().or_else(own)
        };
        let record = |(id, span): (&TransitionId, &Span)| TransitionRecord {
            transition: assembly.transition_name(*id),
            began: span.began,
            ended: span.ended,
            command: command(id, span),
        };
        NetHistory(self.spans.iter().map(record).collect())
    }

    /// What an assembly has done by a history.
    pub(super) fn restore(
        assembly: &Assembly<'_>,
        history: &NetHistory,
    ) -> Result<Self, HistoryError> {
        let names = names(assembly);
        let mut log = TransitionLog::default();
        for TransitionRecord { transition, began, ended, command } in &history.0 {
            let id = names.get(transition);
            let id = *id.ok_or_else(|| HistoryError::NoTransition(transition.clone()))?;
            log.spans.insert(id, Span { began: *began, ended: *ended });
            log.commands.extend(command.clone().map(|command| (id, command)));
            log.events = log.events.max(*began).max(ended.unwrap_or(0));
        }
        Ok(log)
    }

    /// From here on another run does the same and more, and goes back to here.
    pub(super) fn begin_again(&mut self) {
        self.floor = self.events;
    }

    /// A transition has been undone, and with it what came after it and executes nothing.
    pub(super) fn undone(&mut self, assembly: &Assembly<'_>, id: TransitionId) {
        let Some(span) = self.spans.remove(&id) else { return };
        let since = span.ended.unwrap_or(span.began);
        let does_something = |id: TransitionId| {
            let action = &assembly.net_transition(id).action;
            action.run.is_some() || action.compensate.is_some()
        };
        self.spans.retain(|other, it| it.began < since || does_something(*other));
    }

    /// Whether anything is left of what was done.
    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// What has been done by another command than the assembly has now.
    pub(super) fn outdated(&self, assembly: &Assembly<'_>) -> Vec<TransitionId> {
        let is_outdated = |(id, command): &(&TransitionId, &String)| {
            self.has_done(**id) && **command != digest_of(assembly, **id)
        };
        self.commands.iter().filter(is_outdated).map(|(id, _)| *id).collect()
    }

    /// What began and ended, in the order in which it did; the transition of which that is not
    /// known. What began and failed is left out: it has its beginning before it again.
    pub(super) fn events(&self) -> Result<Vec<Event>, TransitionId> {
        self.refuse_repeated()?;
        let mut events = Vec::new();
        for (id, span) in &self.spans {
            let Some(ended) = span.ended else { continue };
            events.push((span.began, Event::Began(*id)));
            events.push((ended, Event::Ended(*id)));
        }
        events.sort_unstable_by_key(|(at, _)| *at);
        Ok(events.into_iter().map(|(_, event)| event).collect())
    }

    /// Whether a transition has been done.
    fn has_done(&self, id: TransitionId) -> bool {
        self.spans.get(&id).is_some_and(|span| span.ended.is_some())
    }

    /// Of what has been done more than once only the last time is known.
    fn refuse_repeated(&self) -> Result<(), TransitionId> {
        self.repeated.first().map_or(Ok(()), |id| Err(*id))
    }

    /// The plan that undoes what this run has done, or why there is none. Its order is that of the
    /// log: what ran at the same time is undone at the same time.
    pub(super) fn undo_plan(&self, assembly: &Assembly<'_>) -> Result<Plan, PlanError> {
        let name = |id: TransitionId| assembly.transition_name(id);
        self.refuse_repeated().map_err(|id| PlanError::Repeated(name(id)))?;
        let action = |id: &TransitionId| &assembly.net_transition(*id).action;
        let own = || self.spans.iter().filter(|(_, span)| span.began > self.floor);
        let stays = own().filter(|(id, span)| {
            span.ended.is_some() && action(id).run.is_some() && action(id).compensate.is_none()
        });
        let stays: Vec<String> = stays.map(|(id, _)| name(*id)).collect();
        if !stays.is_empty() {
            return Err(PlanError::NoCompensation(stays));
        }
        let undone = own().map(|(id, _)| *id).filter(|id| action(id).compensate.is_some());
        let steps = undone.map(|id| undo_step(&name(id))).collect();
        Ok(Plan { steps, ..Plan::default() })
    }

    /// The undoing that a plan says.
    pub(super) fn undoing(
        &self,
        assembly: &Assembly<'_>,
        plan: &Plan,
    ) -> Result<Undoing, FollowError> {
        let names = names(assembly);
        let mut left = BTreeMap::new();
        for step in &plan.steps {
            let PlanAction::Operation { instance, operation } = &step.action else {
                return Err(FollowError::NoTransition(step.label.clone()));
            };
            let name = format!("{instance}.{operation}");
            let Some(id) = names.get(&name) else { return Err(FollowError::NoTransition(name)) };
            let Some(span) = self.spans.get(id) else { return Err(FollowError::NotDone(name)) };
            left.insert(*id, *span);
        }
        Ok(Undoing::new(left))
    }
}

/// A digest of the command of a transition, the same in every version.
fn digest_of(assembly: &Assembly<'_>, id: TransitionId) -> String {
    let Some(command) = &assembly.net_transition(id).action.run else { return String::new() };
    let (kind, words) = match &command.line {
        CommandLine::Arguments(all) => ("run", all.clone()),
        CommandLine::Shell(script) => ("shell", vec![script.clone()]),
    };
    let environment = command.environment.iter().map(|(name, value)| match value {
        EnvironmentValue::Plain(text) => format!("{name}={text}"),
        EnvironmentValue::Secret(secret) => format!("{name}: {secret}"),
    });
    let environment: Vec<String> = environment.collect();
    digest::of_text(&format!("{kind} {words:?} {:?} {environment:?}", command.directory))
}

fn names(assembly: &Assembly<'_>) -> BTreeMap<String, TransitionId> {
    assembly.transition_ids().map(|id| (assembly.transition_name(id), id)).collect()
}
