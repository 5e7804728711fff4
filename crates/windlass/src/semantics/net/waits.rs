//! Why nothing can happen in a valuation: what waits for what, from the premises that fail.

use std::collections::BTreeMap;

use super::{
    Action, Blocked, Element, Madeus, Valuation, enter_place, fire_transition, leave_place,
};
use crate::application::assembly::progress::{Explanation, Wait, follow};
use crate::application::assembly::{ComponentId, PlaceId, PortId, TransitionId};
use crate::lifecycle::net::{self, Side};
use crate::system::System;

impl Madeus<'_> {
    /// Why nothing can happen in a valuation where nothing can: a cycle of waits, when there is
    /// one. None when no token waits.
    pub(crate) fn waits(&self, state: &Valuation) -> Option<Explanation> {
        let stopped = self.stopped(state);
        let explain = |id: &TransitionId| follow(*id, |next| self.wait(state, &stopped, next));
        let all = stopped.values();
        all.clone()
            .map(explain)
            .find(|found| found.cycle.is_some())
            .or_else(|| all.map(explain).next())
    }

    /// A transition of each component that does not go on: rather one that lacks a port than one
    /// whose token waits for another.
    fn stopped(&self, state: &Valuation) -> BTreeMap<ComponentId, TransitionId> {
        let mut found: BTreeMap<ComponentId, (u8, TransitionId)> = BTreeMap::new();
        for action in self.candidates(state) {
            let (rank, id) = match action {
                Action::Fire(id) => (0, Some(id)),
                Action::Enter(place) => match enter_place(self, state, place) {
                    Err(Blocked::PortNotReady { .. }) => (1, self.at(state, place, Side::Input)),
                    _ => (4, self.at(state, place, Side::Input)),
                },
                Action::Leave(place) => (2, self.at(state, place, Side::Output)),
                Action::End(id) => (3, Some(id)),
                _ => continue,
            };
            let Some(id) = id else { continue };
            let (component, _) = self.assembly.local_transition(id);
            if self.is_of_behavior(state, id) {
                let known = found.entry(component).or_insert((rank, id));
                *known = (*known).min((rank, id));
            }
        }
        found.into_iter().map(|(component, (_, id))| (component, id)).collect()
    }

    fn is_of_behavior(&self, state: &Valuation, id: TransitionId) -> bool {
        let (component, local) = self.assembly.local_transition(id);
        let index = self.assembly.net(component).1;
        index.behavior[local.index()] == self.behavior(state, component)
    }

    /// A transition at a place; on the side where tokens enter, one that has ended.
    fn at(&self, state: &Valuation, place: PlaceId, side: Side) -> Option<TransitionId> {
        let (component, local) = self.assembly.local_place(place);
        let behavior = self.behavior(state, component);
        let index = self.assembly.net(component).1;
        let mut docks = index.active(local, side, behavior).filter(|dock| {
            let dock = Element::Dock(self.assembly.dock(component, *dock));
            side == Side::Output || state.is_marked(dock)
        });
        let id = docks.find_map(|dock| index.active_transitions(dock, behavior).next())?;
        Some(self.assembly.transition(component, id))
    }

    fn wait(
        &self,
        state: &Valuation,
        stopped: &BTreeMap<ComponentId, TransitionId>,
        id: TransitionId,
    ) -> Wait {
        let assembly = self.assembly;
        let (component, local) = assembly.local_transition(id);
        let net = assembly.net(component).0;
        let dock = |dock: net::DockId| Element::Dock(assembly.dock(component, dock));
        let transition = net.transition(local);
        let source = assembly.place(component, net.source_place(local));
        let blocked = if state.is_marked(Element::Transition(id)) {
            return Wait::Failed(id);
        } else if state.is_marked(dock(transition.source)) {
            fire_transition(self, state, id)
        } else if state.is_marked(Element::Place(source)) {
            leave_place(self, state, source)
        } else if state.is_marked(dock(transition.destination)) {
            enter_place(self, state, assembly.place(component, net.destination_place(local)))
        } else {
            let before = self.leading_to(state, source);
            return before.map_or(Wait::NoToken(id, source), |before| Wait::Before(id, before));
        };
        match blocked {
            Err(Blocked::PortNotReady { port }) => self.port_wait(stopped, id, port),
            Err(Blocked::StillUsed { port, by }) => {
                let user = self.component_of(by);
                match stopped.get(&user) {
                    Some(other) => Wait::Used(id, port, *other),
                    None => Wait::UsedAtRest(id, port, user),
                }
            }
            Err(Blocked::NoToken(Element::Dock(empty))) => {
                let (component, local) = assembly.local_dock(empty);
                let all = &assembly.net(component).1.transitions[local.index()];
                let all = all.iter().map(|id| assembly.transition(component, *id));
                let other = all.into_iter().find(|id| self.is_of_behavior(state, *id));
                other.map_or(Wait::NoToken(id, source), |other| Wait::Beside(id, other))
            }
            _ => Wait::NoToken(id, source),
        }
    }

    fn leading_to(&self, state: &Valuation, place: PlaceId) -> Option<TransitionId> {
        let (component, local) = self.assembly.local_place(place);
        let behavior = self.behavior(state, component);
        let index = self.assembly.net(component).1;
        let mut docks = index.active(local, Side::Input, behavior);
        let id = docks.find_map(|dock| index.active_transitions(dock, behavior).next())?;
        Some(self.assembly.transition(component, id))
    }

    /// The provider that a transition waits for at a port, and that does not go on.
    fn port_wait(
        &self,
        stopped: &BTreeMap<ComponentId, TransitionId>,
        id: TransitionId,
        port: PortId,
    ) -> Wait {
        let links = self.assembly.links_of_user(port).iter();
        let mut others = links.filter_map(|link| {
            let (component, _) = self.assembly.local_port(self.assembly.link(*link).provider);
            stopped.get(&component)
        });
        others.next().map_or(Wait::NotProvided(id, port), |other| Wait::Port(id, port, *other))
    }

    fn component_of(&self, element: Element) -> ComponentId {
        match element {
            Element::Place(place) => self.assembly.local_place(place).0,
            Element::Dock(dock) => self.assembly.local_dock(dock).0,
            Element::Transition(id) => self.assembly.local_transition(id).0,
        }
    }
}
