//! A failing run as a picture: one column per instance, time downward.
//!
//! Each instance has a line of boxes, one per element it is in; events are rows, what happens by
//! itself stands below its event, and the action that fails ends the picture.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::application::{Application, GlobalState, InstanceId};
use crate::verify::Counterexample;
use crate::verify::effects::element_name;

const ROW: usize = 44;
const COLUMN: usize = 170;
const MARGIN: usize = 260;
/// More columns than this would be unreadable.
const MOST_COLUMNS: usize = 30;

/// The picture, as SVG without scripts or fonts of its own.
pub fn svg(application: &Application, story: &Counterexample) -> String {
    let columns = columns(story);
    let notes: usize = story.steps.iter().map(|step| step.consequences.len()).sum();
    let width = MARGIN + COLUMN * columns.len().max(3) + 20;
    let height = ROW * (story.steps.len() + 5) + 18 * notes + 40;
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"a run of the plan that fails\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
    );
    for (at, id) in columns.iter().enumerate() {
        let x = MARGIN + COLUMN * at + COLUMN / 2;
        text(&mut out, x, 24, "middle", "#1f2937", "bold", &id.0);
        let bottom = height - ROW * 2;
        let _ = writeln!(
            out,
            "<line x1=\"{x}\" y1=\"34\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#cbd5e1\"/>"
        );
    }
    let mut y = 60;
    row(&mut out, application, &columns, y, "(start)", &story.start, None);
    let mut before = &story.start;
    for step in &story.steps {
        y += ROW;
        row(&mut out, application, &columns, y, &step.label, &step.after, Some(before));
        for consequence in &step.consequences {
            y += 18;
            text(&mut out, 30, y + 10, "start", "#b45309", "normal", consequence);
        }
        before = &step.after;
    }
    y += ROW;
    text(&mut out, 12, y, "start", "#b91c1c", "bold", &format!("{} fails", story.label));
    text(&mut out, 12, y + 20, "start", "#b91c1c", "normal", &story.reason);
    out.push_str("</svg>\n");
    out
}

fn columns(story: &Counterexample) -> Vec<&InstanceId> {
    let states = std::iter::once(&story.start).chain(story.steps.iter().map(|step| &step.after));
    let all: BTreeSet<&InstanceId> = states.flat_map(|state| state.instances.keys()).collect();
    all.into_iter().take(MOST_COLUMNS).collect()
}

fn row(
    out: &mut String,
    application: &Application,
    columns: &[&InstanceId],
    y: usize,
    label: &str,
    state: &GlobalState,
    before: Option<&GlobalState>,
) {
    text(out, 12, y + 5, "start", "#1f2937", "normal", label);
    for (at, id) in columns.iter().enumerate() {
        let Some(instance) = state.instances.get(*id) else { continue };
        let earlier = before.and_then(|before| before.instances.get(*id));
        let changed = before.is_some() && earlier != Some(instance);
        let name = element_name(application, instance.node, instance.element);
        let x = MARGIN + COLUMN * at + 8;
        let (fill, stroke) = if changed { ("#dbeafe", "#2563eb") } else { ("#f8fafc", "#94a3b8") };
        let (wide, top) = (COLUMN - 16, y - 13);
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{top}\" width=\"{wide}\" height=\"26\" rx=\"5\" fill=\"{fill}\" \
             stroke=\"{stroke}\"/>"
        );
        text(
            out,
            x + wide / 2,
            y + 5,
            "middle",
            "#1f2937",
            "normal",
            &super::escape::short(&name, 20),
        );
    }
}

fn text(
    out: &mut String,
    x: usize,
    y: usize,
    anchor: &str,
    color: &str,
    weight: &str,
    content: &str,
) {
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{color}\" \
         font-weight=\"{weight}\">{}</text>",
        super::escape::xml(content)
    );
}
