//! Replicas and faults (paper 004 sections 3.3 and 4.1).
//!
//! | paper | here |
//! |---|---|
//! | `ρ` requirements, `χ` capabilities, `τ` operations, `φ` fault handlers | [`Protocol`] |
//! | `⟨G, H, V⟩` instances, horizontal and vertical bindings | [`GlobalState`] |
//! | `b` binding, `π` policy | the application, `policy` |
//! | `broken`, `satisfy`, `pending`, `resolvable` | [`faults`] |
//! | `→` and `⇒` | [`behavior`] |
//! | `↦` | [`observable`] |
//!
//! Reading order: [`faults`], `policy`, [`behavior`], [`observable`], [`observe`]. For engines:
//! [`in_place`].
//! The readings where the paper is silent: `docs/design/0003-relations.md`.

mod action;
pub mod behavior;
mod blocked;
pub mod compiled;
pub(crate) mod crashing;
pub mod faults;
pub mod in_place;
pub mod observable;
pub mod observe;
pub(crate) mod policy;

pub use action::{Action, Creation, Event, Outcome};
pub use blocked::Blocked;

use std::collections::{BTreeMap, BTreeSet};

use super::Semantics;
use crate::application::{Application, GlobalState, Instance, NodeId, Policy};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{CapabilityId, Element, OperationId, Requirement, RequirementId};
use crate::system::{Successors, System};

/// How exactly the bindings of replica-unaware requirements are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tracking {
    /// Each choice of the policy is a successor of its own.
    #[default]
    EveryChoice,
    /// One choice stands for all, for replica-unaware requirements under the policy `any`.
    ///
    /// Sound for every question about instances and their states: such a binding decides
    /// nothing, because its loss is a fault exactly when nothing offers the capability.
    Representative,
}

/// An application with replicas, as a transition system.
#[derive(Debug, Clone)]
pub struct Replica<'a> {
    application: &'a Application,
    protocols: Vec<&'a Protocol>,
    wanted: Vec<u32>,
    /// How far a node is above the nodes it depends on.
    rank: Vec<usize>,
    /// Whether handlers never add capabilities and the topology has no cycle, so that one order
    /// of handling faults leads wherever any order leads.
    is_monotone: bool,
    /// `π`.
    pub policy: Policy,
    /// Where everything starts; taken as given and not settled.
    pub start: GlobalState,
    /// The instances that may be created; with a finite pool the state space is finite.
    pub pool: Vec<Creation>,
    /// How exactly bindings are followed.
    pub tracking: Tracking,
}

impl<'a> Replica<'a> {
    /// The application with its own policy and counts, an empty pool, starting in `start`; none
    /// if a type is a net.
    pub fn new(application: &'a Application, start: GlobalState) -> Option<Self> {
        let protocols: Option<Vec<&Protocol>> =
            application.node_ids().map(|node| application.protocol_of(node)).collect();
        let protocols = protocols?;
        let rank = ranks(application);
        let is_acyclic = rank.iter().all(Option::is_some);
        Some(Self {
            application,
            wanted: application.nodes.iter().map(|node| node.count.max(1)).collect(),
            is_monotone: is_acyclic && protocols.iter().all(|p| never_adds_capabilities(p)),
            rank: rank.into_iter().map(|rank| rank.unwrap_or(usize::MAX)).collect(),
            protocols,
            policy: application.policy,
            start,
            pool: Vec::new(),
            tracking: Tracking::default(),
        })
    }

    /// A goal wants `count` instances of `node`; never 0, or the arity `all` would mean nothing.
    pub fn want(&mut self, node: NodeId, count: u32) {
        self.wanted[node.index()] = count.max(1);
    }

    /// How many instances of `node` are wanted.
    pub(crate) fn wanted(&self, node: NodeId) -> usize {
        self.wanted[node.index()] as usize
    }

    /// The application.
    pub fn application(&self) -> &'a Application {
        self.application
    }

    /// `M_N`.
    pub fn protocol(&self, node: NodeId) -> &'a Protocol {
        self.protocols[node.index()]
    }

    /// `ρ_N(e)`.
    pub(crate) fn requires(&self, instance: Instance) -> &'a BTreeSet<RequirementId> {
        self.protocol(instance.node).requires(instance.element)
    }

    /// `χ_N(e)`.
    pub(crate) fn offers(&self, instance: Instance) -> &'a BTreeSet<CapabilityId> {
        self.protocol(instance.node).offers(instance.element)
    }

    /// A requirement of a node, with its sort and arity.
    pub(crate) fn requirement(&self, node: NodeId, requirement: RequirementId) -> &'a Requirement {
        &self.application.type_of(node).requirements[requirement.index()]
    }

    /// How far a node is above the nodes it depends on.
    fn rank(&self, node: NodeId) -> usize {
        self.rank[node.index()]
    }

    /// Whether faults are handled in one order only: providers first, then by id.
    ///
    /// The policy `least-loaded` looks at bindings, and then the order makes a difference.
    fn settles_in_order(&self) -> bool {
        self.is_monotone && self.policy != Policy::LeastLoaded
    }
}

/// The length of the longest chain of bindings below each node; none for a node on or above a
/// cycle.
fn ranks(application: &Application) -> Vec<Option<usize>> {
    let mut rank = vec![None; application.nodes.len()];
    // Each round fixes at least one node, until only cycles are left.
    loop {
        let mut has_changed = false;
        for (at, node) in application.nodes.iter().enumerate() {
            let below = node.bindings.iter().map(|binding| rank[binding.target.index()]);
            let below: Option<Vec<usize>> = below.collect();
            if let (None, Some(below)) = (rank[at], below) {
                rank[at] = Some(below.into_iter().max().map_or(0, |highest| highest + 1));
                has_changed = true;
            }
        }
        if !has_changed {
            return rank;
        }
    }
}

/// Whether no handler leads to a state that offers what its source does not.
fn never_adds_capabilities(protocol: &Protocol) -> bool {
    let mut elements = protocol.elements();
    elements.all(|element| {
        let offers = protocol.offers(element);
        let mut targets = protocol.handlers(element).iter().map(|handler| handler.to);
        targets.all(|target| protocol.state(target).offers.is_subset(offers))
    })
}

impl System for Replica<'_> {
    type State = GlobalState;
    type Action = Action;
    type Blocked = Blocked;

    fn initial(&self) -> GlobalState {
        self.start.clone()
    }

    /// The operations that each instance can start or end, each scale-in, and the creation of
    /// what the pool has and the state has not.
    fn candidates(&self, state: &GlobalState) -> Vec<Action> {
        let mut candidates = Vec::new();
        for (id, instance) in &state.instances {
            let component = self.application.type_of(instance.node);
            let protocol = self.protocol(instance.node);
            let name =
                |operation: OperationId| component.operations[operation.index()].name.clone();
            match instance.element {
                Element::State(state) => {
                    let here = protocol.transitions.iter().filter(|t| t.from == state);
                    let operations: BTreeSet<OperationId> = here.map(|t| t.operation).collect();
                    candidates.extend(operations.into_iter().map(|operation| Action::OpStart {
                        instance: id.clone(),
                        operation: name(operation),
                    }));
                }
                Element::Transition(transition) => candidates.push(Action::OpEnd {
                    instance: id.clone(),
                    operation: name(protocol.transition(transition).operation),
                }),
            }
            candidates.push(Action::ScaleIn { instance: id.clone() });
        }
        let absent = self.pool.iter().filter(|c| !state.instances.contains_key(&c.instance));
        candidates.extend(absent.map(Action::create));
        candidates
    }

    fn step(
        &self,
        state: &GlobalState,
        action: &Action,
    ) -> Result<Successors<GlobalState>, Blocked> {
        observable::step(self, state, action)
    }
}

impl Semantics for Replica<'_> {
    fn describe(&self, action: &Action) -> String {
        action.describe(self.application)
    }

    fn explain(&self, blocked: &Blocked) -> String {
        blocked.explain(self.application)
    }
}

/// The states of several outcomes, each once, in order; with the events of the first that led
/// there.
fn distinct(outcomes: Vec<Outcome>) -> Vec<Outcome> {
    let mut by_state: BTreeMap<GlobalState, Vec<Event>> = BTreeMap::new();
    for outcome in outcomes {
        by_state.entry(outcome.state).or_insert(outcome.events);
    }
    by_state.into_iter().map(|(state, events)| Outcome { state, events }).collect()
}
