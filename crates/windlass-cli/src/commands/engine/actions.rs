//! The actions of a plan or an assembly with what they execute, and the question before they do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, Write as _};

use windlass::application::assembly::Assembly;
use windlass::application::{Application, GlobalState};
use windlass::lifecycle::implementation::{Command, CommandLine};
use windlass::plan::{Plan, PlanAction};

use crate::failure::Failure;
use crate::{escape, load, output};

/// Asks the operator, unless `yes` is the answer.
pub(crate) fn confirm(yes: bool, why: &str, actions: &str) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(why).help("look at them with --dry-run, then say --yes"));
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
    plan: &str,
) -> Result<(), Failure> {
    let plan = load::plan_in(load::Text::of("plan", plan.to_owned()))?;
    if !removes(&plan) {
        return Ok(());
    }
    confirm(yes, "this plan removes instances", &of_plan(application, start, &plan)?)
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
) -> Result<String, Failure> {
    let order = plan.topological_order().map_err(|_| Failure::usage("the plan is a circle"))?;
    let mut nodes: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, instance) in &start.instances {
        nodes.insert(&id.0, &application.node(instance.node).name);
    }
    for step in &plan.steps {
        if let PlanAction::ScaleOut { node, instance, .. } = &step.action {
            nodes.insert(&instance.0, node);
        }
    }
    let mut out = String::new();
    for step in order.into_iter().map(|step| &plan.steps[step]) {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "{}", step.label);
        let PlanAction::Operation { instance, operation } = &step.action else { continue };
        let node = nodes.get(instance.0.as_str()).and_then(|name| application.node_named(name));
        let Some(component) = node.map(|node| application.type_of(node)) else { continue };
        let found = component.operation_named(operation);
        if let Some(run) = found.and_then(|id| component.operations[id.index()].run.as_ref()) {
            let _ = writeln!(out, "    run     {}", words(run));
        }
        let Some(protocol) = component.protocol() else { continue };
        let own = protocol.transitions.iter().filter(|it| Some(it.operation) == found);
        let processes = own.filter_map(|it| component.processes.get(&it.to));
        // Several transitions of one operation may lead to the same process.
        let lines: BTreeSet<String> = processes.map(|process| words(&process.command)).collect();
        for line in lines {
            let _ = writeln!(out, "    process {line}");
        }
    }
    if out.is_empty() {
        out.push_str("nothing to do\n");
    }
    Ok(escape::visible_lines(&out))
}

/// The transitions of an assembly, with what each executes.
pub(crate) fn of_assembly(assembly: &Assembly<'_>) -> String {
    let mut out = String::new();
    for id in assembly.transition_ids() {
        let _ = writeln!(out, "{}", assembly.transition_name(id));
        if let Some(run) = &assembly.net_transition(id).action.run {
            let _ = writeln!(out, "    run     {}", words(run));
        }
    }
    escape::visible_lines(&out)
}
