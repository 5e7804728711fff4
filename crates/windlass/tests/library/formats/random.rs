//! Small random applications, states and plans.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{
    Application, Binding, ComponentType, Faults, GlobalState, Instance, InstanceId, Node,
    Operation, Policy, TypeId,
};
use windlass::lifecycle::protocol::{
    Arity, Capability, Element, Handler, Requirement, Sort, State, Transition,
};
use windlass::lifecycle::{Cost, Lifecycle, Protocol};
use windlass::plan::{Order, Plan, PlanAction, Step};
use windlass::source::Origin;

/// A small generator of pseudo-random numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn subset<T: Ord + From<usize>>(&mut self, of: usize) -> BTreeSet<T> {
        (0..of).filter(|_| self.chance(2)).map(T::from).collect()
    }
}

const NOWHERE: Origin = Origin(None);
/// Names that need quotes in one notation or another.
const NAMES: [&str; 5] = ["a", "b c", "d\"e", "<f>", "ü:g"];

/// Nodes whose requirements are bound to nodes declared before them.
pub(crate) fn application(random: &mut Random) -> Application {
    let count = 1 + random.below(4);
    let mut application = Application {
        name: "random".to_owned(),
        faults: Faults::Replicas,
        policy: if random.chance(2) { Policy::Any } else { Policy::Greedy },
        types: Vec::new(),
        nodes: Vec::new(),
        deployment: windlass::application::Deployment::default(),
        origin: NOWHERE,
        names: windlass::application::NodeNames::default(),
    };
    for at in 0..count {
        let component = component(random, at);
        let mut bindings = Vec::new();
        for requirement in 0..component.requirements.len() {
            let target = random.below(at.max(1));
            let offered = application.types.get(target).map_or(0, |t| t.capabilities.len());
            if offered > 0 && at > 0 {
                bindings.push(Binding {
                    requirement: requirement.into(),
                    target: target.into(),
                    capability: random.below(offered).into(),
                    origin: NOWHERE,
                });
            }
        }
        application.types.push(component);
        application.nodes.push(Node {
            name: format!("{} {at}", NAMES[at]),
            component_type: TypeId::from(at),
            count: 1,
            instances: Vec::new(),
            bindings,
            connections: Vec::new(),
            origin: NOWHERE,
        });
    }
    application
}

fn operation(number: usize) -> Operation {
    Operation {
        name: format!("{} o{number}", NAMES[number]),
        run: None,
        duration: None,
        cost: Cost(0),
        timeout: None,
        retry: None,
        effect: None,
        host: None,
        origin: NOWHERE,
    }
}

fn component(random: &mut Random, at: usize) -> ComponentType {
    let requirements: Vec<Requirement> = (0..random.below(3))
        .map(|n| Requirement {
            name: format!("{} r{n}", NAMES[n]),
            sort: match (n, random.below(3)) {
                (0, 0) => Sort::Containment,
                (_, 1) => Sort::ReplicaAware,
                _ => Sort::ReplicaUnaware,
            },
            arity: Arity::Any,
            origin: NOWHERE,
        })
        .collect();
    let capabilities: Vec<Capability> = (0..random.below(3))
        .map(|n| Capability { name: format!("{} c{n}", NAMES[n]), origin: NOWHERE })
        .collect();
    let operations: Vec<Operation> = (0..=random.below(3)).map(operation).collect();
    let states = 1 + random.below(4);
    let handlers = |random: &mut Random| -> Vec<Handler> {
        let all = (0..states).filter(|_| random.chance(4));
        all.map(|to| Handler { to: to.into(), origin: NOWHERE }).collect()
    };
    let mut transitions = Vec::new();
    for from in 0..states {
        for operation in 0..operations.len() {
            for to in (0..states).filter(|_| random.chance(4)).collect::<Vec<_>>() {
                transitions.push(Transition {
                    from: from.into(),
                    operation: operation.into(),
                    to: to.into(),
                    requires: random.subset(requirements.len()),
                    offers: random.subset(capabilities.len()),
                    handlers: handlers(random),
                    origin: NOWHERE,
                });
            }
        }
    }
    let states = (0..states)
        .map(|n| State {
            name: format!("s{n}"),
            requires: random.subset(requirements.len()),
            offers: random.subset(capabilities.len()),
            handlers: handlers(random),
            on_crash: None,
            origin: NOWHERE,
        })
        .collect::<Vec<_>>();
    let initial = random.below(states.len()).into();
    ComponentType {
        name: format!("type {at}"),
        requirements,
        capabilities,
        operations,
        lifecycle: Lifecycle::Protocol(Protocol { initial, states, transitions, up: None }),
        processes: BTreeMap::new(),
        cost_per_second: Cost(0),
        origin: NOWHERE,
    }
}

/// Instances of every node, contained and bound where the application says so.
pub(crate) fn state(random: &mut Random, application: &Application) -> GlobalState {
    let mut state = GlobalState::empty();
    for node in application.node_ids() {
        let protocol = application.protocol_of(node).expect("a protocol");
        for n in 0..=random.below(2) {
            let moving = random.chance(3) && !protocol.transitions.is_empty();
            let element = if moving {
                Element::Transition(random.below(protocol.transitions.len()).into())
            } else {
                Element::State(random.below(protocol.states.len()).into())
            };
            let id = InstanceId(format!("{} {n}", application.node(node).name));
            state.instances.insert(id, Instance { node, element });
        }
    }
    let ids: Vec<(InstanceId, Instance)> =
        state.instances.iter().map(|(id, instance)| (id.clone(), *instance)).collect();
    for (id, instance) in &ids {
        let component = application.type_of(instance.node);
        for binding in &application.node(instance.node).bindings {
            let sort = component.requirements[binding.requirement.index()].sort;
            let provider = ids.iter().find(|other| other.1.node == binding.target);
            let provider = provider.expect("every node has an instance").0.clone();
            if sort == Sort::Containment {
                state.vertical.insert(id.clone(), (binding.requirement, provider));
            } else if random.chance(2) {
                state.horizontal.insert((id.clone(), binding.requirement, provider));
            }
        }
    }
    state
}

/// A few actions in some order.
pub(crate) fn plan(random: &mut Random, application: &Application) -> Plan {
    let mut plan = Plan::default();
    for at in 0..random.below(6) {
        let node = &application.nodes[random.below(application.nodes.len())];
        let instance = InstanceId(format!("i{}", random.below(3)));
        let action = match random.below(3) {
            0 => PlanAction::Operation { instance, operation: "o".to_owned() },
            1 => PlanAction::ScaleOut {
                node: node.name.clone(),
                instance,
                container: random.chance(2).then(|| "c".into()),
            },
            _ => PlanAction::ScaleIn { instance },
        };
        plan.steps.push(Step { label: format!("{} {at}", NAMES[at % 5]), action, origin: NOWHERE });
        if at > 0 && random.chance(2) {
            let before = random.below(at);
            plan.order.push(Order { before, after: at, why: None, origin: NOWHERE });
        }
    }
    plan
}
