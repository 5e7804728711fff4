//! Whether a plan is about this application and this state at all.
//!
//! A plan that names what does not exist, or whose order is a cycle, has no meaning here: it is
//! neither valid nor invalid. Whether an action can be performed when its turn comes is another
//! question, asked of the semantics: scaling out an id that is alive is a matter of validity.

use std::collections::{BTreeMap, BTreeSet};

use super::{Plan, PlanAction, Step};
use crate::application::{Application, Faults, GlobalState, InstanceId, NodeId};
use crate::source::Origin;

/// What does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MisfitKind {
    /// A node that the application does not have.
    UnknownNode,
    /// An instance that is neither in the state nor created by the plan.
    UnknownInstance,
    /// An operation that no node of the instance has.
    UnknownOperation,
    /// Actions that have to wait for each other.
    CyclicOrder,
}

/// Why a plan is not about this application and this state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Misfit {
    /// What does not fit.
    pub kind: MisfitKind,
    /// The labels of the actions concerned; of a cycle all, in its order.
    pub labels: Vec<String>,
    /// What is wrong, with the label.
    pub message: String,
    /// What there is instead.
    pub help: Option<String>,
    /// Where the action was written.
    pub origin: Origin,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// Everything that does not fit, in the order of the plan; nothing when the plan can be judged.
pub fn fit(application: &Application, state: &GlobalState, plan: &Plan) -> Vec<Misfit> {
    let mut nodes: BTreeMap<InstanceId, BTreeSet<NodeId>> = BTreeMap::new();
    for (id, instance) in &state.instances {
        nodes.entry(id.clone()).or_default().insert(instance.node);
    }
    if application.faults != Faults::Replicas {
        only_instances(application, state, &mut nodes);
    }
    // Instances of unknown nodes: that is reported once, where they are created.
    let mut of_unknown_nodes = BTreeSet::new();
    for step in &plan.steps {
        if let PlanAction::ScaleOut { node, instance, .. } = &step.action {
            match application.node_named(node) {
                Some(node) => {
                    nodes.entry(instance.clone()).or_default().insert(node);
                }
                None => {
                    of_unknown_nodes.insert(instance);
                }
            }
        }
    }
    let known = Known { application, nodes, of_unknown_nodes };
    let mut misfits: Vec<Misfit> = plan.steps.iter().flat_map(|step| known.misfits(step)).collect();
    if let Err(cycle) = plan.topological_order() {
        misfits.push(cyclic(plan, &cycle));
    }
    misfits
}

/// Where each node has exactly one instance, it exists whether the state has it or not. It is
/// called as the state or the application calls it, or like its node.
fn only_instances(
    application: &Application,
    state: &GlobalState,
    nodes: &mut BTreeMap<InstanceId, BTreeSet<NodeId>>,
) {
    for node in application.node_ids() {
        let declared = application.node(node).instances.first();
        if let Some(declared) = declared.filter(|_| state.of_node(node).next().is_none()) {
            nodes.entry(InstanceId(declared.id.clone())).or_default().insert(node);
        }
        let name = InstanceId(application.node(node).name.clone());
        nodes.entry(name).or_insert_with(|| BTreeSet::from([node]));
    }
}

/// What the application, the state and the plan make known.
struct Known<'a> {
    application: &'a Application,
    nodes: BTreeMap<InstanceId, BTreeSet<NodeId>>,
    of_unknown_nodes: BTreeSet<&'a InstanceId>,
}

impl Known<'_> {
    fn misfits(&self, step: &Step) -> Vec<Misfit> {
        match &step.action {
            PlanAction::ScaleOut { node, container, .. } => {
                let unknown = self.application.node_named(node).is_none();
                let node = unknown.then(|| self.unknown_node(step, node));
                let container = container.as_ref().and_then(|id| self.unknown_instance(step, id));
                node.into_iter().chain(container).collect()
            }
            PlanAction::ScaleIn { instance } => {
                self.unknown_instance(step, instance).into_iter().collect()
            }
            PlanAction::Operation { instance, operation } => {
                let unknown = self.unknown_instance(step, instance);
                let unknown = unknown.or_else(|| self.unknown_operation(step, instance, operation));
                unknown.into_iter().collect()
            }
        }
    }

    fn unknown_node(&self, step: &Step, node: &str) -> Misfit {
        let message = format!("action `{}` creates an instance of `{node}`", step.label);
        let known = self.application.nodes.iter().map(|node| &*node.name);
        misfit(
            MisfitKind::UnknownNode,
            step,
            format!("{message}, which is no node"),
            list("node", known),
        )
    }

    fn unknown_instance(&self, step: &Step, id: &InstanceId) -> Option<Misfit> {
        if self.nodes.contains_key(id) || self.of_unknown_nodes.contains(id) {
            return None;
        }
        let message = format!("action `{}` is about instance `{id}`", step.label);
        let known = self.nodes.keys().map(|id| &*id.0);
        Some(misfit(
            MisfitKind::UnknownInstance,
            step,
            format!("{message}, which is neither in the state nor created by the plan"),
            list("instance", known),
        ))
    }

    fn unknown_operation(&self, step: &Step, id: &InstanceId, operation: &str) -> Option<Misfit> {
        if self.of_unknown_nodes.contains(id) {
            return None;
        }
        let nodes = self.nodes.get(id)?;
        let types = || nodes.iter().map(|node| self.application.type_of(*node));
        if types().any(|component| component.operation_named(operation).is_some()) {
            return None;
        }
        let names: Vec<&str> =
            nodes.iter().map(|node| &*self.application.node(*node).name).collect();
        let known = types().flat_map(|component| component.operations.iter().map(|o| &*o.name));
        Some(misfit(
            MisfitKind::UnknownOperation,
            step,
            format!(
                "action `{}` performs `{operation}`, which `{}` does not have",
                step.label,
                names.join("` or `")
            ),
            list("operation", known),
        ))
    }
}

fn misfit(kind: MisfitKind, step: &Step, message: String, help: String) -> Misfit {
    let labels = vec![step.label.clone()];
    Misfit { kind, labels, message, help: Some(help), origin: step.origin }
}

fn list<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    crate::spelling::known(what, names)
}

fn cyclic(plan: &Plan, cycle: &[usize]) -> Misfit {
    let labels: Vec<String> = cycle.iter().map(|at| plan.steps[*at].label.clone()).collect();
    let message = match labels.as_slice() {
        [only] => format!("action `{only}` has to wait for itself"),
        [first, ..] => {
            format!("actions wait for each other: `{}` -> `{first}`", labels.join("` -> `"))
        }
        [] => "actions wait for each other".to_owned(),
    };
    let step = cycle.first().and_then(|at| plan.steps.get(*at));
    Misfit {
        kind: MisfitKind::CyclicOrder,
        labels,
        message,
        help: Some("remove one pair of the order".to_owned()),
        origin: step.map_or(Origin(None), |step| step.origin),
    }
}
