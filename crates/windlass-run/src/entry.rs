//! What the journal holds: one entry for each decision of the engine and each word of the world.
//!
//! Resuming is folding over these entries, so an entry says all that the state depends on; what is
//! only for people (labels, reasons) stands beside it.

mod plan;

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secrets::Secrets;

pub use plan::JournalPlan;
pub(crate) use plan::undo_step;

/// An order to the world, unique in its deployment.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    JsonSchema,
    Serialize,
    Deserialize,
)]
#[serde(transparent)]
pub struct OrderId(pub u64);

/// Something to be done: a step of the plan, or a transition of the assembly.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Task(pub u32);

/// How an order ended.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum End {
    /// Well.
    Done,
    /// Its command failed, or its process did not come up.
    Failed {
        /// What is known about it.
        reason: String,
    },
    /// It took longer than it may, and was stopped.
    TimedOut,
    /// The operator stopped it.
    Cancelled,
    /// It turned out after a crash that it had not happened.
    NotDone,
}

/// Who knew what became of an order that a crash left in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Witness {
    /// The world itself: the order ran on, or had left its result.
    World,
    /// It may be done again.
    Idempotent,
    /// The check that the action declares.
    Check,
    /// The operator.
    Operator,
}

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To reach a goal.
    Up,
    /// To take everything down.
    Down,
}

/// Where a plan leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// To the goal of the run.
    Goal,
    /// Back to where the run began.
    Back,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The goal holds.
    Reached,
    /// An action failed for good.
    Failed,
    /// An action failed for good, and what had been done was undone.
    RolledBack,
    /// Nothing can start any more, and the goal does not hold.
    Stalled,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// A run begins.
    Begun {
        /// What for.
        purpose: Purpose,
        /// The description and the goal, in our own language.
        application: String,
        /// The folder that relative paths of commands start from.
        directory: String,
        /// The world.
        world: String,
        /// Where everything is, for applications of protocols.
        start: Option<String>,
        /// The orders whose processes run, by instance.
        processes: BTreeMap<String, OrderId>,
    },
    /// A plan is followed from here on.
    Planned {
        /// The plan, in our own language.
        #[schemars(with = "String")]
        plan: JournalPlan,
        /// Where it leads.
        aim: Aim,
        /// Why it was made.
        why: String,
    },
    /// An order is about to be given. `task` is absent for tidying up after a fault.
    Intent {
        /// The order.
        order: OrderId,
        /// What it is part of.
        task: Option<Task>,
        /// The instance whose process it is about.
        instance: String,
        /// For people.
        label: String,
        /// Which try it is, from 0.
        attempt: u32,
    },
    /// An order ended.
    Outcome {
        /// The order.
        order: OrderId,
        /// How.
        end: End,
        /// Who knew, when the engine had died meanwhile.
        witness: Option<Witness>,
    },
    /// A task failed for good.
    GaveUp {
        /// The task.
        task: Task,
        /// For people.
        label: String,
        /// Why.
        reason: String,
    },
    /// A task that failed for good is tried again, because the operator said so.
    TakenUp {
        /// The task.
        task: Task,
    },
    /// The process of an instance died.
    Observed {
        /// The instance.
        instance: String,
        /// The order that had started the process.
        order: OrderId,
        /// What is known about it.
        detail: String,
    },
    /// Something that followed from the entry before: a fault that was handled.
    Followed {
        /// In words.
        what: String,
        /// Whether it was a fault.
        fault: bool,
    },
    /// A run is over, until the world or the operator says otherwise.
    Ended {
        /// How.
        ending: Ending,
        /// Why, line by line.
        why: Vec<String>,
        /// Whether it failed because no plan leads on: resuming finds none either.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        no_plan: bool,
    },
}

impl Entry {
    /// The same without secrets in what people and programs said. Names, plans and descriptions are
    /// what the state depends on and hold no secret, so that one which happens to be a word of them
    /// changes nothing there.
    pub(crate) fn redacted(&self, secrets: &Secrets) -> Cow<'_, Entry> {
        if secrets.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut entry = self.clone();
        let redact = |text: &mut String| *text = secrets.redact(text);
        match &mut entry {
            Entry::Outcome { end: End::Failed { reason }, .. } | Entry::GaveUp { reason, .. } => {
                redact(reason);
            }
            Entry::Observed { detail, .. } => redact(detail),
            Entry::Ended { why, .. } => why.iter_mut().for_each(redact),
            Entry::Begun { .. }
            | Entry::Planned { .. }
            | Entry::Intent { .. }
            | Entry::Outcome { .. }
            | Entry::TakenUp { .. }
            | Entry::Followed { .. } => {}
        }
        Cow::Owned(entry)
    }

    /// The word in the column `kind`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Entry::Begun { .. } => "begun",
            Entry::Planned { .. } => "planned",
            Entry::Intent { .. } => "intent",
            Entry::Outcome { .. } => "outcome",
            Entry::GaveUp { .. } => "gave_up",
            Entry::TakenUp { .. } => "taken_up",
            Entry::Observed { .. } => "observed",
            Entry::Followed { .. } => "followed",
            Entry::Ended { .. } => "ended",
        }
    }
}

/// An entry with its place in the journal.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Record {
    /// The run, from 1.
    pub run: u64,
    /// Its place in the run, from 1.
    pub seq: u64,
    /// When, in milliseconds since 1970, or of virtual time.
    pub at: u64,
    /// What.
    pub entry: Entry,
}
