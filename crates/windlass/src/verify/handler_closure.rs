//! Tier T2: a plan that is not valid, shown without a search. Polynomial and sound; it does not
//! always know.
//!
//! T1 finds cuts at which something may fault. Where the fault is handled, the instance ends in
//! some state; whatever faults it meets before its next planned operation, it stays within the
//! states to which handlers lead from there: the handler closure. If the operation exists in none
//! of them, it cannot be executed when its turn comes, so the plan is not valid. Looking at the
//! handler's own target only would be wrong: a second fault may move the instance on to a state in
//! which the operation exists.
//!
//! The same walk makes runs of what T0a and T0b find. In each case the answer is a run that fails,
//! made by `step` event by event: reasoning only says which run to try. It need not be a shortest
//! one, and says nothing about weak validity.

use std::collections::BTreeSet;

use super::execution::{Configuration, Execution};
use super::fault_free::{self, Fault};
use crate::application::{Application, GlobalState};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{Element, OperationId, StateId};
use crate::plan::events::{EventId, EventKind, Events};
use crate::plan::lives::{Disorder, Life, Lives};
use crate::plan::needs::{Possible, Scene};
use crate::plan::{Plan, PlanAction};
use crate::system::{Step, System, Trace};

/// Runs that are followed side by side where policy and handlers have a choice.
const MOST_RUNS: usize = 32;
/// Ways to a fault that are tried, shortest first.
const MOST_FAULTS: usize = 64;
/// Longer plans are left to the other tiers.
const MOST_EVENTS: usize = 4_000;

/// The run of a plan, event by event.
pub type Run = Trace<Configuration<GlobalState>, EventId>;

/// A run that fails, and the tier that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refutation {
    /// T0a, T0b or T2.
    pub tier: &'static str,
    /// The run; its last event fails.
    pub run: Run,
}

/// A run of the plan that fails, or none when this tier cannot tell. `execution` is the run of
/// `plan` from `start`.
pub fn refute<S: System<State = GlobalState>>(
    execution: &Execution<'_, S>,
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    events: &Events,
) -> Option<Refutation> {
    if events.len() > MOST_EVENTS {
        return None;
    }
    let refutation = |tier: &'static str| move |run: Run| Refutation { tier, run };
    let lives = match Lives::new(application, start, plan, events) {
        Ok(lives) => lives,
        Err(disorder) => return out_of_order(execution, events, &disorder).map(refutation("T0a")),
    };
    if !lives.undefined.is_empty() {
        let mut undefined = lives.undefined.iter();
        let run = undefined.find_map(|u| fails_along(execution, &events.below(&[u.event])));
        return run.map(refutation("T0b"));
    }
    let possible = Possible::planned(&lives);
    let scene = Scene { application, start, events, lives: &lives, possible: &possible };
    let mut faults = fault_free::all_faults(&scene);
    faults.sort_by_key(|fault| fault.length);
    faults.truncate(MOST_FAULTS);
    let closure = Closure { execution, scene, plan };
    faults.iter().find_map(|fault| closure.refute(fault)).map(refutation("T2"))
}

/// What T0a finds is an order that cannot be carried out: the later event before the earlier one,
/// or the two of them one upon the other.
fn out_of_order<S: System<State = GlobalState>>(
    execution: &Execution<'_, S>,
    events: &Events,
    disorder: &Disorder,
) -> Option<Run> {
    let later = events.below(&[disorder.later]);
    let earlier = disorder.earlier.map(|event| events.below(&[event])).unwrap_or_default();
    let all = events.topological();
    let orders = [[&later[..], &earlier, all].concat(), [&earlier[..], &later, all].concat()];
    orders.iter().find_map(|order| fails_along(execution, order))
}

/// A failing run along an order, in which events may occur again.
fn fails_along<S: System<State = GlobalState>>(
    execution: &Execution<'_, S>,
    order: &[EventId],
) -> Option<Run> {
    Walk::new(execution).along(order)
}

/// What was reached, from where, and by which event.
type Reached<T> = (Configuration<T>, Option<(usize, EventId)>);

/// Runs that share their beginnings.
struct Walk<'a, S: System> {
    execution: &'a Execution<'a, S>,
    reached: Vec<Reached<S::State>>,
    /// Where the runs are.
    ends: Vec<usize>,
    done: BTreeSet<EventId>,
}

impl<'a, S: System<State = GlobalState>> Walk<'a, S> {
    fn new(execution: &'a Execution<'a, S>) -> Self {
        let reached = vec![(execution.initial(), None)];
        Walk { execution, reached, ends: vec![0], done: BTreeSet::new() }
    }

    /// Follows the events that have not happened; returns the first run that fails.
    fn along(&mut self, order: &[EventId]) -> Option<Run> {
        for event in order {
            if !self.done.insert(*event) {
                continue;
            }
            let mut ends: Vec<usize> = Vec::new();
            for from in std::mem::take(&mut self.ends) {
                let after = self.execution.step(&self.reached[from].0, event).ok()?;
                for configuration in after {
                    let has_failed = configuration.has_failed();
                    let is_known = ends.iter().any(|end| self.reached[*end].0 == configuration);
                    if is_known || (ends.len() >= MOST_RUNS && !has_failed) {
                        continue;
                    }
                    ends.push(self.reached.len());
                    self.reached.push((configuration, Some((from, *event))));
                    if has_failed {
                        return Some(self.run_to(self.reached.len() - 1));
                    }
                }
            }
            self.ends = ends;
        }
        None
    }

    fn run_to(&self, end: usize) -> Run {
        let mut steps = Vec::new();
        let mut at = end;
        while let Some((from, action)) = self.reached[at].1 {
            steps.push(Step { action, after: self.reached[at].0.clone() });
            at = from;
        }
        steps.reverse();
        Trace { start: self.reached[at].0.clone(), steps }
    }
}

/// What is known about the plan, for one fault after the other.
struct Closure<'a, S: System> {
    execution: &'a Execution<'a, S>,
    scene: Scene<'a>,
    plan: &'a Plan,
}

impl<S: System<State = GlobalState>> Closure<'_, S> {
    /// A failing run through a fault.
    fn refute(&self, fault: &Fault) -> Option<Run> {
        let events = self.scene.events;
        let mut walk = Walk::new(self.execution);
        let mut order = events.below(&fault.entry);
        order.extend(events.below(&fault.cut));
        // A fault of an operation acts when the operation ends.
        if self.scene.is_operation(fault.need.life, fault.stage)
            && let Some(end) = self.scene.window(fault.need.life, fault.stage)?.leave
        {
            order.extend(events.below(&[end]));
        }
        if let Some(run) = walk.along(&order) {
            return Some(run);
        }
        let impossible_start = walk.ends.iter().find_map(|end| {
            let start = self.impossible_start(&walk.reached[*end].0.state, &walk.done)?;
            Some((*end, start))
        });
        let (end, start) = impossible_start?;
        walk.ends = vec![end];
        walk.along(&events.below(&[start]))
    }

    /// The start of an operation that no state in the handler closure of its instance has.
    fn impossible_start(&self, state: &GlobalState, done: &BTreeSet<EventId>) -> Option<EventId> {
        let lives = self.scene.lives;
        lives.ids().find_map(|id| {
            let life = lives.get(id);
            let (event, operation) = self.next_start(life, done)?;
            let protocol = self.scene.application.protocol_of(life.node)?;
            let Element::State(now) = state.instance(&life.instance)?.element else { return None };
            let exists = |at: &StateId| protocol.transitions_for(*at, operation).next().is_some();
            (!handler_closure(protocol, now).iter().any(exists)).then_some(event)
        })
    }

    /// The next event of a life, if it starts an operation of an instance that exists.
    fn next_start(&self, life: &Life, done: &BTreeSet<EventId>) -> Option<(EventId, OperationId)> {
        let mut enters = life.stages.iter().filter_map(|stage| stage.enter);
        let event = enters.find(|event| !done.contains(event))?;
        let of = self.scene.events.get(event);
        let PlanAction::Operation { operation, .. } = &self.plan.steps[of.step].action else {
            return None;
        };
        let component = self.scene.application.type_of(life.node);
        let operation = component.operation_named(operation)?;
        (of.kind == EventKind::Start).then_some((event, operation))
    }
}

/// A state and every state that handlers lead to from it, over any number of faults.
fn handler_closure(protocol: &Protocol, state: StateId) -> BTreeSet<StateId> {
    let mut closure = BTreeSet::from([state]);
    let mut open = vec![state];
    while let Some(state) = open.pop() {
        let targets = protocol.handlers(Element::State(state)).iter().map(|handler| handler.to);
        open.extend(targets.filter(|target| closure.insert(*target)));
    }
    closure
}
