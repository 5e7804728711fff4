//! An application of protocols as a location graph that moves: processes are states, offers and
//! needs are signals on roles.
//!
//! The locations are those of [`Topology`], each with one provided role more, its management role,
//! on which the location announces the operation it performs. What a location can do by itself:
//!
//! - perform a transition (s, H, o, s'): `o` on the management role, an offer with polarity `Minus`
//!   on the role of every requirement in H, and the process becomes s';
//! - offer: an offer with polarity `Plus` on any roles of capabilities that its state offers, and
//!   the process stays.
//!
//! A step of the application is a transition of the whole graph, made of these by synchronizing
//! and uncoupling, in which one operation is announced and no other signal is left over.
//!
//! Consistency is a roll call: every location asks for what its state relies on and offers some of
//! what its state offers. The state is consistent when all of these together leave no signal over.

use std::collections::BTreeSet;

use windlass::application::topology::{Point, Topology};
use windlass::application::{Application, NodeId};
use windlass::graph::transition::synchronizing::synchronize;
use windlass::graph::transition::uncoupling::uncouple;
use windlass::graph::transition::{
    Context, Interaction, Label, Polarity, Transition, well_formed_transition,
};
use windlass::graph::{Location, LocationSet, Name, Process, Role, RoleId, Value};
use windlass::lifecycle::Protocol;
use windlass::lifecycle::protocol::{OperationId, StateId};

/// A global state: the state of each node, by node.
pub(crate) type States = Vec<StateId>;
/// What happened and where it led.
pub(crate) type Step = (NodeId, OperationId, States);

/// How faithful an encoding is; all but the first are mutants.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fidelity {
    Faithful,
    /// Operations do not ask for what they need.
    NeedsNothing,
    /// Locations offer all their capabilities in every state.
    OffersAlways,
}

pub(crate) struct Encoding<'a> {
    pub(crate) application: &'a Application,
    topology: Topology,
    fidelity: Fidelity,
}

impl<'a> Encoding<'a> {
    pub(crate) fn new(application: &'a Application, fidelity: Fidelity) -> Self {
        Encoding { application, topology: Topology::of(application), fidelity }
    }

    pub(crate) fn protocol(&self, node: NodeId) -> &'a Protocol {
        self.application.protocol_of(node).expect("a protocol")
    }

    pub(crate) fn initial(&self) -> States {
        self.application.node_ids().map(|node| self.protocol(node).initial).collect()
    }

    /// The management role of a node: the roles of the topology come first.
    fn management(&self, node: NodeId) -> RoleId {
        RoleId::from(self.topology.roles.len() + node.index())
    }

    fn location(&self, node: NodeId, state: StateId) -> Location {
        let name = &self.application.node(node).name;
        let of = self.topology.graph.location(name).expect("one location per node");
        let role = |id: RoleId| Role::new(id, of.group_of(id).expect("its own role").as_str());
        let management = Role::new(self.management(node), "management");
        let provided = of.provided().map(role).chain([management]);
        let process = Process::new(&self.protocol(node).state(state).name);
        Location::new(name, of.sort().clone(), process, provided, of.required().map(role))
            .expect("the topology has disjoint positions")
    }

    /// The whole graph in a global state.
    pub(crate) fn locations(&self, states: &States) -> LocationSet {
        self.application.node_ids().map(|node| self.location(node, states[node.index()])).collect()
    }

    /// What a location can do by itself.
    pub(crate) fn alone(&self, node: NodeId, state: StateId, env: &Context) -> Vec<Transition> {
        let before = self.location(node, state);
        let make = |signals: Vec<Interaction>, after: StateId| Transition {
            env: env.clone(),
            init: [before.clone()].into(),
            label: signals.into_iter().collect(),
            term: [self.location(node, after)].into(),
        };
        let performing = self.protocol(node).transitions.iter().filter(|t| t.from == state);
        let mut all: Vec<Transition> = performing
            .map(|t| {
                let operation = &self.application.type_of(node).operations[t.operation.index()];
                let payload = Value::Datum(Name::from(&operation.name));
                let role = self.management(node);
                let mut signals = vec![Interaction { role, polarity: Polarity::Plus, payload }];
                let asks = self.fidelity != Fidelity::NeedsNothing;
                for requirement in t.requires.iter().filter(|_| asks) {
                    let needed = self.roles(node, Point::Requirement(*requirement));
                    signals.extend(needed.map(|role| offer(role, Polarity::Minus)));
                }
                make(signals, t.to)
            })
            .collect();
        let offers = self.offers(node, state).into_iter().filter(|signals| !signals.is_empty());
        all.extend(offers.map(|signals| make(signals, state)));
        all
    }

    /// The signals of every set of roles on which a location can offer something, none included.
    fn offers(&self, node: NodeId, state: StateId) -> Vec<Vec<Interaction>> {
        let capabilities = 0..self.application.type_of(node).capabilities.len();
        let offered = capabilities.map(Into::into).filter(|capability| {
            self.fidelity == Fidelity::OffersAlways
                || self.protocol(node).state(state).offers.contains(capability)
        });
        let roles = offered.flat_map(|capability| self.roles(node, Point::Capability(capability)));
        let mut sets = vec![Vec::new()];
        for role in roles {
            let with = sets.iter().map(|set: &Vec<Interaction>| {
                set.iter().cloned().chain([offer(role, Polarity::Plus)]).collect()
            });
            sets.extend(with.collect::<Vec<_>>());
        }
        sets
    }

    /// Whether the roll call of a global state can leave no signal over.
    pub(crate) fn is_consistent(&self, states: &States) -> bool {
        let whole = self.locations(states);
        let env = Context::of(&whole);
        let mut calls: Vec<BTreeSet<Transition>> = vec![BTreeSet::new()];
        for node in self.application.node_ids() {
            let state = states[node.index()];
            let relies = &self.protocol(node).state(state).requires;
            let roles = relies.iter().flat_map(|r| self.roles(node, Point::Requirement(*r)));
            let needs: Vec<_> = roles.map(|role| offer(role, Polarity::Minus)).collect();
            let init: LocationSet = [self.location(node, state)].into();
            let answers: Vec<Transition> = self
                .offers(node, state)
                .into_iter()
                .map(|offers| {
                    let label = offers.into_iter().chain(needs.iter().cloned()).collect();
                    Transition { env: env.clone(), init: init.clone(), label, term: init.clone() }
                })
                .collect();
            let with = |call: &BTreeSet<Transition>, t: &Transition| {
                call.iter().chain([t]).cloned().collect()
            };
            calls = calls.iter().flat_map(|c| answers.iter().map(move |t| with(c, t))).collect();
        }
        let mut together = calls.iter().filter_map(|call| synchronize(call).ok());
        together.any(|t| t.label.signals.is_empty())
    }

    /// The roles of a point of attachment of a node.
    fn roles(&self, node: NodeId, point: Point) -> impl Iterator<Item = RoleId> {
        let relations = self.topology.roles.iter().enumerate();
        let at_point = relations.filter(move |(_, relation)| {
            let ends = [relation.provided, relation.required];
            ends.iter().flatten().any(|end| end.node == node && end.point == point)
        });
        at_point.map(|(at, _)| RoleId::from(at))
    }

    /// Every transition of the whole graph: for each choice of some locations and what each of
    /// them does, these synchronize and the others stand still.
    pub(crate) fn of_the_whole(&self, states: &States) -> Vec<Transition> {
        let whole = self.locations(states);
        let env = Context::of(&whole);
        let mut choices: Vec<BTreeSet<Transition>> = vec![BTreeSet::new()];
        for node in self.application.node_ids() {
            let alone = self.alone(node, states[node.index()], &env);
            let with = |chosen: &BTreeSet<Transition>, t: &Transition| {
                chosen.iter().chain([t]).cloned().collect()
            };
            let taking_part: Vec<_> =
                choices.iter().flat_map(|c| alone.iter().map(move |t| with(c, t))).collect();
            choices.extend(taking_part);
        }
        let together = choices.iter().filter_map(|chosen| synchronize(chosen).ok());
        let whole = together.filter_map(|t| uncouple(&t, &(&whole - &t.init)).ok());
        whole.inspect(|t| assert_eq!(well_formed_transition(t), [])).collect()
    }

    /// The steps that one location makes by itself while all others stand still.
    pub(crate) fn steps_alone(&self, states: &States) -> BTreeSet<Step> {
        let whole = self.locations(states);
        let env = Context::of(&whole);
        let alone = self
            .application
            .node_ids()
            .flat_map(|node| self.alone(node, states[node.index()], &env).into_iter());
        let transitions: Vec<Transition> =
            alone.filter_map(|t| uncouple(&t, &(&whole - &t.init)).ok()).collect();
        self.steps(&transitions)
    }

    /// The steps of the application that transitions of the whole graph stand for.
    pub(crate) fn steps(&self, transitions: &[Transition]) -> BTreeSet<Step> {
        transitions.iter().filter_map(|t| self.step(t)).collect()
    }

    fn step(&self, t: &Transition) -> Option<Step> {
        let mut signals = t.label.signals.iter();
        let (Some(Interaction { role, payload: Value::Datum(name), .. }), None) =
            (signals.next(), signals.next())
        else {
            return None;
        };
        let mut nodes = self.application.node_ids();
        let node = nodes.find(|node| self.management(*node) == *role)?;
        let operation = self.application.type_of(node).operation_named(name.as_str())?;
        let state = |node: NodeId| {
            let name = &self.application.node(node).name;
            let location = t.term.iter().find(|l| l.name().as_str() == name)?;
            self.protocol(node).state_named(location.process().name.as_str())
        };
        Some((node, operation, self.application.node_ids().map(state).collect::<Option<_>>()?))
    }
}

fn offer(role: RoleId, polarity: Polarity) -> Interaction {
    Interaction { role, polarity, payload: Value::Datum(Name::from("offer")) }
}

/// Whether every signal has the polarity of the position in which its location has the role.
pub(crate) fn polarities_follow_positions(t: &Transition) -> bool {
    let Label { signals } = &t.label;
    signals.iter().all(|m| match m.polarity {
        Polarity::Plus => t.init.iter().any(|l| l.provides(m.role)),
        Polarity::Minus => t.init.iter().any(|l| l.requires(m.role)),
    })
}
