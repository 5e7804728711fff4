//! The answer of `windlass verify` for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use windlass::application::{GlobalState, InstanceId};
use windlass::verify::effects::{by_subject, element_name};
use windlass::verify::repair::Repair;
use windlass::verify::{Counterexample, Effects, GoalAnswer, Report, Validity};

use super::Request;
use crate::escape;
use crate::report::count;

/// Lines are broken before they become longer than this, where they can be.
const WIDTH: usize = 80;
/// More changes than this are summed up.
const MOST_EFFECTS: usize = 40;

/// The whole answer.
pub(super) fn report(request: &Request, report: &Report, millis: Option<u64>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    if request.contradicts && report.validity == Validity::Valid {
        out.push_str(
            "contradicted: its operations can be carried out in every order, but what the workflow \
             says beside them cannot be.\n",
        );
    } else {
        let _ = writeln!(out, "{}", headline(report));
    }
    for remark in &report.remarks {
        let word = if remark.starts_with(super::CONTRADICTION) { "error" } else { "warning" };
        let _ = writeln!(out, "{word}: {remark}");
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
        tell(request, story, &mut out);
    }
    if let Some(witness) = &report.witness {
        let _ = writeln!(out, "\nAn order that is good for every choice:");
        wrap("  ", witness.iter().cloned(), &mut out);
    }
    repair(request, report, &mut out);
    effects(request, &report.effects, &mut out);
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

fn repair(request: &Request, report: &Report, out: &mut String) {
    let label = |step: usize| &request.plan.steps[step].label;
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
        Some(Repair::GaveUp(tried)) => {
            let _ = writeln!(out, "\nNo repair was found among {tried} orders.");
        }
        Some(Repair::NotNeeded) | None => {}
    }
}

/// The failing run: one line per event, with the instances that it moves and where they are then.
fn tell(request: &Request, story: &Counterexample, out: &mut String) {
    let events = count(story.steps.len(), "event");
    let shortest = if story.shortest { "A shortest" } else { "A" };
    let _ = writeln!(out, "\n{shortest} run that fails, after {events}:\n");
    let mut labels = vec!["(start)"];
    labels.extend(story.steps.iter().map(|step| step.label.as_str()));
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let place = |state: &GlobalState, id: &InstanceId| match state.instances.get(id) {
        Some(instance) => element_name(&request.application, instance.node, instance.element),
        None => "not there".to_owned(),
    };
    let line = |label: &str, state: &GlobalState, ids: &[&InstanceId], out: &mut String| {
        let moved = ids.iter().map(|id| format!("{id} {}", place(state, id)));
        wrap(&format!("  {label:width$}  "), moved, out);
    };
    line("(start)", &story.start, &moving(story), out);
    let mut before = &story.start;
    for step in &story.steps {
        line(&step.label, &step.after, &moved(before, &step.after), out);
        for consequence in &step.consequences {
            let _ = writeln!(out, "    ! {consequence}");
        }
        before = &step.after;
    }
    let _ = writeln!(out, "  {}  FAILS", story.label);
    let _ = writeln!(out, "    {}", story.reason);
}

/// Words with commas between them behind a head, on as many lines as it takes.
fn wrap(head: &str, words: impl Iterator<Item = String>, out: &mut String) {
    let indent = head.chars().count();
    let mut line = head.to_owned();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let comma = if words.peek().is_some() { ", " } else { "" };
        let used = line.chars().count();
        if used > indent && used + word.chars().count() + 1 > WIDTH {
            let _ = writeln!(out, "{}", line.trim_end());
            line = " ".repeat(indent);
        }
        line.push_str(&word);
        line.push_str(comma);
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// The instances that are elsewhere after an event than before it.
fn moved<'a>(before: &'a GlobalState, after: &'a GlobalState) -> Vec<&'a InstanceId> {
    let ids: BTreeSet<_> = before.instances.keys().chain(after.instances.keys()).collect();
    let elsewhere = |id: &&InstanceId| before.instances.get(*id) != after.instances.get(*id);
    ids.into_iter().filter(elsewhere).collect()
}

/// The instances that some event of a story moves, as far as they are there at the start.
fn moving(story: &Counterexample) -> Vec<&InstanceId> {
    let mut all: BTreeSet<&InstanceId> = BTreeSet::new();
    let mut before = &story.start;
    for step in &story.steps {
        all.extend(moved(before, &step.after));
        before = &step.after;
    }
    all.retain(|id| story.start.instances.contains_key(*id));
    all.into_iter().collect()
}

fn effects(request: &Request, effects: &Effects, out: &mut String) {
    for (title, set) in [
        ("What it changes, for certain:", &effects.certain),
        ("What it changes in some runs:", &effects.possible),
    ] {
        if set.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{title}");
        let subjects = by_subject(&request.application, set);
        let all = subjects.len();
        for (subject, changes) in subjects.into_iter().take(MOST_EFFECTS) {
            let _ = writeln!(out, "  {subject}: {}", changes.join("; "));
        }
        if all > MOST_EFFECTS {
            let more = all - MOST_EFFECTS;
            let _ = writeln!(out, "  and {more} more (all of them with --format json)");
        }
    }
}
