//! A measure as evidence of `eventually`: a number per state that falls with every step until
//! the predicate holds. Numbers cannot fall forever, and no state outside the predicate is an
//! end, so every run meets the predicate.

use std::collections::BTreeMap;

use super::{Refused, is_end, successors};
use crate::system::{Predicate, System};

/// Numbers that show that every run meets `predicate`.
pub(super) fn check<S: System>(
    system: &S,
    predicate: Predicate<'_, S::State>,
    ranks: &[(S::State, u32)],
) -> Result<(), Refused> {
    let rank_of: BTreeMap<&S::State, u32> =
        ranks.iter().map(|(state, rank)| (state, *rank)).collect();
    if !rank_of.contains_key(&system.initial()) {
        return Err(Refused::WrongStart);
    }
    for (state, rank) in rank_of.iter().filter(|(state, _)| !predicate(state)) {
        if is_end(system, state) {
            return Err(Refused::BadEnd(format!("{state:?}")));
        }
        for after in successors(system, state) {
            match rank_of.get(&after) {
                None => return Err(Refused::NotClosed(format!("{after:?}"))),
                Some(lower) if lower < rank => {}
                Some(_) => return Err(Refused::DoesNotFall(format!("{after:?}"))),
            }
        }
    }
    Ok(())
}
