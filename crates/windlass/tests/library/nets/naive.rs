//! The seven rules once more, written from the paper alone: sets of names, every rule tried on
//! everything, nothing shared with the library but the description.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::Application;
use windlass::lifecycle::net::{PortKind, Side};

type Name = String;

#[derive(Debug, Default)]
struct Theta {
    source: Name,
    destination: Name,
    ends: (Name, Name),
    needs: Vec<Name>,
}

/// Everything with a star, by name.
#[derive(Debug, Default)]
pub struct World {
    initial: BTreeSet<Name>,
    docks_in: BTreeMap<Name, BTreeSet<Name>>,
    docks_out: BTreeMap<Name, BTreeSet<Name>>,
    thetas: BTreeMap<Name, Theta>,
    groups: BTreeMap<Name, BTreeSet<Name>>,
    provided_by: BTreeMap<Name, Vec<Name>>,
    set_by: BTreeMap<Name, BTreeSet<Name>>,
    links: BTreeSet<(Name, Name)>,
    data_links: BTreeSet<(Name, Name)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    mk: BTreeSet<Name>,
    ebl: BTreeSet<(Name, Name)>,
    val: BTreeMap<Name, Name>,
}

impl World {
    pub fn new(application: &Application) -> Self {
        let mut world = World::default();
        let instances = |node: usize| {
            let node = &application.nodes[node];
            (0..node.count).map(move |number| format!("{}#{number}", node.name))
        };
        for at in 0..application.nodes.len() {
            for instance in instances(at) {
                world.add(application, at, &instance);
            }
            for connection in &application.nodes[at].connections {
                let user = application.types[application.nodes[at].component_type.index()].net();
                let user = user.unwrap().port(connection.port);
                let target = connection.target.index();
                let provider = application.type_of(connection.target).net().unwrap();
                let provider = provider.port(connection.target_port);
                for from in instances(at) {
                    for to in instances(target) {
                        let link = (
                            format!("{from}/port/{}", user.name),
                            format!("{to}/port/{}", provider.name),
                        );
                        match user.kind {
                            PortKind::DataUse => world.data_links.insert(link),
                            _ => world.links.insert(link),
                        };
                    }
                }
            }
        }
        world
    }

    fn add(&mut self, application: &Application, node: usize, instance: &str) {
        let net = application.types[application.nodes[node].component_type.index()].net().unwrap();
        let place = |at: usize| format!("{instance}/place/{}", net.places[at].name);
        let dock = |at: usize| format!("{instance}/dock/{at}");
        let port = |at: usize| format!("{instance}/port/{}", net.ports[at].name);
        self.initial.extend(net.initial.iter().map(|p| place(p.index())));
        for at in 0..net.places.len() {
            self.docks_in.insert(place(at), BTreeSet::new());
            self.docks_out.insert(place(at), BTreeSet::new());
        }
        for (at, each) in net.docks.iter().enumerate() {
            let side =
                if each.side == Side::Input { &mut self.docks_in } else { &mut self.docks_out };
            side.get_mut(&place(each.place.index())).unwrap().insert(dock(at));
        }
        for (at, transition) in net.transitions.iter().enumerate() {
            let place_of = |d: usize| place(net.docks[d].place.index());
            let (s, d) = (transition.source.index(), transition.destination.index());
            let uses = |p: &usize| net.ports[*p].transitions.iter().any(|t| t.index() == at);
            self.thetas.insert(
                format!("{instance}/theta/{}", transition.name),
                Theta {
                    source: dock(s),
                    destination: dock(d),
                    ends: (place_of(s), place_of(d)),
                    needs: (0..net.ports.len()).filter(uses).map(port).collect(),
                },
            );
        }
        let group = |at: usize| format!("{instance}/group/{}", net.groups[at].name);
        for (at, each) in net.groups.iter().enumerate() {
            self.groups.insert(group(at), each.places.iter().map(|p| place(p.index())).collect());
        }
        for (at, each) in net.ports.iter().enumerate() {
            self.provided_by
                .insert(port(at), each.groups.iter().map(|g| group(g.index())).collect());
            self.set_by.insert(port(at), each.places.iter().map(|p| place(p.index())).collect());
        }
    }

    fn group_enabled(&self, group: &Name, mk: &BTreeSet<Name>) -> bool {
        let places = &self.groups[group];
        let inside = |t: &Theta| places.contains(&t.ends.0) && places.contains(&t.ends.1);
        places.iter().any(|p| mk.contains(p))
            || self.thetas.iter().any(|(name, t)| {
                inside(t)
                    && (mk.contains(name) || mk.contains(&t.source) || mk.contains(&t.destination))
            })
    }

    fn provided(&self, port: &Name, mk: &BTreeSet<Name>) -> bool {
        self.provided_by[port].iter().all(|group| self.group_enabled(group, mk))
    }

    fn used(&self, port: &Name, mk: &BTreeSet<Name>) -> bool {
        self.links.iter().filter(|(_, p)| p == port).any(|(u, _)| {
            self.thetas.iter().any(|(name, t)| t.needs.contains(u) && mk.contains(name))
        })
    }

    pub fn start(&self) -> State {
        State { mk: self.initial.clone(), ..State::default() }
    }

    /// Every state after `state`.
    pub fn after(&self, state: &State) -> Vec<State> {
        let withdrawn: Vec<State> = self
            .links
            .iter()
            .filter(|link| state.ebl.contains(*link) && !self.provided(&link.1, &state.mk))
            .map(|link| {
                let mut after = state.clone();
                after.ebl.remove(link);
                after
            })
            .collect();
        if !withdrawn.is_empty() {
            return withdrawn;
        }
        let mut all = self.transitions_of(state);
        self.places_of(state, &mut all);
        for link in self.links.iter().filter(|link| !state.ebl.contains(*link)) {
            if self.provided(&link.1, &state.mk) {
                let mut after = state.clone();
                after.ebl.insert(link.clone());
                all.push(after);
            }
        }
        for link in self.data_links.iter().filter(|link| !state.ebl.contains(*link)) {
            if state.val.contains_key(&link.1) {
                let mut after = state.clone();
                after.ebl.insert(link.clone());
                all.push(after);
            }
        }
        all
    }

    fn transitions_of(&self, state: &State) -> Vec<State> {
        let mut all = Vec::new();
        for (name, theta) in &self.thetas {
            let ready = |port: &Name| state.ebl.iter().any(|(u, _)| u == port);
            if state.mk.contains(&theta.source) && theta.needs.iter().all(ready) {
                let mut after = state.clone();
                after.mk.remove(&theta.source);
                after.mk.insert(name.clone());
                all.push(after);
            }
            if state.mk.contains(name) {
                let mut after = state.clone();
                after.mk.remove(name);
                after.mk.insert(theta.destination.clone());
                for (port, places) in &self.set_by {
                    if places.contains(&theta.ends.1) {
                        after.val.insert(port.clone(), name.clone());
                    }
                }
                all.push(after);
            }
        }
        all
    }

    fn places_of(&self, state: &State, all: &mut Vec<State>) {
        for (place, docks) in &self.docks_in {
            if !docks.is_empty() && docks.is_subset(&state.mk) {
                let mut after = state.clone();
                after.mk.retain(|x| !docks.contains(x));
                after.mk.insert(place.clone());
                all.push(after);
            }
        }
        for (place, docks) in &self.docks_out {
            if docks.is_empty() || !state.mk.contains(place) {
                continue;
            }
            let mut after = state.clone();
            after.mk.remove(place);
            after.mk.extend(docks.iter().cloned());
            let stuck = self.groups.iter().any(|(group, places)| {
                let ports = self.provided_by.iter().filter(|(_, groups)| groups.contains(group));
                places.contains(place)
                    && ports.into_iter().any(|(port, _)| self.used(port, &state.mk))
                    && self.group_enabled(group, &state.mk)
                    && !self.group_enabled(group, &after.mk)
            });
            if !stuck {
                all.push(after);
            }
        }
    }

    /// How many states can be reached, how many steps there are between them, and how many states
    /// have no step; nothing when there are more than `limit` states.
    pub fn count(&self, limit: usize) -> Option<(usize, usize, usize)> {
        let mut seen = BTreeSet::from([self.start()]);
        let mut open = vec![self.start()];
        let (mut steps, mut ends) = (0, 0);
        while let Some(state) = open.pop() {
            let after = self.after(&state);
            steps += after.len();
            ends += usize::from(after.is_empty());
            for next in after {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
            if seen.len() > limit {
                return None;
            }
        }
        Some((seen.len(), steps, ends))
    }
}
