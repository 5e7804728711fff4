//! `analyze`: what the whole state space of an application looks like.
//!
//! Counts in the manner of BARREL's analyzer (readings in `docs/design/0003-relations.md`), and
//! the question of 003 section 4.2 whether everything can be undone.

use std::collections::BTreeSet;

use crate::explore::{self, Derived, Options};
use crate::system::{Budget, StopReason, System};

/// What an overview needs to know about a system beyond how it moves.
pub struct Views<'a, S: System> {
    /// Whether something is relied on in a state and not satisfied.
    pub is_inconsistent: &'a dyn Fn(&S::State) -> bool,
    /// Everything that could run, by name.
    pub operations: BTreeSet<String>,
    /// Which of them an action runs.
    pub operation: &'a dyn Fn(&S::Action) -> Option<String>,
    /// Everything that could be reached, by name.
    pub places: BTreeSet<String>,
    /// Which of them are reached in a state.
    pub reached: &'a dyn Fn(&S::State) -> Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Distinct states reachable from the start.
    pub reachable: usize,
    /// Those in which something is relied on and not satisfied.
    pub inconsistent: usize,
    /// Those in which nothing can happen.
    pub deadlocks: usize,
    /// The largest distance of a reachable state from the start.
    pub longest_shortest_plan: usize,
    /// Whether the start can be reached again from everywhere (003 section 4.2: a soft reset).
    pub reversible: bool,
    /// Operations that run nowhere.
    pub never_run: Vec<String>,
    /// States of components that are never reached.
    pub never_reached: Vec<String>,
}

/// Explores everything that is reachable and looks at it.
pub fn overview<S>(
    system: &S,
    views: &Views<'_, S>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Result<Overview, StopReason>
where
    S: System + Sync,
    S::State: std::hash::Hash + Send + Sync,
    S::Action: Send + Sync,
{
    let form = Derived(system);
    let space = explore::space(&form, options, budget)?;
    let mut inconsistent = 0;
    let mut deadlocks = 0;
    let mut never_run = views.operations.clone();
    let mut never_reached = views.places.clone();
    let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); space.states().len()];
    for number in space.states() {
        let state = space.decode(number);
        inconsistent += usize::from((views.is_inconsistent)(&state));
        deadlocks += usize::from(space.successors(number).is_empty());
        for place in (views.reached)(&state) {
            never_reached.remove(&place);
        }
        for action in system.candidates(&state) {
            let name = (views.operation)(&action).filter(|name| never_run.contains(name));
            if let Some(name) = name
                && system.step(&state, &action).is_ok()
            {
                never_run.remove(&name);
            }
        }
        for next in space.successors(number) {
            predecessors[*next as usize].push(number);
        }
    }
    Ok(Overview {
        reachable: space.states().len(),
        inconsistent,
        deadlocks,
        longest_shortest_plan: space.progress().depth as usize,
        reversible: leads_to_start(&predecessors),
        never_run: never_run.into_iter().collect(),
        never_reached: never_reached.into_iter().collect(),
    })
}

/// Whether walking backwards from the start, which is 0, meets every state.
fn leads_to_start(predecessors: &[Vec<u32>]) -> bool {
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
