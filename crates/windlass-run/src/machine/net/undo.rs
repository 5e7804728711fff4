//! The way back of an assembly: what has been done is undone by its `compensate`, last first.
//!
//! A transition is undone when everything that began after its end has been: what ran at the same
//! time is undone at the same time. The rule `compensate` of the semantics is about a transition in
//! trouble; here it is applied to the whole run, from its last transition to its first.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::lang::windlass::digest;
use windlass::lifecycle::implementation::{CommandLine, Effect, EnvironmentValue};

use crate::entry::Task;

/// When a transition began and ended, by the count of such events in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    began: u64,
    /// None while it runs, and for one that failed.
    ended: Option<u64>,
}

/// Something that happened to a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Began(TransitionId),
    Ended(TransitionId),
}

/// What an assembly has done.
#[derive(Debug, Clone, Default)]
pub(super) struct Past {
    events: u64,
    spans: BTreeMap<TransitionId, Span>,
    /// Those that have been done more than once.
    again: BTreeSet<TransitionId>,
    /// How many events there were when this run began: it goes back to there.
    floor: u64,
    /// What earlier runs have done it by, as a digest.
    by: BTreeMap<TransitionId, String>,
}

/// A line of the text that keeps what an assembly has done.
#[derive(Debug, Serialize, Deserialize)]
struct Done {
    transition: String,
    began: u64,
    ended: Option<u64>,
    /// A digest of the command that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

/// A line of the text of a way back.
#[derive(Debug, Serialize, Deserialize)]
struct Undo {
    undo: String,
}

impl Past {
    pub(super) fn began(&mut self, id: TransitionId) {
        self.events += 1;
        self.by.remove(&id);
        let before = self.spans.insert(id, Span { began: self.events, ended: None });
        // One that failed in an earlier run has not been done.
        if before.is_some_and(|span| span.ended.is_some()) {
            self.again.insert(id);
        }
    }

    pub(super) fn ended(&mut self, id: TransitionId) {
        self.events += 1;
        if let Some(span) = self.spans.get_mut(&id) {
            span.ended = Some(self.events);
        }
    }

    /// As a journal keeps it.
    pub(super) fn print(&self, assembly: &Assembly<'_>) -> String {
        let by = |id: &TransitionId, span: &Span| {
            let own = || (span.began > self.floor).then(|| digest_of(assembly, *id));
            self.by.get(id).cloned().or_else(own)
        };
        let done = |(id, span): (&TransitionId, &Span)| Done {
            transition: assembly.transition_name(*id),
            began: span.began,
            ended: span.ended,
            by: by(id, span),
        };
        let all: Vec<Done> = self.spans.iter().map(done).collect();
        lines(&all)
    }

    /// What [`Past::print`] wrote.
    pub(super) fn read(assembly: &Assembly<'_>, text: &str) -> Result<Self, String> {
        let all: Vec<Done> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let names = names(assembly);
        let mut past = Past::default();
        for Done { transition, began, ended, by } in all {
            let id = names.get(&transition).ok_or_else(|| unknown(&transition))?;
            past.spans.insert(*id, Span { began, ended });
            past.by.extend(by.map(|by| (*id, by)));
            past.events = past.events.max(began).max(ended.unwrap_or(0));
        }
        Ok(past)
    }

    /// From here on another run does the same and more, and goes back to here.
    pub(super) fn begin_again(&mut self) {
        self.floor = self.events;
    }

    /// A transition has been undone, and with it what came after it and executes nothing.
    pub(super) fn undone(&mut self, assembly: &Assembly<'_>, id: TransitionId) {
        let Some(span) = self.spans.remove(&id) else { return };
        let since = span.ended.unwrap_or(span.began);
        self.spans.retain(|other, it| it.began < since || executes(assembly, *other) != NOTHING);
    }

    /// Whether anything is left of what was done.
    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// What has been done by another command than the assembly has now.
    pub(super) fn outdated(&self, assembly: &Assembly<'_>) -> Vec<TransitionId> {
        let is_outdated = |(id, by): &(&TransitionId, &String)| {
            self.has_done(**id) && **by != digest_of(assembly, **id)
        };
        self.by.iter().filter(is_outdated).map(|(id, _)| *id).collect()
    }

    /// What began and ended, in the order in which it did; why not when that is not known. What
    /// began and failed is left out: it has its beginning before it again.
    pub(super) fn events(&self, assembly: &Assembly<'_>) -> Result<Vec<Event>, String> {
        self.refuse_repeated(assembly)?;
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
    pub(super) fn has_done(&self, id: TransitionId) -> bool {
        self.spans.get(&id).is_some_and(|span| span.ended.is_some())
    }

    /// Of what has been done more than once only the last time is known.
    fn refuse_repeated(&self, assembly: &Assembly<'_>) -> Result<(), String> {
        let Some(id) = self.again.first() else { return Ok(()) };
        Err(format!("`{}` has been done more than once", assembly.transition_name(*id)))
    }

    /// What has to be undone, or why there is no way back.
    fn to_undo(&self, assembly: &Assembly<'_>) -> Result<Vec<TransitionId>, String> {
        self.refuse_repeated(assembly)?;
        let quoted = |id: &TransitionId| format!("`{}`", assembly.transition_name(*id));
        let has = |id: &TransitionId| executes(assembly, *id);
        let own = || self.spans.iter().filter(|(_, span)| span.began > self.floor);
        let stays = own().filter(|(id, span)| span.ended.is_some() && has(id) == (true, false));
        let stays: Vec<String> = stays.map(|(id, _)| quoted(id)).collect();
        if !stays.is_empty() {
            return Err(format!("nothing says how to undo {}", stays.join(", ")));
        }
        Ok(own().map(|(id, _)| *id).filter(|id| has(id).1).collect())
    }

    /// The text of the way back.
    pub(super) fn plan(&self, assembly: &Assembly<'_>) -> Result<String, String> {
        let all = self.to_undo(assembly)?.into_iter();
        let all = all.map(|id| Undo { undo: assembly.transition_name(id) });
        Ok(lines(&all.collect::<Vec<_>>()))
    }

    /// The way back that a text says.
    pub(super) fn undoing(&self, assembly: &Assembly<'_>, text: &str) -> Result<Undoing, String> {
        let all: Vec<Undo> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let names = names(assembly);
        let mut left = BTreeMap::new();
        for Undo { undo } in all {
            let id = names.get(&undo).ok_or_else(|| unknown(&undo))?;
            let span = self.spans.get(id).ok_or_else(|| format!("`{undo}` has not been done"))?;
            left.insert(*id, *span);
        }
        Ok(Undoing { left, ..Undoing::default() })
    }
}

/// Whether a transition executes something, and something that undoes it.
fn executes(assembly: &Assembly<'_>, id: TransitionId) -> (bool, bool) {
    let action = &assembly.net_transition(id).action;
    (action.run.is_some(), action.compensate.is_some())
}

const NOTHING: (bool, bool) = (false, false);

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

fn unknown(name: &str) -> String {
    format!("there is no transition `{name}`")
}

fn names(assembly: &Assembly<'_>) -> BTreeMap<String, TransitionId> {
    assembly.transition_ids().map(|id| (assembly.transition_name(id), id)).collect()
}

/// A JSON list with a line for each element; words and numbers can always be written.
fn lines<T: Serialize>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().filter_map(|one| serde_json::to_string(one).ok()).collect();
    format!("[{}]\n", all.join(",\n "))
}

/// Whether a crash in the middle of undoing can be mended by undoing again. A check that says
/// whether something has been done does not say whether it has been undone.
pub(super) fn effect(declared: Option<&Effect>) -> Effect {
    match declared {
        Some(Effect::Idempotent) => Effect::Idempotent,
        _ => Effect::AtMostOnce,
    }
}

/// A way back under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Undoing {
    left: BTreeMap<TransitionId, Span>,
    running: BTreeSet<TransitionId>,
    failed: BTreeSet<TransitionId>,
    offered: BTreeSet<TransitionId>,
}

impl Undoing {
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

    pub(super) fn start(&mut self, id: TransitionId) -> Result<(), String> {
        if !self.is_last(id) || !self.running.insert(id) {
            return Err("it is not its turn".to_owned());
        }
        Ok(())
    }

    pub(super) fn end(&mut self, id: TransitionId) -> Result<(), String> {
        if !self.running.remove(&id) {
            return Err("it does not run".to_owned());
        }
        self.left.remove(&id);
        Ok(())
    }

    pub(super) fn give_up(&mut self, id: TransitionId) {
        self.failed.insert(id);
    }

    pub(super) fn take_up(&mut self, id: TransitionId) {
        self.failed.remove(&id);
    }

    pub(super) fn is_done(&self) -> bool {
        self.left.is_empty()
    }

    pub(super) fn left(&self) -> impl Iterator<Item = TransitionId> {
        self.left.keys().copied()
    }

    /// What keeps those that are left, in words.
    pub(super) fn stuck(&self, assembly: &Assembly<'_>) -> Vec<String> {
        let words = |id: &TransitionId| {
            let name = assembly.transition_name(*id);
            if self.failed.contains(id) {
                return Some(format!("`undo {name}` failed"));
            }
            let waits = !self.running.contains(id);
            waits.then(|| format!("`undo {name}` waits for what began after it"))
        };
        self.left.keys().filter_map(words).collect()
    }
}
