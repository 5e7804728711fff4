//! Nets: the internal structure of a Madeus component (paper 002 Table I).
//!
//! | paper | here |
//! |---|---|
//! | `Π` places, `I` initial places | [`Net::places`], [`Net::initial`] |
//! | `Δi`, `Δo` docks, `place` | [`Net::docks`], [`Dock::place`] |
//! | `Θ` transitions, `action` | [`Net::transitions`], [`NetTransition::action`] |
//! | `G` groups | [`Net::groups`] |
//! | `P_u`, `P_p`, `D_u`, `D_p`, `type` | [`Net::ports`], [`Port::kind`], [`Port::port_type`] |
//! | `B_Pu`, `B_Du` | [`Port::transitions`] |
//! | `B_Pp` | [`Port::groups`] |
//! | `B_Dp` | [`Port::places`] |
//!
//! All indices are local to one net.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::implementation::{Command, Effect};
use super::timing::{Retry, Timing};
use super::{Cost, index};
use crate::source::Origin;

index!(
    /// A place.
    pub PlaceId
);
index!(
    /// A dock.
    pub DockId
);
index!(
    /// A transition of a net.
    pub NetTransitionId
);
index!(
    /// A group of places.
    pub GroupId
);
index!(
    /// A port of any kind.
    pub PortId
);

/// A milestone in the deployment of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its name, unique in the net.
    pub name: String,
    /// Where it was declared.
    pub origin: Origin,
}

/// Whether tokens enter or leave a place through a dock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// `Δi`: transitions end here.
    Input,
    /// `Δo`: transitions start here.
    Output,
}

/// Where a transition touches a place. Transitions with a dock each run in parallel and join;
/// transitions that share a named dock are alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dock {
    /// `place(δ)`.
    pub place: PlaceId,
    /// `Δi` or `Δo`.
    pub side: Side,
    /// The name that transitions share it by; none when one transition has it for itself.
    pub(crate) name: Option<String>,
}

/// What a transition does and what it costs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Action {
    /// The command that performs it; none when the transition is only a milestone.
    pub run: Option<Command>,
    /// How long it takes.
    pub duration: Option<Timing>,
    /// What it costs.
    pub(crate) cost: Cost,
    /// When it is given up.
    pub timeout: Option<Duration>,
    /// What happens when it fails.
    pub retry: Option<Retry>,
    /// What may be done when it is unknown whether it happened; the default is at most once.
    pub effect: Option<Effect>,
    /// The command that undoes what it did, or had begun to do.
    pub compensate: Option<Command>,
    /// Where it runs, when not where its component does.
    pub host: Option<String>,
    /// What it holds while it runs, so that no one else does.
    pub lock: Option<String>,
    /// `val_A,Dp`: the values that it gives to data ports of its component.
    pub(crate) sets: BTreeMap<PortId, String>,
}

/// `θ = (s, d)`.
///
/// Paper: 002 Sec. III-A (transitions)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetTransition {
    /// Its name, unique in the net.
    pub name: String,
    /// `s ∈ Δo`.
    pub source: DockId,
    /// `d ∈ Δi`.
    pub destination: DockId,
    /// `action(θ)`.
    pub action: Action,
    /// The behavior that it belongs to; none is [`FIRST_BEHAVIOR`].
    pub(crate) behavior: Option<String>,
    /// Where it was declared.
    pub(crate) origin: Origin,
}

/// The behavior of transitions that name none.
pub(crate) const FIRST_BEHAVIOR: &str = "deploy";

impl NetTransition {
    /// The behavior that it belongs to.
    pub fn behavior(&self) -> &str {
        self.behavior.as_deref().unwrap_or(FIRST_BEHAVIOR)
    }
}

/// A set of places that keeps a provide port alive while a token is inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its name, unique in the net.
    pub name: String,
    /// Its places.
    pub places: BTreeSet<PlaceId>,
    /// Where it was declared.
    pub(crate) origin: Origin,
}

/// What a port is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortKind {
    /// `P_u`: transitions need the service.
    Use,
    /// `P_p`: groups of places give the service.
    Provide,
    /// `D_u`: transitions need the value.
    DataUse,
    /// `D_p`: entering a place sets the value.
    DataProvide,
}

impl PortKind {
    /// The word in `windlass.yaml`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            PortKind::Use => "use",
            PortKind::Provide => "provide",
            PortKind::DataUse => "data_use",
            PortKind::DataProvide => "data_provide",
        }
    }

    /// The kind a connection leads to; none for the kinds that only receive connections.
    pub(crate) fn counterpart(self) -> Option<PortKind> {
        match self {
            PortKind::Use => Some(PortKind::Provide),
            PortKind::DataUse => Some(PortKind::DataProvide),
            PortKind::Provide | PortKind::DataProvide => None,
        }
    }
}

/// A port of a component.
///
/// Paper: 002 Sec. III-A (ports)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its name, unique in the net.
    pub name: String,
    /// What it is for.
    pub kind: PortKind,
    /// `type_p` or `type_d`; ports without a type fit every port.
    pub port_type: Option<String>,
    /// `B_Pu`, `B_Du`: the transitions that need it (use kinds only).
    pub transitions: BTreeSet<NetTransitionId>,
    /// `B_Pp`: the groups that give it (provide only).
    pub groups: BTreeSet<GroupId>,
    /// `B_Dp`: the places that set it (data provide). For a use port, the places that need it for
    /// as long as a token is there: not in the paper, and how Concerto binds its use ports.
    pub places: BTreeSet<PlaceId>,
    /// Where it was declared.
    pub origin: Origin,
}

impl Port {
    /// A port that is bound to nothing yet and fits every port.
    pub(crate) fn new(name: String, kind: PortKind, origin: Origin) -> Self {
        Port {
            name,
            kind,
            port_type: None,
            transitions: BTreeSet::new(),
            groups: BTreeSet::new(),
            places: BTreeSet::new(),
            origin,
        }
    }
}

/// The internal net of a component.
///
/// Paper: 002 Table I
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Net {
    /// `Π`.
    pub places: Vec<Place>,
    /// `I`.
    pub initial: BTreeSet<PlaceId>,
    /// `Δi ∪ Δo`.
    pub docks: Vec<Dock>,
    /// `Θ`.
    pub transitions: Vec<NetTransition>,
    /// `G`.
    pub groups: Vec<Group>,
    /// `P_u ∪ P_p ∪ D_u ∪ D_p`.
    pub ports: Vec<Port>,
}

impl Net {
    /// The place with this id.
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.index()]
    }

    /// The transition with this id.
    pub fn transition(&self, id: NetTransitionId) -> &NetTransition {
        &self.transitions[id.index()]
    }

    /// The port with this id.
    pub fn port(&self, id: PortId) -> &Port {
        &self.ports[id.index()]
    }

    /// The place with this name.
    pub(crate) fn place_named(&self, name: &str) -> Option<PlaceId> {
        self.places.iter().position(|place| place.name == name).map(PlaceId::from)
    }

    /// The port with this name.
    pub(crate) fn port_named(&self, name: &str) -> Option<PortId> {
        self.ports.iter().position(|port| port.name == name).map(PortId::from)
    }

    /// `place(δ)`.
    pub fn place_of(&self, dock: DockId) -> PlaceId {
        self.docks[dock.index()].place
    }

    /// The place in which a transition starts.
    pub fn source_place(&self, id: NetTransitionId) -> PlaceId {
        self.place_of(self.transition(id).source)
    }

    /// The place in which a transition ends.
    pub(crate) fn destination_place(&self, id: NetTransitionId) -> PlaceId {
        self.place_of(self.transition(id).destination)
    }

    /// `dock_i(π)` or `dock_o(π)`.
    pub(crate) fn docks_of(&self, place: PlaceId, side: Side) -> impl Iterator<Item = DockId> {
        self.docks
            .iter()
            .enumerate()
            .filter(move |(_, dock)| dock.place == place && dock.side == side)
            .map(|(at, _)| DockId::from(at))
    }

    /// The places to which transitions of any behavior lead from an initial one.
    pub(crate) fn reachable_places(&self) -> BTreeSet<PlaceId> {
        let mut after: Vec<Vec<PlaceId>> = vec![Vec::new(); self.places.len()];
        for id in (0..self.transitions.len()).map(NetTransitionId::from) {
            after[self.source_place(id).index()].push(self.destination_place(id));
        }
        let mut reached = self.initial.clone();
        let mut open: Vec<PlaceId> = reached.iter().copied().collect();
        while let Some(place) = open.pop() {
            open.extend(after[place.index()].iter().filter(|next| reached.insert(**next)));
        }
        reached
    }

    /// By behavior, the places where tokens are while it runs: it begins where tokens rest, on
    /// initial places and where other behaviors end, and follows its own transitions.
    pub(crate) fn places_of_behaviors(&self) -> BTreeMap<&str, BTreeSet<PlaceId>> {
        let transitions = || (0..self.transitions.len()).map(NetTransitionId::from);
        let names: BTreeSet<&str> = self.transitions.iter().map(NetTransition::behavior).collect();
        let mut rest = self.initial.clone();
        loop {
            let mut all = BTreeMap::new();
            let mut more = rest.clone();
            for name in &names {
                let own = || transitions().filter(|id| self.transition(*id).behavior() == *name);
                let mut reached = rest.clone();
                let mut open: Vec<PlaceId> = reached.iter().copied().collect();
                while let Some(place) = open.pop() {
                    let out = own().filter(|id| self.source_place(*id) == place);
                    let next = out.map(|id| self.destination_place(id));
                    open.extend(next.filter(|next| reached.insert(*next)));
                }
                let goes_on = |place: &PlaceId| own().any(|id| self.source_place(id) == *place);
                more.extend(reached.iter().filter(|place| !goes_on(place)));
                all.insert(*name, reached);
            }
            if more == rest {
                return all;
            }
            rest = more;
        }
    }

    /// The places without an output dock: where every token ends when all went well.
    pub(crate) fn final_places(&self) -> BTreeSet<PlaceId> {
        (0..self.places.len())
            .map(PlaceId::from)
            .filter(|place| self.docks_of(*place, Side::Output).next().is_none())
            .collect()
    }
}
