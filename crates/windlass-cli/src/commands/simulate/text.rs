//! The answer of `windlass simulate` for people.

use std::fmt::Write as _;

use windlass::export::gantt;
use windlass::simulate::End;
use windlass::simulate::path::{DelayedBy, Step};

use super::Answer;

/// More bars than this are no picture.
const MOST_BARS: usize = 60;
/// More lines than this are not read.
const MOST_LINES: usize = 40;

/// How much shorter `other` is than `first`, in percent.
pub(super) fn gain(first: f64, other: f64) -> f64 {
    if first > 0.0 { (first - other) / first * 100.0 } else { 0.0 }
}

/// The whole answer.
pub(super) fn text(answer: &Answer<'_>) -> String {
    let mut out = String::new();
    let schedule = &answer.schedule;
    let mode = answer.scenario.mode.as_str();
    let makespan = schedule.makespan.as_secs_f64();
    if schedule.is_finished() {
        let _ = writeln!(out, "makespan {makespan:.3} s ({mode})");
    } else {
        let _ = writeln!(out, "does not finish; the last action ends at {makespan:.3} s ({mode})");
        for line in waiting(answer).iter().take(MOST_LINES) {
            let _ = writeln!(out, "  {line}");
        }
    }
    let late = schedule.runs.iter().filter(|run| run.how == End::TimedOut).count();
    let _ = writeln!(out, "actions  {} run, {late} of them timed out", schedule.runs.len());
    if let Some(statistics) = &answer.statistics {
        let _ = writeln!(
            out,
            "runs     {} finished, {} did not: mean {:.3} s, median {:.3} s, 95th percentile {:.3} s",
            statistics.finished,
            statistics.unfinished,
            statistics.mean.as_secs_f64(),
            statistics.median.as_secs_f64(),
            statistics.p95.as_secs_f64(),
        );
        if statistics.left_out > 0 {
            let _ =
                writeln!(out, "         {} more were not made: interrupted", statistics.left_out);
        }
    }
    compared(answer, &mut out);
    critical_path(answer, &mut out);
    if answer.bars.len() <= MOST_BARS {
        out.push('\n');
        out.push_str(&gantt::text(&answer.bars, schedule.makespan, 50));
    }
    out
}

fn compared(answer: &Answer<'_>, out: &mut String) {
    if answer.others.is_empty() {
        return;
    }
    let first = answer.schedule.makespan.as_secs_f64();
    let is_finished = answer.schedule.is_finished();
    let took = if is_finished { format!("{first:.3} s") } else { "does not finish".to_owned() };
    let _ = writeln!(out, "\ncompared with {} ({took})", answer.scenario.mode.as_str());
    for (mode, other) in &answer.others {
        let line = match other {
            Some(other) if is_finished => {
                format!("{other:.3} s, {:+.1} %", -gain(first, *other))
            }
            Some(other) => format!("{other:.3} s"),
            None => "does not finish".to_owned(),
        };
        let _ = writeln!(out, "  {:8} {line}", mode.as_str());
    }
    let from = answer.durations_from.as_deref();
    let from = from.unwrap_or("the file, which does not say how they were found");
    let _ = writeln!(out, "  the durations of all of them are from: {from}");
    let _ = writeln!(out, "  (what was measured under load takes less time when fewer run)");
    if answer.statistics.is_some() {
        let _ = writeln!(out, "  (one run each, with the first seed)");
    }
}

fn critical_path(answer: &Answer<'_>, out: &mut String) {
    let _ = writeln!(out, "\ncritical path");
    for step in answer.path.iter().take(MOST_LINES) {
        let run = &answer.schedule.runs[step.run as usize];
        let (_, why) = reason(answer, step);
        let _ = writeln!(
            out,
            "  {:30} {:>10.3} - {:>10.3} s  {why}",
            answer.assembly.transition_name(run.transition),
            run.start.as_secs_f64(),
            run.end.as_secs_f64(),
        );
    }
    if answer.path.len() > MOST_LINES {
        let _ = writeln!(out, "  ... and {} more", answer.path.len() - MOST_LINES);
    }
    match answer.costs.as_ref().and_then(|costs| costs.first()) {
        Some((port, saved)) if *saved > 0.0 => {
            // Each one is tried out by a run of its own, and a large assembly has too many.
            let tried = answer.costs.as_ref().map_or(0, Vec::len);
            let waits =
                answer.path.iter().filter(|step| matches!(step.via, DelayedBy::Port(_))).count();
            let of = if tried < waits {
                format!(" (of the {tried} that were tried, of {waits})")
            } else {
                String::new()
            };
            let _ = writeln!(out, "dependency that costs most: {port}, {saved:.3} s{of}");
        }
        _ => {}
    }
}

/// Why an action of the critical path did not start earlier: a word for programs, and for people.
pub(super) fn reason(answer: &Answer<'_>, step: &Step) -> (&'static str, String) {
    let assembly = answer.assembly;
    match step.via {
        DelayedBy::Start => ("start", "at once".to_owned()),
        DelayedBy::Component => ("component", "after the one before".to_owned()),
        DelayedBy::Port(port) if answer.is_plan => {
            // The port of an edge is called `ACTION after INSTANCE.ACTION`.
            let (component, local) = assembly.local_port(port);
            let name = &assembly.net(component).0.port(local).name;
            let earlier = name.find("after ").map_or(name.as_str(), |at| &name[at..]);
            ("port", earlier.to_owned())
        }
        DelayedBy::Port(port) => ("port", format!("waits for port {}", assembly.port_name(port))),
        DelayedBy::Users(port) => {
            ("users", format!("waits until nothing uses {}", assembly.port_name(port)))
        }
        DelayedBy::Retry => ("retry", "tried again".to_owned()),
        DelayedBy::Room if answer.waits_for_turn(step) => ("turn", "waits for its turn".to_owned()),
        DelayedBy::Room => ("room", "waits for room".to_owned()),
    }
}

/// Why a run did not finish, one line each.
pub(super) fn waiting(answer: &Answer<'_>) -> Vec<String> {
    answer.schedule.waiting.iter().map(|why| why.describe(answer.assembly)).collect()
}
