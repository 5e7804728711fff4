//! The critical path of a schedule, the slack of everything else, and what each dependency costs.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Scenario, Schedule, simulate, what_if};
use crate::application::NodeId;
use crate::application::assembly::{Assembly, PortId};
use crate::lifecycle::net;

/// Why a run on the critical path did not start earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelayedBy {
    /// It started at once.
    Start,
    /// A transition of the same component had to end first.
    Component,
    /// A use port was not ready.
    Port(PortId),
    /// Its token could not leave a place while a provide port was used.
    Users(PortId),
    /// It failed before, and was tried again.
    Retry,
    /// Everything was ready, and there was no room to run.
    Room,
}

/// A run on the critical path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its number in the schedule.
    pub run: u32,
    /// Why it did not start earlier.
    pub via: DelayedBy,
}

/// The runs that decide when all is over, first to last: each one started when the one before it
/// ended. Of several such paths the one to the run that started last.
pub fn critical(assembly: &Assembly<'_>, schedule: &Schedule) -> Vec<Step> {
    let ends = |run: &&super::Run| run.end == schedule.makespan;
    let last = schedule.runs.iter().rposition(|run| ends(&run));
    let mut next = last.map(|at| at as u32);
    let mut path = Vec::new();
    while let Some(run) = next {
        let trigger = schedule.runs[run as usize].trigger;
        path.push(Step { run, via: via(assembly, schedule, run, trigger) });
        next = trigger;
    }
    path.reverse();
    path
}

fn via(assembly: &Assembly<'_>, schedule: &Schedule, run: u32, trigger: Option<u32>) -> DelayedBy {
    let Some(trigger) = trigger else { return DelayedBy::Start };
    if schedule.runs[run as usize].attempt > 0 {
        return DelayedBy::Retry;
    }
    let mut causes = schedule.causes(run as usize).iter().filter(|cause| cause.run == trigger);
    let port = causes.clone().find_map(|cause| cause.port);
    if let Some(port) = port {
        let (component, local) = assembly.local_port(port);
        let is_own_offer = assembly.net(component).0.port(local).kind == net::PortKind::Provide;
        return if is_own_offer { DelayedBy::Users(port) } else { DelayedBy::Port(port) };
    }
    let owner = |run: u32| {
        let id = schedule.runs[run as usize].transition;
        let (component, local) = assembly.local_transition(id);
        (component, assembly.net(component).0, local)
    };
    let (component, net, local) = owner(run);
    let (other, _, before) = owner(trigger);
    let behavior = |id| &net.transition(id).behavior;
    let follows = component == other
        && (net.destination_place(before) == net.source_place(local)
            || behavior(before) != behavior(local));
    if causes.next().is_some() && follows { DelayedBy::Component } else { DelayedBy::Room }
}

/// How much later each run could end without the whole ending later.
pub fn slack(schedule: &Schedule) -> Vec<Duration> {
    let mut latest = vec![schedule.makespan; schedule.runs.len()];
    for at in (0..schedule.runs.len()).rev() {
        let run = schedule.runs[at];
        let start = latest[at].saturating_sub(run.end.saturating_sub(run.start));
        for cause in schedule.causes(at) {
            let before = &mut latest[cause.run as usize];
            *before = start.min(*before);
        }
    }
    let runs = schedule.runs.iter().zip(latest);
    runs.map(|(run, latest)| latest.saturating_sub(run.end)).collect()
}

/// The most dependencies that are tried out, times runs and connections of one simulation.
const MOST_WORK: usize = 200_000;

/// What dependencies on the critical path cost: how much earlier all would be over without them,
/// most first. In a large assembly only those are tried out that were waited for longest; none when
/// even one would take too long.
pub fn costs(
    assembly: &Assembly<'_>,
    scenario: &Scenario,
    schedule: &Schedule,
) -> Option<Vec<(NodeId, net::PortId, Duration)>> {
    let waited = waited(assembly, schedule);
    let most = MOST_WORK / (schedule.runs.len() + assembly.links().len()).max(1);
    if most == 0 && !waited.is_empty() {
        return None;
    }
    let scenario = Scenario { trace: false, ..scenario.clone() };
    let mut costs = Vec::new();
    for (node, port) in waited.into_iter().take(most) {
        let change = what_if::Change::Without { node, port };
        let without = what_if::apply(assembly.application(), &[change]);
        let Ok(without) = Assembly::new(&without).map(|assembly| simulate(&assembly, &scenario))
        else {
            continue;
        };
        costs.push((node, port, schedule.makespan.saturating_sub(without.makespan)));
    }
    costs.sort_by_key(|(node, port, saved)| (std::cmp::Reverse(*saved), *node, *port));
    Some(costs)
}

/// The dependencies on the critical path, by how long all other causes were over before them: so
/// much can be won at most, where nothing else limits what runs.
fn waited(assembly: &Assembly<'_>, schedule: &Schedule) -> Vec<(NodeId, net::PortId)> {
    let mut waited: BTreeMap<(NodeId, net::PortId), Duration> = BTreeMap::new();
    for step in critical(assembly, schedule) {
        let DelayedBy::Port(port) = step.via else { continue };
        let (component, local) = assembly.local_port(port);
        let causes = schedule.causes(step.run as usize).iter();
        let others = causes.filter(|cause| cause.port != Some(port));
        let ready = others.map(|cause| schedule.runs[cause.run as usize].end).max();
        let start = schedule.runs[step.run as usize].start;
        let key = (assembly.component(component).node, local);
        *waited.entry(key).or_default() += start.saturating_sub(ready.unwrap_or_default());
    }
    let mut all: Vec<_> = waited.into_iter().collect();
    all.sort_by_key(|(key, waited)| (std::cmp::Reverse(*waited), *key));
    all.into_iter().map(|(key, _)| key).collect()
}
