//! Checks that one run of an assembly of nets tells what all of them do.
//!
//! Looked at are the descriptions of the nets alone, not the tables and counters that found the
//! run. First: nothing that has become possible becomes impossible again, because no transitions
//! share a dock, no connected group is left, no initial place is entered again and each component
//! has one behavior. Then every run that goes on as long as it can does the same, in some order.
//! Second: each event of the run has what it needs from earlier ones. Third: nothing more can
//! happen after the last one; so what is not in the run is in no run.

use std::collections::BTreeSet;
use std::fmt;

use crate::application::assembly::progress::Event;
use crate::application::assembly::{Assembly, ComponentId, PlaceId, PortId, TransitionId};
use crate::lifecycle::net::{self, Net, NetTransitionId, PortKind};

/// What is wrong with a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedOrder {
    /// The order of events matters: this component has a choice, can take something back, or
    /// changes its behavior.
    OrderMatters(String),
    /// The event with this number (from 0) lacks something, or has happened before.
    Blocked(usize),
    /// This could still happen after the run.
    NotAnEnd(String),
    /// The run shows the opposite of what is claimed.
    OtherAnswer,
}

impl fmt::Display for RefusedOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OrderMatters(name) => write!(f, "the order of events matters in {name}"),
            Self::Blocked(at) => write!(f, "event {at} cannot happen there"),
            Self::NotAnEnd(name) => write!(f, "{name} could still happen"),
            Self::OtherAnswer => f.write_str("the run shows the opposite"),
        }
    }
}

impl std::error::Error for RefusedOrder {}

/// Whether `run` shows that every run ends with all tokens on final places, or (`completes` false)
/// that some run does not. Transitions in `may_fail` may start and never end. Linear in the
/// number of components and connections.
pub fn check_order(
    assembly: &Assembly<'_>,
    may_fail: &BTreeSet<TransitionId>,
    run: &[Event],
    completes: bool,
) -> Result<(), RefusedOrder> {
    for component in assembly.component_ids() {
        if !never_takes_back(assembly, component) {
            let name = assembly.component_name(component);
            return Err(RefusedOrder::OrderMatters(name));
        }
    }
    let mut replay = Replay::start(assembly);
    for (at, event) in run.iter().enumerate() {
        if !replay.follow(*event) {
            return Err(RefusedOrder::Blocked(at));
        }
    }
    replay.check_end(may_fail)?;
    let fails = |id: &TransitionId| replay.started[id.index()] && may_fail.contains(id);
    let shown = replay.is_final() && !assembly.transition_ids().any(|id| fails(&id));
    if shown == completes { Ok(()) } else { Err(RefusedOrder::OtherAnswer) }
}

/// The transitions that belong to the only behavior of a component.
fn active<'a>(
    assembly: &Assembly<'a>,
    component: ComponentId,
) -> impl Iterator<Item = NetTransitionId> + use<'a> {
    let (net, index) = assembly.net(component);
    let program = &assembly.component(component).program;
    let behavior = program.first().map(|id| index.behaviors[id.index()].clone());
    let all = (0..net.transitions.len()).map(NetTransitionId::from);
    all.filter(move |id| behavior.as_deref() == Some(net.transition(*id).behavior()))
}

fn never_takes_back(assembly: &Assembly<'_>, component: ComponentId) -> bool {
    let net = assembly.net(component).0;
    if assembly.component(component).program.len() != 1 {
        return false;
    }
    let mut docks = vec![false; net.docks.len()];
    for id in active(assembly, component) {
        let transition = net.transition(id);
        for dock in [transition.source, transition.destination] {
            if std::mem::replace(&mut docks[dock.index()], true) {
                return false;
            }
        }
        let (from, to) = (net.source_place(id), net.destination_place(id));
        let leaves = |group: &net::GroupId| {
            let places = &net.groups[group.index()].places;
            places.contains(&from) && !places.contains(&to)
        };
        let mut ports = net.ports.iter().enumerate().filter(|(at, _)| {
            !assembly.links_of_provider(assembly.port(component, (*at).into())).is_empty()
        });
        if net.initial.contains(&to) || ports.any(|(_, port)| port.groups.iter().any(leaves)) {
            return false;
        }
    }
    true
}

/// What has happened.
struct Replay<'a, 'b> {
    assembly: &'a Assembly<'b>,
    started: Vec<bool>,
    ended: Vec<bool>,
    entered: Vec<bool>,
    /// Transitions into each place, and how many of them have ended.
    into: Vec<(u32, u32)>,
    active: Vec<bool>,
}

impl<'a, 'b> Replay<'a, 'b> {
    fn start(assembly: &'a Assembly<'b>) -> Self {
        let sizes = assembly.sizes();
        let mut replay = Self {
            assembly,
            started: vec![false; sizes.transitions],
            ended: vec![false; sizes.transitions],
            entered: vec![false; sizes.places],
            into: vec![(0, 0); sizes.places],
            active: vec![false; sizes.transitions],
        };
        for component in assembly.component_ids() {
            let net = assembly.net(component).0;
            for place in &net.initial {
                replay.entered[assembly.place(component, *place).index()] = true;
            }
            for id in active(assembly, component) {
                let to = assembly.place(component, net.destination_place(id));
                replay.into[to.index()].0 += 1;
                replay.active[assembly.transition(component, id).index()] = true;
            }
        }
        replay
    }

    fn ends(&self, id: TransitionId) -> (PlaceId, PlaceId) {
        let (component, local) = self.assembly.local_transition(id);
        let net = self.assembly.net(component).0;
        let place = |place| self.assembly.place(component, place);
        (place(net.source_place(local)), place(net.destination_place(local)))
    }

    fn follow(&mut self, event: Event) -> bool {
        match event {
            Event::Fire(id) => {
                let possible = self.can_start(id);
                self.started[id.index()] = true;
                possible
            }
            Event::End(id) => {
                let possible = self.started[id.index()] && !self.ended[id.index()];
                self.ended[id.index()] = true;
                let to = self.ends(id).1;
                self.into[to.index()].1 += 1;
                possible
            }
            Event::Enter(place) => {
                let possible = self.can_enter(place);
                self.entered[place.index()] = true;
                possible
            }
        }
    }

    fn can_start(&self, id: TransitionId) -> bool {
        let (component, local) = self.assembly.local_transition(id);
        let net = self.assembly.net(component).0;
        self.active[id.index()]
            && !self.started[id.index()]
            && self.entered[self.ends(id).0.index()]
            && self.has_all(component, net, |port| port.transitions.contains(&local))
    }

    fn can_enter(&self, place: PlaceId) -> bool {
        let (component, local) = self.assembly.local_place(place);
        let net = self.assembly.net(component).0;
        let (all, ended) = self.into[place.index()];
        all > 0
            && ended == all
            && !self.entered[place.index()]
            && self.has_all(component, net, |port| port.places.contains(&local))
    }

    /// Whether every use port of a component that is asked for is ready.
    fn has_all(
        &self,
        component: ComponentId,
        net: &Net,
        asked: impl Fn(&net::Port) -> bool,
    ) -> bool {
        let uses = |port: &net::Port| matches!(port.kind, PortKind::Use | PortKind::DataUse);
        net.ports.iter().enumerate().all(|(at, port)| {
            !uses(port) || !asked(port) || self.is_ready(self.assembly.port(component, at.into()))
        })
    }

    fn is_ready(&self, user: PortId) -> bool {
        self.assembly.links_of_user(user).iter().any(|link| {
            let (component, local) = self.assembly.local_port(self.assembly.link(*link).provider);
            let net = self.assembly.net(component).0;
            let at = |place: &net::PlaceId| self.assembly.place(component, *place).index();
            let port = net.port(local);
            if port.kind == PortKind::DataProvide {
                return port.places.iter().any(|place| self.into[at(place)].1 > 0);
            }
            let filled = |group: &net::GroupId| {
                net.groups[group.index()].places.iter().any(|place| self.entered[at(place)])
            };
            !port.groups.is_empty() && port.groups.iter().all(filled)
        })
    }

    /// Nothing can start, end or be entered any more.
    fn check_end(&self, may_fail: &BTreeSet<TransitionId>) -> Result<(), RefusedOrder> {
        for id in self.assembly.transition_ids() {
            let runs = self.started[id.index()] && !self.ended[id.index()];
            if self.can_start(id) || (runs && !may_fail.contains(&id)) {
                return Err(RefusedOrder::NotAnEnd(self.assembly.transition_name(id)));
            }
        }
        match self.assembly.place_ids().find(|place| self.can_enter(*place)) {
            Some(place) => Err(RefusedOrder::NotAnEnd(self.assembly.place_name(place))),
            None => Ok(()),
        }
    }

    /// Whether every token rests: what leaves an entered place has ended, and has been let in.
    fn is_final(&self) -> bool {
        self.assembly.transition_ids().filter(|id| self.active[id.index()]).all(|id| {
            let (from, to) = self.ends(id);
            !self.entered[from.index()] || (self.ended[id.index()] && self.entered[to.index()])
        })
    }
}
