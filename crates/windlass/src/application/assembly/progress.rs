//! What can ever happen in an assembly without choice, in linear time.
//!
//! When each dock belongs to one transition and no provided group is left again, an assembly is a
//! partially ordered set of events with alternatives only among providers: nothing that has become
//! possible becomes impossible. Then every run does the same things in some order, and one greedy
//! run shows all: what it does not reach, no run reaches. A transition that is left waiting waits
//! for a port that nothing provides, or in a cycle.

mod wait;

pub(crate) use wait::{Explanation, Wait, follow, sentence};

use super::{Assembly, ComponentId, PlaceId, PortId, TransitionId};
use crate::lifecycle::net::{self, Side};

/// Why an assembly is not decided here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

/// Something that happens. That a token leaves a place and that a connection is enabled follows
/// from it, and is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A transition starts.
    Fire(TransitionId),
    /// It ends.
    End(TransitionId),
    /// A place that is not an initial one is entered.
    Enter(PlaceId),
}

/// What one greedy run does.
#[derive(Debug, Clone)]
pub struct Progress {
    /// The run: each event after those that it needs.
    pub run: Vec<Event>,
    fires: Vec<bool>,
    ends: Vec<bool>,
    entered: Vec<bool>,
    ready: Vec<bool>,
}

/// Whether the assembly is one that [`progress`] decides.
pub(crate) fn decidable(assembly: &Assembly<'_>) -> Result<(), Undecided> {
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
    progress_but(assembly, &|_| false)
}

/// The same, where some transitions start and never end.
pub(crate) fn progress_but(
    assembly: &Assembly<'_>,
    fails: &dyn Fn(TransitionId) -> bool,
) -> Result<Progress, Undecided> {
    decidable(assembly)?;
    let sizes = assembly.sizes();
    let mut run = Greedy {
        assembly,
        fails,
        progress: Progress {
            run: Vec::new(),
            fires: vec![false; sizes.transitions],
            ends: vec![false; sizes.transitions],
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
            Work::Begin(place) => run.enter(place),
            Work::Enter(place) => {
                run.progress.run.push(Event::Enter(place));
                run.enter(place);
            }
            Work::Allow(transition) => run.allow(transition),
            Work::Provide(port) => run.provide(port),
        }
    }
    Ok(run.progress)
}

/// What is still to be followed up.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// An initial place, which holds a token from the start.
    Begin(PlaceId),
    Enter(PlaceId),
    /// One thing less that a transition waits for.
    Allow(TransitionId),
    Provide(PortId),
}

struct Greedy<'a, 'b> {
    assembly: &'a Assembly<'b>,
    fails: &'a dyn Fn(TransitionId) -> bool,
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
            let initial = initial.map(|place| Work::Begin(assembly.place(component, *place)));
            self.open.extend(initial);
        }
    }

    fn enter(&mut self, place: PlaceId) {
        let assembly = self.assembly;
        self.progress.entered[place.index()] = true;
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
        self.progress.run.push(Event::Fire(id));
        if (self.fails)(id) {
            return;
        }
        self.progress.run.push(Event::End(id));
        self.progress.ends[id.index()] = true;
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
        // An initial place that needs a port is filled by nothing but the port.
        if self.progress.entered[place.index()] || self.docks[place.index()] == 0 {
            return;
        }
        let missing = &mut self.docks[place.index()];
        *missing -= 1;
        if *missing == 0 && self.is_led_to(place) {
            self.open.push(Work::Enter(place));
        }
    }

    /// Whether a transition of the behavior leads to a place: else it is never entered.
    fn is_led_to(&self, place: PlaceId) -> bool {
        let (component, local) = self.assembly.local_place(place);
        let behavior = self.assembly.component(component).program[0];
        self.assembly.net(component).1.active(local, Side::Input, behavior).next().is_some()
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
    pub(crate) fn fires(&self, id: TransitionId) -> bool {
        self.fires[id.index()]
    }

    /// Whether a transition ever ends.
    pub(crate) fn ends(&self, id: TransitionId) -> bool {
        self.ends[id.index()]
    }

    /// Whether a place is ever entered.
    pub(crate) fn enters(&self, place: PlaceId) -> bool {
        self.entered[place.index()]
    }

    /// The transitions of the behaviors in question that never start.
    pub(crate) fn never<'a>(
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

    /// A transition that never starts although its place is entered, that never ends, or that ends
    /// and whose place is never entered: where a token is left forever.
    pub(crate) fn stuck(&self, assembly: &Assembly<'_>) -> Option<TransitionId> {
        let left = |id: &TransitionId| {
            let (component, local) = assembly.local_transition(*id);
            let net = assembly.net(component).0;
            self.enters(assembly.place(component, net.source_place(local)))
        };
        let goes_on = |id: &TransitionId| self.fires(*id) && !self.ends(*id);
        let waits = |id: &TransitionId| {
            let (component, local) = assembly.local_transition(*id);
            let net = assembly.net(component).0;
            self.ends(*id) && !self.enters(assembly.place(component, net.destination_place(local)))
        };
        let mut never = self.never(assembly);
        never
            .find(left)
            .or_else(|| assembly.transition_ids().find(goes_on))
            .or_else(|| assembly.transition_ids().find(waits))
    }
}
