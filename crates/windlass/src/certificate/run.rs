//! A run as evidence: replayed step by step.

use super::{Refused, is_end};
use crate::system::{Predicate, Property, Step, System, Trace};

/// A run that shows that `property` fails or, for `reachable`, holds.
pub(super) fn check_trace<S: System>(
    system: &S,
    property: &Property<'_, S::State>,
    trace: &Trace<S::State, S::Action>,
) -> Result<(), Refused> {
    check_start(system, trace)?;
    check_steps(system, &trace.start, &trace.steps, 0)?;
    let last = trace.last();
    match property {
        Property::Always(p) => expect(*p, last, false),
        Property::Reachable(p) => expect(*p, last, true),
        Property::DeadlockFree(p) => {
            expect(*p, last, false)?;
            check_end(system, last)
        }
        Property::Eventually(p) => {
            trace.states().try_for_each(|state| expect(*p, state, false))?;
            check_end(system, last)
        }
    }
}

/// A run that goes round a cycle forever and never meets `predicate`.
pub(super) fn check_lasso<S: System>(
    system: &S,
    predicate: Predicate<'_, S::State>,
    stem: &Trace<S::State, S::Action>,
    cycle: &[Step<S::State, S::Action>],
) -> Result<(), Refused> {
    check_start(system, stem)?;
    check_steps(system, &stem.start, &stem.steps, 0)?;
    check_steps(system, stem.last(), cycle, stem.steps.len())?;
    if cycle.last().is_none_or(|step| step.after != *stem.last()) {
        return Err(Refused::NotACycle);
    }
    let mut states = stem.states().chain(cycle.iter().map(|step| &step.after));
    states.try_for_each(|state| expect(predicate, state, false))
}

fn check_start<S: System>(system: &S, trace: &Trace<S::State, S::Action>) -> Result<(), Refused> {
    if trace.start == system.initial() { Ok(()) } else { Err(Refused::WrongStart) }
}

/// Replays `steps` from `start`; the first has the number `first`.
fn check_steps<S: System>(
    system: &S,
    start: &S::State,
    steps: &[Step<S::State, S::Action>],
    first: usize,
) -> Result<(), Refused> {
    let mut before = start;
    for (number, step) in (first..).zip(steps) {
        let successors = system
            .step(before, &step.action)
            .map_err(|blocked| Refused::Blocked(number, format!("{blocked:?}")))?;
        if !successors.iter().any(|after| *after == step.after) {
            return Err(Refused::NotASuccessor(number));
        }
        before = &step.after;
    }
    Ok(())
}

fn check_end<S: System>(system: &S, state: &S::State) -> Result<(), Refused> {
    if is_end(system, state) { Ok(()) } else { Err(Refused::NotAnEnd) }
}

fn expect<T: std::fmt::Debug>(
    predicate: Predicate<'_, T>,
    state: &T,
    value: bool,
) -> Result<(), Refused> {
    if predicate(state) == value {
        Ok(())
    } else {
        Err(Refused::WrongPredicate(format!("{state:?}")))
    }
}
