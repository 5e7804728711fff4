//! Management protocols without replicas (paper 003 Def. 3 to 6), and the relation of later
//! BARREL, in which faults are handled by explicit steps.
//!
//! Each node template has exactly one instance and operations are atomic. One file, one relation:
//! `faults: forbidden` has the rule `perform` only; `faults: handled` adds `handle_fault`
//! and, on request, `hard_reset`.
//!
//! | paper | here |
//! |---|---|
//! | `S`, a service template | [`ServiceTemplate`] |
//! | `G = {(N_1, s_1), ..., (N_m, s_m)}` | [`States`] |
//! | `s --(H, o)--> s'` | [`intensional`] |
//! | `caps(r)` | the binding of a requirement in the application |
//!
//! Invariant: a state has one entry per node of the application.

mod blocked;
pub mod observe;
pub mod settled;

use std::collections::BTreeSet;

pub use blocked::Blocked;

use super::{Semantics, largest_targets};
use crate::application::{Application, Faults, GlobalState, NodeId};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{
    Arity, Element, OperationId, RequirementId, Sort, StateId, TransitionId,
};
use crate::plan::PlanAction;
use crate::system::{Successors, System};

/// `G`: the state of each node template, by node.
///
/// Paper: 003 Def. 4
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct States(pub Vec<StateId>);

impl States {
    /// The state of a node.
    pub fn of(&self, node: NodeId) -> StateId {
        self.0[node.index()]
    }

    /// The same with `node` in `state`.
    #[must_use]
    pub fn with(&self, node: NodeId, state: StateId) -> Self {
        let mut after = self.clone();
        after.0[node.index()] = state;
        after
    }
}

/// What can happen: one variant per rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// `perform`.
    Perform {
        /// `N_i`.
        node: NodeId,
        /// `o`.
        operation: OperationId,
    },
    /// `handle_fault`.
    HandleFault {
        /// The node that relies on something that is not offered.
        node: NodeId,
        /// What it relies on.
        requirement: RequirementId,
    },
    /// `hard_reset`.
    HardReset {
        /// The contained node.
        node: NodeId,
    },
}

impl Action {
    /// The action that an operation of a plan is; none when the plan names no node or operation
    /// of the application. An instance is known from the start, by its declaration, or by the
    /// name of its node, which has one instance only.
    pub fn planned(
        application: &Application,
        start: &GlobalState,
        planned: &PlanAction,
    ) -> Option<Self> {
        let PlanAction::Operation { instance, operation } = planned else { return None };
        let declares = |node: &NodeId| {
            let declared = &application.node(*node).instances;
            declared.iter().any(|wanted| wanted.id == instance.0)
        };
        let node = start
            .instance(instance)
            .map(|instance| instance.node)
            .or_else(|| application.node_ids().find(declares))
            .or_else(|| application.node_named(&instance.0))?;
        let operation = application.type_of(node).operation_named(operation)?;
        Some(Action::Perform { node, operation })
    }
}

/// `S`, an application of protocols with one instance per node.
#[derive(Debug, Clone)]
pub struct ServiceTemplate<'a> {
    application: &'a Application,
    protocols: Vec<&'a Protocol>,
    /// Whether a node whose container is not alive can be reset (BARREL's hard recovery).
    pub hard_recovery: bool,
    /// Where everything starts.
    pub start: States,
}

impl<'a> ServiceTemplate<'a> {
    /// The template in its initial global state, without hard recovery; none if a type is a net.
    pub fn new(application: &'a Application) -> Option<Self> {
        let protocols: Option<Vec<&Protocol>> =
            application.node_ids().map(|node| application.protocol_of(node)).collect();
        let protocols = protocols?;
        let start = States(protocols.iter().map(|protocol| protocol.initial).collect());
        Some(Self { application, protocols, hard_recovery: false, start })
    }

    /// The states of `global`: each node is where its first instance is, and in its initial state
    /// when it has none. An operation under way counts as not begun: operations are atomic here.
    pub fn states_of(&self, global: &GlobalState) -> States {
        let state_of = |node: NodeId| match global.of_node(node).next() {
            Some((_, instance)) => match instance.element {
                Element::State(state) => state,
                Element::Transition(id) => self.protocol(node).transition(id).from,
            },
            None => self.protocol(node).initial,
        };
        States(self.application.node_ids().map(state_of).collect())
    }

    /// The application.
    pub fn application(&self) -> &'a Application {
        self.application
    }

    /// `M_N`.
    pub fn protocol(&self, node: NodeId) -> &'a Protocol {
        self.protocols[node.index()]
    }

    /// Whether `caps(r)` is defined and among the capabilities that the nodes offer.
    pub fn is_offered(&self, states: &States, node: NodeId, requirement: RequirementId) -> bool {
        let Some(binding) = self.application.node(node).binding(requirement) else { return false };
        let arity = self.application.type_of(node).requirements[requirement.index()].arity;
        let offers = &self.protocol(binding.target).state(states.of(binding.target)).offers;
        // A node has one instance here, so two distinct providers never exist.
        !matches!(arity, Arity::AtLeast(2..)) && offers.contains(&binding.capability)
    }

    /// The requirements that states rely on and nothing offers, in the order of the nodes.
    pub fn faults(&self, states: &States) -> Vec<(NodeId, RequirementId)> {
        let mut faults = Vec::new();
        for node in self.application.node_ids() {
            for requirement in &self.protocol(node).state(states.of(node)).requires {
                if !self.is_offered(states, node, *requirement) {
                    faults.push((node, *requirement));
                }
            }
        }
        faults
    }

    /// The node that contains `node`.
    pub(crate) fn container(&self, node: NodeId) -> Option<NodeId> {
        let requirements = &self.application.type_of(node).requirements;
        let contains = |requirement: RequirementId| {
            requirements[requirement.index()].sort == Sort::Containment
        };
        let bindings = &self.application.node(node).bindings;
        bindings.iter().find(|binding| contains(binding.requirement)).map(|binding| binding.target)
    }

    /// Whether a node has been brought to life: it is not in its initial state.
    pub(crate) fn is_alive(&self, states: &States, node: NodeId) -> bool {
        states.of(node) != self.protocol(node).initial
    }

    /// A node that is alive inside one that is not.
    fn orphan(&self, states: &States) -> Option<(NodeId, NodeId)> {
        self.application.node_ids().find_map(|node| {
            let container = self.container(node)?;
            let orphaned = self.is_alive(states, node) && !self.is_alive(states, container);
            orphaned.then_some((node, container))
        })
    }
}

/// Every state relies only on what is offered.
///
/// Paper: 003 Def. 6
pub fn is_consistent(template: &ServiceTemplate, states: &States) -> bool {
    template.faults(states).is_empty()
}

/// `s --(H, o)--> s'`: the transitions of one node that perform `o` in `s`, whatever others do.
///
/// ```text
/// N = ⟨S, R, C, O, M⟩     M = ⟨s̄, ρ, χ, τ⟩     (s, H, o, s') ∈ τ
/// ---------------------------------------------------------------
/// s --(H, o)--> s'
/// ```
/// Paper: 003 Def. 3
pub fn intensional(
    protocol: &Protocol,
    state: StateId,
    operation: OperationId,
) -> Vec<TransitionId> {
    protocol.transitions_for(state, operation).collect()
}

/// An operation runs when everything that it needs is offered.
///
/// ```text
/// G = {(N_1, s_1), ..., (N_i, s_i), ..., (N_m, s_m)}
/// s_i --(H, o)--> s_i'     ∀ r ∈ H : caps(r) is defined ∧ caps(r) ∈ ⋃_j χ(s_j)
/// ----------------------------------------------------------------------------
/// G --(o, N_i)--> {(N_1, s_1), ..., (N_i, s_i'), ..., (N_m, s_m)}
/// ```
/// Paper: 003 Def. 5
/// Deviation: from an inconsistent state no operation runs; Def. 7 leaves such a sequence anyway,
/// and later BARREL refuses operations while a fault is pending, or a hard reset.
pub(crate) fn perform(
    template: &ServiceTemplate,
    before: &States,
    node: NodeId,
    operation: OperationId,
) -> Result<Successors<States>, Blocked> {
    if let Some((node, requirement)) = template.faults(before).first() {
        return Err(Blocked::FaultPending { node: *node, requirement: *requirement });
    }
    if template.hard_recovery
        && let Some((node, container)) = template.orphan(before)
    {
        return Err(Blocked::ResetPending { node, container });
    }
    let protocol = template.protocol(node);
    let state = before.of(node);
    let transitions = intensional(protocol, state, operation);
    let unsatisfied = |id: &TransitionId| {
        let needs = &protocol.transition(*id).requires;
        needs.iter().copied().find(|requirement| !template.is_offered(before, node, *requirement))
    };
    let targets: BTreeSet<StateId> = transitions
        .iter()
        .filter(|id| unsatisfied(id).is_none())
        .map(|id| protocol.transition(*id).to)
        .collect();
    let after = targets.into_iter().map(|target| before.with(node, target)).collect();
    Successors::from_vec(after).ok_or_else(|| match transitions.iter().find_map(unsatisfied) {
        None => Blocked::NotDefined { node, state, operation },
        Some(requirement) => Blocked::NotOffered { node, operation, requirement },
    })
}

/// A node whose requirement is not offered goes where its handler says.
///
/// ```text
/// (N_i, s) ∈ G     r ∈ ρ(s) not offered     ⟨s, s'⟩ ∈ φ     r ∉ ρ(s')
/// ∄ ⟨s, s''⟩ ∈ φ . r ∉ ρ(s'') ∧ ρ(s') ⊊ ρ(s'')
/// -------------------------------------------------------------------- (handled)
/// G --handle(N_i, r)--> {..., (N_i, s'), ...}
/// ```
/// Deviation: not in paper 003, which knows no handlers; this is `faults: handled`.
pub(crate) fn handle_fault(
    template: &ServiceTemplate,
    before: &States,
    node: NodeId,
    requirement: RequirementId,
) -> Result<Successors<States>, Blocked> {
    if template.application.faults == Faults::Forbidden {
        return Err(Blocked::NotHandled);
    }
    let protocol = template.protocol(node);
    let state = before.of(node);
    let relies = protocol.state(state).requires.contains(&requirement);
    if !relies || template.is_offered(before, node, requirement) {
        return Err(Blocked::NotPending { node, requirement });
    }
    let targets = largest_targets(protocol, Element::State(state), requirement);
    let after = targets.into_iter().map(|target| before.with(node, target)).collect();
    Successors::from_vec(after).ok_or(Blocked::NoHandler { node, state, requirement })
}

/// A contained node is reset when its container is not alive.
///
/// ```text
/// (N_i, s), (N_c, s̄_c) ∈ G     N_i is contained in N_c
/// ---------------------------------------------------- (hard recovery)
/// G --reset(N_i)--> {..., (N_i, s̄_i), ...}
/// ```
/// A node that is in its initial state already may be reset too: the step changes nothing, but it
/// is a step, so the state does not count as a deadlock.
///
/// Deviation: not in paper 003; this is the hard recovery of later BARREL.
pub(crate) fn hard_reset(
    template: &ServiceTemplate,
    before: &States,
    node: NodeId,
) -> Result<Successors<States>, Blocked> {
    if !template.hard_recovery {
        return Err(Blocked::NoHardRecovery);
    }
    let Some(container) = template.container(node) else {
        return Err(Blocked::NotContained { node });
    };
    if template.is_alive(before, container) {
        return Err(Blocked::ContainerAlive { node, container });
    }
    Ok(Successors::one(before.with(node, template.protocol(node).initial)))
}

impl System for ServiceTemplate<'_> {
    type State = States;
    type Action = Action;
    type Blocked = Blocked;

    fn initial(&self) -> States {
        self.start.clone()
    }

    fn candidates(&self, state: &States) -> Vec<Action> {
        let mut candidates = Vec::new();
        for node in self.application.node_ids() {
            let protocol = self.protocol(node);
            let here = protocol.transitions.iter().filter(|t| t.from == state.of(node));
            let operations: BTreeSet<OperationId> = here.map(|t| t.operation).collect();
            candidates.extend(operations.iter().map(|o| Action::Perform { node, operation: *o }));
        }
        if self.application.faults != Faults::Forbidden {
            let faults = self.faults(state).into_iter();
            candidates.extend(
                faults.map(|(node, requirement)| Action::HandleFault { node, requirement }),
            );
        }
        if self.hard_recovery {
            let contained = self.application.node_ids().filter(|n| self.container(*n).is_some());
            candidates.extend(contained.map(|node| Action::HardReset { node }));
        }
        candidates
    }

    fn step(&self, state: &States, action: &Action) -> Result<Successors<States>, Blocked> {
        match *action {
            Action::Perform { node, operation } => perform(self, state, node, operation),
            Action::HandleFault { node, requirement } => {
                handle_fault(self, state, node, requirement)
            }
            Action::HardReset { node } => hard_reset(self, state, node),
        }
    }
}

impl Semantics for ServiceTemplate<'_> {
    fn describe(&self, action: &Action) -> String {
        let name = |node: &NodeId| &self.application.node(*node).name;
        match action {
            Action::Perform { node, operation } => {
                let operations = &self.application.type_of(*node).operations;
                format!("{}: {}", name(node), operations[operation.index()].name)
            }
            Action::HandleFault { node, requirement } => {
                let requirements = &self.application.type_of(*node).requirements;
                let requirement = &requirements[requirement.index()].name;
                format!("{}: handle the fault of {requirement}", name(node))
            }
            Action::HardReset { node } => format!("{}: hard reset", name(node)),
        }
    }

    fn explain(&self, blocked: &Blocked) -> String {
        blocked.explain(self.application)
    }
}
