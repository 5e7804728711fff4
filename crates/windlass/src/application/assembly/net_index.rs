//! The relations of one net, looked up in both directions.

use crate::lifecycle::index;
use crate::lifecycle::net::{
    DockId, FIRST_BEHAVIOR, GroupId, Net, NetTransitionId, PlaceId, PortId, PortKind, Side,
};

index!(
    /// A behavior of a net, in the order in which its transitions name them.
    pub(crate) BehaviorId
);

/// What belongs to what in one net.
#[derive(Debug, Clone, Default)]
pub struct NetIndex {
    /// The behaviors of the net; never empty.
    pub(crate) behaviors: Vec<String>,
    /// `dock_i(π)` of each place.
    pub(crate) inputs: Vec<Vec<DockId>>,
    /// `dock_o(π)` of each place.
    pub(crate) outputs: Vec<Vec<DockId>>,
    /// The transitions that touch each dock.
    pub transitions: Vec<Vec<NetTransitionId>>,
    /// The behavior of each transition.
    pub(crate) behavior: Vec<BehaviorId>,
    /// The ports that each transition needs: `B_Pu ∪ B_Du`.
    pub(crate) needs: Vec<Vec<PortId>>,
    /// The use ports that each place needs, while a token is there.
    pub(crate) holds: Vec<Vec<PortId>>,
    /// The data ports that entering each place sets: `B_Dp`.
    pub(crate) sets: Vec<Vec<PortId>>,
    /// The groups with each place.
    pub(crate) groups_of_place: Vec<Vec<GroupId>>,
    /// The groups with both ends of each transition (eq. 4, `is_in_group`).
    pub(crate) groups_of_transition: Vec<Vec<GroupId>>,
    /// The groups of the transitions at each dock.
    pub(crate) groups_of_dock: Vec<Vec<GroupId>>,
    /// The provide ports of each group: `B_Pp`.
    pub(crate) ports_of_group: Vec<Vec<PortId>>,
}

impl NetIndex {
    /// The index of a net.
    pub(crate) fn new(net: &Net) -> Self {
        let mut index = Self {
            inputs: vec![Vec::new(); net.places.len()],
            outputs: vec![Vec::new(); net.places.len()],
            transitions: vec![Vec::new(); net.docks.len()],
            needs: vec![Vec::new(); net.transitions.len()],
            holds: vec![Vec::new(); net.places.len()],
            sets: vec![Vec::new(); net.places.len()],
            groups_of_place: vec![Vec::new(); net.places.len()],
            groups_of_transition: vec![Vec::new(); net.transitions.len()],
            groups_of_dock: vec![Vec::new(); net.docks.len()],
            ports_of_group: vec![Vec::new(); net.groups.len()],
            ..Self::default()
        };
        for (at, dock) in net.docks.iter().enumerate() {
            let side =
                if dock.side == Side::Input { &mut index.inputs } else { &mut index.outputs };
            side[dock.place.index()].push(DockId::from(at));
        }
        index.add_transitions(net);
        index.add_groups(net);
        index.add_ports(net);
        index
    }

    fn add_transitions(&mut self, net: &Net) {
        for (at, transition) in net.transitions.iter().enumerate() {
            let id = NetTransitionId::from(at);
            self.transitions[transition.source.index()].push(id);
            self.transitions[transition.destination.index()].push(id);
            let name = transition.behavior();
            let known = self.behaviors.iter().position(|behavior| behavior == name);
            let behavior = known.unwrap_or_else(|| {
                self.behaviors.push(name.to_owned());
                self.behaviors.len() - 1
            });
            self.behavior.push(BehaviorId::from(behavior));
        }
        if self.behaviors.is_empty() {
            self.behaviors.push(FIRST_BEHAVIOR.to_owned());
        }
    }

    fn add_groups(&mut self, net: &Net) {
        for (at, group) in net.groups.iter().enumerate() {
            let id = GroupId::from(at);
            for place in &group.places {
                self.groups_of_place[place.index()].push(id);
            }
            for transition in (0..net.transitions.len()).map(NetTransitionId::from) {
                let ends = [net.source_place(transition), net.destination_place(transition)];
                if !ends.iter().all(|place| group.places.contains(place)) {
                    continue;
                }
                self.groups_of_transition[transition.index()].push(id);
                let transition = net.transition(transition);
                for dock in [transition.source, transition.destination] {
                    let groups = &mut self.groups_of_dock[dock.index()];
                    if !groups.contains(&id) {
                        groups.push(id);
                    }
                }
            }
        }
    }

    fn add_ports(&mut self, net: &Net) {
        for (at, port) in net.ports.iter().enumerate() {
            let id = PortId::from(at);
            for transition in &port.transitions {
                self.needs[transition.index()].push(id);
            }
            for group in &port.groups {
                self.ports_of_group[group.index()].push(id);
            }
            let of_place =
                if port.kind == PortKind::DataProvide { &mut self.sets } else { &mut self.holds };
            for place in &port.places {
                of_place[place.index()].push(id);
            }
        }
    }

    /// The behavior with this name.
    pub(crate) fn behavior_named(&self, name: &str) -> Option<BehaviorId> {
        self.behaviors.iter().position(|behavior| behavior == name).map(BehaviorId::from)
    }

    /// The behavior of a component that names none: `deploy`, else the first.
    pub(crate) fn first_behavior(&self) -> BehaviorId {
        self.behavior_named(FIRST_BEHAVIOR).unwrap_or(BehaviorId(0))
    }

    /// Whether a dock belongs to a behavior: one of its transitions does.
    pub(crate) fn is_active(&self, dock: DockId, behavior: BehaviorId) -> bool {
        self.transitions[dock.index()].iter().any(|t| self.behavior[t.index()] == behavior)
    }

    /// The docks of a place, on one side, that belong to a behavior.
    pub(crate) fn active(
        &self,
        place: PlaceId,
        side: Side,
        behavior: BehaviorId,
    ) -> impl Iterator<Item = DockId> + '_ {
        let docks = if side == Side::Input { &self.inputs } else { &self.outputs };
        docks[place.index()].iter().copied().filter(move |dock| self.is_active(*dock, behavior))
    }

    /// The transitions of a behavior that touch a dock.
    pub(crate) fn active_transitions(
        &self,
        dock: DockId,
        behavior: BehaviorId,
    ) -> impl Iterator<Item = NetTransitionId> + '_ {
        let all = self.transitions[dock.index()].iter().copied();
        all.filter(move |t| self.behavior[t.index()] == behavior)
    }
}
