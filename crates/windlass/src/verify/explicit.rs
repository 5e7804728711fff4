//! Tier T3: validity by looking at every configuration that some order and some choice reach.
//!
//! The tier for plans that the others leave open: exponential, exact for every policy, arity and
//! handler. A plan is valid when no configuration fails; otherwise breadth first finds a failing
//! trace that is as short as any. `deterministic` and the effects of a valid plan are read off
//! its final states.

use std::collections::BTreeSet;
use std::hash::Hash;

use super::execution::{CompiledExecution, Condition, Configuration, Execution};
use crate::certificate;
use crate::explore::{self, Compiled, Derived, Form, Options, Quotient, Row};
use crate::plan::events::EventId;
use crate::system::{
    Budget, Compile, Evidence, Interchange, Perform, Predicate, Progress, Property, StopReason,
    System, Verdict,
};

/// Evidence about the run of a plan.
pub(crate) type RunEvidence<T> = Evidence<Configuration<T>, EventId>;

/// Whether a plan is valid, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<T> {
    /// Valid; or a shortest failing trace, whose last step is the event that fails.
    pub verdict: Verdict<RunEvidence<T>, RunEvidence<T>>,
    /// The states in which everything has been executed, each once, in order. Of a valid plan all
    /// of them, or one of each class where equivalent states are merged; of others none.
    pub finals: Vec<T>,
    /// What the search did.
    pub progress: Progress,
}

impl<T> Decision<T> {
    /// The number of events executed before the one that fails, in a shortest failing trace.
    pub fn shortest_failure(&self) -> Option<usize> {
        match &self.verdict {
            Verdict::Fails(Evidence::Trace(trace)) => trace.steps.len().checked_sub(1),
            _ => None,
        }
    }
}

/// Decides validity in any system.
///
/// Paper: 004 Def. 4.2
/// Paper: 004 Def. 4.3
/// Paper: 003 Def. 8
pub fn decide<S>(
    execution: &Execution<'_, S>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Decision<S::State>
where
    S: System + Sync,
    S::State: Hash + Send + Sync,
    S::Action: Sync,
{
    let good = |configuration: &Configuration<S::State>| !configuration.has_failed();
    let complete = |configuration: &Configuration<S::State>| execution.is_complete(configuration);
    decide_in(&Derived(execution), &good, &complete, options, budget)
}

/// Decides validity in a compiled system.
pub fn decide_compiled<S>(
    execution: &CompiledExecution<'_, S>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Decision<S::State>
where
    S: Perform + Sync,
    S::Action: Sync,
{
    let good = |row: &[u64]| !execution.has_failed(row);
    let complete = |row: &[u64]| execution.is_complete(row);
    decide_in(&Compiled(execution), &good, &complete, options, budget)
}

/// The most final states that swaps may make of those found.
const MOST_FINALS: usize = 10_000;

/// Decides validity in a compiled system of which parts may change places: of the configurations
/// that swaps make of each other only one is searched. A failing trace is a real one, and as short
/// as any; "valid" rests on the symmetry, and its evidence is the search.
///
/// None when the symmetry does not help: it is not one of the start, the final states are too
/// many, or a path was found that the reference does not follow.
pub fn decide_symmetric<S>(
    execution: &CompiledExecution<'_, S>,
    interchange: &Interchange,
    options: &Options,
    budget: &mut dyn Budget,
) -> Option<Decision<S::State>>
where
    S: Perform + Sync,
    S::Action: Sync,
{
    let encoded = |configuration: &Configuration<S::State>| {
        let mut row = vec![0; execution.words()];
        execution.encode(configuration, &mut row);
        row
    };
    let start = encoded(&execution.initial());
    let mut canonical = start.clone();
    interchange.canonical(&mut canonical);
    if interchange.is_empty() || canonical != start {
        return None;
    }
    let good = |row: &[u64]| !execution.has_failed(row);
    let complete = |row: &[u64]| execution.is_complete(row);
    let form = Quotient::new(Compiled(execution), |row: &mut [u64]| interchange.canonical(row));
    let mut decision = decide_in(&form, &good, &complete, options, budget);
    if decision.verdict == Verdict::Unknown(StopReason::Replay) {
        return None;
    }
    let everything = execution.execution().everything();
    let mut finals = BTreeSet::new();
    for state in std::mem::take(&mut decision.finals) {
        let executed = everything.clone();
        let row = encoded(&Configuration { executed, state, condition: Condition::Going });
        let orbit = interchange.orbit(&row, MOST_FINALS - finals.len().min(MOST_FINALS))?;
        finals.extend(orbit.iter().map(|row| execution.decode(row).state));
    }
    decision.finals = finals.into_iter().collect();
    Some(decision)
}

/// Decides validity in whatever form the run is searched. What is found has been through
/// `certificate` before it is returned.
pub(crate) fn decide_in<T, F>(
    form: &F,
    good: Predicate<'_, Row<F>>,
    complete: Predicate<'_, Row<F>>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Decision<T>
where
    T: Clone + Ord + std::fmt::Debug,
    F: Form,
    F::System: System<State = Configuration<T>, Action = EventId>,
{
    let property = Property::Always(good);
    let (outcome, space) = explore::search_space(form, property, options, budget);
    let going = |configuration: &Configuration<T>| !configuration.has_failed();
    let claimed = Property::Always(&going);
    let verdict = certificate::checked(form.system(), claimed, outcome.verdict);
    let mut finals = Vec::new();
    if verdict.holds() {
        // Breadth first, a complete configuration is never before one that is not.
        let last = space.states().rev().take_while(|state| complete(space.row(*state)));
        finals.extend(last.map(|state| space.decode(state).state));
        finals.sort();
        finals.dedup();
    }
    Decision { verdict, finals, progress: outcome.progress }
}

/// Whether all final states have the same instances in the same states; bindings may differ, so
/// `instances` says what is compared.
///
/// Paper: 004 Def. 4.4
/// Paper: 003 Def. 9
pub fn is_deterministic<T, K: PartialEq>(finals: &[T], instances: impl Fn(&T) -> K) -> bool {
    let mut all = finals.iter().map(instances);
    let first = all.next();
    all.all(|other| Some(&other) == first.as_ref())
}
