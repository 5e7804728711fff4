//! Verdicts by looking at every reachable pair of executed actions and state.
//!
//! Paper: 004 Def. 4.2 to 4.4. Two traces that have executed the same actions and are in the same
//! state have the same future; this is the only thing that is remembered.

use std::collections::BTreeSet;

use super::state::State;
use super::workflow::{Event, Workflow};
use super::{Judgement, Outcome, Verdict};

/// What an action does to a state.
pub(crate) type Step<'a> = dyn Fn(&State, &Event) -> Outcome + 'a;

/// The actions executed so far.
type Executed = BTreeSet<usize>;

/// Judges a workflow; none when more than `limit` configurations would be needed.
pub(crate) fn judge(
    workflow: &Workflow,
    start: &State,
    step: &Step<'_>,
    limit: usize,
) -> Option<Judgement> {
    let mut judgement = explore(workflow, start, step, limit)?;
    if judgement.shortest_failure.is_none() {
        judgement.verdict = Verdict::Valid;
        judgement.deterministic = Some(same_instances(&judgement.finals));
    } else if is_weakly_valid(workflow, start, step, limit, &mut judgement.configurations)? {
        judgement.verdict = Verdict::WeaklyValid;
    }
    Some(judgement)
}

/// Whether all states have the same `G`; bindings may differ.
///
/// Paper: 004 Def. 4.4
pub(crate) fn same_instances(states: &BTreeSet<State>) -> bool {
    let all: BTreeSet<_> = states.iter().map(|state| &state.active).collect();
    all.len() <= 1
}

/// Visits every configuration that some trace reaches for some choice.
fn explore(workflow: &Workflow, start: &State, step: &Step<'_>, limit: usize) -> Option<Judgement> {
    let mut judgement = Judgement {
        verdict: Verdict::NotValid,
        deterministic: None,
        shortest_failure: None,
        shortest_fault: None,
        finals: BTreeSet::new(),
        configurations: 0,
    };
    let mut seen: BTreeSet<(Executed, State)> = BTreeSet::new();
    let mut waiting = vec![(Executed::new(), start.clone())];
    while let Some((executed, state)) = waiting.pop() {
        if !seen.insert((executed.clone(), state.clone())) {
            continue;
        }
        judgement.configurations += 1;
        if judgement.configurations > limit {
            return None;
        }
        if executed.len() == workflow.events.len() {
            judgement.finals.insert(state);
            continue;
        }
        for at in workflow.enabled(&executed) {
            let outcome = step(&state, &workflow.events[at]);
            if !outcome.is_good() {
                keep_smaller(&mut judgement.shortest_failure, executed.len());
            }
            if outcome.fault {
                keep_smaller(&mut judgement.shortest_fault, executed.len() + 1);
            }
            let mut after = executed.clone();
            after.insert(at);
            waiting.extend(outcome.settled.into_iter().map(|next| (after.clone(), next)));
        }
    }
    Some(judgement)
}

/// Keeps the smaller of two lengths.
pub(crate) fn keep_smaller(shortest: &mut Option<usize>, length: usize) {
    *shortest = Some(shortest.map_or(length, |known| known.min(length)));
}

/// Whether some order is good for every choice. Following one order, the belief is the set of all
/// states that the choices may have led to; an action may come next when it is good in all of
/// them.
///
/// Paper: 004 Def. 4.3
fn is_weakly_valid(
    workflow: &Workflow,
    start: &State,
    step: &Step<'_>,
    limit: usize,
    configurations: &mut usize,
) -> Option<bool> {
    let mut seen: BTreeSet<(Executed, BTreeSet<State>)> = BTreeSet::new();
    let mut waiting = vec![(Executed::new(), BTreeSet::from([start.clone()]))];
    while let Some((executed, belief)) = waiting.pop() {
        if executed.len() == workflow.events.len() {
            return Some(true);
        }
        if !seen.insert((executed.clone(), belief.clone())) {
            continue;
        }
        *configurations += 1;
        if *configurations > limit {
            return None;
        }
        for at in workflow.enabled(&executed) {
            let outcomes: Vec<Outcome> =
                belief.iter().map(|state| step(state, &workflow.events[at])).collect();
            if outcomes.iter().all(Outcome::is_good) {
                let mut after = executed.clone();
                after.insert(at);
                waiting.push((after, outcomes.into_iter().flat_map(|o| o.settled).collect()));
            }
        }
    }
    Some(false)
}

/// Whether in every order some choices are good; what RAMP would take for validity when it is
/// lucky. Following one order, those states are kept that some choices lead to without failing.
/// None when more than `limit` sets would be needed.
pub(crate) fn is_lucky_in_every_order(
    workflow: &Workflow,
    start: &State,
    step: &Step<'_>,
    limit: usize,
) -> Option<bool> {
    let mut seen: BTreeSet<(Executed, BTreeSet<State>)> = BTreeSet::new();
    let mut waiting = vec![(Executed::new(), BTreeSet::from([start.clone()]))];
    while let Some((executed, survivors)) = waiting.pop() {
        if !seen.insert((executed.clone(), survivors.clone())) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        for at in workflow.enabled(&executed) {
            let after: BTreeSet<State> = survivors
                .iter()
                .flat_map(|state| step(state, &workflow.events[at]).settled)
                .collect();
            if after.is_empty() {
                return Some(false);
            }
            let mut done = executed.clone();
            done.insert(at);
            waiting.push((done, after));
        }
    }
    Some(true)
}
