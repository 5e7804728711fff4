//! A service of which another needs every container for as long as it runs: one too many goes in
//! one step, and who runs without what it needs leaves before that.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;

use windlass::application::{Application, GlobalState, Instance, InstanceId};
use windlass::goal::{GoalFile, Want};
use windlass::lang;
use windlass::lifecycle::protocol::Element;
use windlass::plan::{Plan, PlanAction, Step};
use windlass::source::{Origin, Sources};
use windlass::system::{Budget, Unlimited};
use windlass_run::compose::arrange;
use windlass_run::entry::Aim;
use windlass_run::machine::Machine;
use windlass_run::machine::plan::PlanMachine;

const PROJECT: &str = "
name: all
services:
  api: {image: a, deploy: {replicas: 2}}
  web: {image: a, depends_on: {api: {condition: service_started, restart: true}}}
";

fn project() -> (Application, GoalFile) {
    let mut sources = Sources::new();
    let root = sources.add("compose.yaml", PROJECT);
    let reading = lang::read(None, root, &sources);
    (reading.application.unwrap(), reading.goal.unwrap())
}

fn put(application: &Application, state: &mut GlobalState, id: &str, node: &str, at: &str) {
    let node = application.node_named(node).unwrap();
    let at = application.protocol_of(node).unwrap().state_named(at).unwrap();
    let instance = Instance { node, element: Element::State(at) };
    state.instances.insert(InstanceId(id.to_owned()), instance);
}

/// Everything is up, with three of the first service; the third may be elsewhere.
fn standing(application: &Application, third: &str) -> GlobalState {
    let mut state = GlobalState::empty();
    for node in &application.nodes {
        if application.type_of(application.node_named(&node.name).unwrap()).requirements.is_empty()
        {
            put(application, &mut state, &node.name, &node.name, "present");
        }
    }
    put(application, &mut state, "web", "web", "running");
    let api = application.node_named("api").unwrap();
    let web = application.node(application.node_named("web").unwrap());
    let needs = web.bindings.iter().find(|it| it.target == api).unwrap().requirement;
    for (id, at) in [("api-1", "running"), ("api-2", "running"), ("api-3", third)] {
        put(application, &mut state, id, "api", at);
        state.horizontal.insert(("web".into(), needs, id.into()));
    }
    state
}

fn unlimited() -> Box<dyn Budget> {
    Box::new(Unlimited)
}

#[test]
fn one_too_many_goes_with_what_is_out_there() {
    let (application, mut goal) = project();
    goal.goal.wants.push(Want::InstanceGone("api-3".into()));
    let start = standing(&application, "running");
    let mut machine = PlanMachine::new(&application, start, Some(goal), unlimited).unwrap();
    machine.arrange = Some(arrange);
    let plan = machine.plan(Aim::Goal).unwrap().unwrap();
    let plan = Arc::new(plan);
    machine.follow(Arc::clone(&plan), Aim::Goal).unwrap();
    let tasks = machine.ready();
    assert_eq!(tasks.len(), 1, "no user of the others is disturbed: {plan:?}");
    machine.start(tasks[0]).unwrap();
    let work = machine.work(tasks[0]);
    assert!(work.removes && work.operation.is_none(), "{work:?}");
    machine.end(tasks[0]).unwrap();
    assert!(machine.is_done(), "{:?}", machine.obstacles());
}

#[test]
fn what_is_at_rest_leaves_nothing_behind() {
    let (application, mut goal) = project();
    goal.goal.wants.push(Want::InstanceGone("api-3".into()));
    let mut start = standing(&application, "absent");
    put(&application, &mut start, "web", "web", "created");
    start.horizontal.clear();
    let mut machine = PlanMachine::new(&application, start, Some(goal), unlimited).unwrap();
    let plan = machine.plan(Aim::Goal).unwrap().unwrap();
    let plan = Arc::new(plan);
    machine.follow(Arc::clone(&plan), Aim::Goal).unwrap();
    let tasks = machine.ready();
    machine.start(tasks[0]).unwrap();
    let work = machine.work(tasks[0]);
    assert!(work.instance == "api-3" && !work.removes, "{work:?}");
}

#[test]
fn who_is_only_removed_leaves_before_what_it_needs_stops() {
    let (application, _) = project();
    let mut plan = Plan::default();
    let mut nodes = BTreeMap::new();
    let steps = [("remove", "web"), ("stop", "api-1"), ("remove", "api-1"), ("remove", "api-2")];
    for (operation, instance) in steps {
        let node = if instance == "web" { "web" } else { "api" };
        nodes.insert(instance.to_owned(), node.to_owned());
        let (label, operation) = (format!("{operation} {instance}"), operation.to_owned());
        let action = PlanAction::Operation { instance: instance.into(), operation };
        plan.steps.push(Step { label, action, origin: Origin(None) });
    }
    arrange(&application, &nodes, &mut plan);
    let edges: Vec<(usize, usize)> =
        plan.order.iter().map(|edge| (edge.before, edge.after)).collect();
    assert_eq!(edges, [(0, 1), (0, 2), (0, 3)]);
}
