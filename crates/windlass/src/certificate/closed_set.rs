//! A closed set as evidence: it contains the start and every successor of its states, so it
//! contains everything reachable; what holds in all of it holds always.

use std::collections::BTreeSet;

use super::{Refused, is_end, successors};
use crate::system::{Property, System};

/// A set that shows that `property` holds or, for `reachable`, fails. The successors of at most
/// about `most_stepped` of its states are looked for, evenly spread.
pub(super) fn check<S: System>(
    system: &S,
    property: &Property<'_, S::State>,
    states: &[S::State],
    most_stepped: usize,
) -> Result<(), Refused> {
    let set: BTreeSet<&S::State> = states.iter().collect();
    if !set.contains(&system.initial()) {
        return Err(Refused::WrongStart);
    }
    let stride = set.len().div_ceil(most_stepped.max(1)).max(1);
    for (at, state) in set.iter().enumerate() {
        let is_stepped = at.is_multiple_of(stride);
        if is_stepped
            && let Some(missing) = successors(system, state).find(|after| !set.contains(after))
        {
            return Err(Refused::NotClosed(format!("{missing:?}")));
        }
        let wrong = match property {
            Property::Always(p) => !p(state),
            Property::Reachable(p) => p(state),
            Property::DeadlockFree(p) if !p(state) && is_end(system, state) => {
                return Err(Refused::BadEnd(format!("{state:?}")));
            }
            Property::DeadlockFree(_) => false,
            // A closed set says nothing about cycles; `super::check` lets none come here.
            Property::Eventually(_) => true,
        };
        if wrong {
            return Err(Refused::WrongPredicate(format!("{state:?}")));
        }
    }
    Ok(())
}
