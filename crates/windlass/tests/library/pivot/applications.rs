//! Small applications of protocols: the web services of paper 003, and random ones.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::{
    Application, Binding, ComponentType, Faults, Node, NodeId, Operation, Policy, TypeId,
};
use windlass::lifecycle::protocol::{
    Arity, Capability, CapabilityId, OperationId, Requirement, RequirementId, Sort, State, StateId,
    Transition,
};
use windlass::lifecycle::{Cost, Lifecycle, Protocol};
use windlass::source::Origin;

/// A state: name, requirements it relies on, capabilities it offers.
type StateRow<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);
/// A transition: source, operation, condition, target.
type TransitionRow<'a> = (&'a str, &'a str, &'a [&'a str], &'a str);

/// A component type from the rows of a figure; the first state is the initial one.
pub(crate) fn component(
    name: &str,
    requirements: &[&str],
    capabilities: &[&str],
    states: &[StateRow],
    transitions: &[TransitionRow],
) -> ComponentType {
    let at = |names: &[&str], name: &str| names.iter().position(|n| *n == name).expect("declared");
    let requires = |names: &[&str]| -> BTreeSet<RequirementId> {
        names.iter().map(|n| at(requirements, n).into()).collect()
    };
    let offers = |names: &[&str]| -> BTreeSet<CapabilityId> {
        names.iter().map(|n| at(capabilities, n).into()).collect()
    };
    let state_names: Vec<&str> = states.iter().map(|(name, ..)| *name).collect();
    let operations: BTreeSet<&str> = transitions.iter().map(|(_, o, ..)| *o).collect();
    let operations: Vec<&str> = operations.into_iter().collect();
    let state = |&(name, relies, gives): &StateRow| state(name, requires(relies), offers(gives));
    let transition = |&(from, operation, condition, to): &TransitionRow| {
        let (from, to) = (at(&state_names, from).into(), at(&state_names, to).into());
        transition(from, at(&operations, operation).into(), requires(condition), to)
    };
    let protocol = Protocol {
        initial: StateId(0),
        states: states.iter().map(state).collect(),
        transitions: transitions.iter().map(transition).collect(),
        up: None,
    };
    component_type(name, requirements, capabilities, &operations, protocol)
}

fn state(name: &str, requires: BTreeSet<RequirementId>, offers: BTreeSet<CapabilityId>) -> State {
    let origin = Origin::default();
    State { name: name.into(), requires, offers, handlers: Vec::new(), on_crash: None, origin }
}

fn transition(
    from: StateId,
    operation: OperationId,
    requires: BTreeSet<RequirementId>,
    to: StateId,
) -> Transition {
    let (handlers, origin) = (Vec::new(), Origin::default());
    Transition { from, operation, to, requires, offers: BTreeSet::new(), handlers, origin }
}

fn component_type(
    name: &str,
    requirements: &[&str],
    capabilities: &[&str],
    operations: &[&str],
    protocol: Protocol,
) -> ComponentType {
    let origin = Origin::default();
    let requirement = |name: &&str| {
        let (sort, arity) = (Sort::ReplicaUnaware, Arity::Any);
        Requirement { name: (*name).into(), sort, arity, origin }
    };
    let capability = |name: &&str| Capability { name: (*name).into(), origin };
    let operation = |name: &&str| Operation {
        name: (*name).into(),
        run: None,
        duration: None,
        cost: Cost::default(),
        timeout: None,
        retry: None,
        effect: None,
        host: None,
        origin,
    };
    ComponentType {
        name: name.into(),
        requirements: requirements.iter().map(requirement).collect(),
        capabilities: capabilities.iter().map(capability).collect(),
        operations: operations.iter().map(operation).collect(),
        lifecycle: Lifecycle::Protocol(protocol),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin,
    }
}

pub(crate) fn node(name: &str, component_type: usize, bindings: Vec<Binding>) -> Node {
    Node {
        name: name.into(),
        component_type: TypeId::from(component_type),
        count: 1,
        instances: Vec::new(),
        bindings,
        connections: Vec::new(),
        origin: Origin::default(),
    }
}

pub(crate) fn binding(requirement: usize, target: usize, capability: usize) -> Binding {
    Binding {
        requirement: RequirementId::from(requirement),
        target: NodeId::from(target),
        capability: CapabilityId::from(capability),
        origin: Origin::default(),
    }
}

pub(crate) fn application(name: &str, types: Vec<ComponentType>, nodes: Vec<Node>) -> Application {
    let (faults, policy, origin) = (Faults::Forbidden, Policy::Any, Origin::default());
    Application {
        name: name.into(),
        faults,
        policy,
        types,
        nodes,
        deployment: windlass::application::Deployment::default(),
        origin,
        names: windlass::application::NodeNames::default(),
    }
}

/// Two web services on a server on an operating system on a virtual machine, as in figures 2 and 4
/// of paper 003.
pub(crate) fn web_services() -> Application {
    let web_service = component(
        "WebService",
        &["WSRuntime"],
        &[],
        &[("NotDeployed", &[], &[]), ("Deployed", &["WSRuntime"], &[])],
        &[
            ("NotDeployed", "Deploy", &["WSRuntime"], "Deployed"),
            ("Deployed", "Undeploy", &["WSRuntime"], "NotDeployed"),
        ],
    );
    let server = component(
        "Server",
        &["ServerContainer"],
        &["WebAppRuntime"],
        &[
            ("Unavailable", &[], &[]),
            ("Stopped", &[], &[]),
            ("Working", &["ServerContainer"], &["WebAppRuntime"]),
        ],
        &[
            ("Unavailable", "Setup", &["ServerContainer"], "Stopped"),
            ("Stopped", "Run", &["ServerContainer"], "Working"),
            ("Working", "Configure", &[], "Working"),
            ("Working", "Stop", &[], "Stopped"),
            ("Stopped", "Uninstall", &["ServerContainer"], "Unavailable"),
        ],
    );
    let operating_system = component(
        "OperatingSystem",
        &["OSContainer"],
        &["SoftwareContainer"],
        &[
            ("NotInstalled", &[], &[]),
            ("Available", &[], &[]),
            ("Running", &["OSContainer"], &["SoftwareContainer"]),
        ],
        &[
            ("NotInstalled", "Install", &["OSContainer"], "Available"),
            ("Available", "Start", &["OSContainer"], "Running"),
            ("Running", "Shutdown", &["OSContainer"], "Available"),
            ("Available", "Uninstall", &["OSContainer"], "NotInstalled"),
        ],
    );
    let virtual_machine = component(
        "VirtualMachine",
        &[],
        &["Container"],
        &[("Down", &[], &[]), ("Up", &[], &["Container"])],
        &[("Down", "Start", &[], "Up"), ("Up", "Stop", &[], "Down")],
    );
    let nodes = vec![
        node("Translator", 0, vec![binding(0, 2, 0)]),
        node("Convertor", 0, vec![binding(0, 2, 0)]),
        node("Apache", 1, vec![binding(0, 3, 0)]),
        node("Debian", 2, vec![binding(0, 4, 0)]),
        node("VMWare", 3, Vec::new()),
    ];
    let types = vec![web_service, server, operating_system, virtual_machine];
    application("web-services", types, nodes)
}

/// A deterministic source of numbers (splitmix64), so that a seed names a test case.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let bound = bound as u64;
        usize::try_from((z ^ (z >> 31)) % bound).expect("below a usize")
    }

    /// Each of the first `count` indices with a chance of one in `odds`.
    fn some<T: Ord + From<usize>>(&mut self, count: usize, odds: usize) -> BTreeSet<T> {
        (0..count).filter(|_| self.below(odds) == 0).map(T::from).collect()
    }
}

/// Two or three nodes, each of a type of its own with two or three states; operations may have
/// alternatives and several targets, requirements may be unbound, bindings may form cycles.
pub(crate) fn random(seed: u64) -> Application {
    let mut numbers = Numbers(seed);
    let nodes = 2 + numbers.below(2);
    let types: Vec<ComponentType> =
        (0..nodes).map(|at| random_type(&mut numbers, ["A", "B", "C"][at])).collect();
    let bound = |at: usize, numbers: &mut Numbers| {
        let mut bindings = Vec::new();
        for requirement in 0..types[at].requirements.len() {
            let target = (at + 1 + numbers.below(nodes - 1)) % nodes;
            let capabilities = types[target].capabilities.len();
            // One in five requirements stays unbound.
            if capabilities > 0 && numbers.below(5) > 0 {
                bindings.push(binding(requirement, target, numbers.below(capabilities)));
            }
        }
        bindings
    };
    let nodes = (0..nodes).map(|at| node(["a", "b", "c"][at], at, bound(at, &mut numbers)));
    let nodes = nodes.collect();
    application("random", types, nodes)
}

fn random_type(numbers: &mut Numbers, name: &str) -> ComponentType {
    let requirements = &["r0", "r1"][..numbers.below(3)];
    let capabilities = &["c0", "c1"][..=numbers.below(2)];
    let operations = &["o0", "o1", "o2"][..=numbers.below(3)];
    let count = 2 + numbers.below(2);
    let states = ["s0", "s1", "s2"][..count].iter().map(|name| {
        state(name, numbers.some(requirements.len(), 4), numbers.some(capabilities.len(), 2))
    });
    let states = states.collect();
    let transitions = (0..3 + numbers.below(4)).map(|_| {
        let (from, to) = (numbers.below(count).into(), numbers.below(count).into());
        let operation = numbers.below(operations.len()).into();
        transition(from, operation, numbers.some(requirements.len(), 2), to)
    });
    let transitions = transitions.collect();
    let protocol = Protocol { initial: StateId(0), states, transitions, up: None };
    component_type(name, requirements, capabilities, operations, protocol)
}
