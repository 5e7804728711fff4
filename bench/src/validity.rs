//! Tier T3 on the restart of paper 004 Fig. 4 with more stacks, and what symmetry saves.
//!
//! One stack is a container with a service inside. Every stack is replaced: the old container goes
//! with what it holds, a new one comes up, all stacks side by side with the restart of the web
//! page. The page waits for all new services, as in Fig. 4(b), so the plan is valid and the
//! search cannot stop early.

pub(crate) mod restart;

use windlass::explore::Options;
use windlass::plan::events::{EventId, Events};
use windlass::semantics::replica::compiled::{Bindings, CompiledReplica};
use windlass::semantics::replica::{Action, Creation, Replica};
use windlass::system::{Progress, Unlimited, Verdict};
use windlass::verify::execution::{CompiledExecution, Execution};
use windlass::verify::{explicit, symmetry};

use crate::case::{self, Case, Measurement, Sample, Work};
use restart::Restart;

/// How many stacks are replaced.
const STACKS: [usize; 3] = [2, 4, 6];
/// How many stacks the rate is about.
const RATED: usize = 6;

fn name(stacks: usize, merges: bool) -> String {
    let how = if merges { "symmetric" } else { "explicit" };
    format!("validity/{how}/restart-{stacks}")
}

/// Every case of this topic.
pub(crate) fn cases() -> Vec<Case> {
    let case = |stacks: usize, merges: bool| Case {
        name: name(stacks, merges),
        run: Box::new(move || work(stacks, merges)),
    };
    STACKS.into_iter().flat_map(|stacks| [case(stacks, false), case(stacks, true)]).collect()
}

/// Runs the cases.
pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let mut report = Vec::new();
    for stacks in STACKS {
        let (plain, merged) = (case::best(&name(stacks, false))?, case::best(&name(stacks, true))?);
        if plain.units == 0 || merged.units == 0 {
            return Err(format!("the restart of {stacks} stacks is not valid"));
        }
        if stacks == RATED {
            report.extend(rates(&plain));
        }
        report.extend(savings(stacks, &plain, &merged));
    }
    Ok(report)
}

/// Speed and memory of the plain search.
fn rates(plain: &Sample) -> [Measurement; 3] {
    let note = format!("{RATED} stacks, all {} configurations, one thread", plain.units);
    let each = |bytes: u64| bytes as f64 / plain.units as f64;
    let row = |what: &str, value: f64, unit: &'static str, note: String| Measurement {
        name: format!("{}/{what}", name(RATED, false)),
        value,
        unit,
        note,
    };
    [
        row("speed", plain.rate(), "configurations/s", format!("{note}; wanted: 500,000")),
        row("resident", each(plain.peak), "bytes/configuration", "peak of the process".to_owned()),
        row(
            "memory",
            each(plain.bytes.unwrap_or(0)),
            "bytes/configuration",
            "kept at the end: encoded configuration, parent, table; exact".to_owned(),
        ),
    ]
}

/// What symmetry saves; the time only where it takes some.
fn savings(stacks: usize, plain: &Sample, merged: &Sample) -> Vec<Measurement> {
    let note = format!(
        "{stacks} interchangeable stacks: {} configurations with symmetry, {} without",
        merged.units, plain.units
    );
    let row = |what: &str, value: f64, unit: &'static str| Measurement {
        name: format!("{}/{what}", name(stacks, true)),
        value,
        unit,
        note: note.clone(),
    };
    let mut rows =
        vec![row("configurations", plain.units as f64 / merged.units as f64, "times fewer")];
    if stacks == RATED {
        rows.push(row("time", plain.cpu / merged.cpu, "times faster"));
    }
    rows
}

/// Searches all configurations of the restart of `stacks` stacks; no unit when it is not valid.
fn work(stacks: usize, merges: bool) -> Work {
    match search(stacks, merges) {
        Some(progress) => {
            Work { units: progress.states as u64, bytes: Some(progress.bytes as u64) }
        }
        None => Work { units: 0, bytes: None },
    }
}

fn search(stacks: usize, merges: bool) -> Option<Progress> {
    let Restart { application, start, plan } = restart::restart(stacks)?;
    let mut replica = Replica::new(&application, start.clone())?;
    replica.pool = Creation::planned(&application, &plan);
    let system = CompiledReplica::new(replica, Bindings::AwareOnly)?;
    let events = Events::new(&plan).ok()?;
    let actions: Option<Vec<Action>> =
        events.ids().map(|event| Action::planned(&application, &plan, events.get(event))).collect();
    let actions = actions?;
    let action = |event: EventId| actions[event.index()].clone();
    let options = Options { evidence_limit: 0, ..Options::default() };
    let decision = if merges {
        let groups = symmetry::groups(&application, &start, &plan, &events);
        let part = symmetry::part_of(&groups, &events);
        let execution = Execution::in_parts(&system, &events, action, |event| part[event.index()]);
        let compiled = CompiledExecution::new(&execution);
        let interchange = compiled.interchange(&groups);
        explicit::decide_symmetric(&compiled, &interchange, &options, &mut Unlimited)?
    } else {
        let execution = Execution::new(&system, &events, action);
        let compiled = CompiledExecution::new(&execution);
        explicit::decide_compiled(&compiled, &options, &mut Unlimited)
    };
    matches!(decision.verdict, Verdict::Holds(_)).then_some(decision.progress)
}
