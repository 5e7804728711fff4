//! The seven rules of an assembly, written out as a place/transition net.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, MOST_LEFT, Petri, TooManyGroups};
use crate::application::assembly::{
    Assembly, BehaviorId, ComponentId, GroupId, Link, LinkId, PortId,
};
use crate::lifecycle::net::{self, PortKind, Side};

/// Something that holds a token, as the index of its spot.
type Element = usize;

/// Tokens move: one application of rule 1 to 4.
struct Move {
    name: String,
    component: ComponentId,
    phase: usize,
    from: Vec<Element>,
    to: Vec<Element>,
    /// Use ports that must be ready.
    needs: Vec<PortId>,
    /// Data ports that get a value.
    sets: Vec<PortId>,
    /// Rule 4: a used port may not lose its last token.
    keeps_used: bool,
}

/// A group that a connected port is bound to.
#[derive(Debug, Clone, Default)]
struct Counted {
    elements: BTreeSet<Element>,
    ports: Vec<PortId>,
    tokens: usize,
    room: usize,
}

impl Counted {
    /// How many of these are in the group.
    fn inside(&self, all: &[Element]) -> u32 {
        all.iter().filter(|element| self.elements.contains(element)).count() as u32
    }
}

#[derive(Default)]
struct Builder {
    petri: Petri,
    places: Vec<Element>,
    docks: Vec<Element>,
    transitions: Vec<Element>,
    /// The spot that holds a token while an element does not.
    empty: BTreeMap<Element, usize>,
    enabled: Vec<usize>,
    disabled: Vec<usize>,
    ready: BTreeMap<PortId, usize>,
    values: BTreeMap<PortId, usize>,
    groups: BTreeMap<GroupId, Counted>,
    groups_of: BTreeMap<ComponentId, Vec<GroupId>>,
    /// Which ports an element uses, once for each connection.
    uses: BTreeMap<Element, Vec<PortId>>,
    /// The spot that counts the users of a port at rest, and how many users there are.
    unused: BTreeMap<PortId, (usize, u32)>,
    phases: BTreeMap<ComponentId, Vec<usize>>,
    free: Option<usize>,
    withdrawing: BTreeMap<BTreeSet<GroupId>, usize>,
}

pub(super) fn petri(assembly: &Assembly<'_>) -> Result<Petri, TooManyGroups> {
    let mut builder = Builder::default();
    for component in assembly.component_ids() {
        builder.add_elements(assembly, component);
    }
    for (at, link) in assembly.links().iter().enumerate() {
        builder.add_link(assembly, LinkId::from(at), *link);
    }
    for component in assembly.component_ids() {
        builder.add_groups(assembly, component);
    }
    builder.add_users(assembly);
    // A port that is connected to nothing is never ready, and what needs it never happens.
    let possible = |step: &Move| step.needs.iter().all(|port| builder.ready.contains_key(port));
    let moves: Vec<Move> = assembly
        .component_ids()
        .flat_map(|component| builder.moves(assembly, component))
        .filter(possible)
        .collect();
    if moves.iter().any(|step| !builder.left(step).is_empty()) {
        builder.free = Some(builder.petri.spot("free".into(), "nothing is withdrawn".into(), 1));
    }
    for step in &moves {
        builder.add_move(step)?;
    }
    for (at, link) in assembly.links().iter().enumerate() {
        builder.add_enabling(assembly, LinkId::from(at), *link);
    }
    builder.add_withdrawals(assembly);
    for component in assembly.component_ids() {
        builder.add_next_behaviors(assembly, component);
    }
    Ok(builder.petri)
}

fn link_name(assembly: &Assembly<'_>, link: Link) -> String {
    format!("{} -> {}", assembly.port_name(link.user), assembly.port_name(link.provider))
}

impl Builder {
    fn add_elements(&mut self, assembly: &Assembly<'_>, component: ComponentId) {
        let net = assembly.net(component).0;
        let changes_behavior = assembly.component(component).program.len() > 1;
        let mut all = Vec::new();
        for (at, place) in net.places.iter().enumerate() {
            let id = assembly.place(component, at.into());
            let tokens = u32::from(net.initial.contains(&at.into()));
            let name = format!("{}.{}", assembly.component_name(component), place.name);
            let spot = self.petri.spot(format!("place-{}", id.0), name, tokens);
            self.places.push(spot);
            all.push(spot);
        }
        for (at, dock) in net.docks.iter().enumerate() {
            let id = assembly.dock(component, at.into());
            let place = assembly.place_name(assembly.place(component, dock.place));
            let spot = self.petri.spot(format!("dock-{}", id.0), format!("dock of {place}"), 0);
            self.docks.push(spot);
            all.push(spot);
        }
        for at in 0..net.transitions.len() {
            let id = assembly.transition(component, at.into());
            let name = assembly.transition_name(id);
            let spot = self.petri.spot(format!("transition-{}", id.0), name, 0);
            self.transitions.push(spot);
            all.push(spot);
        }
        if changes_behavior {
            for spot in all {
                let (id, name) = (format!("empty-{spot}"), self.petri.spots[spot].name.clone());
                let tokens = 1 - self.petri.spots[spot].tokens;
                let empty = self.petri.spot(id, format!("no token: {name}"), tokens);
                self.empty.insert(spot, empty);
            }
            for (at, behavior) in assembly.component(component).program.iter().enumerate() {
                let behavior = &assembly.net(component).1.behaviors[behavior.index()];
                let name = format!("{} in {behavior}", assembly.component_name(component));
                let id = format!("phase-{}-{at}", component.0);
                let spot = self.petri.spot(id, name, u32::from(at == 0));
                self.phases.entry(component).or_default().push(spot);
            }
        }
    }

    fn add_link(&mut self, assembly: &Assembly<'_>, id: LinkId, link: Link) {
        let name = link_name(assembly, link);
        let enabled = format!("enabled-{}", id.0);
        self.enabled.push(self.petri.spot(enabled, format!("{name} enabled"), 0));
        let disabled = format!("disabled-{}", id.0);
        self.disabled.push(self.petri.spot(disabled, format!("{name} not enabled"), 1));
        let petri = &mut self.petri;
        self.ready.entry(link.user).or_insert_with(|| {
            let name = format!("{} ready", assembly.port_name(link.user));
            petri.spot(format!("ready-{}", link.user.0), name, 0)
        });
        if link.data {
            self.values.entry(link.provider).or_insert_with(|| {
                let name = format!("value of {}", assembly.port_name(link.provider));
                petri.spot(format!("value-{}", link.provider.0), name, 0)
            });
        }
    }

    /// The groups that connected ports are bound to: what is in them is counted.
    fn add_groups(&mut self, assembly: &Assembly<'_>, component: ComponentId) {
        let (net, index) = assembly.net(component);
        for (at, ports) in index.ports_of_group.iter().enumerate() {
            let ports = ports.iter().map(|port| assembly.port(component, *port));
            let linked = |port: &PortId| !assembly.links_of_provider(*port).is_empty();
            let ports: Vec<PortId> = ports.filter(linked).collect();
            if ports.is_empty() {
                continue;
            }
            let local = net::GroupId::from(at);
            let id = assembly.group(component, local);
            let mut elements: BTreeSet<Element> = BTreeSet::new();
            for place in &net.groups[at].places {
                elements.insert(self.places[assembly.place(component, *place).index()]);
            }
            for (at, groups) in index.groups_of_transition.iter().enumerate() {
                if groups.contains(&local) {
                    let id = assembly.transition(component, at.into());
                    elements.insert(self.transitions[id.index()]);
                }
            }
            for (at, groups) in index.groups_of_dock.iter().enumerate() {
                if groups.contains(&local) {
                    elements.insert(self.docks[assembly.dock(component, at.into()).index()]);
                }
            }
            let held: u32 = elements.iter().map(|spot| self.petri.spots[*spot].tokens).sum();
            let name = format!("{}.{}", assembly.component_name(component), net.groups[at].name);
            let tokens = self.petri.spot(format!("tokens-{}", id.0), format!("in {name}"), held);
            let more = elements.len() as u32 - held;
            let room = self.petri.spot(format!("room-{}", id.0), format!("room in {name}"), more);
            self.groups.insert(id, Counted { elements, ports, tokens, room });
            self.groups_of.entry(component).or_default().push(id);
        }
    }

    /// Who uses which counted port (eq. 4, `is_used`).
    fn add_users(&mut self, assembly: &Assembly<'_>) {
        let ports: BTreeSet<PortId> =
            self.groups.values().flat_map(|group| group.ports.iter().copied()).collect();
        for provider in ports {
            let (mut users, mut using) = (0, 0);
            for link in assembly.links_of_provider(provider) {
                let (component, local) = assembly.local_port(assembly.link(*link).user);
                let port = assembly.net(component).0.port(local);
                let transitions = port.transitions.iter();
                let transitions = transitions
                    .map(|id| self.transitions[assembly.transition(component, *id).index()]);
                let places = port.places.iter();
                let places = places.map(|id| self.places[assembly.place(component, *id).index()]);
                for element in transitions.chain(places).collect::<Vec<_>>() {
                    users += 1;
                    using += self.petri.spots[element].tokens;
                    self.uses.entry(element).or_default().push(provider);
                }
            }
            let name = format!("users of {} at rest", assembly.port_name(provider));
            let spot = self.petri.spot(format!("unused-{}", provider.0), name, users - using);
            self.unused.insert(provider, (spot, users));
        }
    }

    /// Every application of rules 1 to 4 in a component.
    fn moves(&self, assembly: &Assembly<'_>, component: ComponentId) -> Vec<Move> {
        let program = &assembly.component(component).program;
        let all = program.iter().enumerate();
        all.flat_map(|(phase, behavior)| self.moves_in(assembly, component, phase, *behavior))
            .collect()
    }

    fn moves_in(
        &self,
        assembly: &Assembly<'_>,
        component: ComponentId,
        phase: usize,
        behavior: BehaviorId,
    ) -> Vec<Move> {
        let (net, index) = assembly.net(component);
        let ports =
            |all: &[net::PortId]| all.iter().map(|p| assembly.port(component, *p)).collect();
        let dock = |id: net::DockId| self.docks[assembly.dock(component, id).index()];
        let step = |name: String, from: Vec<Element>, to: Vec<Element>| Move {
            name,
            component,
            phase,
            from,
            to,
            needs: Vec::new(),
            sets: Vec::new(),
            keeps_used: false,
        };
        let mut moves = Vec::new();
        for (at, transition) in net.transitions.iter().enumerate() {
            if index.behavior[at] != behavior {
                continue;
            }
            let id = assembly.transition(component, at.into());
            let (name, spot) = (assembly.transition_name(id), self.transitions[id.index()]);
            moves.push(Move {
                needs: ports(&index.needs[at]),
                ..step(format!("start {name}"), vec![dock(transition.source)], vec![spot])
            });
            let to = net.destination_place(at.into());
            moves.push(Move {
                sets: ports(&index.sets[to.index()]),
                ..step(format!("end {name}"), vec![spot], vec![dock(transition.destination)])
            });
        }
        for at in 0..net.places.len() {
            let id = assembly.place(component, at.into());
            let (name, spot) = (assembly.place_name(id), self.places[id.index()]);
            let inputs: Vec<_> = index.active(at.into(), Side::Input, behavior).map(dock).collect();
            let outputs: Vec<_> =
                index.active(at.into(), Side::Output, behavior).map(dock).collect();
            if !inputs.is_empty() {
                moves.push(Move {
                    needs: ports(&index.holds[at]),
                    ..step(format!("enter {name}"), inputs, vec![spot])
                });
            }
            if !outputs.is_empty() {
                moves.push(Move {
                    keeps_used: true,
                    ..step(format!("leave {name}"), vec![spot], outputs)
                });
            }
        }
        moves
    }

    /// The groups that lose tokens by a move, and how many.
    fn left(&self, step: &Move) -> Vec<(GroupId, u32)> {
        let groups = self.groups_of.get(&step.component).into_iter().flatten();
        groups
            .filter_map(|id| {
                let group = &self.groups[id];
                let lost = group.inside(&step.from).checked_sub(group.inside(&step.to))?;
                (lost > 0).then_some((*id, lost))
            })
            .collect()
    }

    /// Writes a move: once for each set of groups that it may empty.
    fn add_move(&mut self, step: &Move) -> Result<(), TooManyGroups> {
        let left = self.left(step);
        if left.len() > MOST_LEFT {
            let groups = left.len();
            return Err(TooManyGroups { name: step.name.clone(), groups });
        }
        let base = self.base(step);
        for chosen in 0..1u32 << left.len() {
            let mut change = base.clone();
            let mut emptied = BTreeSet::new();
            for (at, (id, lost)) in left.iter().enumerate() {
                let group = self.groups[id].clone();
                change.take(group.tokens, *lost);
                change.give(group.room, *lost);
                if chosen & (1 << at) == 0 {
                    change.read(group.tokens, 1);
                    continue;
                }
                emptied.insert(*id);
                change.read(group.room, group.elements.len() as u32 - lost);
                for port in group.ports.iter().filter(|_| step.keeps_used) {
                    let (unused, users) = self.unused[port];
                    change.read(unused, users);
                }
            }
            self.lock(&mut change, emptied);
            self.petri.changes.push(change);
        }
        Ok(())
    }

    /// What a move does whatever groups it empties.
    fn base(&self, step: &Move) -> Change {
        let mut change = Change { name: step.name.clone(), ..Change::default() };
        for element in &step.from {
            change.take(*element, 1);
            if let Some(empty) = self.empty.get(element) {
                change.give(*empty, 1);
            }
            for port in self.uses.get(element).into_iter().flatten() {
                change.give(self.unused[port].0, 1);
            }
        }
        for element in &step.to {
            change.give(*element, 1);
            if let Some(empty) = self.empty.get(element) {
                change.take(*empty, 1);
            }
            for port in self.uses.get(element).into_iter().flatten() {
                change.take(self.unused[port].0, 1);
            }
        }
        for id in self.groups_of.get(&step.component).into_iter().flatten() {
            let group = &self.groups[id];
            let won = group.inside(&step.to).saturating_sub(group.inside(&step.from));
            if won > 0 {
                change.give(group.tokens, won);
                change.take(group.room, won);
            }
        }
        for port in &step.needs {
            change.read(self.ready[port], 1);
        }
        for port in &step.sets {
            if let Some(value) = self.values.get(port) {
                change.give(*value, 1);
            }
        }
        if let Some(phases) = self.phases.get(&step.component) {
            change.read(phases[step.phase], 1);
        }
        change
    }

    /// Other changes wait while groups that have just been emptied are withdrawn.
    fn lock(&mut self, change: &mut Change, emptied: BTreeSet<GroupId>) {
        let Some(free) = self.free else { return };
        if emptied.is_empty() {
            change.read(free, 1);
            return;
        }
        change.take(free, 1);
        let number = self.withdrawing.len();
        let petri = &mut self.petri;
        let spot = *self.withdrawing.entry(emptied).or_insert_with(|| {
            petri.spot(format!("withdrawing-{number}"), "a service is withdrawn".into(), 0)
        });
        change.give(spot, 1);
    }

    /// Rules 5 and 7.
    fn add_enabling(&mut self, assembly: &Assembly<'_>, id: LinkId, link: Link) {
        let name = format!("enable {}", link_name(assembly, link));
        let mut change = Change { name, ..Change::default() };
        let (component, local) = assembly.local_port(link.provider);
        let port = assembly.net(component).0.port(local);
        if link.data {
            if port.kind != PortKind::DataProvide {
                return;
            }
            change.read(self.values[&link.provider], 1);
        } else {
            if port.groups.is_empty() {
                return;
            }
            for group in &port.groups {
                change.read(self.groups[&assembly.group(component, *group)].tokens, 1);
            }
        }
        change.take(self.disabled[id.index()], 1);
        change.give(self.enabled[id.index()], 1);
        change.give(self.ready[&link.user], 1);
        self.lock(&mut change, BTreeSet::new());
        self.petri.changes.push(change);
    }

    /// Rule 6, and that it has been applied wherever it can be.
    fn add_withdrawals(&mut self, assembly: &Assembly<'_>) {
        let Some(free) = self.free else { return };
        for (groups, spot) in self.withdrawing.clone() {
            let ports = groups.iter().flat_map(|id| self.groups[id].ports.clone());
            let links: BTreeSet<LinkId> =
                ports.flat_map(|port| assembly.links_of_provider(port).to_vec()).collect();
            let mut done = Change { name: "withdrawn".into(), ..Change::default() };
            done.take(spot, 1);
            done.give(free, 1);
            for id in links {
                let link = assembly.link(id);
                let name = format!("disable {}", link_name(assembly, link));
                let mut change = Change { name, ..Change::default() };
                change.read(spot, 1);
                change.take(self.enabled[id.index()], 1);
                change.take(self.ready[&link.user], 1);
                change.give(self.disabled[id.index()], 1);
                self.petri.changes.push(change);
                done.read(self.disabled[id.index()], 1);
            }
            self.petri.changes.push(done);
        }
    }

    /// The change of behavior: no token of the component can move.
    fn add_next_behaviors(&mut self, assembly: &Assembly<'_>, component: ComponentId) {
        let Some(phases) = self.phases.get(&component).cloned() else { return };
        let (net, index) = assembly.net(component);
        for (at, pair) in phases.windows(2).enumerate() {
            let behavior = assembly.component(component).program[at];
            let name = format!("next behavior of {}", assembly.component_name(component));
            let mut change = Change { name, ..Change::default() };
            change.take(pair[0], 1);
            change.give(pair[1], 1);
            let docks = (0..net.docks.len())
                .map(|at| self.docks[assembly.dock(component, at.into()).index()]);
            let transitions = (0..net.transitions.len())
                .map(|at| self.transitions[assembly.transition(component, at.into()).index()]);
            let left = (0..net.places.len())
                .filter(|at| index.active((*at).into(), Side::Output, behavior).next().is_some())
                .map(|at| self.places[assembly.place(component, at.into()).index()]);
            let all: Vec<Element> = docks.chain(transitions).chain(left).collect();
            for element in all {
                change.read(self.empty[&element], 1);
            }
            self.lock(&mut change, BTreeSet::new());
            self.petri.changes.push(change);
        }
    }
}
