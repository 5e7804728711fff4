//! `windlass analyze` as one function: picks the relation and looks at everything it reaches.

mod needed;
pub mod nets;
pub mod overview;

use std::collections::BTreeSet;

use self::overview::{Overview, Views, overview};
use crate::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use crate::explore::Options;
use crate::lifecycle::protocol::Element;
use crate::semantics::protocol::{self, ServiceTemplate, States};
use crate::semantics::replica::crashing::{ActionOrCrash, Crashing};
use crate::semantics::replica::{Action, Replica, faults};
use crate::semantics::{self, AnySystem, Setting};
use crate::system::{Budget, StopReason};

/// More instances than this have more states than can be explored.
const MOST_INSTANCES: usize = 500;

/// What is explored.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Where everything starts.
    pub start: GlobalState,
    /// Whether instances crash.
    pub crash: bool,
    /// Whether what lives in a container that is not alive is reset (faults: handled).
    pub hard_recovery: bool,
}

/// Explores an application of protocols; none when it is one of nets.
pub fn analyze(
    application: &Application,
    scope: Scope,
    options: &Options,
    budget: &mut dyn Budget,
) -> Option<Overview> {
    let Scope { start, crash, hard_recovery } = scope;
    let setting = Setting { start, hard_recovery, ..Setting::default() };
    match semantics::system_of(application, setting) {
        AnySystem::Nets => None,
        AnySystem::Replicas(replica) => {
            Some(of_replicas(application, &replica, crash, options, budget))
        }
        AnySystem::Template(template) => Some(of_template(application, &template, options, budget)),
    }
}

/// Every wanted instance in its initial state, each in the container that it names, or in one of
/// those that are wanted, in turn. Horizontal requirements of initial states stay unbound.
pub fn wanted(application: &Application) -> GlobalState {
    let mut state = GlobalState::empty();
    for node in application.node_ids() {
        let Some(protocol) = application.protocol_of(node) else { continue };
        let element = Element::State(protocol.initial);
        for at in 0..application.node(node).count {
            state.instances.insert(id_of(application, node, at), Instance { node, element });
        }
    }
    for node in application.node_ids() {
        let Some(requirement) = application.type_of(node).containment() else { continue };
        let Some(binding) = application.node(node).binding(requirement) else { continue };
        let homes = application.node(binding.target).count.max(1);
        for at in 0..application.node(node).count {
            let named = application.node(node).instances.get(at as usize);
            let named = named.and_then(|instance| instance.container.clone()).map(InstanceId);
            let home = named.unwrap_or_else(|| id_of(application, binding.target, at % homes));
            state.vertical.insert(id_of(application, node, at), (requirement, home));
        }
    }
    state
}

/// In how many ways the states of the instances can be combined, reachable or not: what there would
/// be if nothing depended on anything. None when there are more than can be counted.
pub fn combinations(application: &Application, start: &GlobalState) -> Option<u64> {
    start.instances.values().try_fold(1_u64, |product, instance| {
        let states = application.protocol_of(instance.node)?.states.len();
        product.checked_mul(states as u64)
    })
}

/// The id of a wanted instance: its name, the node's name when it is the only one, else numbered.
fn id_of(application: &Application, node: NodeId, at: u32) -> InstanceId {
    let node = application.node(node);
    match node.instances.get(at as usize) {
        Some(named) => InstanceId(named.id.clone()),
        None if node.count <= 1 => InstanceId(node.name.clone()),
        None => InstanceId(format!("{}-{}", node.name, at + 1)),
    }
}

/// Every operation of every node, and every state of every node.
fn everything(application: &Application) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut operations = BTreeSet::new();
    let mut places = BTreeSet::new();
    for node in application.node_ids() {
        let name = &application.node(node).name;
        let component = application.type_of(node);
        operations.extend(component.operations.iter().map(|o| format!("{name}.{}", o.name)));
        let states = component.protocol().map_or(&[][..], |protocol| &protocol.states);
        places.extend(states.iter().map(|state| format!("{name}.{}", state.name)));
    }
    (operations, places)
}

fn place(application: &Application, node: NodeId, element: Element) -> Option<String> {
    let Element::State(state) = element else { return None };
    let name = &application.protocol_of(node)?.state(state).name;
    Some(format!("{}.{name}", application.node(node).name))
}

fn of_template(
    application: &Application,
    template: &ServiceTemplate<'_>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Overview {
    let (operations, places) = everything(application);
    let views = Views {
        is_inconsistent: &|states: &States| !protocol::is_consistent(template, states),
        operations,
        operation: &|action: &protocol::Action| match action {
            protocol::Action::Perform { node, operation } => {
                let name = &application.type_of(*node).operations[operation.index()].name;
                Some(format!("{}.{name}", application.node(*node).name))
            }
            _ => None,
        },
        places,
        reached: &|states: &States| {
            let at = |node| place(application, node, Element::State(states.of(node)));
            application.node_ids().filter_map(at).collect()
        },
    };
    overview(template, &views, options, budget)
}

fn of_replicas(
    application: &Application,
    replica: &Replica<'_>,
    crash: bool,
    options: &Options,
    budget: &mut dyn Budget,
) -> Overview {
    if replica.start.instances.len() > MOST_INSTANCES {
        // The states are more than any limit allows; even the successors of one are too many.
        return Overview::nothing(StopReason::States);
    }
    let system = Crashing { replica, crash };
    let (operations, places) = everything(application);
    let views = Views {
        is_inconsistent: &|state: &GlobalState| !faults::unresolvable(replica, state).is_empty(),
        operations,
        operation: &|happening: &ActionOrCrash| match happening {
            ActionOrCrash::Managed(Action::OpStart { instance, operation }) => {
                let start = replica.start.instances.get(instance)?;
                Some(format!("{}.{operation}", application.node(start.node).name))
            }
            _ => None,
        },
        places,
        reached: &|state: &GlobalState| {
            let all = state.instances.values();
            all.filter_map(|i| place(application, i.node, i.element)).collect()
        },
    };
    overview(&system, &views, options, budget)
}
