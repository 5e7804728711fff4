//! `analyze`: what the whole state space of an application looks like.
//!
//! Counts in the manner of BARREL's analyzer (readings in `docs/design/0003-relations.md`), and
//! the question of 003 section 4.2 whether everything can be undone.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::explore::{self, Derived, Options, Space};
use crate::system::{Budget, Progress, StopReason, System};

/// What an overview needs to know about a system beyond how it moves.
pub(crate) struct Views<'a, S: System> {
    /// Whether something is relied on in a state and not satisfied.
    pub(crate) is_inconsistent: &'a dyn Fn(&S::State) -> bool,
    /// Everything that could run, by name.
    pub(crate) operations: BTreeSet<String>,
    /// Which of them an action runs.
    pub(crate) operation: &'a dyn Fn(&S::Action) -> Option<String>,
    /// Everything that could be reached, by name.
    pub(crate) places: BTreeSet<String>,
    /// Which of them are reached in a state.
    pub(crate) reached: &'a dyn Fn(&S::State) -> Vec<String>,
}

/// What was found. When a limit came first, every count is that of what was seen by then: there
/// may be more, and what never ran may still run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overview {
    /// The limit that came before everything was seen and looked at.
    pub stopped: Option<StopReason>,
    /// Distinct states reachable from the start.
    pub reachable: usize,
    /// As many of them were looked at for the inconsistent ones and for the names below; all of
    /// them unless a limit came first.
    pub examined: usize,
    /// Those in which something is relied on and not satisfied.
    pub inconsistent: usize,
    /// Those in which nothing can happen.
    pub deadlocks: usize,
    /// The largest distance of a reachable state from the start.
    pub longest_shortest_plan: usize,
    /// Whether the start can be reached again from everywhere (003 section 4.2: a soft reset);
    /// not known when a limit came first.
    pub reversible: Option<bool>,
    /// Operations that run nowhere.
    pub never_run: Vec<String>,
    /// States of components that are never reached.
    pub never_reached: Vec<String>,
}

impl Overview {
    /// An overview of nothing, because a limit came first.
    pub(crate) fn nothing(stopped: StopReason) -> Self {
        Overview {
            stopped: Some(stopped),
            reachable: 0,
            examined: 0,
            inconsistent: 0,
            deadlocks: 0,
            longest_shortest_plan: 0,
            reversible: None,
            never_run: Vec::new(),
            never_reached: Vec::new(),
        }
    }
}

/// Explores everything that is reachable and looks at it, as far as the budget goes.
pub(crate) fn overview<S>(
    system: &S,
    views: &Views<'_, S>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Overview
where
    S: System + Sync,
    S::State: std::hash::Hash + Send + Sync,
    S::Action: Send + Sync,
{
    let form = Derived(system);
    let space = explore::space_so_far(&form, options, budget);
    let seen = Seen::look(system, views, &space, budget);
    let ends = space.expanded().filter(|state| space.successors(*state).is_empty());
    let stopped = space.stopped().or(seen.stopped);
    Overview {
        stopped,
        reachable: space.states().len(),
        examined: seen.examined,
        inconsistent: seen.inconsistent,
        deadlocks: ends.count(),
        longest_shortest_plan: space.progress().depth as usize,
        reversible: stopped.is_none().then(|| leads_to_start(&space)),
        never_run: seen.never_run.into_iter().collect(),
        never_reached: seen.never_reached.into_iter().collect(),
    }
}

/// What a look at the states says.
struct Seen {
    stopped: Option<StopReason>,
    examined: usize,
    inconsistent: usize,
    never_run: BTreeSet<String>,
    never_reached: BTreeSet<String>,
}

impl Seen {
    /// Looks at one state after the other. A search that stopped for its size leaves time for
    /// this; one that stopped for time leaves a look at the first states only.
    fn look<S>(
        system: &S,
        views: &Views<'_, S>,
        space: &Space<'_, Derived<'_, S>>,
        budget: &mut dyn Budget,
    ) -> Self
    where
        S: System + Sync,
        S::State: std::hash::Hash + Send + Sync,
        S::Action: Send + Sync,
    {
        /// States looked at between two questions to the budget.
        const PATIENCE: usize = 8;
        /// States looked at in any case: a few milliseconds for most systems.
        const LEAST: usize = 256;
        let mut seen = Seen {
            stopped: None,
            examined: 0,
            inconsistent: 0,
            never_run: views.operations.clone(),
            never_reached: views.places.clone(),
        };
        for number in space.states() {
            seen.add(system, views, &space.decode(number));
            // Nothing is kept for this, so only time and an interruption count.
            let progress = Progress { expanded: seen.examined, ..Progress::default() };
            if seen.examined >= LEAST
                && seen.examined.is_multiple_of(PATIENCE)
                && let ControlFlow::Break(reason) = budget.spend(&progress)
            {
                seen.stopped = Some(reason);
                break;
            }
        }
        seen
    }

    fn add<S: System>(&mut self, system: &S, views: &Views<'_, S>, state: &S::State) {
        self.examined += 1;
        self.inconsistent += usize::from((views.is_inconsistent)(state));
        for place in (views.reached)(state) {
            self.never_reached.remove(&place);
        }
        for action in system.candidates(state) {
            let name = (views.operation)(&action).filter(|name| self.never_run.contains(name));
            if let Some(name) = name
                && system.step(state, &action).is_ok()
            {
                self.never_run.remove(&name);
            }
        }
    }
}

/// Whether walking backwards from the start, which is 0, meets every state.
fn leads_to_start<F: explore::Form>(space: &Space<'_, F>) -> bool {
    let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); space.states().len()];
    for number in space.states() {
        for next in space.successors(number) {
            predecessors[*next as usize].push(number);
        }
    }
    let mut seen = vec![false; predecessors.len()];
    let mut open = vec![0_u32];
    let mut count = 0;
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut seen[state as usize], true) {
            count += 1;
            open.extend(&predecessors[state as usize]);
        }
    }
    count == predecessors.len()
}
