//! The way up of a node: declared, or the only shortest one.

use crate::application::{Application, InstanceId, NodeId};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{StateId, TransitionId};

/// Where instances are to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Which instances: all of a node, or one.
    pub(crate) about: Result<NodeId, InstanceId>,
    /// The state, by its name for one instance.
    pub(crate) state: StateId,
}

impl Target {
    pub(super) fn is_about(&self, id: &InstanceId, node: NodeId) -> bool {
        match &self.about {
            Ok(about) => *about == node,
            Err(about) => about == id,
        }
    }
}

/// Why a node has no way up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPath {
    /// It is not said which state is the goal, and no state offers everything.
    NoGoal(NodeId),
    /// The declared operations do not lead there.
    DeclaredLeadsElsewhere(NodeId, StateId),
    /// No operations lead there.
    Unreachable(NodeId, StateId),
    /// Two different shortest ways lead there.
    Ambiguous(NodeId, StateId),
}

/// The transitions that lead a node from its initial state to its goal, and the goal.
pub(super) fn path(
    application: &Application,
    node: NodeId,
    goal: Option<StateId>,
) -> Result<(Vec<TransitionId>, StateId), NoPath> {
    let Some(protocol) = application.protocol_of(node) else { return Err(NoPath::NoGoal(node)) };
    if let Some(declared) = &protocol.up {
        let mut state = protocol.initial;
        let mut path = Vec::new();
        for operation in declared {
            if Some(state) == goal {
                break;
            }
            let Some(transition) = protocol.transitions_for(state, *operation).next() else {
                return Err(NoPath::DeclaredLeadsElsewhere(node, state));
            };
            state = protocol.transition(transition).to;
            path.push(transition);
        }
        if goal.is_none_or(|goal| goal == state) {
            return Ok((path, state));
        }
    }
    let Some(goal) = goal.or_else(|| richest(protocol)) else { return Err(NoPath::NoGoal(node)) };
    shortest(protocol, node, goal).map(|path| (path, goal))
}

/// The only state that offers everything that any state offers; without offers, the only state
/// in which nothing can be done any more, or the only state.
fn richest(protocol: &Protocol) -> Option<StateId> {
    let ids = || (0..protocol.states.len()).map(StateId::from);
    let all: std::collections::BTreeSet<_> =
        protocol.states.iter().flat_map(|state| state.offers.iter().copied()).collect();
    let mut found: Vec<StateId> = ids().filter(|id| protocol.state(*id).offers == all).collect();
    if all.is_empty() {
        let relies = |id: &StateId| !protocol.state(*id).requires.is_empty();
        let most = ids().filter(relies).collect::<Vec<_>>();
        found = if most.is_empty() { ids().skip(1).collect() } else { most };
        found.retain(|id| *id != protocol.initial);
    }
    match found.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

fn shortest(protocol: &Protocol, node: NodeId, goal: StateId) -> Result<Vec<TransitionId>, NoPath> {
    // How many shortest ways lead to each state, and by which transition the first one arrives.
    let mut found: Vec<Option<(usize, usize, Option<TransitionId>)>> =
        vec![None; protocol.states.len()];
    found[protocol.initial.index()] = Some((0, 1, None));
    let mut layer = vec![protocol.initial];
    let mut depth = 0;
    while !layer.is_empty() && found[goal.index()].is_none() {
        depth += 1;
        let mut next = Vec::new();
        for state in layer {
            let ways = found[state.index()].map_or(0, |(_, ways, _)| ways);
            for (at, transition) in protocol.transitions.iter().enumerate() {
                if transition.from != state {
                    continue;
                }
                let id = TransitionId::from(at);
                match &mut found[transition.to.index()] {
                    None => {
                        found[transition.to.index()] = Some((depth, ways, Some(id)));
                        next.push(transition.to);
                    }
                    Some((known, all, Some(first))) if *known == depth => {
                        // Alternatives of one operation are the same way.
                        let first = protocol.transition(*first);
                        let same = (first.from, first.operation)
                            == (transition.from, transition.operation);
                        *all += if same { 0 } else { ways };
                    }
                    Some(_) => {}
                }
            }
        }
        layer = next;
    }
    match found[goal.index()] {
        None => return Err(NoPath::Unreachable(node, goal)),
        Some((_, ways, _)) if ways > 1 => return Err(NoPath::Ambiguous(node, goal)),
        Some(_) => {}
    }
    let mut path = Vec::new();
    let mut state = goal;
    while let Some((_, _, Some(transition))) = found[state.index()] {
        path.push(transition);
        state = protocol.transition(transition).from;
    }
    path.reverse();
    Ok(path)
}
