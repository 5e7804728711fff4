//! Bounds of makespan and cost against exhaustive search in time.
//!
//! The reference starts whatever can start, ends what is under way when its time has come, and
//! passes through everything that can be reached without a fault, soonest or cheapest first. It
//! may use one outcome of several, and starts and ends of operations as they come, so that it is
//! never slower than a plan; no bound may say more than what it finds.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::support::prng::Prng;
use crate::support::{long, planning, sketch, small};
use windlass::application::{Application, GlobalState, InstanceId};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::lifecycle::Cost;
use windlass::lifecycle::protocol::Element;
use windlass::semantics::replica::{Action, Creation, Event, Replica, faults, observable};
use windlass::synthesize::{Answer, Objective, Question};

/// Durations of whole seconds, prices of operations and of seconds.
fn timed(prng: &mut Prng) -> Application {
    let mut application = sketch::application(&small::application(prng, 0));
    for component in &mut application.types {
        for operation in &mut component.operations {
            operation.duration = Some(Duration::from_secs(prng.between(0, 3) as u64));
            operation.cost = Cost(1_000 * prng.between(0, 2) as u64);
        }
        component.cost_per_second = Cost(500 * prng.between(0, 2) as u64);
    }
    application
}

/// A state in time: what is under way, and how long it still takes, in milliseconds.
type Moment = (GlobalState, BTreeMap<InstanceId, u64>);

struct Reference<'a> {
    application: &'a Application,
    replica: Replica<'a>,
    goal: &'a GoalFile,
    objective: Objective,
}

impl Reference<'_> {
    /// The least value; none when there are too many moments or none is good.
    fn best(&self, start: &GlobalState, limit: usize) -> Option<u64> {
        let mut open: BTreeSet<(u64, Moment)> =
            BTreeSet::from([(0, (start.clone(), BTreeMap::new()))]);
        let mut done: BTreeSet<Moment> = BTreeSet::new();
        while let Some((value, moment)) = open.pop_first() {
            let is_goal = self.goal.goal.holds(self.application, &moment.0, Closure::Open);
            if is_goal && moment.1.is_empty() {
                return Some(value);
            }
            if !done.insert(moment.clone()) {
                continue;
            }
            if done.len() > limit {
                return None;
            }
            let next = self.begun(&moment).into_iter().chain(self.later(&moment));
            open.extend(next.map(|(more, next)| (value + more, next)));
        }
        None
    }

    /// What can happen without a fault.
    fn after(&self, state: &GlobalState, action: &Action) -> Vec<GlobalState> {
        let outcomes = observable::outcomes(&self.replica, state, action).unwrap_or_default();
        let is_good = |outcome: &windlass::semantics::replica::Outcome| {
            !outcome.events.iter().any(Event::is_fault)
                && faults::unresolvable(&self.replica, &outcome.state).is_empty()
        };
        outcomes.into_iter().filter(is_good).map(|outcome| outcome.state).collect()
    }

    /// Scalings, and starts of operations: they take no time.
    fn begun(&self, (state, under_way): &Moment) -> Vec<(u64, Moment)> {
        let mut all = Vec::new();
        for (id, instance) in &state.instances {
            if !under_way.contains_key(id) {
                let action = Action::ScaleIn { instance: id.clone() };
                for after in self.after(state, &action) {
                    let mut left = under_way.clone();
                    left.retain(|id, _| after.instances.contains_key(id));
                    all.push((0, (after, left)));
                }
            }
            let Element::State(_) = instance.element else { continue };
            for operation in &self.application.type_of(instance.node).operations {
                let name = operation.name.clone();
                let action = Action::OpStart { instance: id.clone(), operation: name };
                let takes = operation.duration.map_or(0, |d| d.as_millis() as u64);
                let price = if self.objective == Objective::Cost { operation.cost.0 } else { 0 };
                for after in self.after(state, &action) {
                    let mut left = under_way.clone();
                    left.insert(id.clone(), takes);
                    all.push((price, (after, left)));
                }
            }
        }
        for creation in self.creations(state) {
            let after = self.after(state, &Action::create(&creation)).into_iter();
            all.extend(after.map(|after| (0, (after, under_way.clone()))));
        }
        all
    }

    /// At most two new instances of a node, in every container.
    fn creations(&self, state: &GlobalState) -> Vec<Creation> {
        let mut all = Vec::new();
        for node in self.application.node_ids() {
            let name = |at: usize| InstanceId(format!("{}+{at}", self.application.node(node).name));
            let free = (0..2).map(name).find(|id| !state.instances.contains_key(id));
            let Some(instance) = free else { continue };
            let containment = self.application.type_of(node).containment();
            let home = containment.map(|r| self.application.node(node).binding(r));
            let containers: Vec<Option<InstanceId>> = match home {
                None => vec![None],
                Some(None) => Vec::new(),
                Some(Some(home)) => {
                    state.of_node(home.target).map(|(id, _)| Some(id.clone())).collect()
                }
            };
            for container in containers {
                all.push(Creation { instance: instance.clone(), node, container });
            }
        }
        all
    }

    /// What ends next.
    fn later(&self, (state, under_way): &Moment) -> Vec<(u64, Moment)> {
        let mut all = Vec::new();
        let Some(wait) = under_way.values().min().copied() else { return all };
        let rent = |instance: &windlass::application::Instance| {
            self.application.type_of(instance.node).cost_per_second.0 * wait / 1_000
        };
        let paid = match self.objective {
            Objective::Cost => state.instances.values().map(rent).sum(),
            _ => wait,
        };
        for id in under_way.iter().filter(|(_, left)| **left == wait).map(|(id, _)| id) {
            let mut left = under_way.clone();
            left.remove(id);
            for left in left.values_mut() {
                *left -= wait;
            }
            let Some(operation) = self.operation(state, id) else { continue };
            let action = Action::OpEnd { instance: id.clone(), operation };
            let after = self.after(state, &action).into_iter();
            all.extend(after.map(|after| (paid, (after, left.clone()))));
        }
        all
    }

    /// The operation that an instance performs.
    fn operation(&self, state: &GlobalState, id: &InstanceId) -> Option<String> {
        let instance = state.instance(id)?;
        let Element::Transition(way) = instance.element else { return None };
        let component = self.application.type_of(instance.node);
        let operation = component.protocol()?.transitions[way.index()].operation;
        Some(component.operations[operation.index()].name.clone())
    }
}

#[test]
fn no_bound_says_more_than_exhaustive_search() {
    let (mut compared, mut optimal, mut positive) = (0_u64, 0_u64, 0_u64);
    let cases = long::cases(60);
    for seed in 0..cases {
        let mut prng = Prng::new(long::seed(0xb0) + seed);
        let application = timed(&mut prng);
        let start = small::start(&mut prng, &application);
        let goal = GoalFile { goal: small::goal(&mut prng, &application), ..GoalFile::default() };
        let mut counted = application.clone();
        for (node, count) in goal.goal.counts() {
            counted.nodes[node.index()].count = count;
        }
        for objective in [Objective::Makespan, Objective::Cost] {
            let plain = Question::new(&application, &start, &goal);
            let answer = planning::ask(&Question { objective, ..plain }, 20_000);
            let Answer::Plan(found) = answer else { continue };
            let replica = Replica::new(&counted, start.clone()).expect("protocols");
            let reference = Reference { application: &counted, replica, goal: &goal, objective };
            let Some(best) = reference.best(&start, 1_500) else { continue };
            let words = || {
                let goal = windlass::goal::print(&goal.goal, &application);
                format!("seed {seed}, {objective:?}, {goal}: {} of {}", found.bound, found.value)
            };
            assert!(found.bound <= best, "{}, but {best} is possible", words());
            compared += 1;
            optimal += u64::from(found.optimal);
            positive += u64::from(found.bound > 0);
        }
    }
    eprintln!(
        "figure: {cases} cases, {compared} compared, {positive} with a bound above nothing, \
         {optimal} proven optimal"
    );
    assert!(compared > cases / 2 && positive > cases / 8 && optimal > cases / 4, "{compared}");
}
