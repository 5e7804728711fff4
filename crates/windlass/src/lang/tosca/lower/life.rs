//! The life of a node template: a way up, a way down, and what each part of it needs and offers.
//!
//! ```text
//! initial -create-> created -[pre_configure]-> .. -configure-> .. -[post_configure]-> configured
//!         -start-> .. -[add]-> started
//! ```
//!
//! Operations of relationships are part of the life of the end at which they run; `add_source` and
//! `remove_source` too are part of the life of the source, because only then both ends are known
//! to be there.

use std::collections::{BTreeMap, BTreeSet};

use super::super::command::Run;
use super::super::weaving::Phase;
use crate::application::{ComponentType, Operation};
use crate::lifecycle::protocol::{
    Capability, CapabilityId, Handler, OperationId, Requirement, RequirementId, State, StateId,
    Transition,
};
use crate::lifecycle::{Cost, Expected, Lifecycle, Protocol};
use crate::source::Origin;

/// One operation of a way.
pub(super) struct Stage {
    /// The operation.
    pub(super) operation: String,
    /// What is executed.
    pub(super) run: Option<Run>,
    /// The state it leads to.
    pub(super) to: String,
    /// The phase it belongs to.
    pub(super) phase: Phase,
}

/// What a life is made of.
pub(super) struct Draft {
    /// The name of the type.
    pub(super) name: String,
    /// The first state.
    pub(super) initial: &'static str,
    /// From the first state to the last.
    pub(super) up: Vec<Stage>,
    /// From the last state down to one that the way up has, by `stop`.
    pub(super) stop: Vec<Stage>,
    /// From states of the way up to the first one.
    pub(super) delete: Option<Stage>,
    /// Operations that leave the last state as it is.
    pub(super) beside: Vec<Stage>,
    /// Requirements, and the phase from which on each is needed.
    pub(super) requirements: Vec<(Requirement, Phase)>,
    /// Capabilities, and whether the first operation is enough for them.
    pub(super) capabilities: Vec<(Capability, bool)>,
    /// Whether faults have handlers.
    pub(super) handled: bool,
    /// Where it is written.
    pub(super) origin: Origin,
}

struct Life {
    draft: Draft,
    states: Vec<State>,
    operations: Vec<Operation>,
    transitions: Vec<Transition>,
}

/// The component type of a draft.
pub(super) fn component(draft: Draft) -> ComponentType {
    let mut life =
        Life { draft, states: Vec::new(), operations: Vec::new(), transitions: Vec::new() };
    let up = life.way_up();
    life.way_down();
    if life.draft.handled {
        life.handle_faults();
    }
    let Life { draft, states, operations, transitions } = life;
    ComponentType {
        name: draft.name,
        requirements: draft.requirements.into_iter().map(|(requirement, _)| requirement).collect(),
        capabilities: draft.capabilities.into_iter().map(|(capability, _)| capability).collect(),
        operations,
        lifecycle: Lifecycle::Protocol(Protocol {
            initial: StateId(0),
            states,
            transitions,
            up: Some(up),
        }),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin: draft.origin,
    }
}

impl Life {
    /// What is needed in a phase.
    fn requires(&self, phase: Phase) -> BTreeSet<RequirementId> {
        let needed = self.draft.requirements.iter().enumerate();
        needed.filter(|(_, (_, from))| *from <= phase).map(|(at, _)| at.into()).collect()
    }

    /// What is offered: everything in the end, some of it as soon as the first operation has run.
    fn offers(&self, is_last: bool) -> BTreeSet<CapabilityId> {
        let offered = self.draft.capabilities.iter().enumerate();
        offered.filter(|(_, (_, early))| is_last || *early).map(|(at, _)| at.into()).collect()
    }

    fn state(
        &mut self,
        name: &str,
        requires: BTreeSet<RequirementId>,
        offers: BTreeSet<CapabilityId>,
    ) -> StateId {
        if let Some(known) = self.states.iter().position(|state| state.name == name) {
            return known.into();
        }
        let origin = self.draft.origin;
        let name = name.to_owned();
        self.states.push(State {
            name,
            requires,
            offers,
            handlers: vec![],
            on_crash: None,
            origin,
        });
        (self.states.len() - 1).into()
    }

    fn operation(&mut self, name: &str, run: Option<Run>) -> OperationId {
        if let Some(known) = self.operations.iter().position(|operation| operation.name == name) {
            return known.into();
        }
        let (run, host, timeout) = match run {
            Some(Run { command, host, timeout }) => (Some(command), host, timeout),
            None => (None, None, None),
        };
        self.operations.push(Operation {
            name: name.to_owned(),
            run,
            duration: Expected::default(),
            cost: Cost::default(),
            timeout,
            retry: None,
            effect: None,
            host,
            origin: self.draft.origin,
        });
        (self.operations.len() - 1).into()
    }

    /// A transition needs what its phase needs, and offers what is offered before and after it.
    fn transition(&mut self, from: StateId, operation: OperationId, to: StateId, phase: Phase) {
        let (before, after) = (&self.states[from.index()], &self.states[to.index()]);
        let offers = before.offers.intersection(&after.offers).copied().collect();
        self.transitions.push(Transition {
            from,
            operation,
            to,
            requires: self.requires(phase),
            offers,
            handlers: Vec::new(),
            origin: self.draft.origin,
        });
    }

    fn way_up(&mut self) -> Vec<OperationId> {
        let mut at = self.state(self.draft.initial, BTreeSet::new(), BTreeSet::new());
        let mut up = Vec::new();
        let stages = std::mem::take(&mut self.draft.up);
        let starts = |stage: &Stage| stage.phase == Phase::Start;
        let started = stages.iter().position(starts).unwrap_or(stages.len().saturating_sub(1));
        for (place, stage) in stages.iter().enumerate() {
            let (requires, offers) = (self.requires(stage.phase), self.offers(place >= started));
            let to = self.state(&stage.to, requires, offers);
            let operation = self.operation(&stage.operation, stage.run.clone());
            self.transition(at, operation, to, stage.phase);
            up.push(operation);
            at = to;
        }
        self.draft.up = stages;
        up
    }

    fn way_down(&mut self) {
        let Some(last) = self.draft.up.last() else { return };
        let (last, phase) = (self.named(&last.to), last.phase);
        let mut at = last;
        for stage in std::mem::take(&mut self.draft.stop) {
            // On the way down nothing is offered that only a running node offers.
            let (requires, offers) = (self.requires(stage.phase), self.offers(false));
            let to = self.state(&stage.to, requires, offers);
            let operation = self.operation(&stage.operation, stage.run);
            self.transition(at, operation, to, stage.phase);
            at = to;
        }
        let stays_up = at == last;
        if let Some(delete) = self.draft.delete.take() {
            let operation = self.operation(&delete.operation, delete.run);
            let resting = self.resting(last, stays_up);
            for (from, phase) in resting {
                self.transition(from, operation, StateId(0), phase);
            }
        }
        for stage in std::mem::take(&mut self.draft.beside) {
            let operation = self.operation(&stage.operation, stage.run);
            self.transition(last, operation, last, phase);
        }
    }

    /// The states from which a node can be deleted: all before it starts, wherever a failure has
    /// left it, and the last one when nothing stops it.
    fn resting(&self, last: StateId, stays_up: bool) -> Vec<(StateId, Phase)> {
        let stages = self.draft.up.iter().map(|stage| (self.named(&stage.to), &*stage.to, stage));
        let rests = |(id, _, stage): &(StateId, &str, &Stage)| {
            (*id == last && stays_up) || (*id != last && stage.phase < Phase::Start)
        };
        stages.filter(rests).map(|(id, _, stage)| (id, stage.phase)).collect()
    }

    fn named(&self, name: &str) -> StateId {
        self.states.iter().position(|state| state.name == name).unwrap_or_default().into()
    }

    /// A node that loses something falls back to the first state, or to where a node rests before
    /// it starts when that needs less.
    fn handle_faults(&mut self) {
        let rest: Vec<StateId> = ["configured"].iter().map(|name| self.named(name)).collect();
        let targets: BTreeSet<StateId> = rest.into_iter().chain([StateId(0)]).collect();
        let known: Vec<(StateId, BTreeSet<_>, BTreeSet<_>)> = targets
            .into_iter()
            .map(|id| (id, &self.states[id.index()]))
            .map(|(id, state)| (id, state.requires.clone(), state.offers.clone()))
            .collect();
        let origin = self.draft.origin;
        let handlers = |requires: &BTreeSet<RequirementId>, offers: &BTreeSet<CapabilityId>| {
            let less = known.iter().filter(|(_, needs, gives)| {
                needs.len() < requires.len() && needs.is_subset(requires) && gives.is_subset(offers)
            });
            less.map(|(to, ..)| Handler { to: *to, origin }).collect::<Vec<_>>()
        };
        for state in &mut self.states {
            state.handlers = handlers(&state.requires, &state.offers);
        }
        for transition in &mut self.transitions {
            transition.handlers = handlers(&transition.requires, &transition.offers);
        }
    }
}
