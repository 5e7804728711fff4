//! The slow obvious reference: sets of states, and paths followed until they repeat.

use std::collections::{BTreeMap, BTreeSet};

use crate::system::System;

/// Every successor of `state`.
pub(super) fn successors<S: System>(system: &S, state: &S::State) -> BTreeSet<S::State> {
    let mut all = BTreeSet::new();
    for action in system.candidates(state) {
        if let Ok(successors) = system.step(state, &action) {
            all.extend(successors.into_vec());
        }
    }
    all
}

/// Every state that can be reached through states in `through`, with its distance.
pub(super) fn distances<S: System>(
    system: &S,
    start: &S::State,
    through: &dyn Fn(&S::State) -> bool,
) -> BTreeMap<S::State, usize> {
    let mut known = BTreeMap::from([(start.clone(), 0)]);
    let mut layer = BTreeSet::from([start.clone()]);
    for distance in 1.. {
        let mut next = BTreeSet::new();
        for state in layer.iter().filter(|state| through(state)) {
            next.extend(successors(system, state));
        }
        next.retain(|state| !known.contains_key(state));
        if next.is_empty() {
            break;
        }
        known.extend(next.iter().map(|state| (state.clone(), distance)));
        layer = next;
    }
    known
}

/// Whether some run from the end of `path`, all of it outside the predicate, never meets it:
/// enumerates all paths without repetition.
pub(super) fn avoids<S: System>(
    system: &S,
    path: &mut Vec<S::State>,
    predicate: &dyn Fn(&S::State) -> bool,
) -> bool {
    let Some(last) = path.last().cloned() else { return false };
    if predicate(&last) {
        return false;
    }
    let next = successors(system, &last);
    if next.is_empty() || next.iter().any(|state| path.contains(state)) {
        return true;
    }
    next.into_iter().any(|state| {
        path.push(state);
        let found = avoids(system, path, predicate);
        path.pop();
        found
    })
}

/// The length of a shortest cycle through `state` outside the predicate.
pub(super) fn cycle_length<S: System>(
    system: &S,
    state: &S::State,
    predicate: &dyn Fn(&S::State) -> bool,
) -> Option<usize> {
    let outside = |state: &S::State| !predicate(state);
    successors(system, state)
        .iter()
        .filter(|next| outside(next))
        .filter_map(|next| distances(system, next, &outside).get(state).map(|length| length + 1))
        .min()
}
