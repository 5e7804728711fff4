//! The seven rules on the engine's numbers. Each function does what the rule of the same number in
//! `semantics/net.rs` does, and keeps the numbers right.

use super::{
    Action, Cause, ComponentId, DockId, Engine, GroupId, LinkId, NO_RUN, PlaceId, PortId, Side,
};
use crate::application::assembly::TransitionId;
use crate::lifecycle::net::{self, PortKind};

impl Engine<'_, '_> {
    /// (1) `mk[s := false][θ := true]`.
    pub(super) fn start(&mut self, id: TransitionId, component: ComponentId, source: DockId) {
        let mut touched = Vec::new();
        self.note(Action::Fire(id));
        self.unmark_dock(component, source, &mut touched);
        self.transition_marked[id.index()] = true;
        self.add_tokens(component, id, 1, &mut touched);
        self.use_ports(component, id, true);
        self.regroup(touched);
    }

    /// (2) `mk[θ := false][d := true]`, and the values of the place.
    pub(super) fn end(&mut self, id: TransitionId) {
        let assembly = self.assembly;
        let (component, local) = assembly.local_transition(id);
        let (net, index) = assembly.net(component);
        let mut touched = Vec::new();
        self.note(Action::End(id));
        self.transition_marked[id.index()] = false;
        self.add_tokens(component, id, -1, &mut touched);
        let dock = assembly.dock(component, net.transition(local).destination);
        self.mark_dock(component, dock, &mut touched);
        self.regroup(touched);
        self.use_ports(component, id, false);
        for port in &index.sets[net.destination_place(local).index()] {
            self.set_value(assembly.port(component, *port));
        }
    }

    /// (3) `mk[∀ δ ∈ D_i : δ := false][π := true]`.
    pub(super) fn enter(&mut self, place: PlaceId) {
        let assembly = self.assembly;
        let (component, local) = assembly.local_place(place);
        let index = assembly.net(component).1;
        let behavior = self.behavior(component);
        if self.docks_missing[place.index()] > 0
            || index.active(local, Side::Input, behavior).next().is_none()
        {
            return;
        }
        let holds = &index.holds[local.index()];
        let ready = |port: &net::PortId| self.port_ready[assembly.port(component, *port).index()];
        if holds.iter().any(|port| ready(port) == 0) {
            return;
        }
        let mut touched = Vec::new();
        self.note(Action::Enter(place));
        for dock in index.active(local, Side::Input, behavior) {
            self.unmark_dock(component, assembly.dock(component, dock), &mut touched);
            self.docks_missing[place.index()] += 1;
        }
        self.mark_place(component, place, &mut touched);
        for port in holds {
            self.use_port(assembly.port(component, *port), true);
        }
        self.regroup(touched);
        self.maybe_next_behavior(component);
    }

    /// (4) `mk[∀ δ ∈ D_o : δ := true][π := false]`, unless a used port would lose its last token.
    pub(super) fn leave(&mut self, place: PlaceId) {
        let assembly = self.assembly;
        let (component, local) = assembly.local_place(place);
        let index = assembly.net(component).1;
        let docks: Vec<net::DockId> =
            index.active(local, Side::Output, self.behavior(component)).collect();
        if docks.is_empty() || !self.place_marked[place.index()] {
            return;
        }
        for group in &index.groups_of_place[local.index()] {
            let tokens = self.group_tokens[assembly.group(component, *group).index()];
            let gained = docks.iter();
            let gained = gained.filter(|dock| index.groups_of_dock[dock.index()].contains(group));
            if tokens as usize - 1 + gained.count() > 0 {
                continue;
            }
            let ports = index.ports_of_group[group.index()].iter();
            let mut ports = ports.map(|port| assembly.port(component, *port));
            if let Some(used) = ports.find(|port| self.users[port.index()] > 0) {
                self.held.entry(used).or_default().push(place);
                return;
            }
        }
        let mut touched = Vec::new();
        self.note(Action::Leave(place));
        self.place_marked[place.index()] = false;
        for group in &index.groups_of_place[local.index()] {
            self.add_token(component, assembly.group(component, *group), -1, &mut touched);
        }
        for dock in docks {
            self.mark_dock(component, assembly.dock(component, dock), &mut touched);
        }
        self.regroup(touched);
        for port in &index.holds[local.index()] {
            self.use_port(assembly.port(component, *port), false);
        }
    }

    /// (5) and (6), the latter first: connections follow the groups that changed.
    pub(super) fn regroup(&mut self, mut touched: Vec<(ComponentId, GroupId)>) {
        touched.sort_unstable();
        touched.dedup();
        let (mut lost, mut won) = (Vec::new(), Vec::new());
        for (component, group) in touched {
            let enabled = self.group_tokens[group.index()] > 0;
            if enabled == self.group_enabled[group.index()] {
                continue;
            }
            self.group_enabled[group.index()] = enabled;
            let first = self.assembly.group(component, net::GroupId(0));
            let local = (group.0 - first.0) as usize;
            for port in &self.assembly.net(component).1.ports_of_group[local] {
                let port = self.assembly.port(component, *port);
                let missing = &mut self.groups_missing[port.index()];
                if enabled {
                    *missing -= 1;
                    won.push(port);
                } else {
                    *missing += 1;
                    lost.push(port);
                }
            }
        }
        for port in lost {
            for at in 0..self.assembly.links_of_provider(port).len() {
                let link = self.assembly.links_of_provider(port)[at];
                if self.link_enabled[link.index()] {
                    self.note(Action::Disable(link));
                    self.disable(link);
                }
            }
        }
        for port in won {
            if self.groups_missing[port.index()] > 0 {
                continue;
            }
            for at in 0..self.assembly.links_of_provider(port).len() {
                let link = self.assembly.links_of_provider(port)[at];
                if !self.link_enabled[link.index()] {
                    self.note(Action::Enable(link));
                    self.enable(link);
                }
            }
        }
    }

    /// (7) The connections of a data port that has a value.
    fn set_value(&mut self, port: PortId) {
        if std::mem::replace(&mut self.has_value[port.index()], true) {
            return;
        }
        for at in 0..self.assembly.links_of_provider(port).len() {
            let link = self.assembly.links_of_provider(port)[at];
            self.note(Action::EnableData(link));
            self.enable(link);
        }
    }

    fn enable(&mut self, link: LinkId) {
        self.link_enabled[link.index()] = true;
        let port = self.assembly.link(link).user;
        self.port_ready[port.index()] += 1;
        if self.port_ready[port.index()] > 1 {
            return;
        }
        self.port_cause[port.index()] = self.current;
        let (component, local) = self.assembly.local_port(port);
        let port = self.assembly.net(component).0.port(local);
        for transition in &port.transitions {
            let id = self.assembly.transition(component, *transition);
            self.ports_missing[id.index()] -= 1;
            if self.ports_missing[id.index()] == 0 {
                self.ready.push_back(id);
            }
        }
        let places = port.places.iter();
        self.to_enter.extend(places.map(|place| self.assembly.place(component, *place)));
    }

    fn disable(&mut self, link: LinkId) {
        self.link_enabled[link.index()] = false;
        let port = self.assembly.link(link).user;
        self.port_ready[port.index()] -= 1;
        if self.port_ready[port.index()] > 0 {
            return;
        }
        self.port_cause[port.index()] = NO_RUN;
        let (component, local) = self.assembly.local_port(port);
        for transition in &self.assembly.net(component).0.port(local).transitions {
            let id = self.assembly.transition(component, *transition);
            self.ports_missing[id.index()] += 1;
        }
    }

    fn use_ports(&mut self, component: ComponentId, id: TransitionId, begins: bool) {
        let (_, local) = self.assembly.local_transition(id);
        let (net, index) = self.assembly.net(component);
        for port in &index.needs[local.index()] {
            if net.port(*port).kind == PortKind::Use {
                self.use_port(self.assembly.port(component, *port), begins);
            }
        }
    }

    /// Counts who uses the providers of a use port; places that waited for the last one may go.
    pub(super) fn use_port(&mut self, port: PortId, begins: bool) {
        for at in 0..self.assembly.links_of_user(port).len() {
            let link = self.assembly.links_of_user(port)[at];
            let provider = self.assembly.link(link).provider;
            let users = &mut self.users[provider.index()];
            if begins {
                *users += 1;
                continue;
            }
            *users -= 1;
            if *users == 0
                && let Some(places) = self.held.remove(&provider)
            {
                let cause = Cause { run: self.current, port: Some(provider) };
                self.freed.extend(places.iter().map(|place| (*place, cause)));
                self.to_leave.extend(places);
            }
        }
    }

    pub(super) fn mark_place(
        &mut self,
        component: ComponentId,
        place: PlaceId,
        touched: &mut Vec<(ComponentId, GroupId)>,
    ) {
        self.place_marked[place.index()] = true;
        let (_, local) = self.assembly.local_place(place);
        for group in &self.assembly.net(component).1.groups_of_place[local.index()] {
            self.add_token(component, self.assembly.group(component, *group), 1, touched);
        }
        self.to_leave.push_back(place);
    }

    fn mark_dock(
        &mut self,
        component: ComponentId,
        dock: DockId,
        touched: &mut Vec<(ComponentId, GroupId)>,
    ) {
        let assembly = self.assembly;
        let (net, index) = assembly.net(component);
        let local = net::DockId(dock.0 - assembly.dock(component, net::DockId(0)).0);
        if std::mem::replace(&mut self.dock_marked[dock.index()], true) {
            return;
        }
        for group in &index.groups_of_dock[local.index()] {
            self.add_token(component, assembly.group(component, *group), 1, touched);
        }
        if net.docks[local.index()].side == Side::Input {
            let place = assembly.place(component, net.place_of(local));
            self.docks_missing[place.index()] -= 1;
            if self.docks_missing[place.index()] == 0 {
                self.to_enter.push_back(place);
            }
            return;
        }
        for transition in index.active_transitions(local, self.behavior(component)) {
            let id = assembly.transition(component, transition);
            if self.ports_missing[id.index()] == 0 {
                self.ready.push_back(id);
            }
        }
    }

    fn unmark_dock(
        &mut self,
        component: ComponentId,
        dock: DockId,
        touched: &mut Vec<(ComponentId, GroupId)>,
    ) {
        let local = dock.0 - self.assembly.dock(component, net::DockId(0)).0;
        self.dock_marked[dock.index()] = false;
        for group in &self.assembly.net(component).1.groups_of_dock[local as usize] {
            self.add_token(component, self.assembly.group(component, *group), -1, touched);
        }
    }

    fn add_tokens(
        &mut self,
        component: ComponentId,
        id: TransitionId,
        change: i32,
        touched: &mut Vec<(ComponentId, GroupId)>,
    ) {
        let (_, local) = self.assembly.local_transition(id);
        for group in &self.assembly.net(component).1.groups_of_transition[local.index()] {
            self.add_token(component, self.assembly.group(component, *group), change, touched);
        }
    }

    fn add_token(
        &mut self,
        component: ComponentId,
        group: GroupId,
        change: i32,
        touched: &mut Vec<(ComponentId, GroupId)>,
    ) {
        let tokens = &mut self.group_tokens[group.index()];
        *tokens = tokens.saturating_add_signed(change);
        touched.push((component, group));
    }

    /// A component that has come to rest begins its next behavior.
    fn maybe_next_behavior(&mut self, component: ComponentId) {
        let assembly = self.assembly;
        let phase = self.phase[component.index()] as usize;
        if phase + 1 >= assembly.component(component).program.len() || self.moves(component) {
            return;
        }
        self.note(Action::NextBehavior(component));
        self.phase[component.index()] += 1;
        self.count_docks(component);
        for at in 0..assembly.net(component).0.places.len() {
            let place = assembly.place(component, at.into());
            if self.place_marked[place.index()] {
                self.to_leave.push_back(place);
            }
        }
        self.maybe_next_behavior(component);
    }

    /// Whether a token of a component can still move in its behavior.
    fn moves(&self, component: ComponentId) -> bool {
        let assembly = self.assembly;
        let (net, index) = assembly.net(component);
        let behavior = self.behavior(component);
        let on_place = |at: usize| {
            self.place_marked[assembly.place(component, at.into()).index()]
                && index.active(at.into(), Side::Output, behavior).next().is_some()
        };
        let on_dock = |at: usize| self.dock_marked[assembly.dock(component, at.into()).index()];
        let on_way =
            |at: usize| self.transition_marked[assembly.transition(component, at.into()).index()];
        (0..net.places.len()).any(on_place)
            || (0..net.docks.len()).any(on_dock)
            || (0..net.transitions.len()).any(on_way)
    }
}
