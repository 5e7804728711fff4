//! The bring-up system of an application of protocols: what `prove` asks about.
//!
//! Each wanted instance follows its way up. The next operation of any instance may start at any
//! moment when the requirements of the transition and of the state it leads to are satisfied (a
//! guard of ours, stronger than op-start); started operations end in any order.

mod climbing;
mod path;

use std::collections::BTreeSet;
use std::fmt;

pub use path::{NoPath, Target};

use crate::application::{Application, GlobalState, InstanceId, NodeId};
use crate::lifecycle::protocol::{
    Arity, CapabilityId, Element, RequirementId, Sort, StateId, TransitionId,
};
use crate::system::{Successors, System};

/// An instance on its way up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Climber {
    /// Its id.
    pub(crate) id: InstanceId,
    /// Its node.
    pub(crate) node: NodeId,
    /// The transitions that it performs, in order.
    pub(crate) path: Vec<TransitionId>,
    /// The state at the end of the way.
    pub(crate) goal: StateId,
    /// The instance that contains it, by its place.
    pub(crate) container: Option<usize>,
}

/// Everything that is brought up.
#[derive(Debug, Clone)]
pub struct BringUp<'a> {
    /// What is brought up.
    pub(crate) application: &'a Application,
    /// The instances, by id.
    pub(crate) climbers: Vec<Climber>,
    /// Operations that may fail, as `node.operation`; those started may then never be repeated.
    pub(crate) may_fail: BTreeSet<(NodeId, String)>,
    /// The places of the instances of each node.
    of_node: Vec<Vec<usize>>,
}

/// How high each instance stands: twice the number of operations done, one more while the next
/// is running; and whether it failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Heights {
    /// By the place of the instance.
    pub(crate) rungs: Vec<u32>,
    /// Instances whose running operation failed.
    pub(crate) failed: BTreeSet<usize>,
}

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// The next operation of an instance starts.
    Start(usize),
    /// The running operation of an instance ends.
    End(usize),
    /// The running operation of an instance fails.
    Fail(usize),
}

/// The premise that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocked {
    /// The instance is at the end of its way.
    Done,
    /// An operation of the instance is running, or none is.
    NotNow,
    /// The operation of the instance failed before.
    Failed,
    /// A requirement is not satisfied.
    Unsatisfied(RequirementId),
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blocked::Done => f.write_str("it is up"),
            Blocked::NotNow => f.write_str("an operation is running, or none is"),
            Blocked::Failed => f.write_str("its operation failed"),
            Blocked::Unsatisfied(requirement) => {
                write!(f, "requirement {} is not satisfied", requirement.0)
            }
        }
    }
}

impl<'a> BringUp<'a> {
    /// The instances of `start`, each in the initial state of its node, on the way to its target;
    /// or the nodes for which no way is known.
    pub fn new(
        application: &'a Application,
        start: &GlobalState,
        targets: &[Target],
    ) -> Result<Self, Vec<NoPath>> {
        let mut climbers = Vec::new();
        let mut missing: Vec<NoPath> = Vec::new();
        let ids: Vec<&InstanceId> = start.instances.keys().collect();
        let mut of_node = vec![Vec::new(); application.nodes.len()];
        for (place, (id, instance)) in start.instances.iter().enumerate() {
            of_node[instance.node.index()].push(place);
            let target = targets.iter().rev().find(|target| target.is_about(id, instance.node));
            match path::path(application, instance.node, target.map(|target| target.state)) {
                Ok((path, goal)) => {
                    let home = start.vertical.get(id).map(|(_, home)| home);
                    let container = home.and_then(|home| ids.binary_search(&home).ok());
                    let (id, node) = (id.clone(), instance.node);
                    climbers.push(Climber { id, node, path, goal, container });
                }
                Err(no_path) if !missing.contains(&no_path) => missing.push(no_path),
                Err(_) => {}
            }
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        Ok(Self { application, climbers, may_fail: BTreeSet::new(), of_node })
    }

    /// Where an instance is at a height.
    pub(crate) fn element(&self, climber: usize, rung: u32) -> Element {
        let Climber { path, node, .. } = &self.climbers[climber];
        let done = (rung / 2) as usize;
        if rung % 2 == 1 {
            return Element::Transition(path[done]);
        }
        let initial = self.application.protocol_of(*node).map(|protocol| protocol.initial);
        let after = |at: usize| {
            let protocol = self.application.protocol_of(*node)?;
            Some(protocol.transition(*path.get(at)?).to)
        };
        let state = if done == 0 { initial } else { after(done - 1) };
        Element::State(state.unwrap_or(StateId(0)))
    }

    /// The operation that an instance performs from a height on.
    pub(crate) fn operation(&self, climber: usize, rung: u32) -> Option<&str> {
        let Climber { path, node, .. } = &self.climbers[climber];
        let component = self.application.type_of(*node);
        let transition = component.protocol()?.transition(*path.get((rung / 2) as usize)?);
        Some(&component.operations[transition.operation.index()].name)
    }

    /// What must be satisfied before the next operation of an instance starts.
    pub(crate) fn needs(&self, climber: usize, rung: u32) -> BTreeSet<RequirementId> {
        let Climber { path, node, .. } = &self.climbers[climber];
        let Some(protocol) = self.application.protocol_of(*node) else { return BTreeSet::new() };
        let Some(transition) = path.get((rung / 2) as usize) else { return BTreeSet::new() };
        let transition = protocol.transition(*transition);
        transition.requires.union(&protocol.state(transition.to).requires).copied().collect()
    }

    /// Who can satisfy a requirement of an instance, what it must offer, and how many are needed.
    pub(crate) fn providers(
        &self,
        climber: usize,
        requirement: RequirementId,
    ) -> Option<(Vec<usize>, CapabilityId, u32)> {
        let Climber { node, container, .. } = &self.climbers[climber];
        let binding = self.application.node(*node).binding(requirement)?;
        let declared = &self.application.type_of(*node).requirements[requirement.index()];
        if declared.sort == Sort::Containment {
            return Some((container.iter().copied().collect(), binding.capability, 1));
        }
        let all = self.of_node[binding.target.index()].clone();
        let least = match declared.arity {
            Arity::Any => 1,
            Arity::AtLeast(least) => least,
            Arity::All => (all.len() as u32).max(1),
        };
        Some((all, binding.capability, least))
    }

    /// Whether an instance offers a capability at a height.
    pub(crate) fn offers(&self, climber: usize, rung: u32, capability: CapabilityId) -> bool {
        let protocol = self.application.protocol_of(self.climbers[climber].node);
        let element = self.element(climber, rung);
        protocol.is_some_and(|protocol| protocol.offers(element).contains(&capability))
    }

    /// The height at which an instance is up.
    pub(crate) fn top(&self, climber: usize) -> u32 {
        2 * self.climbers[climber].path.len() as u32
    }

    /// Whether every instance is up.
    pub(crate) fn is_up(&self, state: &Heights) -> bool {
        state.failed.is_empty()
            && state.rungs.iter().enumerate().all(|(at, rung)| *rung == self.top(at))
    }

    fn is_satisfied(&self, state: &Heights, climber: usize, requirement: RequirementId) -> bool {
        let Some((all, capability, least)) = self.providers(climber, requirement) else {
            return false;
        };
        let offers = |at: &&usize| {
            !state.failed.contains(*at) && self.offers(**at, state.rungs[**at], capability)
        };
        all.iter().filter(offers).count() as u32 >= least
    }

    /// Whether the operation that an instance performs from a height on may fail.
    pub(crate) fn can_fail(&self, climber: usize, rung: u32) -> bool {
        let node = self.climbers[climber].node;
        let operation = self.operation(climber, rung);
        operation.is_some_and(|name| self.may_fail.contains(&(node, name.to_owned())))
    }
}

impl System for BringUp<'_> {
    type State = Heights;
    type Action = Event;
    type Blocked = Blocked;

    fn initial(&self) -> Heights {
        Heights { rungs: vec![0; self.climbers.len()], failed: BTreeSet::new() }
    }

    fn candidates(&self, state: &Heights) -> Vec<Event> {
        let mut all = Vec::new();
        for (at, rung) in state.rungs.iter().enumerate() {
            if rung.is_multiple_of(2) {
                all.push(Event::Start(at));
            } else {
                all.push(Event::End(at));
                all.push(Event::Fail(at));
            }
        }
        all
    }

    fn step(&self, state: &Heights, event: &Event) -> Result<Successors<Heights>, Blocked> {
        let (Event::Start(at) | Event::End(at) | Event::Fail(at)) = *event;
        let rung = state.rungs[at];
        if state.failed.contains(&at) {
            return Err(Blocked::Failed);
        }
        if rung == self.top(at) {
            return Err(Blocked::Done);
        }
        if rung.is_multiple_of(2) != matches!(event, Event::Start(_)) {
            return Err(Blocked::NotNow);
        }
        let mut after = state.clone();
        match event {
            Event::Start(_) => {
                for requirement in self.needs(at, rung) {
                    if !self.is_satisfied(state, at, requirement) {
                        return Err(Blocked::Unsatisfied(requirement));
                    }
                }
                after.rungs[at] += 1;
            }
            Event::End(_) => after.rungs[at] += 1,
            Event::Fail(_) if self.can_fail(at, rung) => {
                after.failed.insert(at);
            }
            Event::Fail(_) => return Err(Blocked::NotNow),
        }
        Ok(Successors::one(after))
    }
}
