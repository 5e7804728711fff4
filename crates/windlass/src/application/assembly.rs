//! An assembly of nets, unfolded: every component instance with its places, docks, transitions
//! and ports, and every connection between ports.
//!
//! | paper | here |
//! |---|---|
//! | `C` | `Assembly::components` |
//! | `Π*`, `Δi* ∪ Δo*`, `Θ*`, `G*`, `P*` | [`PlaceId`], [`DockId`], [`TransitionId`], [`GroupId`], [`PortId`] |
//! | `L_P`, `L_D` | `Assembly::links` |
//!
//! A node with `count: n` stands for n components; a connection of two nodes stands for one of
//! every instance with every instance, of which one enabled is enough (eq. 1, `is_ready`). All
//! indices are of the whole assembly. What the components of one type have in common is kept once
//! (`NetIndex`), so that an assembly of 100,000 components stays small.

mod net_index;
pub mod progress;

use std::collections::BTreeSet;
use std::fmt;

pub(crate) use net_index::{BehaviorId, NetIndex};

use super::{Application, NodeId};
use crate::lifecycle::net::{self, Net, PortKind};
use crate::lifecycle::{Lifecycle, index};

index!(
    /// A component instance.
    pub ComponentId
);
index!(
    /// A place of a component: an element of `Π*`.
    pub PlaceId
);
index!(
    /// A dock of a component: an element of `Δi* ∪ Δo*`.
    pub DockId
);
index!(
    /// A transition of a component: an element of `Θ*`.
    pub TransitionId
);
index!(
    /// A group of a component.
    pub GroupId
);
index!(
    /// A port of a component.
    pub PortId
);
index!(
    /// A connection: an element of `L_P ∪ L_D`.
    pub LinkId
);

/// The most connections that an assembly may unfold to: beyond, it is a mistake.
const MOST_LINKS: usize = 20_000_000;
/// The most component instances.
const MOST_COMPONENTS: usize = 5_000_000;

/// Why an application does not unfold to an assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoAssembly {
    /// Its life cycles are protocols.
    Protocols,
    /// It has too many components or connections.
    TooLarge,
}

impl fmt::Display for NoAssembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocols => f.write_str("the application is one of protocols, and has no nets"),
            Self::TooLarge => write!(
                f,
                "the assembly has more than {MOST_COMPONENTS} components or {MOST_LINKS} connections"
            ),
        }
    }
}

/// A component instance: an element of `C`.
#[derive(Debug, Clone)]
pub struct Component {
    /// The node that it is an instance of.
    pub node: NodeId,
    /// Which of the instances of its node, from 0.
    pub(crate) number: u32,
    /// The behaviors that it goes through; not empty.
    pub(crate) program: Vec<BehaviorId>,
    kind: u32,
    places: u32,
    docks: u32,
    transitions: u32,
    groups: u32,
    ports: u32,
}

/// A connection `(u, p)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// `u`, the port that uses.
    pub(crate) user: PortId,
    /// `p`, the port that provides.
    pub(crate) provider: PortId,
    /// Whether it is one of `L_D`.
    pub(crate) data: bool,
}

/// The links of each port, one list after the other.
#[derive(Debug, Clone, Default)]
struct Adjacency {
    starts: Vec<u32>,
    links: Vec<LinkId>,
}

impl Adjacency {
    fn new(ports: usize, links: &[Link], end: fn(&Link) -> PortId) -> Self {
        let mut starts = vec![0u32; ports + 1];
        for link in links {
            starts[end(link).index() + 1] += 1;
        }
        for at in 0..ports {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut all = vec![LinkId(0); links.len()];
        for (at, link) in links.iter().enumerate() {
            let slot = &mut next[end(link).index()];
            all[*slot as usize] = LinkId::from(at);
            *slot += 1;
        }
        Self { starts, links: all }
    }

    fn of(&self, port: PortId) -> &[LinkId] {
        let at = port.index();
        &self.links[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// How many elements of each sort there are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    /// `|Π*|`.
    pub(crate) places: usize,
    /// `|Δi* ∪ Δo*|`.
    pub(crate) docks: usize,
    /// `|Θ*|`.
    pub transitions: usize,
    /// Groups.
    pub(crate) groups: usize,
    /// Ports.
    pub(crate) ports: usize,
}

/// `(C, L_P, L_D)`, unfolded.
///
/// Paper: 002 Sec. III-B
#[derive(Debug, Clone)]
pub struct Assembly<'a> {
    application: &'a Application,
    nets: Vec<(&'a Net, NetIndex)>,
    components: Vec<Component>,
    place_owner: Vec<ComponentId>,
    transition_owner: Vec<ComponentId>,
    port_owner: Vec<ComponentId>,
    links: Vec<Link>,
    by_user: Adjacency,
    by_provider: Adjacency,
    sizes: Sizes,
}

impl<'a> Assembly<'a> {
    /// Unfolds an application of nets.
    pub fn new(application: &'a Application) -> Result<Self, NoAssembly> {
        let mut nets = Vec::with_capacity(application.types.len());
        for component in &application.types {
            let Lifecycle::Net(net) = &component.lifecycle else {
                return Err(NoAssembly::Protocols);
            };
            nets.push((net, NetIndex::new(net)));
        }
        let mut assembly = Self {
            application,
            nets,
            components: Vec::new(),
            place_owner: Vec::new(),
            transition_owner: Vec::new(),
            port_owner: Vec::new(),
            links: Vec::new(),
            by_user: Adjacency::default(),
            by_provider: Adjacency::default(),
            sizes: Sizes::default(),
        };
        let wanted: usize = application.nodes.iter().map(|node| node.count as usize).sum();
        if wanted > MOST_COMPONENTS {
            return Err(NoAssembly::TooLarge);
        }
        let first = assembly.unfold_nodes();
        assembly.unfold_links(&first)?;
        let ports = assembly.sizes.ports;
        assembly.by_user = Adjacency::new(ports, &assembly.links, |link| link.user);
        assembly.by_provider = Adjacency::new(ports, &assembly.links, |link| link.provider);
        Ok(assembly)
    }

    /// Adds the instances of each node; the answer is the first component of each.
    fn unfold_nodes(&mut self) -> Vec<u32> {
        let mut first = Vec::with_capacity(self.application.nodes.len());
        for node in self.application.node_ids() {
            first.push(self.components.len() as u32);
            for number in 0..self.application.node(node).count {
                self.add_component(node, number);
            }
        }
        first
    }

    fn add_component(&mut self, node: NodeId, number: u32) {
        let kind = self.application.node(node).component_type.0;
        let (net, index) = &self.nets[kind as usize];
        let id = ComponentId::from(self.components.len());
        let named = self.application.deployment.behaviors.get(&node);
        let program: Vec<BehaviorId> = match named {
            Some(names) => names.iter().filter_map(|name| index.behavior_named(name)).collect(),
            None => Vec::new(),
        };
        let program = if program.is_empty() { vec![index.first_behavior()] } else { program };
        let component = Component {
            node,
            number,
            program,
            kind,
            places: self.sizes.places as u32,
            docks: self.sizes.docks as u32,
            transitions: self.sizes.transitions as u32,
            groups: self.sizes.groups as u32,
            ports: self.sizes.ports as u32,
        };
        self.components.push(component);
        self.sizes.places += net.places.len();
        self.sizes.docks += net.docks.len();
        self.sizes.transitions += net.transitions.len();
        self.sizes.groups += net.groups.len();
        self.sizes.ports += net.ports.len();
        self.place_owner.resize(self.sizes.places, id);
        self.transition_owner.resize(self.sizes.transitions, id);
        self.port_owner.resize(self.sizes.ports, id);
    }

    fn unfold_links(&mut self, first: &[u32]) -> Result<(), NoAssembly> {
        for node in self.application.node_ids() {
            let users =
                first[node.index()]..first[node.index()] + self.application.node(node).count;
            let mut seen = BTreeSet::new();
            for connection in &self.application.node(node).connections {
                let target = connection.target;
                // `L_P` is a set: what is written twice is one connection.
                if !seen.insert((connection.port, target, connection.target_port)) {
                    continue;
                }
                let begin = first[target.index()];
                let providers = begin..begin + self.application.node(target).count;
                if self.links.len() + users.len() * providers.len() > MOST_LINKS {
                    return Err(NoAssembly::TooLarge);
                }
                let data = self.port_kind(node, connection.port) == Some(PortKind::DataUse);
                for user in users.clone() {
                    for provider in providers.clone() {
                        self.links.push(Link {
                            user: self.port(ComponentId(user), connection.port),
                            provider: self.port(ComponentId(provider), connection.target_port),
                            data,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn port_kind(&self, node: NodeId, port: net::PortId) -> Option<PortKind> {
        Some(self.application.type_of(node).net()?.port(port).kind)
    }

    /// The application.
    pub fn application(&self) -> &'a Application {
        self.application
    }

    /// How many elements there are.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Every component id, in the order of declaration.
    pub fn component_ids(&self) -> impl Iterator<Item = ComponentId> + use<> {
        (0..self.components.len()).map(ComponentId::from)
    }

    /// Every transition id.
    pub fn transition_ids(&self) -> impl Iterator<Item = TransitionId> + use<> {
        (0..self.sizes.transitions).map(TransitionId::from)
    }

    /// Every place id.
    pub fn place_ids(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..self.sizes.places).map(PlaceId::from)
    }

    /// `C`.
    pub(crate) fn components(&self) -> &[Component] {
        &self.components
    }

    /// `L_P ∪ L_D`.
    pub(crate) fn links(&self) -> &[Link] {
        &self.links
    }

    /// The component with this id.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.index()]
    }

    /// The link with this id.
    pub(crate) fn link(&self, id: LinkId) -> Link {
        self.links[id.index()]
    }

    /// The links of a port that uses.
    pub(crate) fn links_of_user(&self, port: PortId) -> &[LinkId] {
        self.by_user.of(port)
    }

    /// The links of a port that provides.
    pub(crate) fn links_of_provider(&self, port: PortId) -> &[LinkId] {
        self.by_provider.of(port)
    }

    /// The net of a component and its index.
    pub fn net(&self, component: ComponentId) -> (&'a Net, &NetIndex) {
        let (net, index) = &self.nets[self.component(component).kind as usize];
        (net, index)
    }
}

/// From the indices of a net to those of the assembly and back.
impl Assembly<'_> {
    /// A place of a component.
    pub(crate) fn place(&self, component: ComponentId, place: net::PlaceId) -> PlaceId {
        PlaceId(self.component(component).places + place.0)
    }

    /// A dock of a component.
    pub fn dock(&self, component: ComponentId, dock: net::DockId) -> DockId {
        DockId(self.component(component).docks + dock.0)
    }

    /// A transition of a component.
    pub fn transition(&self, component: ComponentId, id: net::NetTransitionId) -> TransitionId {
        TransitionId(self.component(component).transitions + id.0)
    }

    /// A group of a component.
    pub(crate) fn group(&self, component: ComponentId, group: net::GroupId) -> GroupId {
        GroupId(self.component(component).groups + group.0)
    }

    /// A port of a component.
    pub(crate) fn port(&self, component: ComponentId, port: net::PortId) -> PortId {
        PortId(self.component(component).ports + port.0)
    }

    /// The component of a place, and the place in its net.
    pub fn local_place(&self, place: PlaceId) -> (ComponentId, net::PlaceId) {
        let owner = self.place_owner[place.index()];
        (owner, net::PlaceId(place.0 - self.component(owner).places))
    }

    /// The component of a transition, and the transition in its net.
    pub fn local_transition(&self, id: TransitionId) -> (ComponentId, net::NetTransitionId) {
        let owner = self.transition_owner[id.index()];
        (owner, net::NetTransitionId(id.0 - self.component(owner).transitions))
    }

    /// The component of a port, and the port in its net.
    pub fn local_port(&self, port: PortId) -> (ComponentId, net::PortId) {
        let owner = self.port_owner[port.index()];
        (owner, net::PortId(port.0 - self.component(owner).ports))
    }

    /// The component of a dock, and the dock in its net.
    pub fn local_dock(&self, dock: DockId) -> (ComponentId, net::DockId) {
        // Components without docks begin where the next one begins: the last of them owns it.
        let after = self.components.partition_point(|component| component.docks <= dock.0);
        let owner = ComponentId::from(after.saturating_sub(1));
        (owner, net::DockId(dock.0 - self.component(owner).docks))
    }

    /// The transition itself.
    pub fn net_transition(&self, id: TransitionId) -> &net::NetTransition {
        let (component, local) = self.local_transition(id);
        self.net(component).0.transition(local)
    }
}

/// Names, as people write them.
impl Assembly<'_> {
    /// `nova`, or `nova-2` when the node has several instances.
    pub fn component_name(&self, component: ComponentId) -> String {
        let component = self.component(component);
        let node = self.application.node(component.node);
        match node.instances.get(component.number as usize) {
            Some(named) => named.id.clone(),
            None if node.count <= 1 => node.name.clone(),
            None => format!("{}-{}", node.name, component.number + 1),
        }
    }

    /// `nova.pull`.
    pub fn transition_name(&self, id: TransitionId) -> String {
        let (component, local) = self.local_transition(id);
        let name = &self.net(component).0.transition(local).name;
        format!("{}.{name}", self.component_name(component))
    }

    /// `nova.deployed`.
    pub fn place_name(&self, place: PlaceId) -> String {
        let (component, local) = self.local_place(place);
        let name = &self.net(component).0.place(local).name;
        format!("{}.{name}", self.component_name(component))
    }

    /// `mariadb.service`.
    pub fn port_name(&self, port: PortId) -> String {
        let (component, local) = self.local_port(port);
        let name = &self.net(component).0.port(local).name;
        format!("{}.{name}", self.component_name(component))
    }
}
