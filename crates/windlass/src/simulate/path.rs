//! The critical path of a schedule, the slack of everything else, and what each dependency costs.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Scenario, Schedule, simulate, what_if};
use crate::application::NodeId;
use crate::application::assembly::{Assembly, PortId};
use crate::lifecycle::net;

/// Why a run on the critical path did not start earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// It started at once.
    Start,
    /// A transition of the same component had to end first.
    Component,
    /// A port was not ready.
    Port(PortId),
    /// Everything was ready, and there was no room to run, or it was tried again.
    Room,
}

/// A run on the critical path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its number in the schedule.
    pub run: u32,
    /// Why it did not start earlier.
    pub via: Via,
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

fn via(assembly: &Assembly<'_>, schedule: &Schedule, run: u32, trigger: Option<u32>) -> Via {
    let Some(trigger) = trigger else { return Via::Start };
    let mut causes = schedule.causes(run as usize).iter().filter(|cause| cause.run == trigger);
    let port = causes.clone().find_map(|cause| cause.port);
    if let Some(port) = port {
        return Via::Port(port);
    }
    let owner = |run: u32| {
        let id = schedule.runs[run as usize].transition;
        let (component, local) = assembly.local_transition(id);
        (component, assembly.net(component).0, local)
    };
    let (component, net, local) = owner(run);
    let (other, _, before) = owner(trigger);
    let follows = component == other && net.destination_place(before) == net.source_place(local);
    if causes.next().is_some() && follows { Via::Component } else { Via::Room }
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

/// The most dependencies that are tried out, times runs of one simulation.
const MOST_WORK: usize = 2_000_000;

/// What each dependency on the critical path costs: how much earlier all would be over without it,
/// most first. None when trying that out would take too long.
pub fn costs(
    assembly: &Assembly<'_>,
    scenario: &Scenario,
    schedule: &Schedule,
) -> Option<Vec<(NodeId, net::PortId, Duration)>> {
    let ports: BTreeSet<(NodeId, net::PortId)> = critical(assembly, schedule)
        .iter()
        .filter_map(|step| match step.via {
            Via::Port(port) => {
                let (component, local) = assembly.local_port(port);
                Some((assembly.component(component).node, local))
            }
            _ => None,
        })
        .collect();
    if ports.len() * (schedule.runs.len() + assembly.links().len()) > MOST_WORK {
        return None;
    }
    let scenario = Scenario { trace: false, ..scenario.clone() };
    let mut costs = Vec::new();
    for (node, port) in ports {
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
