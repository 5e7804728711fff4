//! Tests of the search: exact counts, limits, symmetry, threads, and a slow obvious reference.
//! Every verdict's evidence goes through the checker.

mod counts;
mod differential;
mod naive;
mod symmetry;
mod threads;

use super::{Compiled, Derived, Form, Options, Outcome, StateOf, search};
use crate::certificate::{self, Claim};
use crate::system::{Budget, Compile, Evidence, Property, System, Unlimited, Verdict};

type OutcomeOf<S> = Outcome<Evidence<<S as System>::State, <S as System>::Action>>;

/// Passes the evidence of `outcome` through the checker, unless it is a mere search.
fn assert_evidence<S: System>(
    system: &S,
    property: Property<'_, S::State>,
    outcome: &OutcomeOf<S>,
) {
    let (evidence, holds) = match &outcome.verdict {
        Verdict::Holds(evidence) => (evidence, true),
        Verdict::Fails(evidence) => (evidence, false),
        Verdict::Unknown(_) => return,
    };
    if !matches!(evidence, Evidence::Search(_)) {
        let checked = certificate::check(system, &Claim { property, holds }, evidence);
        assert_eq!(checked, Ok(()), "{property:?} {holds}: {evidence:?}");
    }
}

/// Searches `form` for a property of readable states and checks the evidence.
fn ask<F: Form>(
    form: &F,
    property: Property<'_, StateOf<F>>,
    options: &Options,
    budget: &mut dyn Budget,
) -> OutcomeOf<F::System>
where
    StateOf<F>: Sync,
{
    let on_rows = |row: &super::Row<F>| property.holds_in(&form.decode(row));
    let outcome = match property {
        Property::Always(_) => search(form, Property::Always(&on_rows), options, budget),
        Property::Reachable(_) => search(form, Property::Reachable(&on_rows), options, budget),
        Property::DeadlockFree(_) => {
            search(form, Property::DeadlockFree(&on_rows), options, budget)
        }
        Property::Eventually(_) => search(form, Property::Eventually(&on_rows), options, budget),
    };
    assert_evidence(form.system(), property, &outcome);
    outcome
}

/// Asks the compiled form and the derived form, which must agree in everything but memory.
fn ask_both<S>(system: &S, property: Property<'_, S::State>) -> OutcomeOf<S>
where
    S: Compile + Sync + std::fmt::Debug,
    S::State: std::hash::Hash + Send + Sync,
{
    let options = Options::default();
    let compiled = ask(&Compiled(system), property, &options, &mut Unlimited);
    let derived = ask(&Derived(system), property, &options, &mut Unlimited);
    assert_eq!(compiled.verdict, derived.verdict, "{system:?} {property:?}");
    assert_eq!(compiled.progress.states, derived.progress.states);
    assert_eq!(compiled.progress.transitions, derived.progress.transitions);
    compiled
}
