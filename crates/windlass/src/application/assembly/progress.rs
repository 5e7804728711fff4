//! What can ever happen in an assembly without choice, in linear time.
//!
//! When each dock belongs to one transition and no provided group is left again, an assembly is a
//! partially ordered set of events with alternatives only among providers: nothing that has become
//! possible becomes impossible. Then every run does the same things in some order, and one greedy
//! run tells all: what it does not reach, no run reaches. Who is left waiting waits for a port that
//! nobody provides, or in a circle.

use std::collections::BTreeMap;

use super::{Assembly, ComponentId, PlaceId, PortId, TransitionId};
use crate::lifecycle::net::{self, PortKind, Side};

/// Why an assembly is not decided here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecided {
    /// A component has transitions that share a dock.
    Choice(ComponentId),
    /// A group that a port is bound to can be left again.
    Withdrawal(ComponentId, net::GroupId),
    /// An initial place can be entered again.
    Reentry(ComponentId, net::PlaceId),
    /// A component goes through several behaviors.
    Behaviors(ComponentId),
}

/// What one greedy run does.
#[derive(Debug, Clone)]
pub struct Progress {
    fires: Vec<bool>,
    entered: Vec<bool>,
    ready: Vec<bool>,
}

/// One link in the explanation of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// A transition cannot start before its place is entered, which this other one leads to.
    Before(TransitionId, TransitionId),
    /// A transition waits for a port, which this other one would provide.
    Port(TransitionId, PortId, TransitionId),
    /// A transition waits for a port that nothing ever provides.
    Nobody(TransitionId, PortId),
    /// A transition starts in a place that nothing leads to.
    Unreachable(TransitionId, PlaceId),
}

/// Why a transition never starts: the waits from it on, and where they close a circle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Each one because of the next.
    pub waits: Vec<Wait>,
    /// The first wait of the circle that the last one leads back to; none when the last one waits
    /// for something that nobody does.
    pub circle: Option<usize>,
}

/// Whether the assembly is one that [`progress`] decides.
pub fn decidable(assembly: &Assembly<'_>) -> Result<(), Undecided> {
    for component in assembly.component_ids() {
        let (net, index) = assembly.net(component);
        if assembly.component(component).program.len() > 1 {
            return Err(Undecided::Behaviors(component));
        }
        let behavior = assembly.component(component).program[0];
        for at in 0..net.docks.len() {
            if index.active_transitions(at.into(), behavior).count() > 1 {
                return Err(Undecided::Choice(component));
            }
        }
        for place in &net.initial {
            if index.active(*place, Side::Input, behavior).next().is_some() {
                return Err(Undecided::Reentry(component, *place));
            }
        }
        for (at, ports) in index.ports_of_group.iter().enumerate() {
            let group = &net.groups[at].places;
            let linked = |port: &net::PortId| {
                !assembly.links_of_provider(assembly.port(component, *port)).is_empty()
            };
            let leaves = |id: net::NetTransitionId| {
                index.behavior[id.index()] == behavior
                    && group.contains(&net.source_place(id))
                    && !group.contains(&net.destination_place(id))
            };
            let mut transitions = (0..net.transitions.len()).map(net::NetTransitionId::from);
            if ports.iter().any(linked) && transitions.any(leaves) {
                return Err(Undecided::Withdrawal(component, at.into()));
            }
        }
    }
    Ok(())
}

/// Runs greedily until nothing more can happen.
pub fn progress(assembly: &Assembly<'_>) -> Result<Progress, Undecided> {
    decidable(assembly)?;
    let sizes = assembly.sizes();
    let mut run = Greedy {
        assembly,
        progress: Progress {
            fires: vec![false; sizes.transitions],
            entered: vec![false; sizes.places],
            ready: vec![false; sizes.ports],
        },
        docks: vec![0; sizes.places],
        ports: vec![0; sizes.transitions],
        groups: vec![0; sizes.ports],
        filled: vec![false; sizes.groups],
        open: Vec::new(),
    };
    run.prepare();
    // A list in place of recursion: a chain of dependencies is as long as the assembly.
    while let Some(work) = run.open.pop() {
        match work {
            Work::Enter(place) => run.enter(place),
            Work::Allow(transition) => run.allow(transition),
            Work::Provide(port) => run.provide(port),
        }
    }
    Ok(run.progress)
}

/// What is still to be followed up.
#[derive(Debug, Clone, Copy)]
enum Work {
    Enter(PlaceId),
    /// One thing less that a transition waits for.
    Allow(TransitionId),
    Provide(PortId),
}

struct Greedy<'a, 'b> {
    assembly: &'a Assembly<'b>,
    progress: Progress,
    /// Input docks of a place that are still empty, and ports that are still not ready.
    docks: Vec<u32>,
    /// Ports of a transition that are not ready, and one for its place.
    ports: Vec<u32>,
    /// Groups of a port that are empty.
    groups: Vec<u32>,
    filled: Vec<bool>,
    open: Vec<Work>,
}

impl Greedy<'_, '_> {
    fn prepare(&mut self) {
        let assembly = self.assembly;
        for component in assembly.component_ids() {
            let (net, index) = assembly.net(component);
            let behavior = assembly.component(component).program[0];
            for at in 0..net.places.len() {
                let docks = index.active(at.into(), Side::Input, behavior).count();
                let place = assembly.place(component, at.into());
                self.docks[place.index()] = (docks + index.holds[at].len()) as u32;
            }
            for (at, needs) in index.needs.iter().enumerate() {
                let id = assembly.transition(component, at.into());
                self.ports[id.index()] = needs.len() as u32 + 1;
            }
            for (at, port) in net.ports.iter().enumerate() {
                let port_id = assembly.port(component, at.into());
                self.groups[port_id.index()] = (port.groups.len() as u32).max(1);
            }
            let initial = net.initial.iter();
            let initial = initial.map(|place| Work::Enter(assembly.place(component, *place)));
            self.open.extend(initial);
        }
    }

    fn enter(&mut self, place: PlaceId) {
        let assembly = self.assembly;
        if std::mem::replace(&mut self.progress.entered[place.index()], true) {
            return;
        }
        let (component, local) = assembly.local_place(place);
        let index = assembly.net(component).1;
        for group in &index.groups_of_place[local.index()] {
            let id = assembly.group(component, *group);
            if std::mem::replace(&mut self.filled[id.index()], true) {
                continue;
            }
            for port in &index.ports_of_group[group.index()] {
                let port = assembly.port(component, *port);
                self.groups[port.index()] -= 1;
                if self.groups[port.index()] == 0 {
                    self.open.push(Work::Provide(port));
                }
            }
        }
        let behavior = assembly.component(component).program[0];
        for dock in index.active(local, Side::Output, behavior) {
            for transition in index.active_transitions(dock, behavior) {
                self.open.push(Work::Allow(assembly.transition(component, transition)));
            }
        }
    }

    /// One thing less to wait for.
    fn allow(&mut self, id: TransitionId) {
        let missing = &mut self.ports[id.index()];
        *missing = missing.saturating_sub(1);
        if *missing > 0 || std::mem::replace(&mut self.progress.fires[id.index()], true) {
            return;
        }
        let assembly = self.assembly;
        let (component, local) = assembly.local_transition(id);
        let (net, index) = assembly.net(component);
        let place = net.destination_place(local);
        for port in &index.sets[place.index()] {
            self.open.push(Work::Provide(assembly.port(component, *port)));
        }
        self.fill(assembly.place(component, place));
    }

    fn fill(&mut self, place: PlaceId) {
        let missing = &mut self.docks[place.index()];
        *missing = missing.saturating_sub(1);
        if *missing == 0 {
            self.open.push(Work::Enter(place));
        }
    }

    fn provide(&mut self, provider: PortId) {
        let assembly = self.assembly;
        if std::mem::replace(&mut self.progress.ready[provider.index()], true) {
            return;
        }
        for link in assembly.links_of_provider(provider) {
            let user = assembly.link(*link).user;
            if std::mem::replace(&mut self.progress.ready[user.index()], true) {
                continue;
            }
            let (component, local) = assembly.local_port(user);
            let port = assembly.net(component).0.port(local);
            for transition in &port.transitions {
                self.open.push(Work::Allow(assembly.transition(component, *transition)));
            }
            for place in &port.places {
                self.fill(assembly.place(component, *place));
            }
        }
    }
}

impl Progress {
    /// Whether a transition ever starts.
    pub fn fires(&self, id: TransitionId) -> bool {
        self.fires[id.index()]
    }

    /// Whether a place is ever entered.
    pub fn enters(&self, place: PlaceId) -> bool {
        self.entered[place.index()]
    }

    /// The transitions of the behaviors in question that never start.
    pub fn never<'a>(
        &'a self,
        assembly: &'a Assembly<'_>,
    ) -> impl Iterator<Item = TransitionId> + 'a {
        assembly.transition_ids().filter(move |id| {
            let (component, local) = assembly.local_transition(*id);
            let behavior = assembly.component(component).program[0];
            !self.fires(*id) && assembly.net(component).1.behavior[local.index()] == behavior
        })
    }

    /// Whether every token comes to rest: no place that is entered has a transition that never
    /// starts, and no dock waits for another one.
    pub fn completes(&self, assembly: &Assembly<'_>) -> bool {
        self.stuck(assembly).is_none()
    }

    /// A transition that never starts although its place is entered, or that starts and whose
    /// place is never entered: where a token is left for ever.
    pub fn stuck(&self, assembly: &Assembly<'_>) -> Option<TransitionId> {
        let left = |id: &TransitionId| {
            let (component, local) = assembly.local_transition(*id);
            let net = assembly.net(component).0;
            let source = assembly.place(component, net.source_place(local));
            self.enters(source)
        };
        let waits = |id: &TransitionId| {
            let (component, local) = assembly.local_transition(*id);
            let net = assembly.net(component).0;
            let to = assembly.place(component, net.destination_place(local));
            self.fires(*id) && !self.enters(to)
        };
        self.never(assembly).find(left).or_else(|| {
            assembly.transition_ids().find(waits).and_then(|id| self.blocker(assembly, id))
        })
    }

    /// Who keeps the place that a transition leads to from being entered.
    fn blocker(&self, assembly: &Assembly<'_>, id: TransitionId) -> Option<TransitionId> {
        let (component, local) = assembly.local_transition(id);
        let place = assembly.net(component).0.destination_place(local);
        self.missing_before(assembly, component, place).or(Some(id))
    }

    /// A transition into a place that never starts.
    fn missing_before(
        &self,
        assembly: &Assembly<'_>,
        component: ComponentId,
        place: net::PlaceId,
    ) -> Option<TransitionId> {
        let index = assembly.net(component).1;
        let behavior = assembly.component(component).program[0];
        let docks = index.active(place, Side::Input, behavior);
        let mut all = docks.flat_map(|dock| index.active_transitions(dock, behavior));
        all.find_map(|t| {
            let id = assembly.transition(component, t);
            (!self.fires(id)).then_some(id)
        })
    }

    /// Why a transition never starts.
    pub fn explain(&self, assembly: &Assembly<'_>, id: TransitionId) -> Explanation {
        let mut seen: BTreeMap<TransitionId, usize> = BTreeMap::new();
        let mut waits = Vec::new();
        let mut next = id;
        loop {
            if let Some(circle) = seen.insert(next, waits.len()) {
                return Explanation { waits, circle: Some(circle) };
            }
            let wait = self.wait(assembly, next);
            waits.push(wait);
            next = match wait {
                Wait::Before(_, other) | Wait::Port(_, _, other) => other,
                Wait::Nobody(..) | Wait::Unreachable(..) => {
                    return Explanation { waits, circle: None };
                }
            };
        }
    }

    fn wait(&self, assembly: &Assembly<'_>, id: TransitionId) -> Wait {
        let (component, local) = assembly.local_transition(id);
        let (net, index) = assembly.net(component);
        let source = net.source_place(local);
        let place = assembly.place(component, source);
        if !self.enters(place) {
            if let Some(before) = self.missing_before(assembly, component, source) {
                return Wait::Before(id, before);
            }
            let held = index.holds[source.index()].iter();
            let mut held = held.map(|port| assembly.port(component, *port));
            return match held.find(|port| !self.ready[port.index()]) {
                Some(port) => self.port_wait(assembly, id, port),
                None => Wait::Unreachable(id, place),
            };
        }
        let needs = index.needs[local.index()].iter();
        let mut needs = needs.map(|port| assembly.port(component, *port));
        match needs.find(|port| !self.ready[port.index()]) {
            Some(port) => self.port_wait(assembly, id, port),
            None => Wait::Unreachable(id, place),
        }
    }

    /// Whom a transition waits for at a port: somebody who would provide it and never does.
    fn port_wait(&self, assembly: &Assembly<'_>, id: TransitionId, port: PortId) -> Wait {
        for link in assembly.links_of_user(port) {
            let provider = assembly.link(*link).provider;
            let (component, local) = assembly.local_port(provider);
            let net = assembly.net(component).0;
            let provider = net.port(local);
            let places: Vec<net::PlaceId> = if provider.kind == PortKind::DataProvide {
                provider.places.iter().copied().collect()
            } else {
                let empty = |group: &&net::GroupId| {
                    let places = &net.groups[group.index()].places;
                    !places.iter().any(|p| self.enters(assembly.place(component, *p)))
                };
                let group = provider.groups.iter().find(empty);
                group.map_or(Vec::new(), |g| net.groups[g.index()].places.iter().copied().collect())
            };
            let blocked = places.iter().find_map(|p| self.missing_before(assembly, component, *p));
            if let Some(other) = blocked {
                return Wait::Port(id, port, other);
            }
        }
        Wait::Nobody(id, port)
    }
}

/// The explanation in one sentence.
pub fn sentence(assembly: &Assembly<'_>, explanation: &Explanation) -> String {
    let name = |id| format!("`{}`", assembly.transition_name(id));
    let part = |wait: &Wait| match *wait {
        Wait::Before(id, other) => format!("{} comes after {}", name(id), name(other)),
        Wait::Port(id, port, other) => format!(
            "{} waits for port `{}`, which {} would provide",
            name(id),
            assembly.port_name(port),
            name(other)
        ),
        Wait::Nobody(id, port) => format!(
            "{} waits for port `{}`, which nobody ever provides",
            name(id),
            assembly.port_name(port)
        ),
        Wait::Unreachable(id, place) => format!(
            "{} starts in `{}`, which is never entered",
            name(id),
            assembly.place_name(place)
        ),
    };
    let from = explanation.circle.unwrap_or(0);
    let parts: Vec<String> = explanation.waits[from..].iter().map(part).collect();
    let circle = if explanation.circle.is_some() { ": a circle" } else { "" };
    format!("{}{circle}", parts.join("; "))
}
