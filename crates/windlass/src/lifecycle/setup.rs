//! Rule sets: how nodes and relationships of given types behave, as data (paper 001).
//!
//! | paper | here |
//! |---|---|
//! | node, capability, requirement, relationship | [`Kind`], [`Link`] |
//! | message pool | `RuleSet::messages`, `Rule::sends`, `Rule::consumes` |
//! | `ctrans [R01]` … | [`Rule`] |
//! | `allRQOfNDInStates(filterRQ(…))` | `Guard::Neighbors` |
//! | the topology of Fig. 1 | [`Topology`] |
//!
//! A rule changes the local state of one object. Its guards look at the neighbourhood of that
//! object only: a node, its relationships, and what stands at their far ends.

pub mod argument;

use std::collections::BTreeSet;

use super::index;
use crate::cycle::{Cycles, Edges};
use crate::source::Origin;

index!(
    /// A node type of a rule set.
    pub NodeTypeId
);
index!(
    /// A relationship type of a rule set.
    pub RelationshipTypeId
);
index!(
    /// A rule of a rule set.
    pub RuleId
);
index!(
    /// A message that capabilities send.
    pub MessageId
);

/// The most states that objects of one kind may have: sets of states are one word.
pub(crate) const MOST_STATES: usize = 32;

/// A local state, by its place in the list of its kind; 0 is the initial one.
pub(crate) type Local = u8;

/// A set of local states of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Locals(pub u32);

impl Locals {
    /// Whether a state is in the set.
    pub(crate) fn contains(self, state: Local) -> bool {
        self.0 >> state & 1 == 1
    }

    /// The set with a state more.
    #[must_use]
    pub(crate) fn with(self, state: Local) -> Self {
        Self(self.0 | 1 << state)
    }
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A node.
    Node,
    /// The capability end of a relationship.
    Capability,
    /// The requirement end of a relationship.
    Requirement,
}

impl Kind {
    /// The word in rules and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Node => "node",
            Kind::Capability => "capability",
            Kind::Requirement => "requirement",
        }
    }
}

/// What a rule is about: objects of a type and of those that extend it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// Nodes of a type.
    Node(NodeTypeId),
    /// Capabilities of relationships of a type.
    Capability(RelationshipTypeId),
    /// Requirements of relationships of a type.
    Requirement(RelationshipTypeId),
}

impl Subject {
    /// The kind of object.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Subject::Node(_) => Kind::Node,
            Subject::Capability(_) => Kind::Capability,
            Subject::Requirement(_) => Kind::Requirement,
        }
    }
}

/// How many of a node's neighbours a guard speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quantifier {
    /// Every one; also when there is none.
    All,
    /// At least one.
    Some,
}

/// Which neighbours of a node a guard looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Neighbors {
    /// The requirements of the node.
    Requirements,
    /// The capabilities of the node.
    Capabilities,
    /// The nodes that its requirements lead to.
    Targets,
    /// The nodes whose requirements lead to it.
    Sources,
}

impl Neighbors {
    /// The word in rules.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Neighbors::Requirements => "requirements",
            Neighbors::Capabilities => "capabilities",
            Neighbors::Targets => "targets",
            Neighbors::Sources => "sources",
        }
    }

    /// The kind of object that is looked at.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Neighbors::Requirements => Kind::Requirement,
            Neighbors::Capabilities => Kind::Capability,
            Neighbors::Targets | Neighbors::Sources => Kind::Node,
        }
    }

    /// Whether the node is the source of the relationships that are looked at.
    pub(crate) fn is_outgoing(self) -> bool {
        matches!(self, Neighbors::Requirements | Neighbors::Targets)
    }
}

/// A premise of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guard {
    /// Neighbours of the node that the rule is about, over relationships of some types.
    Neighbors {
        /// How many.
        quantifier: Quantifier,
        /// Which.
        neighbors: Neighbors,
        /// The relationship types, with those that extend them.
        over: BTreeSet<RelationshipTypeId>,
        /// The states that they must be in.
        states: Locals,
    },
    /// The node that the capability or requirement belongs to.
    Owner(Locals),
    /// The node at the far end of the relationship.
    Far(Locals),
    /// The capability of the relationship whose requirement the rule is about.
    Capability(Locals),
    /// Every requirement that leads to the capability that the rule is about.
    Requirement(Locals),
    /// A message of the capability is in the pool.
    Message(MessageId),
}

/// One rule: when an object may change its state, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The inherited rule that objects of this type follow no longer.
    pub(crate) replaces: Option<String>,
    /// What it is about.
    pub(crate) subject: Subject,
    /// The state before.
    pub(crate) from: Local,
    /// The state after.
    pub(crate) to: Local,
    /// The premises, in the order of the text.
    pub(crate) guards: Vec<Guard>,
    /// A message of the capability that is put into the pool (rules about capabilities).
    pub(crate) sends: Option<MessageId>,
    /// A message of the capability that is taken out of the pool (rules about requirements).
    pub(crate) consumes: Option<MessageId>,
    /// Where it was declared.
    pub(crate) origin: Origin,
}

/// A node type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeType {
    /// Its name.
    pub name: String,
    /// The type whose behaviour it inherits; it stands before this one.
    pub(crate) extends: Option<NodeTypeId>,
    /// Where it was declared.
    pub(crate) origin: Origin,
}

/// A relationship type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationshipType {
    /// Its name.
    pub name: String,
    /// The type whose behaviour it inherits; it stands before this one.
    pub(crate) extends: Option<RelationshipTypeId>,
    /// Whether relationships of this type are part of the order that has no cycles.
    pub acyclic: bool,
    /// Where it was declared.
    pub(crate) origin: Origin,
}

/// Everything that type architects say about behaviour.
///
/// Paper: 001 Sec. 3
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSet {
    /// Its name.
    pub name: String,
    /// The names of the states of nodes, capabilities and requirements; the first is initial.
    pub states: [Vec<String>; 3],
    /// The states in which a node is done.
    pub(crate) goal: Locals,
    /// The messages.
    pub(crate) messages: Vec<String>,
    /// Whether a node has one capability for all relationships of a type that lead to it,
    /// instead of one for each.
    pub shared_capabilities: bool,
    /// The node types.
    pub node_types: Vec<NodeType>,
    /// The relationship types.
    pub relationship_types: Vec<RelationshipType>,
    /// The rules, in the order of the text.
    pub(crate) rules: Vec<Rule>,
    /// The whole text.
    pub(crate) origin: Origin,
}

impl RuleSet {
    /// The name of a state.
    pub fn state_name(&self, kind: Kind, state: Local) -> &str {
        self.states[kind as usize].get(usize::from(state)).map_or("?", String::as_str)
    }

    /// The rule with this id.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// The rules that nodes of a type follow, inherited ones included, in the order of the text.
    pub(crate) fn node_rules(&self, node_type: NodeTypeId) -> Vec<RuleId> {
        let parents = |id: NodeTypeId| self.node_types[id.index()].extends;
        let lineage = std::iter::successors(Some(node_type), |id| parents(*id));
        self.effective(lineage.map(Subject::Node))
    }

    /// The rules that capabilities of relationships of a type follow.
    pub(crate) fn capability_rules(&self, relationship: RelationshipTypeId) -> Vec<RuleId> {
        self.effective(self.lineage(relationship).map(Subject::Capability))
    }

    /// The rules that requirements of relationships of a type follow.
    pub(crate) fn requirement_rules(&self, relationship: RelationshipTypeId) -> Vec<RuleId> {
        self.effective(self.lineage(relationship).map(Subject::Requirement))
    }

    /// A relationship type and those that it extends, nearest first.
    pub(crate) fn lineage(
        &self,
        relationship: RelationshipTypeId,
    ) -> impl Iterator<Item = RelationshipTypeId> {
        let parents = |id: RelationshipTypeId| self.relationship_types[id.index()].extends;
        std::iter::successors(Some(relationship), move |id| parents(*id))
    }

    /// The rules about any of `subjects`, without those that a nearer subject replaces.
    fn effective(&self, subjects: impl Iterator<Item = Subject>) -> Vec<RuleId> {
        let mut replaced: BTreeSet<&str> = BTreeSet::new();
        let mut found = Vec::new();
        for subject in subjects {
            let about = |(_, rule): &(usize, &Rule)| rule.subject == subject;
            let mine: Vec<_> = self.rules.iter().enumerate().filter(about).collect();
            found.extend(
                mine.iter()
                    .filter(|(_, rule)| !replaced.contains(&*rule.name))
                    .map(|(at, _)| RuleId::from(*at)),
            );
            replaced.extend(mine.iter().filter_map(|(_, rule)| rule.replaces.as_deref()));
        }
        found.sort();
        found
    }

    /// The name of a type: of nodes, or of the relationships whose ends are meant.
    pub fn type_name(&self, kind: Kind, at: usize) -> &str {
        match kind {
            Kind::Node => &self.node_types[at].name,
            Kind::Capability | Kind::Requirement => &self.relationship_types[at].name,
        }
    }

    /// The node types, by id.
    pub(crate) fn node_type_ids(&self) -> impl Iterator<Item = NodeTypeId> {
        (0..self.node_types.len()).map(NodeTypeId::from)
    }

    /// The relationship types, by id.
    pub(crate) fn relationship_type_ids(&self) -> impl Iterator<Item = RelationshipTypeId> {
        (0..self.relationship_types.len()).map(RelationshipTypeId::from)
    }

    /// Whether the rules of a type let a guard over `over` look at relationships of `found`.
    pub(crate) fn looks_at(
        &self,
        over: &BTreeSet<RelationshipTypeId>,
        found: RelationshipTypeId,
    ) -> bool {
        self.lineage(found).any(|id| over.contains(&id))
    }
}

/// A node of a topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopologyNode {
    /// Its name.
    pub name: String,
    /// Its type.
    pub node_type: NodeTypeId,
}

/// A relationship of a topology; its requirement is an object of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Its type.
    pub relationship: RelationshipTypeId,
    /// The node that has the requirement.
    pub source: usize,
    /// The node that has the capability.
    pub target: usize,
    /// The capability, among those of the topology.
    pub(crate) capability: usize,
}

/// Nodes and relationships that follow a rule set.
///
/// Paper: 001 Fig. 1
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// Its name.
    pub(crate) name: String,
    /// How it behaves.
    pub rules: RuleSet,
    /// The nodes.
    pub nodes: Vec<TopologyNode>,
    /// The relationships.
    pub links: Vec<Link>,
    /// How many capabilities there are.
    pub(crate) capabilities: usize,
}

impl Topology {
    /// A topology without relationships.
    pub fn new(name: &str, rules: RuleSet, nodes: Vec<TopologyNode>) -> Self {
        Self { name: name.to_owned(), rules, nodes, links: Vec::new(), capabilities: 0 }
    }

    /// Adds relationships, each as (type, source, target), with a capability for each, or for all
    /// of one type that lead to one node.
    #[must_use]
    pub fn with_links(mut self, links: &[(RelationshipTypeId, usize, usize)]) -> Self {
        let mut known = std::collections::BTreeMap::new();
        for &(relationship, source, target) in links {
            let fresh = self.capabilities;
            let capability = if self.rules.shared_capabilities {
                *known.entry((target, relationship)).or_insert(fresh)
            } else {
                fresh
            };
            self.capabilities = self.capabilities.max(capability + 1);
            self.links.push(Link { relationship, source, target, capability });
        }
        self
    }

    /// Nodes that depend on each other in a cycle over the relationship types that the rules call
    /// acyclic, in the order of the cycle; none when there is none.
    ///
    /// Paper: 001 noCycleInState
    /// Paper: 001 DDS
    /// Deviation: printed over HostedOn only, which makes the theorem false; here over every
    /// relationship type, unless a rule set says otherwise.
    pub(crate) fn cycle(&self) -> Option<Vec<usize>> {
        let mut outgoing = vec![Vec::new(); self.nodes.len()];
        for link in &self.links {
            if self.rules.relationship_types[link.relationship.index()].acyclic {
                outgoing[link.source].push(link.target);
            }
        }
        let edges: Edges = outgoing.into_iter().collect();
        let cycle = Cycles::new(&edges).next()?;
        Some(cycle.into_iter().map(|step| step.vertex).collect())
    }
}
