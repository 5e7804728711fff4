//! Whether invariants hold in every order of a plan in which faults happen: every run is followed
//! by the rules, event by event, as far as that is cheap.

use std::collections::BTreeSet;

use super::belief::World;
use crate::application::{Application, GlobalState};
use crate::plan::Plan;
use crate::plan::events::Events;
use crate::semantics::replica::Action;

/// How many configurations are looked at; where there are more, nothing is known.
const MOST: usize = 2_000;

/// Whether the invariants hold in every run from `start` on, as far as that is known.
pub(super) fn hold(
    world: &World<'_>,
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
) -> bool {
    let Ok(events) = Events::new(plan) else { return false };
    let first = (vec![false; events.len()], start.clone());
    let mut known = BTreeSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some((done, state)) = open.pop() {
        let is_next = |id: &crate::plan::events::EventId| {
            let mut before = events.predecessors(*id).iter();
            !done[id.index()] && before.all(|earlier| done[earlier.index()])
        };
        for id in events.ids().filter(is_next) {
            let action = Action::planned(application, plan, events.get(id));
            let outcomes = action.and_then(|action| world.outcomes(&state, &action));
            let Some(outcomes) = outcomes else { return false };
            for after in outcomes {
                let mut more = done.clone();
                more[id.index()] = true;
                if !world.keeps_invariants(&after) || known.len() > MOST {
                    return false;
                }
                if known.insert((more.clone(), after.clone())) {
                    open.push((more, after));
                }
            }
        }
    }
    true
}
