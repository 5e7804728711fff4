//! Why a rule set always completes, whatever the topology: data that a reader or a checker follows.
//!
//! The method and why it is sound: `docs/theory/any-size.md`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Local, NodeTypeId, RelationshipTypeId, RuleId};

/// What a relationship and its two nodes can look like together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct View {
    /// The state of the node that has the requirement.
    pub(crate) source: Local,
    /// The state of the requirement.
    pub(crate) requirement: Local,
    /// The state of the capability.
    pub(crate) capability: Local,
    /// The state of the node that has the capability.
    pub(crate) target: Local,
    /// How many messages of each kind the capability has in the pool.
    pub(crate) messages: Vec<u8>,
}

/// Types of the two nodes of a relationship and of the relationship itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The type of the node that has the requirement.
    pub source: NodeTypeId,
    /// The type of the relationship.
    pub relationship: RelationshipTypeId,
    /// The type of the node that has the capability.
    pub target: NodeTypeId,
}

/// In which direction nodes wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A node waits for those that its requirements lead to: look at one whose targets are done.
    Targets,
    /// A node waits for those whose requirements lead to it: look at one whose sources are done.
    Sources,
}

/// Why one neighbour does not keep a node from moving forever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The premise of the node's rule, by its place.
    pub(crate) guard: usize,
    /// Where the relationship stands.
    pub place: Place,
    /// What it looks like.
    pub view: View,
    /// A rule of its capability or requirement that can be applied.
    pub applies: RuleId,
}

/// Why a node in one state is not stuck forever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The type of the node.
    pub node_type: NodeTypeId,
    /// Its state, which is not a goal.
    pub state: Local,
    /// The rule of the node that can be applied in the end.
    pub rule: RuleId,
    /// For every look of a neighbour that would keep the rule from being applied: what moves there.
    pub facts: Vec<Fact>,
    /// The type whose proof of the same case was taken over.
    pub reused: Option<NodeTypeId>,
}

/// A proof that bringing up any topology of a rule set ends with every node done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Paper: 001 m
    ///
    /// What each local state weighs, by kind and by type of the node or relationship: every rule
    /// makes its object lighter.
    pub weights: [Vec<Vec<u32>>; 3],
    /// What relationships can look like: contains the start, closed under every rule.
    pub views: BTreeMap<Place, BTreeSet<View>>,
    /// Which nodes are looked at: those that wait only for nodes that are done.
    pub direction: Direction,
    /// One case for each node type and each state that is not a goal.
    pub cases: Vec<Case>,
}
