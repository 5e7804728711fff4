//! Which alternatives a net has surely taken when a token comes somewhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::lifecycle::net::{DockId, Net, NetTransitionId, PlaceId};

/// For each output dock with alternatives that was surely passed: those of them that may have
/// taken the token.
type Taken = BTreeMap<DockId, BTreeSet<NetTransitionId>>;

/// What was taken before each transition of one behavior, itself included.
#[derive(Debug, Default)]
pub(super) struct Choices(BTreeMap<NetTransitionId, Taken>);

impl Choices {
    /// Follows one behavior of an acyclic net from its sources on.
    pub(super) fn of(net: &Net, behavior: &str) -> Self {
        let ids = (0..net.transitions.len()).map(NetTransitionId::from);
        let own: Vec<NetTransitionId> =
            ids.filter(|id| net.transition(*id).behavior() == behavior).collect();
        let mut alternatives: BTreeMap<DockId, u32> = BTreeMap::new();
        let mut leaving = vec![Vec::new(); net.places.len()];
        let mut entering = vec![Vec::new(); net.places.len()];
        for id in &own {
            *alternatives.entry(net.transition(*id).source).or_default() += 1;
            leaving[net.source_place(*id).index()].push(*id);
            entering[net.destination_place(*id).index()].push(*id);
        }
        let mut waiting: Vec<usize> = entering.iter().map(Vec::len).collect();
        let places = (0..net.places.len()).map(PlaceId::from);
        let mut open: Vec<PlaceId> = places.filter(|place| waiting[place.index()] == 0).collect();
        let mut choices = Choices::default();
        while let Some(place) = open.pop() {
            let taken = choices.at(net, &entering[place.index()]);
            for id in &leaving[place.index()] {
                let mut taken = taken.clone();
                let source = net.transition(*id).source;
                if alternatives[&source] > 1 {
                    taken.insert(source, [*id].into());
                }
                choices.0.insert(*id, taken);
                let to = net.destination_place(*id);
                waiting[to.index()] -= 1;
                if waiting[to.index()] == 0 {
                    open.push(to);
                }
            }
        }
        choices
    }

    /// What was taken when a place is entered: by one of the transitions that end in each dock, and
    /// for all docks together.
    fn at(&self, net: &Net, entering: &[NetTransitionId]) -> Taken {
        let mut docks: BTreeMap<DockId, Option<Taken>> = BTreeMap::new();
        for id in entering {
            let new = &self.0[id];
            let dock = docks.entry(net.transition(*id).destination).or_default();
            *dock = Some(match dock.take() {
                None => new.clone(),
                Some(before) => either(before, new),
            });
        }
        let mut all = Taken::new();
        for (source, ids) in docks.into_values().flatten().flatten() {
            let both = match all.get(&source) {
                Some(before) => before.intersection(&ids).copied().collect(),
                None => ids,
            };
            all.insert(source, both);
        }
        all
    }

    /// Whether two transitions never run both.
    pub(super) fn exclude(&self, first: NetTransitionId, second: NetTransitionId) -> bool {
        let (Some(first), Some(second)) = (self.0.get(&first), self.0.get(&second)) else {
            return false;
        };
        first.iter().any(|(dock, ids)| second.get(dock).is_some_and(|other| ids.is_disjoint(other)))
    }
}

fn either(before: Taken, new: &Taken) -> Taken {
    let common = before.into_iter().filter_map(|(dock, mut ids)| {
        ids.extend(new.get(&dock)?);
        Some((dock, ids))
    });
    common.collect()
}
