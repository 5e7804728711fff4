//! The answer of `windlass simulate --format json`.

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use windlass::simulate::End;
use windlass::simulate::path::DelayedBy;

use super::{Answer, text};

const SCHEMA: &str = "windlass/simulate/1";

/// The answer of `windlass simulate --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/simulate/1", deny_unknown_fields)]
pub(crate) struct SimulateReport {
    /// Always `windlass/simulate/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Whose way of working: madeus, aeolus or kolla.
    mode: &'static str,
    /// Whether every token came to rest on a final place.
    finished: bool,
    /// When the last action ended, in seconds.
    makespan_s: f64,
    /// Where the durations come from: as the file says it, and what replaced them.
    durations_from: Option<String>,
    /// The actions that decide when all is over, first to last.
    critical_path: Vec<CriticalStep>,
    /// Starts and ends of every action, in the order of time.
    events: Vec<Event>,
    /// How much earlier all would be over without a dependency of the critical path, most first; of
    /// many those that were waited for longest; null when that was not tried out.
    dependencies: Option<Vec<Dependency>>,
    /// The makespans of many runs, with --runs.
    runs: Option<Runs>,
    /// The other modes of --as.
    compared: Vec<Compared>,
    /// Why it did not finish.
    waiting: Vec<String>,
}

/// An action on the critical path.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CriticalStep {
    /// `COMPONENT.TRANSITION`.
    transition: String,
    /// When it started, in seconds.
    start_s: f64,
    /// When it ended, in seconds.
    end_s: f64,
    /// Why it did not start earlier: start, component, port, users, retry, turn or room.
    after: &'static str,
    /// The port that it waited for, or that others had to stop using.
    port: Option<String>,
}

/// The start or the end of an action.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Event {
    /// The moment, in seconds.
    at_s: f64,
    /// start, end or timeout.
    #[expect(clippy::struct_field_names, reason = "the key that readers expect")]
    event: &'static str,
    /// `COMPONENT.TRANSITION`.
    transition: String,
    /// Which try it is, from 0.
    attempt: u32,
    /// For an end: how much later it could have been, in seconds.
    slack_s: Option<f64>,
}

/// A dependency of the critical path.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Dependency {
    /// `NODE.PORT`.
    port: String,
    /// How much earlier all would be over without it, in seconds.
    costs_s: f64,
}

/// Many runs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Runs {
    /// How many finished.
    finished: u32,
    /// How many did not.
    unfinished: u32,
    /// How many were not made, because of an interruption.
    left_out: u32,
    /// The mean of the makespans, in seconds.
    mean_s: f64,
    /// The median.
    p50_s: f64,
    /// The 95th percentile.
    p95_s: f64,
}

/// Another mode.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Compared {
    /// Whose way of working.
    mode: &'static str,
    /// Its makespan in seconds; null when it does not finish.
    makespan_s: Option<f64>,
    /// How much shorter than the first mode it is, in percent; negative when longer;
    /// null when one of them does not finish.
    gain_percent: Option<f64>,
}

/// The report.
pub(super) fn report(answer: &Answer<'_>) -> SimulateReport {
    let makespan = answer.schedule.makespan.as_secs_f64();
    SimulateReport {
        schema: SCHEMA,
        mode: answer.scenario.mode.as_str(),
        finished: answer.schedule.is_finished(),
        makespan_s: makespan,
        durations_from: answer.durations_from.clone(),
        critical_path: critical_path(answer),
        events: events(answer),
        dependencies: answer.costs.as_ref().map(|costs| {
            let costs = costs.iter();
            costs
                .map(|(port, costs_s)| Dependency { port: port.clone(), costs_s: *costs_s })
                .collect()
        }),
        runs: answer.statistics.as_ref().map(|statistics| Runs {
            finished: statistics.finished,
            unfinished: statistics.unfinished,
            left_out: statistics.left_out,
            mean_s: statistics.mean.as_secs_f64(),
            p50_s: statistics.median.as_secs_f64(),
            p95_s: statistics.p95.as_secs_f64(),
        }),
        compared: answer
            .others
            .iter()
            .map(|(mode, other)| Compared {
                mode: mode.as_str(),
                makespan_s: *other,
                gain_percent: other
                    .filter(|_| answer.schedule.is_finished())
                    .map(|other| text::gain(makespan, other)),
            })
            .collect(),
        waiting: text::waiting(answer),
    }
}

fn critical_path(answer: &Answer<'_>) -> Vec<CriticalStep> {
    let steps = answer.path.iter().map(|step| {
        let run = &answer.schedule.runs[step.run as usize];
        let (after, _) = text::reason(answer, step);
        let port = match step.via {
            DelayedBy::Port(port) | DelayedBy::Users(port) => Some(answer.assembly.port_name(port)),
            DelayedBy::Start | DelayedBy::Component | DelayedBy::Retry | DelayedBy::Room => None,
        };
        CriticalStep {
            transition: answer.assembly.transition_name(run.transition),
            start_s: run.start.as_secs_f64(),
            end_s: run.end.as_secs_f64(),
            after,
            port,
        }
    });
    steps.collect()
}

/// Sorted by moment; at one moment ends come before the starts that they allow, as they happened.
fn events(answer: &Answer<'_>) -> Vec<Event> {
    let mut order: BTreeSet<(Duration, bool, usize)> = BTreeSet::new();
    for (at, run) in answer.schedule.runs.iter().enumerate() {
        order.insert((run.start, true, at));
        order.insert((run.end, run.start == run.end, at));
    }
    let mut started = vec![false; answer.schedule.runs.len()];
    let mut events = Vec::new();
    for (moment, _, at) in order.into_iter().flat_map(|event| {
        // An action without duration starts and ends at one moment: the set holds it once.
        let run = &answer.schedule.runs[event.2];
        std::iter::repeat_n(event, if run.start == run.end { 2 } else { 1 })
    }) {
        let run = &answer.schedule.runs[at];
        let begins = !std::mem::replace(&mut started[at], true);
        let end = if run.how == End::Done { "end" } else { "timeout" };
        events.push(Event {
            at_s: moment.as_secs_f64(),
            event: if begins { "start" } else { end },
            transition: answer.bars[at].name.clone(),
            attempt: run.attempt,
            slack_s: (!begins).then(|| answer.bars[at].slack.as_secs_f64()),
        });
    }
    events
}
