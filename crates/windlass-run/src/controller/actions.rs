//! The actions of a plan or an assembly with what they execute, for the question before they do.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::application::{Application, ComponentType, GlobalState};
use windlass::lifecycle::implementation::{Command, CommandLine, Process};
use windlass::plan::{Plan, PlanAction};

use super::error::Error;
use crate::compose;
use crate::world::docker::requests::Requests;

/// An action with what it executes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ActionReport")]
pub struct Action {
    /// Its label.
    pub action: String,
    /// The command that it runs, for people.
    pub run: Option<String>,
    /// The processes that it may start, for people.
    pub processes: Vec<String>,
    /// The images of those of them that are containers.
    pub images: Vec<String>,
    /// What it asks of a Docker engine, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
}

/// Whether a plan takes instances away.
pub(crate) fn removes_instances(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| matches!(step.action, PlanAction::ScaleIn { .. }))
}

fn words(command: &Command) -> String {
    match &command.line {
        CommandLine::Arguments(all) => all.join(" "),
        CommandLine::Shell(script) => format!("sh -c: {}", script.trim()),
    }
}

/// The actions of a plan in an order that it allows, with what each executes.
pub(crate) fn of_plan(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
) -> Result<Vec<Action>, Error> {
    of_project(application, start, plan, None)
}

/// The same of a Compose project, with what each asks of the engine.
pub(crate) fn of_project(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    requests: Option<&Requests>,
) -> Result<Vec<Action>, Error> {
    let order = plan.topological_order().map_err(|_| Error::CyclicPlan)?;
    let mut nodes: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, instance) in &start.instances {
        nodes.insert(&id.0, &application.node(instance.node).name);
    }
    for step in &plan.steps {
        if let PlanAction::ScaleOut { node, instance, .. } = &step.action {
            nodes.insert(&instance.0, node);
        }
    }
    let mut all = Vec::new();
    for step in order.into_iter().map(|step| &plan.steps[step]) {
        let mut report = Action::named(step.label.clone());
        if let PlanAction::Operation { instance, operation } = &step.action {
            let name = nodes.get(instance.0.as_str());
            let node = name.and_then(|name| application.node_named(name));
            if let (Some(requests), Some(name)) = (requests, name) {
                report.engine = compose::describe(requests, name, &instance.0, operation);
            } else if let Some(component) = node.map(|node| application.type_of(node)) {
                report.executes(component, operation);
            }
        }
        all.push(report);
    }
    Ok(all)
}

impl Action {
    /// An action that executes nothing yet.
    fn named(action: String) -> Self {
        Action { action, run: None, processes: Vec::new(), images: Vec::new(), engine: None }
    }

    /// The command of an operation, and the processes of the states that it leads to.
    fn executes(&mut self, component: &ComponentType, operation: &str) {
        let Some(found) = component.operation_named(operation) else { return };
        self.run = component.operations[found.index()].run.as_ref().map(words);
        let transitions = component.protocol().into_iter().flat_map(|it| &it.transitions);
        let own = transitions.filter(|it| it.operation == found);
        self.starts(own.filter_map(|it| component.processes.get(&it.to)));
    }

    /// The processes that an action starts; several transitions may lead to the same one.
    fn starts<'p>(&mut self, processes: impl Iterator<Item = &'p Process>) {
        let (mut lines, mut images) = (BTreeSet::new(), BTreeSet::new());
        for process in processes {
            lines.insert(words(&process.command));
            images.extend(process.image.clone());
        }
        self.processes = lines.into_iter().collect();
        self.images = images.into_iter().collect();
    }
}

/// The action that puts a process where its instance is.
pub(crate) fn repair(instance: &str, spawn: Option<&Process>) -> Action {
    let verb = if spawn.is_some() { "start" } else { "stop" };
    let mut report = Action::named(format!("{verb} the process of {instance}"));
    report.starts(spawn.into_iter());
    report
}

/// Transitions of an assembly, with what each executes.
pub(crate) fn of_transitions(assembly: &Assembly<'_>, all: &[TransitionId]) -> Vec<Action> {
    let report = |id: &TransitionId| Action {
        run: assembly.net_transition(*id).action.run.as_ref().map(words),
        ..Action::named(assembly.transition_name(*id))
    };
    all.iter().map(report).collect()
}
