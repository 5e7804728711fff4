//! Whether a goal holds in a global state.

use std::collections::{BTreeMap, BTreeSet};

use super::{Amount, Goal, Want};
use crate::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use crate::lifecycle::protocol::Element;

/// How strictly the rest of the state is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Closure {
    /// Nodes that the goal does not name are free.
    #[default]
    Open,
    /// Nodes that the goal does not name have no instances (the paper's G').
    Exact,
}

impl Goal {
    /// Whether every want holds, and no further instances of a named node remain in other states
    /// (unless the want says "at least").
    pub fn holds(&self, application: &Application, state: &GlobalState, closure: Closure) -> bool {
        let all = if self.wants.len() > FEW_WANTS {
            let mut by_node: BTreeMap<NodeId, Vec<Instance>> = BTreeMap::new();
            for instance in state.instances.values() {
                by_node.entry(instance.node).or_default().push(*instance);
            }
            let of_node = |node: NodeId| by_node.get(&node).into_iter().flatten();
            self.wants.iter().all(|want| want.holds_among(application, state, &of_node))
        } else {
            self.wants.iter().all(|want| want.holds(application, state))
        };
        all && (closure == Closure::Open || self.is_exact(state))
    }

    fn is_exact(&self, state: &GlobalState) -> bool {
        let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
        let mut instances: BTreeSet<&InstanceId> = BTreeSet::new();
        for want in &self.wants {
            match want {
                Want::Node { node, .. } | Want::NodeIn { node, .. } | Want::NodeGone(node) => {
                    nodes.insert(*node);
                }
                Want::Instance { instance, .. } | Want::InstanceGone(instance) => {
                    instances.insert(instance);
                }
                Want::Capability(_) => {}
            }
        }
        state.instances.iter().all(|(id, i)| nodes.contains(&i.node) || instances.contains(id))
    }
}

/// For more wants than this the instances are put in order first: each looks for its own.
const FEW_WANTS: usize = 64;

impl Want {
    /// Whether this part of a goal holds.
    pub fn holds(&self, application: &Application, state: &GlobalState) -> bool {
        let of_node = |node: NodeId| state.instances.values().filter(move |i| i.node == node);
        self.holds_among(application, state, &of_node)
    }

    /// The same when it is known which instances a node has.
    fn holds_among<'s, I: Iterator<Item = &'s Instance>>(
        &self,
        application: &Application,
        state: &'s GlobalState,
        of_node: &impl Fn(NodeId) -> I,
    ) -> bool {
        match self {
            Want::Node { node, state: wanted, amount } => {
                let total = of_node(*node).count();
                let there = of_node(*node).filter(|i| i.element == Element::State(*wanted)).count();
                match amount {
                    Amount::Wanted => {
                        let count = application.node(*node).count.max(1) as usize;
                        there == total && there >= count
                    }
                    Amount::Exactly(number) => there == total && there == *number as usize,
                    Amount::AtLeast(number) => there >= *number as usize,
                }
            }
            Want::NodeIn { node, states, least } => {
                let is_there =
                    |i: &&Instance| states.iter().any(|state| i.element == Element::State(*state));
                of_node(*node).filter(is_there).count() >= *least as usize
            }
            Want::NodeGone(node) => of_node(*node).next().is_none(),
            Want::Instance { instance, state: wanted } => {
                state.instances.get(instance).is_some_and(|found| {
                    let protocol = application.protocol_of(found.node);
                    let wanted = protocol.and_then(|p| p.state_named(wanted));
                    wanted.is_some_and(|wanted| found.element == Element::State(wanted))
                })
            }
            Want::InstanceGone(instance) => !state.instances.contains_key(instance),
            Want::Capability(name) => state.instances.values().any(|instance| {
                let component = application.type_of(instance.node);
                let offered = component.protocol().map(|p| p.offers(instance.element));
                let wanted = component.capability_named(name);
                offered.zip(wanted).is_some_and(|(offers, wanted)| offers.contains(&wanted))
            }),
        }
    }
}
