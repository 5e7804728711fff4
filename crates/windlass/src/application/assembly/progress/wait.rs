//! Why something never happens: what waits for what, and where that closes a cycle.

use std::collections::BTreeMap;

use super::Progress;
use crate::application::assembly::{Assembly, ComponentId, PlaceId, PortId, TransitionId};
use crate::lifecycle::net::{self, PortKind, Side};

/// One link in the explanation of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// A transition cannot start before its place is entered, which this other one leads to.
    Before(TransitionId, TransitionId),
    /// A transition has ended, and its token waits until this other one ends too.
    Beside(TransitionId, TransitionId),
    /// A transition waits for a port, which this other one would provide.
    Port(TransitionId, PortId, TransitionId),
    /// A transition waits for a port that nothing ever provides.
    NotProvided(TransitionId, PortId),
    /// A transition starts in a place that nothing leads to.
    Unreachable(TransitionId, PlaceId),
    /// A transition starts in a place where no token is left.
    NoToken(TransitionId, PlaceId),
    /// A transition would withdraw a port that is in use until this other one goes on.
    Used(TransitionId, PortId, TransitionId),
    /// A transition would withdraw a port that this component uses to the end.
    UsedAtRest(TransitionId, PortId, ComponentId),
    /// A transition did not end well.
    Failed(TransitionId),
}

impl Wait {
    /// Who waits.
    pub(crate) fn who(self) -> TransitionId {
        match self {
            Wait::Before(id, _)
            | Wait::Beside(id, _)
            | Wait::Port(id, ..)
            | Wait::NotProvided(id, _)
            | Wait::Unreachable(id, _)
            | Wait::NoToken(id, _)
            | Wait::Used(id, ..)
            | Wait::UsedAtRest(id, ..)
            | Wait::Failed(id) => id,
        }
    }

    /// What it waits for; none where the reason ends.
    pub(crate) fn on(self) -> Option<TransitionId> {
        match self {
            Wait::Before(_, other)
            | Wait::Beside(_, other)
            | Wait::Port(_, _, other)
            | Wait::Used(_, _, other) => Some(other),
            Wait::NotProvided(..)
            | Wait::Unreachable(..)
            | Wait::NoToken(..)
            | Wait::UsedAtRest(..)
            | Wait::Failed(_) => None,
        }
    }
}

/// Why a transition never starts: the waits from it on, and where they close a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// Each one because of the next.
    pub(crate) waits: Vec<Wait>,
    /// The first wait of the cycle that the last one leads back to; none when the last one waits
    /// for something that never happens.
    pub(crate) cycle: Option<usize>,
}

/// Follows the waits from a transition to where they end, or close a cycle.
pub(crate) fn follow(from: TransitionId, wait: impl Fn(TransitionId) -> Wait) -> Explanation {
    let mut seen: BTreeMap<TransitionId, usize> = BTreeMap::new();
    let mut waits = Vec::new();
    let mut next = from;
    loop {
        if let Some(cycle) = seen.insert(next, waits.len()) {
            return Explanation { waits, cycle: Some(cycle) };
        }
        let found = wait(next);
        waits.push(found);
        match found.on() {
            Some(other) => next = other,
            None => return Explanation { waits, cycle: None },
        }
    }
}

impl Progress {
    /// Why a transition never starts, never ends, or its token never comes to rest.
    pub(crate) fn explain(&self, assembly: &Assembly<'_>, id: TransitionId) -> Explanation {
        follow(id, |next| self.wait(assembly, next))
    }

    fn wait(&self, assembly: &Assembly<'_>, id: TransitionId) -> Wait {
        let (component, local) = assembly.local_transition(id);
        let (net, index) = assembly.net(component);
        let lacks = |ports: &[net::PortId]| {
            let mut ports = ports.iter().map(|port| assembly.port(component, *port));
            ports.find(|port| !self.ready[port.index()])
        };
        let source = net.source_place(local);
        if self.ends(id) {
            let to = net.destination_place(local);
            return match (self.before(assembly, component, to), lacks(&index.holds[to.index()])) {
                (Some(other), _) if !self.ends(other) => Wait::Beside(id, other),
                (_, Some(port)) => self.port_wait(assembly, id, port),
                _ => Wait::Unreachable(id, assembly.place(component, to)),
            };
        }
        if self.fires(id) {
            return Wait::Failed(id);
        }
        let place = assembly.place(component, source);
        if !self.enters(place) {
            return match self.before(assembly, component, source) {
                Some(before) => Wait::Before(id, before),
                None => Wait::Unreachable(id, place),
            };
        }
        match lacks(&index.needs[local.index()]) {
            Some(port) => self.port_wait(assembly, id, port),
            None => Wait::Unreachable(id, place),
        }
    }

    /// Who keeps a place from being entered: a transition into it that never ends, or one that does
    /// and whose token waits there.
    fn before(
        &self,
        assembly: &Assembly<'_>,
        component: ComponentId,
        place: net::PlaceId,
    ) -> Option<TransitionId> {
        let all = into(assembly, component, place);
        all.iter().find(|id| !self.ends(**id)).or(all.first()).copied()
    }

    /// What a transition waits for at a port: one that would provide it and never does.
    fn port_wait(&self, assembly: &Assembly<'_>, id: TransitionId, port: PortId) -> Wait {
        for link in assembly.links_of_user(port) {
            let provider = assembly.link(*link).provider;
            let (component, local) = assembly.local_port(provider);
            let net = assembly.net(component).0;
            let provider = net.port(local);
            let blocked = if provider.kind == PortKind::DataProvide {
                provider.places.iter().find_map(|place| {
                    let all = into(assembly, component, *place);
                    all.into_iter().find(|id| !self.ends(*id))
                })
            } else {
                let empty = |group: &&net::GroupId| {
                    let places = &net.groups[group.index()].places;
                    !places.iter().any(|p| self.enters(assembly.place(component, *p)))
                };
                let group = provider.groups.iter().find(empty);
                let mut places = group.into_iter().flat_map(|g| &net.groups[g.index()].places);
                places.find_map(|place| self.before(assembly, component, *place))
            };
            if let Some(other) = blocked {
                return Wait::Port(id, port, other);
            }
        }
        Wait::NotProvided(id, port)
    }
}

/// The transitions into a place, in the first behavior of its component.
fn into(assembly: &Assembly<'_>, component: ComponentId, place: net::PlaceId) -> Vec<TransitionId> {
    let index = assembly.net(component).1;
    let behavior = assembly.component(component).program[0];
    let docks = index.active(place, Side::Input, behavior);
    let all = docks.flat_map(|dock| index.active_transitions(dock, behavior));
    all.map(|local| assembly.transition(component, local)).collect()
}

/// The explanation in one sentence.
pub(crate) fn sentence(assembly: &Assembly<'_>, explanation: &Explanation) -> String {
    let from = explanation.cycle.unwrap_or(0);
    let parts: Vec<String> =
        explanation.waits[from..].iter().map(|wait| part(assembly, *wait)).collect();
    let cycle = if explanation.cycle.is_some() { ": a cycle" } else { "" };
    format!("{}{cycle}", parts.join("; "))
}

fn part(assembly: &Assembly<'_>, wait: Wait) -> String {
    let who = format!("`{}`", assembly.transition_name(wait.who()));
    let other = wait.on().map(|id| format!("`{}`", assembly.transition_name(id)));
    let other = other.unwrap_or_default();
    match wait {
        Wait::Before(..) => format!("{who} comes after {other}"),
        Wait::Beside(..) => format!("after {who} everything waits for {other}"),
        Wait::Port(_, port, _) => {
            let port = assembly.port_name(port);
            format!("{who} waits for port `{port}`, which {other} would provide")
        }
        Wait::NotProvided(_, port) => {
            let links = assembly.links_of_user(port).iter();
            let mut providers = links.map(|link| assembly.link(*link).provider);
            let withdrawn = providers.any(|provider| can_be_provided(assembly, provider));
            let never = if withdrawn { "is not provided then" } else { "nothing ever provides" };
            format!("{who} waits for port `{}`, which {never}", assembly.port_name(port))
        }
        Wait::Unreachable(_, place) => {
            format!("{who} starts in `{}`, which is never entered", assembly.place_name(place))
        }
        Wait::NoToken(_, place) => {
            format!("{who} starts in `{}`, where no token is left", assembly.place_name(place))
        }
        Wait::Used(_, port, _) => {
            let port = assembly.port_name(port);
            format!("{who} would withdraw port `{port}`, which is in use until {other}")
        }
        Wait::UsedAtRest(_, port, component) => format!(
            "{who} would withdraw port `{}`, which `{}` uses to the end",
            assembly.port_name(port),
            assembly.component_name(component)
        ),
        Wait::Failed(_) => format!("{who} fails"),
    }
}

/// Whether every group of a provide port has a place where tokens come: then it is provided at some
/// time, and withdrawn again.
fn can_be_provided(assembly: &Assembly<'_>, provider: PortId) -> bool {
    let (component, local) = assembly.local_port(provider);
    let (net, index) = assembly.net(component);
    let is_entered = |place: &net::PlaceId| {
        net.initial.contains(place) || !index.inputs[place.index()].is_empty()
    };
    let groups = &net.port(local).groups;
    !groups.is_empty()
        && groups.iter().all(|group| net.groups[group.index()].places.iter().any(is_entered))
}
