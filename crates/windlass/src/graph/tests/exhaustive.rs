//! A small exhaustive generator: every location, set of locations and transition of a scope.
//!
//! Scopes are stated as Alloy does: so many names, so many roles, at most so many locations. Sorts
//! and processes do not occur in the assertions and are the same everywhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::compose::unbound_roles_in_ls;
use crate::graph::transition::{Context, Interaction, Label, Polarity};
use crate::graph::{Atom, Location, LocationSet, Name, Process, RoleId, Sort, Value};

pub(super) fn name(index: u32) -> Name {
    Name::from(["a", "b", "c", "d", "e"][index as usize])
}

/// Where a location has a role. Only a broken location has one in both positions.
#[derive(Clone, Copy, PartialEq)]
enum Position {
    Absent,
    Provided,
    Required,
    Both,
}

/// Every location with one of `names` names and any of `roles` roles: names * 3^roles.
pub(super) fn locations(names: u32, roles: u32) -> Vec<Location> {
    use Position::{Absent, Provided, Required};
    locations_with(names, roles, &[Absent, Provided, Required])
}

/// The same without the constraint that positions are disjoint: names * 4^roles.
pub(super) fn locations_with_overlaps(names: u32, roles: u32) -> Vec<Location> {
    use Position::{Absent, Both, Provided, Required};
    locations_with(names, roles, &[Absent, Provided, Required, Both])
}

fn locations_with(names: u32, roles: u32, positions: &[Position]) -> Vec<Location> {
    let choices: Vec<Vec<Position>> = vec![positions.to_vec(); roles as usize];
    let combinations = product(&choices);
    let location = |index: u32, chosen: &[Position]| {
        let at = |wanted: Position| -> BTreeMap<RoleId, Name> {
            let here = |p: Position| p == wanted || p == Position::Both;
            let roles = (0..).zip(chosen).filter(|(_, p)| here(**p));
            roles.map(|(id, _)| (RoleId(id), Name::from("group"))).collect()
        };
        Location {
            name: name(index),
            process: Process::new("process"),
            sort: Sort::new("sort"),
            provided: at(Position::Provided),
            required: at(Position::Required),
        }
    };
    (0..names).flat_map(|n| combinations.iter().map(move |c| location(n, c))).collect()
}

/// Every set of at most `at_most` of the items, the empty one first.
pub(super) fn subsets<T: Ord + Clone>(
    items: &[T],
    at_most: usize,
) -> impl Iterator<Item = BTreeSet<T>> {
    let mut next = Some(Vec::new());
    std::iter::from_fn(move || {
        let chosen = next.take()?;
        let set = chosen.iter().map(|&index: &usize| items[index].clone()).collect();
        next = following(chosen, items.len(), at_most);
        Some(set)
    })
}

/// The choice after `chosen`: one item more, or else the last item that can be is moved on.
fn following(mut chosen: Vec<usize>, items: usize, at_most: usize) -> Option<Vec<usize>> {
    let after_last = chosen.last().map_or(0, |last| last + 1);
    if chosen.len() < at_most && after_last < items {
        chosen.push(after_last);
        return Some(chosen);
    }
    while let Some(last) = chosen.pop() {
        if last + 1 < items {
            chosen.push(last + 1);
            return Some(chosen);
        }
    }
    None
}

/// Every way to take one of each list.
pub(super) fn product<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        let longer =
            |taken: &Vec<T>, item: &T| [taken.as_slice(), std::slice::from_ref(item)].concat();
        all = all.iter().flat_map(|taken| list.iter().map(|i| longer(taken, i))).collect();
    }
    all
}

/// Every label that the facts allow for `init`: at most one signal on each unbound role, of either
/// polarity, with one of `payloads` values.
pub(super) fn labels(init: &LocationSet, payloads: usize) -> Vec<Label> {
    let payloads = &["v", "w"][..payloads];
    let on = |role: RoleId| -> Vec<Option<Interaction>> {
        let polarities = [Polarity::Plus, Polarity::Minus];
        let pairs = polarities.iter().flat_map(|&p| payloads.iter().map(move |&v| (p, v)));
        let signals = pairs.map(|(polarity, value)| {
            Some(Interaction { role, polarity, payload: Value::Datum(Name::from(value)) })
        });
        std::iter::once(None).chain(signals).collect()
    };
    let choices: Vec<_> = unbound_roles_in_ls(init).into_iter().map(on).collect();
    product(&choices).into_iter().map(|chosen| chosen.into_iter().flatten().collect()).collect()
}

/// The context that knows every atom of the scope.
pub(super) fn context(names: u32, roles: u32) -> Context {
    let names = (0..names).map(|n| Atom::Name(name(n)));
    Context { atoms: names.chain((0..roles).map(|r| Atom::Role(RoleId(r)))).collect() }
}

#[test]
fn the_generator_is_exhaustive() {
    // Five names of one role are 15 locations, and 15 + 15 * 14 / 2 sets of one or two.
    assert_eq!(locations(5, 1).len(), 15);
    assert_eq!(subsets(&locations(5, 1), 2).count(), 1 + 15 + 105);
    assert_eq!(locations_with_overlaps(2, 3).len(), 2 * 64);
    // No duplicates.
    let sets: BTreeSet<LocationSet> = subsets(&locations(5, 1), 2).collect();
    assert_eq!(sets.len(), 1 + 15 + 105);
    // A location with two unbound roles: (1 + 2 * 2)^2 labels.
    let both = locations(1, 2).into_iter().find(|l| l.provided().count() == 2);
    assert_eq!(labels(&both.into_iter().collect(), 2).len(), 25);
}
