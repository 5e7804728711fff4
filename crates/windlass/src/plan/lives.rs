//! The lives of the instances that a plan speaks of, as long as nothing faults.
//!
//! An id may be used again after its instance is gone, so an id can have several lives. A life is
//! the row of stages that its instance goes through: not there yet, initial state, operation,
//! state, ..., gone; each stage begins with one event. A scale-in ends the life of its instance
//! and of everything that lives inside, at once.
//!
//! When the events of every life are ordered (tier T0a), the stages are the same in every order
//! that the plan allows, and a set of events that is closed downward says exactly where every
//! instance is. That is what makes the questions of `verify` polynomial.

use std::collections::BTreeMap;

use super::events::{EventId, EventKind, Events};
use super::{Plan, PlanAction};
use crate::application::{Application, GlobalState, InstanceId, NodeId};
use crate::lifecycle::protocol::{Element, OperationId, TransitionId};

/// One life of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LifeId(pub u32);

impl LifeId {
    /// As an index into the list of lives.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A stage of a life: from the event that enters it to the one that enters the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stage {
    /// The event that enters it; none for what is there at the start.
    pub(crate) enter: Option<EventId>,
    /// Where the instance is; none while it does not exist.
    pub(crate) element: Option<Element>,
}

/// One life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Life {
    /// Whose life.
    pub(crate) instance: InstanceId,
    /// The node it is an instance of.
    pub(crate) node: NodeId,
    /// The life inside which it takes place.
    pub(crate) container: Option<LifeId>,
    /// Its stages; the first one has no entering event.
    pub(crate) stages: Vec<Stage>,
}

impl Life {
    /// The event that ends a stage; none when nothing does.
    pub(crate) fn leave(&self, stage: usize) -> Option<EventId> {
        self.stages.get(stage + 1).and_then(|next| next.enter)
    }

    /// The event that created the instance; none when it was there at the start.
    pub(crate) fn birth(&self) -> Option<EventId> {
        self.stages.windows(2).find(|pair| pair[0].element.is_none()).and_then(|pair| pair[1].enter)
    }

    /// The event that destroyed the instance.
    pub(crate) fn death(&self) -> Option<EventId> {
        let last = self.stages.last()?;
        if last.element.is_none() { last.enter } else { None }
    }
}

/// An order that the plan allows and that cannot be carried out, whatever the faults: `pivot`
/// would have to come after `other`, which has nothing to do with faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disorder {
    /// What is wrong.
    pub(crate) kind: DisorderKind,
    /// The event that should come first, when the failure is a missing order.
    pub(crate) earlier: Option<EventId>,
    /// The event that cannot be executed in its place.
    pub(crate) later: EventId,
}

/// Why an action cannot be executed in every order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DisorderKind {
    /// The instance does not exist then.
    NoInstance,
    /// An instance with this id exists then.
    AlreadyExists,
    /// The instance is in the middle of another operation then.
    Busy,
    /// The container does not exist then, or is none for this node.
    NoContainer,
    /// A container is given for a node that lives in none.
    NeedlessContainer,
    /// Two actions on one instance are not ordered.
    Unordered,
    /// An action is not ordered with the end of the container it takes place in.
    UnorderedWithContainer,
    /// An id is used again and its end is not ordered before.
    UnorderedReuse,
}

/// An operation that does not exist in the state that its instance is in when nothing faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undefined {
    /// The life.
    pub(crate) life: LifeId,
    /// The start of the operation.
    pub(crate) event: EventId,
}

/// All lives of a plan.
#[derive(Debug, Clone)]
pub struct Lives {
    all: Vec<Life>,
    of_node: Vec<Vec<LifeId>>,
    /// Operations that do not exist where they are planned (tier T0b), each the first of its life.
    pub undefined: Vec<Undefined>,
    /// Whether some operation has alternatives, so that stages depend on a choice.
    pub(crate) has_alternatives: bool,
}

impl Lives {
    /// The lives of a plan whose names fit the application, or the first disorder (tier T0a).
    pub fn new(
        application: &Application,
        start: &GlobalState,
        plan: &Plan,
        events: &Events,
    ) -> Result<Self, Disorder> {
        let mut walk = Walk::new(application, start);
        for &event in events.topological() {
            walk.event(event, plan, events)?;
        }
        let lives = walk.finish();
        lives.check_order(events)?;
        Ok(lives)
    }

    /// The life with this id.
    pub(crate) fn get(&self, id: LifeId) -> &Life {
        &self.all[id.index()]
    }

    /// Every life.
    pub(crate) fn ids(&self) -> impl Iterator<Item = LifeId> + use<> {
        (0..self.all.len() as u32).map(LifeId)
    }

    /// The lives of the instances of a node.
    pub(crate) fn of_node(&self, node: NodeId) -> &[LifeId] {
        &self.of_node[node.index()]
    }

    /// Every two events that must not be swapped are ordered.
    fn check_order(&self, events: &Events) -> Result<(), Disorder> {
        let ordered = |earlier, later, kind| {
            if events.at_most(earlier, later) {
                Ok(())
            } else {
                Err(Disorder { kind, earlier: Some(earlier), later })
            }
        };
        let mut last_of_id: BTreeMap<&InstanceId, EventId> = BTreeMap::new();
        for life in &self.all {
            let enters: Vec<EventId> = life.stages.iter().filter_map(|stage| stage.enter).collect();
            for pair in enters.windows(2) {
                ordered(pair[0], pair[1], DisorderKind::Unordered)?;
            }
            if let (Some(birth), Some(previous)) = (life.birth(), last_of_id.get(&life.instance)) {
                ordered(*previous, birth, DisorderKind::UnorderedReuse)?;
            }
            if let Some(last) = enters.last() {
                last_of_id.insert(&life.instance, *last);
            }
            let Some(container) = life.container.map(|id| self.get(id)) else { continue };
            if let (Some(born), Some(birth)) = (container.birth(), life.birth()) {
                ordered(born, birth, DisorderKind::NoContainer)?;
            }
            if let (Some(last), Some(death)) = (enters.last(), container.death()) {
                ordered(*last, death, DisorderKind::UnorderedWithContainer)?;
            }
        }
        Ok(())
    }
}

/// One walk through all events, in an order that the plan allows.
struct Walk<'a> {
    application: &'a Application,
    lives: Vec<Life>,
    alive: BTreeMap<InstanceId, LifeId>,
    inside: Vec<Vec<LifeId>>,
    undefined: Vec<Undefined>,
    has_alternatives: bool,
}

impl<'a> Walk<'a> {
    fn new(application: &'a Application, start: &GlobalState) -> Self {
        let mut walk = Walk {
            application,
            lives: Vec::new(),
            alive: BTreeMap::new(),
            inside: Vec::new(),
            undefined: Vec::new(),
            has_alternatives: false,
        };
        for (id, instance) in &start.instances {
            let stage = Stage { enter: None, element: Some(instance.element) };
            walk.add(id, instance.node, None, vec![stage]);
        }
        for (id, (_, container)) in &start.vertical {
            let ends = walk.alive.get(id).copied().zip(walk.alive.get(container).copied());
            if let Some((life, container)) = ends {
                walk.lives[life.index()].container = Some(container);
                walk.inside[container.index()].push(life);
            }
        }
        walk
    }

    fn add(
        &mut self,
        id: &InstanceId,
        node: NodeId,
        container: Option<LifeId>,
        stages: Vec<Stage>,
    ) {
        let life = LifeId(self.lives.len() as u32);
        self.lives.push(Life { instance: id.clone(), node, container, stages });
        self.inside.push(Vec::new());
        self.alive.insert(id.clone(), life);
        if let Some(container) = container {
            self.inside[container.index()].push(life);
        }
    }

    fn event(&mut self, event: EventId, plan: &Plan, events: &Events) -> Result<(), Disorder> {
        let fails = |kind| Err(Disorder { kind, earlier: None, later: event });
        let action = &plan.steps[events.get(event).step].action;
        let alive = self.alive.get(action.instance()).copied();
        match (action, alive) {
            (PlanAction::ScaleOut { .. }, Some(_)) => fails(DisorderKind::AlreadyExists),
            (PlanAction::ScaleOut { node, instance, container }, None) => {
                self.scale_out(event, node, instance, container.as_ref())
            }
            (_, None) => fails(DisorderKind::NoInstance),
            (PlanAction::ScaleIn { .. }, Some(life)) => {
                self.end(life, event);
                Ok(())
            }
            (PlanAction::Operation { operation, .. }, Some(life)) => {
                if self.undefined.iter().any(|undefined| undefined.life == life) {
                    return Ok(());
                }
                match events.get(event).kind {
                    EventKind::Start => self.start(event, life, operation),
                    _ => self.finish_operation(event, life, operation),
                }
            }
        }
    }

    fn scale_out(
        &mut self,
        event: EventId,
        node: &str,
        id: &InstanceId,
        container: Option<&InstanceId>,
    ) -> Result<(), Disorder> {
        let fails = |kind| Err(Disorder { kind, earlier: None, later: event });
        // The caller has made sure that the names of the plan fit the application.
        let Some(node) = self.application.node_named(node) else {
            return fails(DisorderKind::NoContainer);
        };
        let Some(protocol) = self.application.protocol_of(node) else {
            return fails(DisorderKind::NoContainer);
        };
        let containment = self.application.type_of(node).containment();
        let home = containment.map(|r| self.application.node(node).binding(r).map(|b| b.target));
        let container = match (home, container) {
            (None, None) => None,
            (None, Some(_)) => return fails(DisorderKind::NeedlessContainer),
            (Some(_), None) => return fails(DisorderKind::NoContainer),
            (Some(home), Some(container)) => {
                let found = self.alive.get(container).copied();
                let fits = found.filter(|life| Some(self.lives[life.index()].node) == home);
                if fits.is_none() {
                    return fails(DisorderKind::NoContainer);
                }
                fits
            }
        };
        let stages = vec![
            Stage { enter: None, element: None },
            Stage { enter: Some(event), element: Some(Element::State(protocol.initial)) },
        ];
        self.add(id, node, container, stages);
        Ok(())
    }

    fn start(&mut self, event: EventId, id: LifeId, operation: &str) -> Result<(), Disorder> {
        let fails = |kind| Err(Disorder { kind, earlier: None, later: event });
        let node = self.lives[id.index()].node;
        let found = self.application.type_of(node).operation_named(operation);
        let Some(Element::State(state)) = self.element(id) else {
            return fails(DisorderKind::Busy);
        };
        let transitions: Vec<TransitionId> = match (self.application.protocol_of(node), found) {
            (Some(protocol), Some(operation)) => {
                protocol.transitions_for(state, operation).collect()
            }
            _ => Vec::new(),
        };
        self.has_alternatives |= transitions.len() > 1;
        match transitions.first() {
            Some(transition) => {
                let element = Some(Element::Transition(*transition));
                self.lives[id.index()].stages.push(Stage { enter: Some(event), element });
            }
            None => self.undefined.push(Undefined { life: id, event }),
        }
        Ok(())
    }

    fn finish_operation(
        &mut self,
        event: EventId,
        id: LifeId,
        operation: &str,
    ) -> Result<(), Disorder> {
        let node = self.lives[id.index()].node;
        let component = self.application.type_of(node);
        let planned: Option<OperationId> = component.operation_named(operation);
        let running = match (component.protocol(), self.element(id)) {
            (Some(protocol), Some(Element::Transition(running))) => {
                Some(protocol.transition(running))
            }
            _ => None,
        };
        match running.filter(|running| Some(running.operation) == planned) {
            Some(running) => {
                let element = Some(Element::State(running.to));
                self.lives[id.index()].stages.push(Stage { enter: Some(event), element });
                Ok(())
            }
            None => Err(Disorder { kind: DisorderKind::Busy, earlier: None, later: event }),
        }
    }

    fn element(&self, id: LifeId) -> Option<Element> {
        self.lives[id.index()].stages.last().and_then(|stage| stage.element)
    }

    /// Ends a life and every life inside it.
    fn end(&mut self, life: LifeId, event: EventId) {
        let mut open = vec![life];
        while let Some(life) = open.pop() {
            let ending = &mut self.lives[life.index()];
            if self.alive.get(&ending.instance) != Some(&life) {
                continue;
            }
            ending.stages.push(Stage { enter: Some(event), element: None });
            self.alive.remove(&ending.instance);
            open.extend(&self.inside[life.index()]);
        }
    }

    fn finish(self) -> Lives {
        let mut of_node = vec![Vec::new(); self.application.nodes.len()];
        for (at, life) in self.lives.iter().enumerate() {
            of_node[life.node.index()].push(LifeId(at as u32));
        }
        Lives {
            all: self.lives,
            of_node,
            undefined: self.undefined,
            has_alternatives: self.has_alternatives,
        }
    }
}
