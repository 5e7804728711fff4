//! A deliberately naive reference for the verdicts on plans, for tests only.
//!
//! It reads papers 003 (Def. 5 to 9) and 004 (Def. 3.7 to 4.4) as literally as `semantics.md`
//! allows, over strings and ordered sets, and enumerates everything: every order of the events of
//! a plan, every choice of the connection policy, of the handler and of the alternative
//! transition, and every order in which faults settle. It shares the plain data types with the
//! library (application, global state, plan) and nothing that moves: it must not use
//! `windlass::semantics` or a question such as `windlass::verify`, because it exists to disagree
//! with them.
//!
//! Reading order: `state`, `world`, `faults`, `choice`, `rules`, `settle`, `replicas` (one
//! observable action), `atomic` (the relations of 003), `workflow` (events and their order),
//! `graph` (planning), `validity` (memoised), `literal` (not memoised at all), `text` and
//! `thinking` (fixtures).
//!
//! Readings that neither paper fixes, all in one place:
//! - A start state with a broken instance: rule no-broken-instances lets no action run.
//! - `greedy`: the instances that the node declares, in that order, then the others by id.
//! - `least-loaded`: fewest horizontal bindings, counted after the dropped ones are gone and
//!   before any is added (`ψ` adds them all at once); ties by id.
//! - `at_least n` and `all` look at bindings, as Def. 3.8 does: n bound instances offer; or enough
//!   exist, and each existing one offers. Too few candidates: those are bound.
//! - Several transitions for one operation in one state: each is a choice.
//! - An end of an operation carries no identity beyond instance and operation (Def. 4.1).

#![allow(clippy::expect_used, reason = "tests panic")]

pub(crate) mod atomic;
pub(crate) mod choice;
pub(crate) mod faults;
pub(crate) mod graph;
pub(crate) mod literal;
pub(crate) mod replicas;
pub(crate) mod rules;
pub(crate) mod settle;
pub(crate) mod state;
pub(crate) mod text;
pub(crate) mod thinking;
pub(crate) mod validity;
pub(crate) mod workflow;
pub(crate) mod world;

use std::collections::BTreeSet;

use windlass::application::{Application, Faults, GlobalState, Policy};
use windlass::plan::Plan;

use self::state::State;
use self::workflow::{Event, Refusal, Workflow};
use self::world::World;

/// The three words of semantics.md point 9.
///
/// Paper: 004 Def. 4.3
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// Every order is good for every choice.
    Valid,
    /// Not valid, but some order is good for every choice.
    WeaklyValid,
    /// No order is good for every choice.
    NotValid,
}

/// Everything the reference says about a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// Valid, weakly valid or not valid.
    pub(crate) verdict: Verdict,
    /// Whether all traces end with the same instances in the same states; stated for valid
    /// plans only.
    ///
    /// Paper: 004 Def. 4.4
    pub(crate) deterministic: Option<bool>,
    /// The number of actions executed BEFORE the action that fails, in a shortest failing trace;
    /// none when no trace fails. An action fails when it is not executable, or when it reaches a
    /// fault that no handler takes (replicas), or an inconsistent state (forbidden). Operations
    /// of `forbidden` and `handled` count one, those of `replicas` count two (start and end).
    pub(crate) shortest_failure: Option<usize>,
    /// The least number of actions, the causing one included, after which some requirement is
    /// pending and not resolvable in some trace, be it handled at once or kept by a transition.
    /// A fault that was pending in the start state counts with the first action, which settles it.
    pub(crate) shortest_fault: Option<usize>,
    /// The states in which all actions have been executed, of all traces that get there.
    pub(crate) finals: BTreeSet<State>,
    /// How many pairs (executed actions, state or belief) were looked at.
    pub(crate) configurations: usize,
}

/// Whether the plan reaches a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GoalCheck {
    /// In all final states, of which there is at least one.
    Met,
    /// In none.
    NotMet,
    /// In some.
    Sometimes,
}

impl Judgement {
    /// Compares the final states with a goal; traces that fail have none.
    pub(crate) fn goal(&self, goal: &dyn Fn(&State) -> bool) -> GoalCheck {
        let good = self.finals.iter().filter(|state| goal(state)).count();
        if good == 0 {
            GoalCheck::NotMet
        } else if good == self.finals.len() {
            GoalCheck::Met
        } else {
            GoalCheck::Sometimes
        }
    }

    /// The final states as the library writes them.
    pub(crate) fn global_finals(&self, application: &Application) -> BTreeSet<GlobalState> {
        self.finals.iter().map(|state| state.to_global(application)).collect()
    }
}

/// What one action does to one state, with faults settled: every choice and every order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The states that it may lead to.
    pub(crate) settled: BTreeSet<State>,
    /// Why it fails, at least for some choice; none when it never does.
    pub(crate) failure: Option<String>,
    /// Whether a fault (pending and not resolvable) happens for some choice.
    pub(crate) fault: bool,
}

impl Outcome {
    /// The action cannot be executed.
    pub(crate) fn blocked(why: impl Into<String>) -> Self {
        Outcome { failure: Some(why.into()), ..Outcome::default() }
    }

    /// Good for every choice: executable, and nothing gets stuck.
    pub(crate) fn is_good(&self) -> bool {
        self.failure.is_none() && !self.settled.is_empty()
    }
}

/// One observable action of one state, in the relation that the application declares.
pub(crate) fn step(world: &World<'_>, state: &State, event: &Event) -> Outcome {
    match world.application.faults {
        Faults::Replicas => replicas::step(world, state, event),
        Faults::Forbidden => atomic::step_forbidden(world, state, event),
        Faults::Handled => atomic::step_handled(world, state, event),
    }
}

/// Judges a plan; `Ok(None)` when more than `limit` configurations would be needed.
pub(crate) fn judge(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    policy: Policy,
    limit: usize,
) -> Result<Option<Judgement>, Refusal> {
    let world = World { application, policy };
    let start = State::from_global(application, start);
    let workflow = Workflow::of_plan(application, &start, plan)?;
    Ok(validity::judge(&workflow, &start, &|state, event| step(&world, state, event), limit))
}

/// Whether a plan has a good path in every order; none when that is too large a question.
pub(crate) fn is_lucky_in_every_order(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    policy: Policy,
    limit: usize,
) -> Option<bool> {
    let world = World { application, policy };
    let start = State::from_global(application, start);
    let workflow = Workflow::of_plan(application, &start, plan).ok()?;
    let step = |state: &State, event: &Event| step(&world, state, event);
    validity::is_lucky_in_every_order(&workflow, &start, &step, limit)
}

/// Judges the plan whose actions come in the order in which they are written.
pub(crate) fn judge_sequence(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    policy: Policy,
    limit: usize,
) -> Result<Option<Judgement>, Refusal> {
    judge(application, start, &plan.clone().into_sequence(), policy, limit)
}

/// Judges a plan without any memory: all linear extensions, one after the other, and for each
/// the whole tree of choices. For plans of very few actions.
pub(crate) fn judge_literally(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    policy: Policy,
) -> Result<Judgement, Refusal> {
    let world = World { application, policy };
    let start = State::from_global(application, start);
    let workflow = Workflow::of_plan(application, &start, plan)?;
    Ok(literal::judge(&workflow, &start, &|state, event| step(&world, state, event)))
}
