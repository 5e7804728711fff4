//! How long a plan takes when everything starts as soon as it may, and what it costs.
//!
//! Times are in milliseconds. Scalings take no time, and operations without a duration
//! take none either; the number of actions on the longest chain says something even then.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::application::{Application, GlobalState, InstanceId, NodeId};
use crate::plan::{Plan, PlanAction};

/// How long and how deep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Length {
    /// Milliseconds from the start to the end.
    pub millis: u64,
    /// Actions on the longest chain.
    pub depth: usize,
}

/// When each step of a plan starts and ends.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// By step.
    pub start: Vec<u64>,
    /// By step.
    pub end: Vec<u64>,
    /// All in all.
    pub length: Length,
}

/// The earliest schedule of a plan; empty when its order is a cycle. Where hosts carry out only so
/// many operations at once, those that most depends on come first.
pub fn schedule(application: &Application, start: &GlobalState, plan: &Plan) -> Schedule {
    let Ok(sorted) = plan.topological_order() else { return Schedule::default() };
    let durations = durations(application, start, plan);
    let (mut into, mut out) =
        (vec![Vec::new(); durations.len()], vec![Vec::new(); durations.len()]);
    for edge in &plan.order {
        into[edge.after].push(edge.before);
        out[edge.before].push(edge.after);
    }
    let mut depth = vec![0_usize; into.len()];
    let (mut begins, mut ends) = (vec![0_u64; into.len()], vec![0_u64; into.len()]);
    for step in &sorted {
        let step = *step;
        begins[step] = into[step].iter().map(|before| ends[*before]).max().unwrap_or(0);
        ends[step] = begins[step].saturating_add(durations[step]);
        depth[step] = into[step].iter().map(|before| depth[*before]).max().unwrap_or(0) + 1;
    }
    let hosts = hosts(application, start, plan);
    if hosts.iter().any(Option::is_some) {
        // What has to follow a step, with the step itself.
        let mut tail = durations.clone();
        for step in sorted.iter().rev() {
            let after = out[*step].iter().map(|next| tail[*next]).max().unwrap_or(0);
            tail[*step] = tail[*step].saturating_add(after);
        }
        let jobs = Jobs { durations: &durations, hosts: &hosts, out: &out, tail: &tail };
        (begins, ends) = jobs.on_hosts(application, &into);
    }
    let length = Length {
        millis: ends.iter().copied().max().unwrap_or(0),
        depth: depth.into_iter().max().unwrap_or(0),
    };
    Schedule { start: begins, end: ends, length }
}

/// The steps of a plan as jobs for hosts.
struct Jobs<'a> {
    durations: &'a [u64],
    hosts: &'a [Option<&'a str>],
    out: &'a [Vec<usize>],
    tail: &'a [u64],
}

impl Jobs<'_> {
    /// When each begins and ends: whatever is ready starts when its host has room, the one with
    /// the longest tail first.
    fn on_hosts(&self, application: &Application, into: &[Vec<usize>]) -> (Vec<u64>, Vec<u64>) {
        let steps = self.durations.len();
        let (mut begins, mut ends) = (vec![0_u64; steps], vec![0_u64; steps]);
        let mut free: BTreeMap<&str, u32> = BTreeMap::new();
        for (host, slots) in &application.deployment.hosts {
            // A host that can do nothing would never end.
            free.insert(host, (*slots).max(1));
        }
        let mut waiting: Vec<usize> = into.iter().map(Vec::len).collect();
        let mut ready: BTreeSet<(Reverse<u64>, usize)> = BTreeSet::new();
        ready.extend((0..steps).filter(|s| waiting[*s] == 0).map(|s| (Reverse(self.tail[s]), s)));
        let mut running: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let mut now = 0;
        loop {
            let able = ready.iter().copied().find(|(_, step)| {
                let host = self.hosts[*step].filter(|_| self.durations[*step] > 0);
                host.is_none_or(|host| free.get(host).is_none_or(|free| *free > 0))
            });
            if let Some(key) = able {
                ready.remove(&key);
                let step = key.1;
                begins[step] = now;
                ends[step] = now.saturating_add(self.durations[step]);
                if let Some(slots) = self.slots(&mut free, step) {
                    *slots -= 1;
                }
                running.push(Reverse((ends[step], step)));
                continue;
            }
            let Some(Reverse((end, step))) = running.pop() else { return (begins, ends) };
            now = end;
            if let Some(slots) = self.slots(&mut free, step) {
                *slots += 1;
            }
            for next in &self.out[step] {
                waiting[*next] -= 1;
                if waiting[*next] == 0 {
                    ready.insert((Reverse(self.tail[*next]), *next));
                }
            }
        }
    }

    /// The free slots of the host of a step that takes time.
    fn slots<'f>(&self, free: &'f mut BTreeMap<&str, u32>, step: usize) -> Option<&'f mut u32> {
        if self.durations[step] == 0 {
            return None;
        }
        free.get_mut(self.hosts[step]?)
    }
}

/// By step, the host that carries it out, where its slots are counted.
fn hosts<'a>(
    application: &'a Application,
    start: &GlobalState,
    plan: &Plan,
) -> Vec<Option<&'a str>> {
    let deployment = &application.deployment;
    if deployment.host.is_empty() || deployment.hosts.is_empty() {
        return vec![None; plan.steps.len()];
    }
    let nodes = nodes(application, start, plan);
    let host = |action: &PlanAction| {
        let PlanAction::Operation { instance, .. } = action else { return None };
        let host = deployment.host.get(nodes.get(instance)?)?;
        deployment.hosts.contains_key(host).then_some(host.as_str())
    };
    plan.steps.iter().map(|step| host(&step.action)).collect()
}

/// By step.
fn durations(application: &Application, start: &GlobalState, plan: &Plan) -> Vec<u64> {
    let nodes = nodes(application, start, plan);
    let duration = |action: &PlanAction| {
        let PlanAction::Operation { instance, operation } = action else { return 0 };
        let node = nodes.get(instance).copied();
        let operation = node.and_then(|node| {
            let component = application.type_of(node);
            let at = component.operation_named(operation)?;
            component.operations.get(at.index())
        });
        operation.and_then(|o| o.duration).map_or(0, millis)
    };
    plan.steps.iter().map(|step| duration(&step.action)).collect()
}

pub(super) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn nodes(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
) -> BTreeMap<InstanceId, NodeId> {
    let mut nodes: BTreeMap<InstanceId, NodeId> =
        start.instances.iter().map(|(id, instance)| (id.clone(), instance.node)).collect();
    for step in &plan.steps {
        if let PlanAction::ScaleOut { node, instance, .. } = &step.action {
            nodes.extend(application.node_named(node).map(|node| (instance.clone(), node)));
        }
    }
    nodes
}

/// What a plan costs, in thousandths: its operations, and every second that an instance exists
/// until the plan ends.
pub fn cost(application: &Application, start: &GlobalState, plan: &Plan) -> u64 {
    let schedule = schedule(application, start, plan);
    let nodes = nodes(application, start, plan);
    let mut sum = 0_u64;
    let mut alive: BTreeMap<&InstanceId, (NodeId, u64)> =
        start.instances.iter().map(|(id, instance)| (id, (instance.node, 0))).collect();
    let mut home: BTreeMap<&InstanceId, &InstanceId> =
        start.vertical.iter().map(|(id, (_, container))| (id, container)).collect();
    let lived = |(node, since): (NodeId, u64), until: u64| {
        let rate = application.type_of(node).cost_per_second.0;
        rate.saturating_mul(until.saturating_sub(since)) / 1000
    };
    let mut steps: Vec<usize> = (0..plan.steps.len()).collect();
    steps.sort_by_key(|step| (schedule.end.get(*step).copied(), *step));
    for step in steps {
        let now = schedule.end.get(step).copied().unwrap_or(0);
        match &plan.steps[step].action {
            PlanAction::Operation { instance, operation } => {
                let component = nodes.get(instance).map(|node| application.type_of(*node));
                let price = component.and_then(|component| {
                    let at = component.operation_named(operation)?;
                    Some(component.operations.get(at.index())?.cost.0)
                });
                sum = sum.saturating_add(price.unwrap_or(0));
            }
            PlanAction::ScaleOut { instance, container, .. } => {
                if let Some(node) = nodes.get(instance) {
                    alive.insert(instance, (*node, now));
                }
                if let Some(container) = container {
                    home.insert(instance, container);
                }
            }
            PlanAction::ScaleIn { instance } => {
                let mut going = vec![instance];
                while let Some(id) = going.pop() {
                    if let Some(life) = alive.remove(id) {
                        sum = sum.saturating_add(lived(life, now));
                    }
                    going.extend(home.iter().filter(|(_, c)| **c == id).map(|(inner, _)| *inner));
                    home.retain(|_, container| *container != id);
                }
            }
        }
    }
    let end = schedule.length.millis;
    alive.into_values().fold(sum, |sum, life| sum.saturating_add(lived(life, end)))
}
