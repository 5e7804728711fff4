//! `windlass plan` as a whole process on tasks of growing size, beside general planners, and
//! recovery from faulted states.
//!
//! *deploy* takes Thinking (paper 004) from nothing to `k` services; *roll* replaces all of them
//! while the page works. Times are by the clock, best of three, from start to exit: reading,
//! planning, ordering, verifying and printing. The planners get their tasks in PDDL, with less to
//! choose from, for `k` up to 4; `k` is where optimal planners stop.

mod pddl;
mod planners;
mod recovery;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::case::{Case, Measurement, Work};
use crate::plans::{self, Run};
use planners::{LIMIT, PLANNERS};

/// The sizes, and up to which of them the planners are asked.
const SIZES: [usize; 6] = [1, 2, 4, 16, 100, 1000];
const PLANNED_ELSEWHERE: usize = 4;
/// Faulted states that are left again.
const RECOVERIES: u64 = 200;

/// A family of tasks: its name, the length of a shortest plan, and its PDDL.
struct Family {
    name: &'static str,
    what: &'static str,
    shortest: fn(usize) -> usize,
    /// The state, and the goal file.
    question: fn(usize) -> (Option<String>, String),
    pddl: fn(usize) -> pddl::Task,
    sizes: &'static [usize],
}

const FAMILIES: [Family; 2] = [
    Family {
        name: "deploy",
        what: "from nothing to k services",
        shortest: |k| 8 * k + 13,
        question: |k| (None, deployed(k)),
        pddl: pddl::deploy,
        sizes: &SIZES,
    },
    Family {
        name: "roll",
        what: "all k services and containers replaced, the page working all along",
        shortest: |k| 9 * k,
        question: |k| (Some(running(k)), replaced(k)),
        pddl: pddl::roll,
        sizes: &SIZES,
    },
];

/// Whole processes are no cases of this program, recovery is.
pub(crate) fn cases() -> Vec<Case> {
    vec![Case {
        name: "synthesis/recovery".to_owned(),
        run: Box::new(|| Work { units: recovery::slowest().unwrap_or(u64::MAX), bytes: None }),
    }]
}

/// Asks every question.
pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let folder = std::env::temp_dir().join(format!("windlass-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    let mut result = Ok(());
    for family in &FAMILIES {
        for &size in family.sizes {
            result = result.and_then(|()| measure_size(family, size, &folder, &mut all));
        }
    }
    let _ = fs::remove_dir_all(&folder);
    result?;
    let slowest = crate::case::quickest("synthesis/recovery")?;
    all.push(Measurement {
        name: "synthesis/recovery/slowest".to_owned(),
        value: slowest.units as f64 / 1000.0,
        unit: "ms",
        note: format!(
            "{RECOVERIES} random faulted states of Thinking with 3 replicas back to everything \
             running, planning, ordering and verifying; wanted: each below 200 ms"
        ),
    });
    Ok(all)
}

fn measure_size(
    family: &Family,
    size: usize,
    folder: &Path,
    all: &mut Vec<Measurement>,
) -> Result<(), String> {
    let name = format!("synthesis/{}/{size}", family.name);
    let (state, goal) = (family.question)(size);
    let run = ask(state.as_deref(), &goal, size, folder)?;
    let answer: Value = serde_json::from_str(&run.text).map_err(|error| error.to_string())?;
    let length = answer["length"].as_u64().unwrap_or_default() as usize;
    let optimal = if answer["optimal"] == true { "optimal" } else { "not proven optimal" };
    let wanted = (family.shortest)(size);
    let mut note = format!("{}; length {length}, {optimal}, wanted {wanted}", family.what);
    let _ = write!(note, "; peak {:.0} MB", run.peak / 1e6);
    let (name, value, unit) = (name, run.seconds * 1000.0, "ms");
    let at = all.len();
    all.push(Measurement { name: name.clone(), value, unit, note: String::new() });
    if size <= PLANNED_ELSEWHERE {
        for planner in PLANNERS {
            let Some(found) = planners::run(planner, &(family.pddl)(size), folder) else {
                let _ = write!(note, "; {} not run", planner.name);
                continue;
            };
            let said = match found.plan {
                Some((length, search)) => format!("length {length}, its search alone {search} s"),
                None => format!("no plan within {LIMIT} s of CPU time"),
            };
            let (name, value) = (format!("{name}/{}", planner.name), found.seconds * 1000.0);
            all.push(Measurement { name, value, unit, note: said });
        }
    }
    all[at].note = note;
    Ok(())
}

fn ask(state: Option<&str>, goal: &str, size: usize, folder: &Path) -> Result<Run, String> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map(|()| path).map_err(|error| error.to_string())
    };
    let application = write("windlass.yaml", plans::THINKING)?;
    let goal = write("up.goal.yaml", goal)?;
    let mut best: Option<Run> = None;
    for _ in 0..if size > 100 { 1 } else { 3 } {
        let mut command = Command::new(plans::windlass()?);
        command.arg("plan").arg(&application).arg("--goal-file").arg(&goal);
        command.args(["--format", "json"]);
        if let Some(state) = state {
            command.arg("--state").arg(write("start.state.yaml", state)?);
        }
        let run = plans::watch(command)?;
        best = best.filter(|known| known.seconds <= run.seconds).or(Some(run));
    }
    best.ok_or_else(|| "no run".into())
}

fn deployed(k: usize) -> String {
    format!(
        "goal: gui=working*1,api=running*{k},node=running*1,maven=running*{k},mongo=running*1\n"
    )
}

fn running(k: usize) -> String {
    let mut text = String::from(
        "state:\n  instances:\n    n1: { node: node, state: running }\n    \
         d1: { node: mongo, state: running }\n    \
         g1: { node: gui, state: working, in: n1, bindings: { backend: a1 } }\n",
    );
    for i in 1..=k {
        let _ = writeln!(text, "    m{i}: {{ node: maven, state: running }}");
        let api = format!("state: running, in: m{i}, bindings: {{ data: d1 }}");
        let _ = writeln!(text, "    a{i}: {{ node: api, {api} }}");
    }
    text
}

fn replaced(k: usize) -> String {
    let old: Vec<String> = (1..=k).map(|i| format!("m{i}=gone,a{i}=gone")).collect();
    format!(
        "goal: {},api=running*{k},maven=running*{k}\nalways: [gui=working*>=1]\n",
        old.join(",")
    )
}
