//! The actions of a plan or an assembly with what they execute, and the question before they do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, Write as _};

use schemars::JsonSchema;
use serde::Serialize;
use windlass::application::assembly::{Assembly, TransitionId};
use windlass::application::{Application, ComponentType, GlobalState};
use windlass::lifecycle::implementation::{Command, CommandLine, Process};
use windlass::plan::{Plan, PlanAction};
use windlass_run::compose;
use windlass_run::world::docker::requests::Requests;

use crate::args::Format;
use crate::failure::Failure;
use crate::{escape, output};

/// Asks the operator, unless `yes` is the answer.
pub(crate) fn confirm(yes: bool, why: &str, actions: &str) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(why)
            .help("look at the actions with --dry-run, then say --yes; nothing was done"));
    }
    asked(actions)
}

/// Shows something and waits for a yes.
pub(crate) fn asked(shown: &str) -> Result<(), Failure> {
    output::stderr(&format!("{shown}\nDo this? [y/N] "));
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::usage("nothing was done")),
    }
}

/// Whether a plan takes instances away.
pub(crate) fn removes(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| matches!(step.action, PlanAction::ScaleIn { .. }))
}

/// Shows a plan that takes instances away, and asks.
pub(crate) fn ask_before_removals(
    yes: bool,
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
) -> Result<(), Failure> {
    if !removes(plan) {
        return Ok(());
    }
    let actions = text(&of_plan(application, start, plan)?);
    if !yes && !std::io::stdin().is_terminal() {
        output::stderr(&actions);
    }
    confirm(yes, "this plan removes instances", &actions)
}

/// What `--dry-run` shows, for programs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActionsReport {
    /// `windlass/actions/1`.
    schema: &'static str,
    /// The actions, in an order that the plan allows.
    actions: Vec<ActionReport>,
}

/// An action with what it executes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActionReport {
    /// Its label.
    action: String,
    /// The command that it runs, for people.
    run: Option<String>,
    /// The processes that it may start, for people.
    processes: Vec<String>,
    /// The images of those of them that are containers.
    images: Vec<String>,
    /// What it asks of a Docker engine, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<String>,
}

/// Prints actions.
pub(crate) fn show(format: Format, actions: Vec<ActionReport>) -> Result<(), Failure> {
    output::stdout(&match format {
        Format::Text => text(&actions),
        Format::Json => escape::json(&ActionsReport { schema: "windlass/actions/1", actions })?,
    })?;
    Ok(())
}

/// Actions as lines.
pub(crate) fn text(actions: &[ActionReport]) -> String {
    let mut out = String::new();
    for ActionReport { action, run, processes, images, engine } in actions {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "{action}");
        if let Some(run) = run {
            let _ = writeln!(out, "    run     {run}");
        }
        for line in processes {
            let _ = writeln!(out, "    process {line}");
        }
        for image in images {
            let _ = writeln!(out, "    image   {image}");
        }
        if let Some(line) = engine {
            let _ = writeln!(out, "    engine  {line}");
        }
    }
    if out.is_empty() {
        out.push_str("nothing to do\n");
    }
    escape::visible_lines(&out)
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
) -> Result<Vec<ActionReport>, Failure> {
    of_project(application, start, plan, None)
}

/// The same of a Compose project, with what each asks of the engine.
pub(crate) fn of_project(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    requests: Option<&Requests>,
) -> Result<Vec<ActionReport>, Failure> {
    let order = plan.topological_order().map_err(|_| Failure::usage("the plan is a cycle"))?;
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
        let mut report = ActionReport::named(step.label.clone());
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

impl ActionReport {
    /// An action that executes nothing yet.
    fn named(action: String) -> Self {
        ActionReport { action, run: None, processes: Vec::new(), images: Vec::new(), engine: None }
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
pub(crate) fn repair(instance: &str, spawn: Option<&Process>) -> ActionReport {
    let verb = if spawn.is_some() { "start" } else { "stop" };
    let mut report = ActionReport::named(format!("{verb} the process of {instance}"));
    report.starts(spawn.into_iter());
    report
}

/// Transitions of an assembly, with what each executes.
pub(crate) fn of_transitions(assembly: &Assembly<'_>, all: &[TransitionId]) -> Vec<ActionReport> {
    let report = |id: &TransitionId| ActionReport {
        run: assembly.net_transition(*id).action.run.as_ref().map(words),
        ..ActionReport::named(assembly.transition_name(*id))
    };
    all.iter().map(report).collect()
}
