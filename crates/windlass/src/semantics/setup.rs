//! How a topology of a rule set moves (paper 001): every rule at any time that its premises hold.
//!
//! Rules are data ([`RuleSet`](crate::lifecycle::setup::RuleSet)); the paper's twelve are written
//! in `examples/setup/rules.yaml`, in the paper's order. What a premise means is said here, once.

pub mod monotone;

use std::collections::BTreeMap;
use std::fmt;

use crate::lifecycle::setup::{
    Guard, Kind, Local, Locals, MessageId, Neighbors, Quantifier, RuleId, Topology,
};
use crate::system::{Successors, System};

/// An object of a topology, by its place among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Which one; a requirement goes by its relationship.
    pub at: usize,
}

/// `⟨nodes, caps, reqs, rels, mp⟩`: the local states, by kind, and the message pool.
///
/// Paper: 001 init
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// States of nodes, capabilities and requirements.
    pub(crate) locals: [Vec<Local>; 3],
    /// How many messages of a capability are in the pool.
    pub(crate) pool: BTreeMap<(usize, MessageId), u32>,
}

impl State {
    /// The local state of an object.
    pub(crate) fn of(&self, object: Object) -> Local {
        self.locals[object.kind as usize][object.at]
    }
}

/// One application of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Apply {
    /// The rule.
    pub(crate) rule: RuleId,
    /// What it is applied to.
    pub(crate) object: Object,
}

/// The premise that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocked {
    /// The rule is not about this object.
    OtherSubject,
    /// The object is in another state than the rule starts from.
    OtherState(Local),
    /// A guard of the rule, by its place, and an object that does not satisfy it, if it is one.
    Guard(usize, Option<Object>),
    /// The message that the rule takes is not in the pool.
    NoMessage(MessageId),
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blocked::OtherSubject => f.write_str("the rule is about other objects"),
            Blocked::OtherState(_) => f.write_str("the object is in another state"),
            Blocked::Guard(at, _) => write!(f, "premise {} does not hold", at + 1),
            Blocked::NoMessage(_) => f.write_str("the message is not in the pool"),
        }
    }
}

/// A topology as a transition system.
#[derive(Debug, Clone)]
pub struct Setup<'a> {
    /// What moves.
    pub(crate) topology: &'a Topology,
    /// Rules by kind and type.
    rules: [Vec<Vec<RuleId>>; 3],
    /// The relationships that start and that end at each node.
    outgoing: Vec<Vec<usize>>,
    incoming: Vec<Vec<usize>>,
    /// The relationships of each capability.
    shared_by: Vec<Vec<usize>>,
}

impl<'a> Setup<'a> {
    /// Prepares a topology.
    pub fn new(topology: &'a Topology) -> Self {
        let rules = &topology.rules;
        let mut outgoing = vec![Vec::new(); topology.nodes.len()];
        let mut incoming = outgoing.clone();
        let mut shared_by = vec![Vec::new(); topology.capabilities];
        for (at, link) in topology.links.iter().enumerate() {
            outgoing[link.source].push(at);
            incoming[link.target].push(at);
            shared_by[link.capability].push(at);
        }
        let types = || rules.relationship_type_ids();
        let rules = [
            rules.node_type_ids().map(|id| rules.node_rules(id)).collect(),
            types().map(|id| rules.capability_rules(id)).collect(),
            types().map(|id| rules.requirement_rules(id)).collect(),
        ];
        Self { topology, rules, outgoing, incoming, shared_by }
    }

    /// Whether every node is in a goal state.
    ///
    /// Paper: 001 final
    pub fn is_final(&self, state: &State) -> bool {
        state.locals[Kind::Node as usize]
            .iter()
            .all(|local| self.topology.rules.goal.contains(*local))
    }

    /// Every object, nodes first.
    pub(crate) fn objects(&self) -> impl Iterator<Item = Object> {
        let count = |kind: Kind| match kind {
            Kind::Node => self.topology.nodes.len(),
            Kind::Capability => self.topology.capabilities,
            Kind::Requirement => self.topology.links.len(),
        };
        [Kind::Node, Kind::Capability, Kind::Requirement]
            .into_iter()
            .flat_map(move |kind| (0..count(kind)).map(move |at| Object { kind, at }))
    }

    /// The rules that an object follows.
    pub(crate) fn rules_of(&self, object: Object) -> &[RuleId] {
        let of_type = &self.rules[object.kind as usize];
        let index = match object.kind {
            Kind::Node => self.topology.nodes[object.at].node_type.index(),
            Kind::Capability => match self.shared_by[object.at].first() {
                Some(link) => self.topology.links[*link].relationship.index(),
                None => return &[],
            },
            Kind::Requirement => self.topology.links[object.at].relationship.index(),
        };
        &of_type[index]
    }

    /// A name for people: `web`, `HostedOn(web, vm).requirement`.
    pub fn name(&self, object: Object) -> String {
        let node = |at: usize| &self.topology.nodes[at].name;
        let link = |at: usize| {
            let link = &self.topology.links[at];
            let kind = &self.topology.rules.relationship_types[link.relationship.index()].name;
            // Several relationships of a type between two nodes are distinguished by a number.
            let same = |other: &&usize| {
                let other = &self.topology.links[**other];
                (other.relationship, other.target) == (link.relationship, link.target)
            };
            let parallel: Vec<&usize> = self.outgoing[link.source].iter().filter(same).collect();
            let number = match parallel.iter().position(|other| **other == at) {
                Some(number) if parallel.len() > 1 => format!(" {}", number + 1),
                _ => String::new(),
            };
            format!("{kind}({}, {}){number}", node(link.source), node(link.target))
        };
        match object.kind {
            Kind::Node => node(object.at).clone(),
            Kind::Capability => match self.shared_by[object.at].as_slice() {
                [] => "?".to_owned(),
                [one] => format!("{}.capability", link(*one)),
                [first, ..] => {
                    let first = &self.topology.links[*first];
                    let types = &self.topology.rules.relationship_types;
                    format!(
                        "{}({}).capability",
                        types[first.relationship.index()].name,
                        node(first.target)
                    )
                }
            },
            Kind::Requirement => format!("{}.requirement", link(object.at)),
        }
    }

    /// The objects that a guard of a rule about `object` looks at.
    pub(crate) fn looked_at(
        &self,
        object: Object,
        guard: &Guard,
    ) -> (Quantifier, Locals, Vec<Object>) {
        let links = &self.topology.links;
        let one = |kind: Kind, at: usize, states: Locals| {
            (Quantifier::All, states, vec![Object { kind, at }])
        };
        // The relationship of a capability or requirement; a shared capability has several.
        let owner = match object.kind {
            Kind::Node => object.at,
            Kind::Requirement => links[object.at].source,
            Kind::Capability => self.shared_by[object.at].first().map_or(0, |at| links[*at].target),
        };
        match guard {
            Guard::Neighbors { quantifier, neighbors, over, states } => {
                (*quantifier, *states, self.neighbors(object.at, *neighbors, over))
            }
            Guard::Owner(states) => one(Kind::Node, owner, *states),
            Guard::Far(states) => match object.kind {
                Kind::Requirement => one(Kind::Node, links[object.at].target, *states),
                _ => {
                    let sources = self.shared_by.get(object.at).into_iter().flatten();
                    let sources =
                        sources.map(|at| Object { kind: Kind::Node, at: links[*at].source });
                    (Quantifier::All, *states, sources.collect())
                }
            },
            Guard::Capability(states) => {
                one(Kind::Capability, links[object.at].capability, *states)
            }
            Guard::Requirement(states) => {
                let all = self.shared_by.get(object.at).into_iter().flatten();
                let all = all.map(|at| Object { kind: Kind::Requirement, at: *at });
                (Quantifier::All, *states, all.collect())
            }
            Guard::Message(_) => (Quantifier::All, Locals::default(), Vec::new()),
        }
    }

    fn neighbors(
        &self,
        node: usize,
        neighbors: Neighbors,
        over: &std::collections::BTreeSet<crate::lifecycle::setup::RelationshipTypeId>,
    ) -> Vec<Object> {
        let links =
            if neighbors.is_outgoing() { &self.outgoing[node] } else { &self.incoming[node] };
        let seen = links.iter().filter(|at| {
            self.topology.rules.looks_at(over, self.topology.links[**at].relationship)
        });
        let object = |at: &usize| {
            let link = &self.topology.links[*at];
            match neighbors {
                Neighbors::Requirements => Object { kind: Kind::Requirement, at: *at },
                Neighbors::Capabilities => Object { kind: Kind::Capability, at: link.capability },
                Neighbors::Targets => Object { kind: Kind::Node, at: link.target },
                Neighbors::Sources => Object { kind: Kind::Node, at: link.source },
            }
        };
        seen.map(object).collect()
    }

    /// The capability whose messages a rule about `object` sends, finds or takes.
    fn capability_of(&self, object: Object) -> usize {
        match object.kind {
            Kind::Requirement => self.topology.links[object.at].capability,
            Kind::Capability | Kind::Node => object.at,
        }
    }

    fn check_guard(
        &self,
        state: &State,
        object: Object,
        at: usize,
        guard: &Guard,
    ) -> Result<(), Blocked> {
        if let Guard::Message(message) = guard {
            let found = state.pool.get(&(self.capability_of(object), *message));
            return if found.is_some() { Ok(()) } else { Err(Blocked::Guard(at, None)) };
        }
        let (quantifier, states, objects) = self.looked_at(object, guard);
        let fits = |object: &&Object| states.contains(state.of(**object));
        match quantifier {
            Quantifier::All => match objects.iter().find(|object| !fits(object)) {
                None => Ok(()),
                Some(other) => Err(Blocked::Guard(at, Some(*other))),
            },
            Quantifier::Some if objects.iter().any(|object| fits(&object)) => Ok(()),
            Quantifier::Some => Err(Blocked::Guard(at, objects.first().copied())),
        }
    }
}

impl System for Setup<'_> {
    type State = State;
    type Action = Apply;
    type Blocked = Blocked;

    fn initial(&self) -> State {
        let topology = self.topology;
        let counts = [topology.nodes.len(), topology.capabilities, topology.links.len()];
        State { locals: counts.map(|count| vec![0; count]), pool: BTreeMap::new() }
    }

    /// Paper: 001 cont
    fn candidates(&self, state: &State) -> Vec<Apply> {
        let rules = &self.topology.rules;
        let mut all = Vec::new();
        for object in self.objects() {
            let local = state.of(object);
            let mine = self.rules_of(object).iter().filter(|id| rules.rule(**id).from == local);
            all.extend(mine.map(|rule| Apply { rule: *rule, object }));
        }
        all
    }

    fn step(&self, state: &State, action: &Apply) -> Result<Successors<State>, Blocked> {
        let Apply { rule, object } = *action;
        if !self.rules_of(object).contains(&rule) {
            return Err(Blocked::OtherSubject);
        }
        let rule = self.topology.rules.rule(rule);
        if state.of(object) != rule.from {
            return Err(Blocked::OtherState(state.of(object)));
        }
        for (at, guard) in rule.guards.iter().enumerate() {
            self.check_guard(state, object, at, guard)?;
        }
        let mut after = state.clone();
        let capability = self.capability_of(object);
        if let Some(message) = rule.consumes {
            let Some(count) = after.pool.get_mut(&(capability, message)) else {
                return Err(Blocked::NoMessage(message));
            };
            *count -= 1;
            if *count == 0 {
                after.pool.remove(&(capability, message));
            }
        }
        if let Some(message) = rule.sends {
            *after.pool.entry((capability, message)).or_insert(0) += 1;
        }
        after.locals[object.kind as usize][object.at] = rule.to;
        Ok(Successors::one(after))
    }
}
