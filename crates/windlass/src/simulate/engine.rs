//! Tokens and events. The engine keeps what the rules ask for as numbers (tokens of a group,
//! ready ports of a transition, empty docks of a place), so that each step costs what it changes.

pub(super) mod live;
mod rules;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::time::Duration;

use super::slots::Slots;
use super::{Cause, End, Mode, Run, Scenario, Schedule, Waiting, chance};
use crate::application::assembly::{
    Assembly, BehaviorId, ComponentId, DockId, GroupId, LinkId, PlaceId, PortId, TransitionId,
};
use crate::lifecycle::net::Side;
use crate::semantics::net::Action;

const NO_RUN: u32 = u32::MAX;

/// What is to happen at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The action of a run is over.
    Ends(u32),
    /// A transition is tried again.
    Again(u32),
}

/// An assembly under way.
pub(super) struct Engine<'a, 'b> {
    assembly: &'a Assembly<'b>,
    scenario: &'a Scenario,
    slots: Slots,
    now: Duration,
    events: BinaryHeap<Reverse<(Duration, u64, Event)>>,
    numbered: u64,
    /// The run whose end is being dealt with.
    current: u32,

    place_marked: Vec<bool>,
    dock_marked: Vec<bool>,
    transition_marked: Vec<bool>,
    /// Input docks of the behavior that hold no token yet, by place.
    docks_missing: Vec<u32>,
    group_tokens: Vec<u32>,
    group_enabled: Vec<bool>,
    /// Groups of a provide port that are empty.
    groups_missing: Vec<u32>,
    /// Running transitions and marked places that use a provide port.
    users: Vec<u32>,
    link_enabled: Vec<bool>,
    /// Enabled links of a use port, and the run that made it ready.
    port_ready: Vec<u32>,
    port_cause: Vec<u32>,
    /// Ports of a transition that are not ready.
    ports_missing: Vec<u32>,
    /// Data ports that have a value.
    has_value: Vec<bool>,
    phase: Vec<u32>,
    last_run: Vec<u32>,
    /// In which phase of its component a transition began last.
    last_phase: Vec<u32>,
    /// A transition that begins again within a phase: the run has no end.
    cycle: Option<TransitionId>,

    to_enter: VecDeque<PlaceId>,
    to_leave: VecDeque<PlaceId>,
    ready: VecDeque<TransitionId>,
    /// For one component after the other: what is ready, by component.
    ready_sorted: BTreeSet<(ComponentId, TransitionId)>,
    running: u32,
    last_component: Option<ComponentId>,
    /// Places that cannot be left while a port is used.
    held: BTreeMap<PortId, Vec<PlaceId>>,
    /// The run that used the port last, and the port, for places that could be left after that.
    freed: BTreeMap<PlaceId, Cause>,
    given_up: Vec<TransitionId>,
    schedule: Schedule,
}

impl<'a, 'b> Engine<'a, 'b> {
    pub(super) fn new(assembly: &'a Assembly<'b>, scenario: &'a Scenario) -> Self {
        let sizes = assembly.sizes();
        let mut engine = Engine {
            assembly,
            scenario,
            slots: Slots::new(assembly, scenario),
            now: Duration::ZERO,
            events: BinaryHeap::new(),
            numbered: 0,
            current: NO_RUN,
            place_marked: vec![false; sizes.places],
            dock_marked: vec![false; sizes.docks],
            transition_marked: vec![false; sizes.transitions],
            docks_missing: vec![0; sizes.places],
            group_tokens: vec![0; sizes.groups],
            group_enabled: vec![false; sizes.groups],
            groups_missing: vec![0; sizes.ports],
            users: vec![0; sizes.ports],
            link_enabled: vec![false; assembly.links().len()],
            port_ready: vec![0; sizes.ports],
            port_cause: vec![NO_RUN; sizes.ports],
            ports_missing: vec![0; sizes.transitions],
            has_value: vec![false; sizes.ports],
            phase: vec![0; assembly.components().len()],
            last_run: vec![NO_RUN; sizes.transitions],
            last_phase: vec![u32::MAX; sizes.transitions],
            cycle: None,
            to_enter: VecDeque::new(),
            to_leave: VecDeque::new(),
            ready: VecDeque::new(),
            ready_sorted: BTreeSet::new(),
            running: 0,
            last_component: None,
            held: BTreeMap::new(),
            freed: BTreeMap::new(),
            given_up: Vec::new(),
            schedule: Schedule::default(),
        };
        for component in assembly.component_ids() {
            engine.count(component);
        }
        engine
    }

    /// The numbers of a component before anything happens.
    fn count(&mut self, component: ComponentId) {
        let assembly = self.assembly;
        let (net, index) = assembly.net(component);
        for (at, needs) in index.needs.iter().enumerate() {
            let id = assembly.transition(component, at.into());
            self.ports_missing[id.index()] = needs.len() as u32;
        }
        for (at, port) in net.ports.iter().enumerate() {
            // A port without groups is never provided.
            let groups = (port.groups.len() as u32).max(1);
            self.groups_missing[assembly.port(component, at.into()).index()] = groups;
        }
        self.count_docks(component);
    }

    fn count_docks(&mut self, component: ComponentId) {
        let (net, index) = self.assembly.net(component);
        let behavior = self.behavior(component);
        for at in 0..net.places.len() {
            let docks = index.active(at.into(), Side::Input, behavior).count();
            let place = self.assembly.place(component, at.into());
            self.docks_missing[place.index()] = docks as u32;
        }
    }

    fn behavior(&self, component: ComponentId) -> BehaviorId {
        let phase = self.phase[component.index()] as usize;
        self.assembly.component(component).program[phase]
    }

    /// Marks the initial places and lets time pass until nothing more happens.
    pub(super) fn run(mut self) -> Schedule {
        self.mark_initial();
        self.settle();
        while self.cycle.is_none()
            && let Some(Reverse((moment, _, event))) = self.events.pop()
        {
            self.now = moment;
            match event {
                Event::Ends(run) => self.action_over(run),
                Event::Again(run) => self.try_again(run),
            }
            self.settle();
        }
        let ends = self.schedule.runs.iter().map(|run| run.end);
        self.schedule.makespan = ends.max().unwrap_or_default();
        self.schedule.waiting = match self.cycle {
            Some(transition) => vec![Waiting::Cycle(transition)],
            None => self.waiting(),
        };
        self.schedule
    }

    fn mark_initial(&mut self) {
        let mut touched = Vec::new();
        for component in self.assembly.component_ids() {
            let (net, index) = self.assembly.net(component);
            for place in &net.initial {
                self.mark_place(component, self.assembly.place(component, *place), &mut touched);
                for port in &index.holds[place.index()] {
                    self.use_port(self.assembly.port(component, *port), true);
                }
            }
        }
        self.regroup(touched);
    }

    /// The premises of rule 1: its dock holds a token and its ports are ready.
    fn can_fire(&self, id: TransitionId) -> bool {
        let (component, local) = self.assembly.local_transition(id);
        let (net, index) = self.assembly.net(component);
        let source = self.assembly.dock(component, net.transition(local).source);
        self.dock_marked[source.index()]
            && self.ports_missing[id.index()] == 0
            && index.behavior[local.index()] == self.behavior(component)
    }

    /// Applies every rule that can be applied at this moment.
    fn settle(&mut self) {
        let leave_first = self.scenario.mode == Mode::Kolla;
        loop {
            if let Some(place) = self.to_enter.pop_front() {
                self.enter(place);
            } else if leave_first && let Some(place) = self.to_leave.pop_front() {
                self.leave(place);
            } else if let Some(transition) = self.next_ready() {
                self.fire(transition);
            } else if let Some(place) = self.to_leave.pop_front() {
                self.leave(place);
            } else {
                return;
            }
        }
    }

    fn next_ready(&mut self) -> Option<TransitionId> {
        if self.scenario.mode != Mode::Kolla {
            return self.ready.pop_front();
        }
        while let Some(transition) = self.ready.pop_front() {
            let component = self.assembly.local_transition(transition).0;
            self.ready_sorted.insert((component, transition));
        }
        if self.running > 0 {
            return None;
        }
        let own = self.last_component.and_then(|component| {
            let own = (component, TransitionId(0))..=(component, TransitionId(u32::MAX));
            self.ready_sorted.range(own).next().copied()
        });
        let next = own.or_else(|| self.ready_sorted.first().copied())?;
        self.ready_sorted.remove(&next);
        Some(next.1)
    }

    /// Starts a transition if it can start.
    fn fire(&mut self, id: TransitionId) {
        let (component, local) = self.assembly.local_transition(id);
        let (net, _) = self.assembly.net(component);
        let source = self.assembly.dock(component, net.transition(local).source);
        if !self.dock_marked[source.index()] || self.ports_missing[id.index()] > 0 {
            let next = self.slots.pass_on(self.assembly, id);
            self.ready.extend(next);
            return;
        }
        if self.scenario.mode != Mode::Kolla
            && let Err(others) = self.slots.take(self.assembly, id)
        {
            self.ready.extend(others);
            return;
        }
        self.running += 1;
        self.last_component = Some(component);
        self.start(id, component, source);
        let phase = self.phase[component.index()];
        if std::mem::replace(&mut self.last_phase[id.index()], phase) == phase {
            self.cycle = Some(id);
        }
        self.begin(id, 0);
    }

    /// Records an execution and when it will be over.
    fn begin(&mut self, id: TransitionId, attempt: u32) {
        let run = self.schedule.runs.len() as u32;
        let action = &self.assembly.net_transition(id).action;
        let takes = chance::duration(action.duration.as_ref(), self.scenario.seed, id, attempt);
        let (how, takes) = match action.timeout {
            Some(limit) if takes > limit => (End::TimedOut, limit),
            _ => (End::Done, takes),
        };
        let end = self.now.saturating_add(takes);
        let trigger = Some(self.current).filter(|run| *run != NO_RUN);
        let start = self.now;
        self.schedule.runs.push(Run { transition: id, start, end, attempt, how, trigger });
        self.schedule.cause_starts.push(self.schedule.causes.len() as u32);
        self.note_causes(id, attempt);
        self.last_run[id.index()] = run;
        self.at(end, Event::Ends(run));
    }

    fn note_causes(&mut self, id: TransitionId, attempt: u32) {
        let (component, local) = self.assembly.local_transition(id);
        let (net, index) = self.assembly.net(component);
        let mut causes = Vec::new();
        if attempt > 0 {
            causes.push(Cause { run: self.last_run[id.index()], port: None });
        }
        let source = net.source_place(local);
        causes.extend(self.freed.get(&self.assembly.place(component, source)));
        for dock in &index.inputs[source.index()] {
            for before in &index.transitions[dock.index()] {
                let run = self.last_run[self.assembly.transition(component, *before).index()];
                causes.push(Cause { run, port: None });
            }
        }
        // The ports that the transition needs, and those that the place before it holds.
        for port in index.needs[local.index()].iter().chain(&index.holds[source.index()]) {
            let port = self.assembly.port(component, *port);
            causes.push(Cause { run: self.port_cause[port.index()], port: Some(port) });
        }
        causes.retain(|cause| cause.run != NO_RUN);
        if self.current != NO_RUN && !causes.iter().any(|cause| cause.run == self.current) {
            causes.push(Cause { run: self.current, port: None });
        }
        self.schedule.causes.extend(causes);
    }

    fn at(&mut self, moment: Duration, event: Event) {
        self.numbered += 1;
        self.events.push(Reverse((moment, self.numbered, event)));
    }

    fn action_over(&mut self, number: u32) {
        self.current = number;
        let run = self.schedule.runs[number as usize];
        let id = run.transition;
        if run.how == End::Done {
            self.release(id);
            self.end(id);
            return;
        }
        self.note(Action::TimeOut(id));
        let retry = self.assembly.net_transition(id).action.retry;
        match retry.filter(|retry| run.attempt < retry.times) {
            Some(retry) => {
                let moment = self.now.saturating_add(retry.wait_before(run.attempt + 1));
                self.at(moment, Event::Again(number));
            }
            None => {
                self.release(id);
                self.given_up.push(id);
            }
        }
    }

    fn release(&mut self, id: TransitionId) {
        self.running -= 1;
        if self.scenario.mode != Mode::Kolla {
            let next = self.slots.give_back(self.assembly, id);
            self.ready.extend(next);
        }
    }

    fn try_again(&mut self, number: u32) {
        self.current = number;
        let Run { transition, attempt, .. } = self.schedule.runs[number as usize];
        self.note(Action::Retry(transition));
        self.begin(transition, attempt + 1);
    }

    fn note(&mut self, action: Action) {
        if self.scenario.trace {
            self.schedule.trace.push((self.now, action));
        }
    }

    /// The tokens that are not where they should end, and why.
    fn waiting(&self) -> Vec<Waiting> {
        let assembly = self.assembly;
        let mut waiting: Vec<Waiting> =
            self.given_up.iter().map(|id| Waiting::Failed(*id)).collect();
        for (at, marked) in self.dock_marked.iter().enumerate() {
            if !marked {
                continue;
            }
            let (component, dock) = assembly.local_dock(DockId::from(at));
            let (net, index) = assembly.net(component);
            if net.docks[dock.index()].side == Side::Input {
                waiting.push(Waiting::Place(assembly.place(component, net.place_of(dock))));
                continue;
            }
            for local in &index.transitions[dock.index()] {
                let id = assembly.transition(component, *local);
                let needs = index.needs[local.index()].iter();
                let ports = needs.map(|port| assembly.port(component, *port));
                let missing = ports.filter(|port| self.port_ready[port.index()] == 0);
                waiting.extend(missing.map(|port| Waiting::Port(id, port)));
            }
        }
        for (at, marked) in self.place_marked.iter().enumerate() {
            let place = PlaceId::from(at);
            let (component, local) = assembly.local_place(place);
            let mut outputs =
                assembly.net(component).1.active(local, Side::Output, self.behavior(component));
            if *marked && outputs.next().is_some() {
                waiting.push(Waiting::Place(place));
            }
        }
        waiting.sort_unstable();
        waiting.dedup();
        waiting
    }
}
