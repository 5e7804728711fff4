//! The answer of `windlass verify` for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use windlass::analysis::validity::repair::Repair;
use windlass::application::{GlobalState, InstanceId};
use windlass::verify::effects::{by_subject, element_name};
use windlass::verify::{Counterexample, Effects, GoalAnswer, Report, Validity};

use super::Asked;
use crate::escape;

/// More columns than this are left out of the table of a story.
const MOST_COLUMNS: usize = 12;
/// More changes than this are summed up.
const MOST_EFFECTS: usize = 40;

/// The whole answer.
pub(super) fn report(asked: &Asked, report: &Report, millis: Option<u64>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "{}", headline(report));
    for remark in &report.remarks {
        let _ = writeln!(out, "warning: {remark}");
    }
    match report.goal {
        Some(GoalAnswer::Met) if report.validity == Validity::Valid => {
            out.push_str("The goal is met.\n");
        }
        Some(GoalAnswer::Met) => out.push_str("The goal is met by the order that is good.\n"),
        Some(GoalAnswer::NotMet) => out.push_str("The goal is NOT met.\n"),
        Some(GoalAnswer::Sometimes) => out.push_str("The goal is met in some runs only.\n"),
        None => {}
    }
    if let Some(story) = &report.counterexample {
        tell(asked, story, &mut out);
    }
    if let Some(witness) = &report.witness {
        let _ = writeln!(out, "\nAn order that is good for every choice:");
        let _ = writeln!(out, "  {}", witness.join(", "));
    }
    repair(asked, report, &mut out);
    effects(asked, &report.effects, &mut out);
    let _ = writeln!(out, "\nevidence: {}", report.evidence);
    if let Some(millis) = millis {
        let _ = writeln!(out, "tier {}, {} states, {millis} ms", report.tier, report.states);
    }
    escape::visible_lines(&out)
}

fn headline(report: &Report) -> String {
    match report.validity {
        Validity::Valid => {
            let how = match report.tier {
                "T1" => "Every order can be carried out, and nothing ever faults.",
                _ => "Every order can be carried out, whatever the choices and faults.",
            };
            let end = match report.deterministic {
                Some(true) => " It always ends with the same instances in the same states.",
                Some(false) => " It can end in different states.",
                None => "",
            };
            format!("valid: {how}{end}")
        }
        Validity::WeaklyValid => {
            "weakly valid: some order is good for every choice, but not every order is.".to_owned()
        }
        Validity::NotValid => "not valid: no order is good for every choice.".to_owned(),
        Validity::Unknown(reason) => format!("unknown: {reason}."),
    }
}

fn repair(asked: &Asked, report: &Report, out: &mut String) {
    let label = |step: usize| &asked.plan.steps[step].label;
    match &report.repair {
        Some(Repair::Edges(edges)) => {
            let _ = writeln!(out, "\nWith all of these order edges the plan is free of faults:");
            for (before, after) in edges {
                let _ = writeln!(out, "  `{}` before `{}`", label(*before), label(*after));
            }
        }
        Some(Repair::Impossible) => {
            let _ = writeln!(out, "\nNo order of whole actions is free of faults.");
        }
        Some(Repair::GaveUp(asked)) => {
            let _ = writeln!(out, "\nNo repair was found among {asked} orders.");
        }
        Some(Repair::NotNeeded) | None => {}
    }
}

/// The failing run as a table: one line per event, one column per instance that matters.
fn tell(asked: &Asked, story: &Counterexample, out: &mut String) {
    let events = story.steps.len();
    let shortest = if story.shortest { "A shortest" } else { "A" };
    let _ = writeln!(out, "\n{shortest} run that fails, after {events} events:\n");
    let columns = columns(story);
    let cell = |state: &GlobalState, id: &InstanceId| match state.instances.get(id) {
        Some(instance) => element_name(&asked.application, instance.node, instance.element),
        None => "-".to_owned(),
    };
    let mut rows: Vec<Vec<String>> = vec![Vec::new()];
    rows[0].push(String::new());
    rows[0].extend(columns.iter().map(ToString::to_string));
    let mut row = |label: &str, state: &GlobalState| {
        let mut cells = vec![label.to_owned()];
        cells.extend(columns.iter().map(|id| cell(state, id)));
        rows.push(cells);
    };
    row("(start)", &story.start);
    for step in &story.steps {
        row(&step.label, &step.after);
    }
    let widths: Vec<usize> = (0..=columns.len())
        .map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0))
        .collect();
    for (at, row) in rows.iter().enumerate() {
        let line: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        let _ = writeln!(out, "  {}", line.join("  ").trim_end());
        let step = at.checked_sub(2).and_then(|at| story.steps.get(at));
        for consequence in step.into_iter().flat_map(|step| &step.consequences) {
            let _ = writeln!(out, "    ! {consequence}");
        }
    }
    let _ = writeln!(out, "  {}  FAILS", story.label);
    let _ = writeln!(out, "    {}", story.reason);
}

/// The instances that change in a story, or all when they are few.
fn columns(story: &Counterexample) -> Vec<&InstanceId> {
    let states = || std::iter::once(&story.start).chain(story.steps.iter().map(|s| &s.after));
    let all: BTreeSet<&InstanceId> = states().flat_map(|state| state.instances.keys()).collect();
    if all.len() <= MOST_COLUMNS {
        return all.into_iter().collect();
    }
    let changes = |id: &&InstanceId| {
        let mut elements = states().map(|state| state.instances.get(*id));
        let first = elements.next();
        elements.any(|element| Some(element) != first)
    };
    all.into_iter().filter(changes).take(MOST_COLUMNS).collect()
}

fn effects(asked: &Asked, effects: &Effects, out: &mut String) {
    for (title, set) in [
        ("What it changes, for certain:", &effects.certain),
        ("What it changes in some runs:", &effects.possible),
    ] {
        if set.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{title}");
        let subjects = by_subject(&asked.application, set);
        let count = subjects.len();
        for (subject, changes) in subjects.into_iter().take(MOST_EFFECTS) {
            let _ = writeln!(out, "  {subject}: {}", changes.join("; "));
        }
        if count > MOST_EFFECTS {
            let more = count - MOST_EFFECTS;
            let _ = writeln!(out, "  and {more} more (all of them with --format json)");
        }
    }
}
