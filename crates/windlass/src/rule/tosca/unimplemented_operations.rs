//! Operations that nothing carries out, in the lives of nodes that several workflows share: the
//! orchestrator passes over those that none of the workflows calls.

use crate::application::{Application, NodeId};
use crate::lang::tosca::lower::operation_sequences::{Way, ways};
use crate::lang::tosca::model::Model;
use crate::lifecycle::protocol::StateId;
use crate::plan::{Plan, PlanAction};

/// The lives of the nodes of a service, and what is passed over in them.
pub(super) struct Unimplemented<'a> {
    pub(super) application: &'a Application,
    ways: Vec<Passed>,
}

/// The ways of a node whose life is in some workflow.
struct Passed {
    node: NodeId,
    /// From nothing to the last state, each with whether it is passed over.
    up: Vec<(String, bool)>,
    /// And back.
    down: Vec<(String, bool)>,
}

impl<'a> Unimplemented<'a> {
    /// Of the nodes that workflows touch.
    pub(super) fn new<'p>(
        model: &Model,
        application: &'a Application,
        plans: impl Iterator<Item = &'p Plan>,
    ) -> Self {
        let mut calls: Vec<(&str, &str)> = Vec::new();
        for step in plans.flat_map(|plan| &plan.steps) {
            if let PlanAction::Operation { instance, operation } = &step.action {
                calls.push((&instance.0, operation));
            }
        }
        let passed = |way: Way| {
            if !calls.iter().any(|(node, _)| *node == way.node) {
                return None;
            }
            let marked = |operation: String| {
                let is_called = calls.contains(&(&*way.node, &*operation));
                let is_passed = way.bare.contains(&operation) && !is_called;
                (operation, is_passed)
            };
            let up = way.up.into_iter().map(|(operation, _)| marked(operation)).collect();
            let down = way.down.into_iter().map(marked).collect();
            Some(Passed { node: application.node_named(&way.node)?, up, down })
        };
        let ways = ways(model).map(|(ways, ..)| ways).unwrap_or_default();
        Unimplemented { application, ways: ways.into_iter().filter_map(passed).collect() }
    }

    /// The state of a node after an operation, with what is passed over right before it; none when
    /// the operation is not possible.
    pub(super) fn after(&self, node: NodeId, state: StateId, operation: &str) -> Option<StateId> {
        let direct = self.step(node, state, operation);
        let passed = || {
            let passed = self.ways.iter().find(|it| it.node == node)?;
            [&passed.up, &passed.down].into_iter().find_map(|way| {
                let at = way.iter().position(|(known, _)| known == operation)?;
                let count = way[..at].iter().rev().take_while(|(_, is_passed)| *is_passed).count();
                (1..=count).find_map(|count| self.steps(node, state, &way[at - count..=at]))
            })
        };
        direct.or_else(passed)
    }

    /// Nodes that have begun go on to the end of their ways where nothing is left but what is
    /// passed over.
    pub(super) fn to_the_end(&self, states: &mut [Option<StateId>]) {
        for Passed { node, up, .. } in &self.ways {
            let initial = self.application.protocol_of(*node).map(|protocol| protocol.initial);
            let Some(state) = states[node.index()].filter(|state| Some(*state) != initial) else {
                continue;
            };
            let count = up.iter().rev().take_while(|(_, is_passed)| *is_passed).count();
            let ends = (1..=count).map(|count| &up[up.len() - count..]);
            if let Some(to) = ends.rev().find_map(|end| self.steps(*node, state, end)) {
                states[node.index()] = Some(to);
            }
        }
    }

    /// Whether an operation of the life cycle is passed over on the way that has another one.
    pub(super) fn passes(&self, node: &str, before: &str, operation: &str) -> bool {
        let node = self.application.node_named(node);
        let own = self.ways.iter().filter(|it| Some(it.node) == node);
        own.flat_map(|it| [&it.up, &it.down]).any(|way| {
            let is_before = |known: &str| known.strip_prefix("Standard.") == Some(before);
            way.iter().any(|(known, _)| known == operation)
                && way.iter().any(|(known, is_passed)| *is_passed && is_before(known))
        })
    }

    fn steps(&self, node: NodeId, from: StateId, way: &[(String, bool)]) -> Option<StateId> {
        way.iter().try_fold(from, |state, (operation, _)| self.step(node, state, operation))
    }

    fn step(&self, node: NodeId, state: StateId, operation: &str) -> Option<StateId> {
        let protocol = self.application.protocol_of(node)?;
        let operation = self.application.type_of(node).operation_named(operation)?;
        let found = protocol.transitions_for(state, operation).next()?;
        Some(protocol.transition(found).to)
    }
}
