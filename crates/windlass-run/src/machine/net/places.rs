//! In which places the components of an assembly are: another run may begin from there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use windlass::application::assembly::ComponentId;
use windlass::lifecycle::net::{DockId, NetTransition, PlaceId, Side};

use super::NetMachine;

/// The places of each component that holds tokens.
pub(crate) type OccupiedPlaces = BTreeMap<ComponentId, BTreeSet<PlaceId>>;

/// A component of which a part has left a place and another part has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InBetween {
    /// The component.
    pub(crate) component: String,
    /// The place.
    pub(crate) place: String,
}

impl fmt::Display for InBetween {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InBetween { component, place } = self;
        write!(out, "`{component}` is in the middle of something at `{place}`")
    }
}

impl std::error::Error for InBetween {}

/// The docks of a place that its tokens have reached.
type Docks = BTreeMap<(ComponentId, PlaceId), BTreeSet<DockId>>;

impl NetMachine<'_> {
    /// The places of every component. What waits to leave a place, or has failed to, is in it
    /// still; says who is in the middle of something when a part of a place has gone on.
    pub(crate) fn occupied_places(&self) -> Result<OccupiedPlaces, InBetween> {
        let mut all = OccupiedPlaces::new();
        for place in self.live.marked_places() {
            let (component, place) = self.assembly.local_place(place);
            all.entry(component).or_default().insert(place);
        }
        for ((component, place), docks) in self.waiting_docks()? {
            let net = self.assembly.net(component).0;
            let behavior = |dock: &DockId| {
                let transitions = net.transitions.iter();
                transitions.filter(|it| it.source == *dock).map(NetTransition::behavior).next()
            };
            let present = docks.first().and_then(behavior);
            let is_of_place = |dock: &DockId| {
                let it = &net.docks[dock.index()];
                it.place == place && it.side == Side::Output && behavior(dock) == present
            };
            let whole = (0..net.docks.len()).map(DockId::from).filter(is_of_place);
            if whole.collect::<BTreeSet<_>>() != docks {
                return Err(self.in_between(component, place));
            }
            all.entry(component).or_default().insert(place);
        }
        Ok(all)
    }

    /// The docks of places that were left, of which the transitions wait or have failed.
    fn waiting_docks(&self) -> Result<Docks, InBetween> {
        let mut docks = Docks::new();
        let marked = self.live.marked_docks().map(|dock| self.assembly.local_dock(dock));
        let failed = self.live.marked_transitions().map(|id| {
            let (component, local) = self.assembly.local_transition(id);
            (component, self.assembly.net(component).0.transition(local).source)
        });
        for (component, dock) in marked.chain(failed) {
            let net = self.assembly.net(component).0;
            let place = net.place_of(dock);
            if net.docks[dock.index()].side == Side::Input {
                return Err(self.in_between(component, place));
            }
            docks.entry((component, place)).or_default().insert(dock);
        }
        Ok(docks)
    }

    fn in_between(&self, component: ComponentId, place: PlaceId) -> InBetween {
        let place = self.assembly.net(component).0.place(place).name.clone();
        InBetween { component: self.assembly.component_name(component), place }
    }
}
