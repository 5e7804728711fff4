//! `windlass verify` as one function: picks the relation, asks the tiers in order, and puts
//! together what there is to say about a plan.
//!
//! The relation is that of paper 004 (`replicas.rs`) or of 003 (`template.rs`). The order of the
//! tiers, one file each: a cover (T0a, T0b, T1, T1d: polynomial), then the search (T3) for a
//! shortest failing trace, then repair and beliefs for weak validity. T2 says "not valid" without a
//! search, but neither by a shortest run nor anything about weak validity: it speaks where the
//! search does not finish. What is left then is reported as unknown, with what is known so far.

mod arity;
pub mod belief;
mod bindings;
pub mod despite_faults;
pub mod effects;
pub mod execution;
pub mod explicit;
pub mod fault_free;
mod finals;
pub mod handler_closure;
mod probes;
mod proofs;
mod remarks;
pub(crate) mod reorder;
pub mod repair;
mod replicas;
pub mod story;
pub mod symmetry;
mod template;
#[cfg(test)]
mod tests;

pub use effects::{Effect, Effects};
pub use story::{Counterexample, StoryStep};

use self::repair::Repair;
use crate::application::{Application, Faults, GlobalState, Policy};
use crate::goal::Goal;
use crate::goal::evaluate::Closure;
use crate::plan::Plan;
use crate::plan::cover::Cover;
use crate::semantics::{self, AnySystem, Setting};
use crate::system::{Budget, StopReason};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The description.
    pub application: &'a Application,
    /// Where the plan starts; taken as given and not settled.
    pub start: &'a GlobalState,
    /// The plan; its names fit the application (`plan::fit`).
    pub plan: &'a Plan,
    /// Which provider is bound when several offer.
    pub policy: Policy,
    /// What should hold in the end.
    pub goal: Option<&'a Goal>,
    /// Whether the goal closes the rest of the application.
    pub closure: Closure,
}

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Threads of a search; the answer does not depend on them.
    pub threads: usize,
    /// The most states that evidence lists.
    pub evidence_limit: usize,
    /// The most orders that repair tries.
    pub repair_limit: usize,
    /// Whether the search merges configurations that differ by interchangeable instances only.
    pub symmetry: bool,
    /// The most states that are looked at to see who is bound in the end, of a plan with a cover.
    pub binding_limit: usize,
    /// Whether the exact answer is asked of the search even where a cover exists, e.g. to compare.
    pub search_only: bool,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            threads: 1,
            evidence_limit: 10_000,
            repair_limit: 500,
            symmetry: true,
            binding_limit: 10_000,
            search_only: false,
        }
    }
}

/// The verdict (semantics.md 004 point 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// Every order is good for every choice.
    Valid,
    /// Some order is good for every choice.
    WeaklyValid,
    /// No order is.
    NotValid,
    /// A limit came first.
    Unknown(StopReason),
}

impl Validity {
    /// The word for people and for JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Validity::Valid => "valid",
            Validity::WeaklyValid => "weakly_valid",
            Validity::NotValid => "not_valid",
            Validity::Unknown(_) => "unknown",
        }
    }
}

/// Whether the goal holds in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalAnswer {
    /// In every final state, of which there is at least one.
    Met,
    /// In none.
    NotMet,
    /// In some.
    Sometimes,
}

impl GoalAnswer {
    /// The word for people and for JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            GoalAnswer::Met => "met",
            GoalAnswer::NotMet => "not_met",
            GoalAnswer::Sometimes => "sometimes",
        }
    }
}

/// Everything there is to say about a plan.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The verdict.
    pub validity: Validity,
    /// Whether all runs end with the same instances in the same states; of valid plans only.
    pub deterministic: Option<bool>,
    /// Whether the goal holds in the end; none when none was asked for or nothing is known.
    pub goal: Option<GoalAnswer>,
    /// What the plan changes.
    pub effects: Effects,
    /// A shortest failing run of a plan that is not valid.
    pub counterexample: Option<Counterexample>,
    /// An order that is good for every choice, of a plan that is only weakly valid: the labels of
    /// its events.
    pub witness: Option<Vec<String>>,
    /// Order edges that make the plan fault-free.
    pub repair: Option<Repair>,
    /// The kind of evidence: `cover`, `closed_set`, `trace` or `search`.
    pub evidence: &'static str,
    /// The cover, when the evidence is one.
    pub(crate) cover: Option<Cover>,
    /// Which tier decided.
    pub tier: &'static str,
    /// How many configurations were looked at.
    pub states: usize,
    /// What should be known beside the verdict: faults pending in the start state, actions on one
    /// instance without an order, and effects that are left out.
    pub remarks: Vec<String>,
}

impl Report {
    fn new(validity: Validity, tier: &'static str, evidence: &'static str) -> Self {
        Report {
            validity,
            deterministic: None,
            goal: None,
            effects: Effects::default(),
            counterexample: None,
            witness: None,
            repair: None,
            evidence,
            cover: None,
            tier,
            states: 0,
            remarks: Vec::new(),
        }
    }

    /// What is left to say when the plan has parts that nothing describes: whatever holds for the
    /// others need not hold for the whole.
    #[must_use]
    pub fn undescribed(self) -> Self {
        let unknown = Validity::Unknown(StopReason::Undescribed);
        let Report { tier, states, remarks, .. } = self;
        Report { states, remarks, ..Report::new(unknown, tier, "search") }
    }
}

/// Why a plan cannot be judged at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The order has a cycle through these steps.
    CyclicOrder(Vec<usize>),
    /// The application is one of nets.
    Nets,
    /// The plan scales, or names an instance, where the relation knows one instance of each node.
    NoSuchInstance(usize),
}

/// Judges a plan.
pub fn verify(
    question: &Question<'_>,
    effort: &Effort,
    budget: &mut dyn Budget,
) -> Result<Report, Refused> {
    let wanted = as_the_goal_wants(question);
    let application = wanted.as_ref().unwrap_or(question.application);
    let asked = Question { application, ..*question };
    let setting = Setting {
        start: question.start.clone(),
        policy: Some(question.policy),
        ..Setting::default()
    };
    let mut report = match semantics::system_of(application, setting) {
        AnySystem::Nets => return Err(Refused::Nets),
        AnySystem::Replicas(replica) => replicas::verify(&asked, replica, effort, budget),
        AnySystem::Template(template) => template::verify(&asked, template, effort, budget),
    }?;
    if matches!(report.validity, Validity::Valid | Validity::WeaklyValid) {
        let found = std::mem::take(&mut report.effects);
        report.effects = found.with_replaced(question.start, question.plan);
    }
    report.remarks.extend(remarks::remarks(question));
    Ok(report)
}

/// The application with the counts of the goal, where they are others: a requirement of arity
/// `all` needs as many instances as the application or the goal wants.
fn as_the_goal_wants(question: &Question<'_>) -> Option<Application> {
    if question.application.faults != Faults::Replicas {
        return None;
    }
    let counts = question.goal?.counts();
    let node = |node| &question.application.node(node).count;
    if counts.iter().all(|(id, count)| count == node(*id)) {
        return None;
    }
    let mut application = question.application.clone();
    for (node, count) in counts {
        application.nodes[node.index()].count = count;
    }
    Some(application)
}

/// Whether a goal holds in all, some or none of the final states.
fn goal_answer(question: &Question<'_>, finals: &[GlobalState]) -> Option<GoalAnswer> {
    let goal = question.goal?;
    let holds = |state: &&GlobalState| goal.holds(question.application, state, question.closure);
    let met = finals.iter().filter(holds).count();
    if finals.is_empty() {
        None
    } else if met == finals.len() {
        Some(GoalAnswer::Met)
    } else if met == 0 {
        Some(GoalAnswer::NotMet)
    } else {
        Some(GoalAnswer::Sometimes)
    }
}

/// An event of a plan in words: its label and which part of it.
fn event_label(plan: &Plan, event: crate::plan::events::Event) -> String {
    use crate::plan::events::EventKind;
    let label = &plan.steps[event.step].label;
    match event.kind {
        EventKind::Start => format!("{label} (start)"),
        EventKind::End => format!("{label} (end)"),
        _ => label.clone(),
    }
}
