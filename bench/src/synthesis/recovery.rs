//! Faulted states of Thinking with three replicas, and the way back.
//!
//! Half of the states come from random walks in which something crashed and its faults settled; in
//! the other half the faults are still pending when the plan begins.

use std::time::Instant;

use windlass::application::{Application, GlobalState, InstanceId};
use windlass::goal::{Amount, Goal, GoalFile, Want};
use windlass::lifecycle::protocol::Element;
use windlass::semantics::replica::observe::{Observation, observe};
use windlass::semantics::replica::{Replica, faults};
use windlass::synthesize::{Answer, Question, synthesize};
use windlass::system::{Limits, System};
use windlass::verify::Effort;

use super::RECOVERIES;
use crate::validity::restart;

/// The microseconds that the slowest of the recoveries took; none when one has no plan.
pub(crate) fn slowest() -> Option<u64> {
    let case = restart::restart(3)?;
    let application = &case.application;
    let goal = goal(application)?;
    let (mut slowest, mut cases, mut seed) = (0, 0, 0x5eed_u64);
    while cases < RECOVERIES {
        seed += 1;
        let Some(start) = faulted(application, &case.start, seed) else { continue };
        let begin = Instant::now();
        let question = Question::new(application, &start, &goal);
        let mut budget = Limits { states: 2_000_000, bytes: 1 << 30 };
        let answer = synthesize(&question, &Effort::default(), &mut budget);
        if !matches!(answer, Answer::Plan(_)) {
            let message = format!("no way back from {start:?}: {answer:?}");
            crate::write_line(&mut std::io::stderr(), &message);
            return None;
        }
        slowest = slowest.max(u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX));
        cases += 1;
    }
    Some(slowest)
}

fn goal(application: &Application) -> Option<GoalFile> {
    let mut goal = Goal::default();
    let all = [
        ("gui", "working", 1),
        ("api", "running", 3),
        ("node", "running", 1),
        ("maven", "running", 3),
        ("mongo", "running", 1),
    ];
    for (node, state, number) in all {
        let node = application.node_named(node)?;
        let state = application.protocol_of(node)?.state_named(state)?;
        goal.wants.push(Want::Node { node, state, amount: Amount::Exactly(number) });
    }
    Some(GoalFile { goal, ..GoalFile::default() })
}

/// Numbers that look random: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

/// A state in which something is wrong; none when the walk did not lead to one.
fn faulted(application: &Application, running: &GlobalState, seed: u64) -> Option<GlobalState> {
    let mut numbers = Numbers(seed);
    let replica = Replica::new(application, running.clone())?;
    let mut state = running.clone();
    let mut has_faulted = false;
    for _ in 0..3 + numbers.below(12) {
        if numbers.below(4) == 0 {
            let ids: Vec<&InstanceId> = state.instances.keys().collect();
            let instance = (*ids.get(numbers.below(ids.len()))?).clone();
            let Ok(outcomes) = observe(&replica, &state, &Observation::Crashed { instance }) else {
                continue;
            };
            let outcome = outcomes.get(numbers.below(outcomes.len()))?.clone();
            has_faulted |= outcome.events.iter().any(windlass::semantics::replica::Event::is_fault);
            state = outcome.state;
        } else {
            let actions = replica.candidates(&state);
            let Some(action) = actions.get(numbers.below(actions.len())) else { continue };
            if let Ok(successors) = replica.step(&state, action) {
                state = successors.first().clone();
            }
        }
    }
    if seed.is_multiple_of(2) {
        return has_faulted.then_some(state);
    }
    // One more dies, and nothing has reacted yet.
    let ids: Vec<InstanceId> = state.instances.keys().cloned().collect();
    let id = ids.get(numbers.below(ids.len()))?;
    let instance = state.instances.get_mut(id)?;
    instance.element = Element::State(replica.protocol(instance.node).initial);
    (!faults::unresolvable(&replica, &state).is_empty()).then_some(state)
}
