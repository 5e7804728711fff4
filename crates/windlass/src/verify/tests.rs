//! A search that overlooks something gives evidence that does not hold, and so no answer.

use std::hash::Hash;

use super::belief::{self, BeliefForm, Readable};
use super::execution::{Configuration, Execution};
use super::explicit;
use crate::application::InstanceId;
use crate::explore::{Derived, Form, Options, ValueArena, Values};
use crate::plan::events::{EventId, Events};
use crate::plan::{Plan, PlanAction, Step};
use crate::source::Origin;
use crate::system::models::Counter;
use crate::system::{Evidence, StopReason, System, Unlimited, Verdict};

/// As many events as given, in any order.
fn events(count: usize) -> Events {
    let step = |at: usize| Step {
        label: format!("s{at}"),
        action: PlanAction::ScaleIn { instance: InstanceId(format!("i{at}")) },
        origin: Origin(None),
    };
    let plan = Plan { steps: (0..count).map(step).collect(), ..Plan::default() };
    Events::new(&plan).unwrap_or_else(|cycle| panic!("no order, and yet a cycle: {cycle:?}"))
}

/// Every event is a tick; the counter has room for two.
fn ticks<'a>(system: &'a Counter, events: &Events) -> Execution<'a, Counter> {
    Execution::new(system, events, |_| "tick")
}

const TWO: Counter = Counter { last: 2, wraps: false };

/// A form that finds no successor of anything.
struct Forgetful<'a, S>(Derived<'a, S>);

impl<S> Form for Forgetful<'_, S>
where
    S: System + Sync,
    S::State: Hash + Send + Sync,
{
    type System = S;
    type Arena = ValueArena<S::State>;

    fn system(&self) -> &S {
        self.0.system()
    }

    fn arena(&self) -> ValueArena<S::State> {
        self.0.arena()
    }

    fn batch(&self) -> Values<S::State> {
        self.0.batch()
    }

    fn encode(&self, state: &S::State, out: &mut Values<S::State>) {
        self.0.encode(state, out);
    }

    fn decode(&self, row: &S::State) -> S::State {
        self.0.decode(row)
    }

    fn expand(&self, _: &S::State, _: &mut Values<S::State>) {}
}

/// Beliefs in which every event fails.
struct Pessimistic<'a, S: System>(Readable<'a, S>);

impl<S: System> BeliefForm for Pessimistic<'_, S>
where
    S::State: Hash,
{
    type State = S::State;
    type Belief = Vec<S::State>;

    fn initial(&self) -> Self::Belief {
        self.0.initial()
    }

    fn after(&self, _: &Self::Belief, _: EventId) -> Option<Self::Belief> {
        None
    }

    fn exact(&self, belief: &Self::Belief) -> Option<Vec<S::State>> {
        self.0.exact(belief)
    }

    fn bytes(&self, belief: &Self::Belief) -> usize {
        self.0.bytes(belief)
    }
}

#[test]
fn a_search_that_forgets_states_does_not_call_a_plan_valid() {
    for (count, is_valid) in [(2, true), (3, false)] {
        let events = events(count);
        let execution = ticks(&TWO, &events);
        let options = Options::default();
        let decision = explicit::decide(&execution, &options, &mut Unlimited);
        assert_eq!(decision.verdict.holds(), is_valid);
        let good = |configuration: &Configuration<u32>| !configuration.has_failed();
        let complete = |configuration: &Configuration<u32>| execution.is_complete(configuration);
        let form = Forgetful(Derived(&execution));
        let decision = explicit::decide_in(&form, &good, &complete, &options, &mut Unlimited);
        assert_eq!(decision.verdict, Verdict::Unknown(StopReason::Replay));
        assert!(decision.finals.is_empty());
    }
}

#[test]
fn a_search_that_forgets_orders_does_not_call_a_plan_not_valid() {
    let events = events(2);
    let execution = ticks(&TWO, &events);
    let readable = Readable(&execution);
    let decision = belief::weakly_valid(&execution, &readable, 100, &mut Unlimited);
    assert!(matches!(decision.verdict, Verdict::Holds(Evidence::Trace(_))));
    let form = Pessimistic(Readable(&execution));
    let decision = belief::weakly_valid(&execution, &form, 100, &mut Unlimited);
    assert_eq!(decision.verdict, Verdict::Unknown(StopReason::Replay));
    assert_eq!(decision.order(), None);
}
