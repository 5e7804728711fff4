//! Does the service behave like the node type that it stands for?
//!
//! Operations of the type are mapped to workflows of the service. Whatever may be done with a node
//! of the type must be possible with the service: its nodes simulate the life of the type. Both are
//! walked together; where the type can go on and the service cannot, or where the type is started
//! and a mapped capability is not offered, the service is no substitute. As in any workflow, what
//! nothing carries out and no workflow calls is skipped ([`super::unimplemented_operations`]).
//!
//! Paper 003 section 6 asks for this check beside that of types and interfaces.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Checker;
use super::unimplemented_operations::Unimplemented;
use crate::application::{Application, NodeId};
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::model::{Model, Service, Substitution};
use crate::lang::tosca::value::Value;
use crate::lang::tosca::{codes, lower, workflow};
use crate::lifecycle::protocol::{Element, StateId};
use crate::plan::{Plan, PlanAction};
use crate::source::Span;

/// The life of a node type: from, operation, to. A node that is stopped is configured.
const LIFE: &[(Stage, &str, Stage)] = &[
    (Stage::Initial, "create", Stage::Created),
    (Stage::Created, "configure", Stage::Configured),
    (Stage::Configured, "start", Stage::Started),
    (Stage::Started, "stop", Stage::Configured),
    (Stage::Configured, "delete", Stage::Initial),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Initial,
    Created,
    Configured,
    Started,
}

/// Where the type is, and where each node of the service is.
type Place = (Stage, Vec<Option<StateId>>);

/// A workflow that does what an operation of the type does.
struct Mapped {
    plan: Plan,
    span: Span,
}

impl Mapped {
    fn touches(&self, node: &str) -> bool {
        let node = lower::name_of(node);
        self.plan.steps.iter().any(|step| step.action.instance().0 == node)
    }
}

/// Why the service cannot follow.
enum Stuck {
    /// An operation of the workflow is not possible.
    Impossible { node: String, operation: String, state: String },
    /// A node does not offer what the type offers.
    Offers { node: String, capability: String, state: String },
}

impl Checker<'_> {
    /// Walks the type and the service together, shortest ways first; says where they part.
    pub(super) fn behavior(&mut self, service: &Service, substitution: &Substitution) {
        let mapped = mapped(self.model, substitution);
        // A service without a workflow for `create` is brought up by the orchestrator.
        if !mapped.contains_key("create") {
            return;
        }
        let Some((application, _)) = lower::lower(self.model, "service") else { return };
        let unimplemented =
            Unimplemented::new(self.model, &application, mapped.values().map(|it| &it.plan));
        let states = |node| application.protocol_of(node).map(|protocol| protocol.initial);
        let start: Place = (Stage::Initial, application.node_ids().map(states).collect());
        let nothing = start.1.clone();
        let mut seen: BTreeSet<Place> = BTreeSet::from([start.clone()]);
        let mut open = VecDeque::from([(start, Vec::new())]);
        let mut reported: BTreeSet<&str> = BTreeSet::new();
        while let Some(((stage, states), way)) = open.pop_front() {
            for (_, operation, to) in LIFE.iter().filter(|(from, _, _)| *from == stage) {
                let found = mapped.get(*operation);
                // What no workflow takes away goes with the service as a whole.
                let is_left = found.is_none() && *operation == "delete";
                let mut next = if is_left { nothing.clone() } else { states.clone() };
                let mut stuck = found.and_then(|it| follow(&unimplemented, &it.plan, &mut next));
                if stuck.is_none() && *to == Stage::Started && mapped.contains_key("start") {
                    unimplemented.to_the_end(&mut next);
                    let touched = |node: &str| mapped.values().any(|it| it.touches(node));
                    stuck = missing(&application, service, substitution, &next, &touched);
                }
                let mut further: Vec<&str> = way.clone();
                further.push(operation);
                if let Some(stuck) = stuck {
                    let span = found.map_or(substitution.span, |it| it.span);
                    if reported.insert(operation) {
                        let is_missing = |before: &&str| {
                            !mapped.contains_key(*before) && !passes(&unimplemented, &stuck, before)
                        };
                        let before = way.last().filter(|before| is_missing(before));
                        self.findings.push(describe(&stuck, operation, &further, before, span));
                    }
                    continue;
                }
                let place = (*to, next);
                if seen.insert(place.clone()) {
                    open.push_back((place, further));
                }
            }
        }
    }
}

/// The operations of the life cycle that are mapped to workflows.
fn mapped(model: &Model, substitution: &Substitution) -> BTreeMap<String, Mapped> {
    let mut mapped = BTreeMap::new();
    for (_, body) in substitution.interfaces.iter() {
        let body = body.get("operations").unwrap_or(body);
        for entry in body.entries() {
            let (Some(operation), Some(name)) = (entry.key.text(), entry.value.text()) else {
                continue;
            };
            let is_life = LIFE.iter().any(|(_, known, _)| *known == operation);
            let plan = workflow::part(model, name).filter(|_| is_life);
            // A workflow that never ends is reported as such.
            if let Some(plan) = plan.filter(|plan| plan.topological_order().is_ok()) {
                mapped.insert(operation.to_owned(), Mapped { plan, span: entry.value.span });
            }
        }
    }
    mapped
}

/// Carries the operations of a plan out, in one of its orders: others ask whether all are good.
fn follow(
    unimplemented: &Unimplemented<'_>,
    plan: &Plan,
    states: &mut [Option<StateId>],
) -> Option<Stuck> {
    for step in plan.topological_order().ok()? {
        let PlanAction::Operation { instance, operation } = &plan.steps[step].action else {
            continue;
        };
        let node = unimplemented.application.node_named(&instance.0)?;
        let protocol = unimplemented.application.protocol_of(node)?;
        let state = states[node.index()]?;
        match unimplemented.after(node, state, operation) {
            Some(to) => states[node.index()] = Some(to),
            None => {
                return Some(Stuck::Impossible {
                    node: instance.0.clone(),
                    operation: operation.clone(),
                    state: protocol.state(state).name.clone(),
                });
            }
        }
    }
    None
}

/// Whether the operation just before is passed over, so that it is not what is missing.
fn passes(unimplemented: &Unimplemented<'_>, stuck: &Stuck, before: &str) -> bool {
    match stuck {
        Stuck::Impossible { node, operation, .. } => unimplemented.passes(node, before, operation),
        Stuck::Offers { .. } => false,
    }
}

/// A capability of the type that is mapped to a node which does not offer it now. A node that no
/// workflow touches is brought up by the orchestrator.
fn missing(
    application: &Application,
    service: &Service,
    substitution: &Substitution,
    states: &[Option<StateId>],
    touched: &dyn Fn(&str) -> bool,
) -> Option<Stuck> {
    for (_, value) in substitution.capabilities.iter() {
        let [name, capability, ..] = value.items() else { continue };
        let (Some(name), Some(capability)) = (name.text(), Value::text(capability)) else {
            continue;
        };
        let at = service.nodes.names().position(|known| known == name && touched(known));
        let Some(at) = at else { continue };
        let node = NodeId::from(at);
        let Some(offered) = application.type_of(node).capability_named(capability) else {
            continue;
        };
        let (Some(protocol), Some(state)) = (application.protocol_of(node), states[at]) else {
            continue;
        };
        if !protocol.offers(Element::State(state)).contains(&offered) {
            return Some(Stuck::Offers {
                node: name.to_owned(),
                capability: capability.to_owned(),
                state: protocol.state(state).name.clone(),
            });
        }
    }
    None
}

/// The finding; `before` is the operation just before that no workflow does.
fn describe(
    stuck: &Stuck,
    operation: &str,
    way: &[&str],
    before: Option<&&str>,
    span: Span,
) -> Diagnostic {
    let (message, note) = match stuck {
        Stuck::Impossible { node, operation: inner, state } => (
            match before {
                Some(before) => format!(
                    "the type can do `{operation}` after `{before}`, and `{before}` is mapped to \
                     no workflow"
                ),
                None => format!("the type can do `{operation}` here and the service cannot"),
            },
            format!("`{inner}` of `{node}`, which is `{state}` then, is not possible."),
        ),
        Stuck::Offers { node, capability, state } => (
            format!("after `{operation}` the type offers `{capability}` and the service does not"),
            format!("`{node}` is `{state}` then."),
        ),
    };
    let finding = Diagnostic::error(codes::BEHAVIOR, span, message).note(note);
    let finding = finding.note(format!("The way there: {}.", way.join(", ")));
    match (stuck, before) {
        (Stuck::Impossible { .. }, Some(before)) => {
            finding.help(format!("map `{before}` to a workflow"))
        }
        _ => finding,
    }
}
