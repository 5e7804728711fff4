//! DOT, for Graphviz and everything that reads it.
//!
//! Boxes are tables with a port per row. A container is a cluster that begins with a box of its
//! own, so that edges have something to end at.

use std::fmt::Write as _;

use super::drawing::{Anchor, Direction, Drawing, End, Item, RowKind, Shape, Stroke};
use super::escape::{dot, xml};

/// One graph per drawing, one after the other.
pub(crate) fn write(drawings: &[Drawing]) -> String {
    let graphs: Vec<String> = drawings.iter().map(graph).collect();
    graphs.join("\n")
}

fn graph(drawing: &Drawing) -> String {
    let mut out = String::new();
    let direction = match drawing.direction {
        Direction::Right => "LR",
        Direction::Down => "TB",
    };
    let title = dot(&drawing.title);
    let _ = write!(
        out,
        "digraph \"{title}\" {{\n  label=\"{title}\"\n  labelloc=t\n  rankdir={direction}\n  \
         compound=true\n  node [shape=plain, fontname=\"sans-serif\", fontsize=11]\n  \
         edge [fontname=\"sans-serif\", fontsize=10]\n"
    );
    write_items(&mut out, drawing);
    for edge in &drawing.edges {
        let mut attributes = format!("tooltip=\"{}\"", dot(&edge.meaning));
        match edge.stroke {
            Stroke::Solid => {}
            Stroke::Dashed => attributes.push_str(", style=dashed, color=\"#b4341f\""),
            Stroke::Dotted => attributes.push_str(", style=dotted, color=\"#7a4fb0\""),
        }
        if !edge.arrow {
            attributes.push_str(", arrowhead=none");
        }
        if edge.back {
            attributes.push_str(", constraint=false");
        }
        let (from, to) = (end(edge.from), end(edge.to));
        let _ = writeln!(out, "  {from} -> {to} [{attributes}]");
    }
    out.push_str("}\n");
    out
}

/// The boxes, containers around what they contain; without recursion, however deep they are.
fn write_items(out: &mut String, drawing: &Drawing) {
    enum Task {
        Open(usize),
        Close,
    }
    let children = drawing.children();
    let mut depth = 1;
    let outermost = &children[drawing.items.len()];
    let mut tasks: Vec<Task> = outermost.iter().rev().map(|&item| Task::Open(item)).collect();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Close => {
                depth -= 1;
                let _ = writeln!(out, "{}}}", indent(depth));
            }
            Task::Open(at) => {
                let is_container = !children[at].is_empty();
                if is_container {
                    let style = match drawing.items[at].shape {
                        Shape::Group => "style=\"rounded,dashed\"; color=\"#7a4fb0\"",
                        _ => "style=\"rounded,filled\"; fillcolor=\"#f4f7fb\"",
                    };
                    let _ = writeln!(out, "{}subgraph cluster_{at} {{ {style}", indent(depth));
                    depth += 1;
                    tasks.push(Task::Close);
                }
                let label = table(&drawing.items[at], is_container);
                let _ = writeln!(out, "{}n{at} [label=<{label}>]", indent(depth));
                tasks.extend(children[at].iter().rev().map(|&child| Task::Open(child)));
            }
        }
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth.min(20))
}

/// The label of a box.
fn table(item: &Item, is_container: bool) -> String {
    let (border, style, color) = match item.shape {
        _ if is_container => (0, "", ""),
        Shape::Component | Shape::Group => (1, "", "#ffffff"),
        Shape::State | Shape::Place => (1, "rounded", "#eef5ff"),
        Shape::InitialState | Shape::InitialPlace => (2, "rounded", "#eef5ff"),
        Shape::FinalPlace => (1, "rounded", "#dcebff"),
        Shape::Action => (1, "", "#fffbea"),
        Shape::Port => (1, "", "#f6f0ff"),
    };
    let mut out = format!("<table border=\"{border}\" cellborder=\"0\" cellspacing=\"0\"");
    if !style.is_empty() {
        let _ = write!(out, " style=\"{style}\"");
    }
    if !color.is_empty() {
        let _ = write!(out, " bgcolor=\"{color}\"");
    }
    let _ = write!(out, "><tr><td><b>{}</b></td></tr>", cell(&item.title));
    if !item.subtitle.is_empty() {
        let _ = write!(out, "<tr><td>{}</td></tr>", cell(&item.subtitle));
    }
    for (at, row) in item.rows.iter().enumerate() {
        let (mark, align) = match row.kind {
            RowKind::Provided => ("●", "left"),
            RowKind::Required => ("○", "right"),
            RowKind::Hosted => ("□", "right"),
            RowKind::Unbound => ("◌", "right"),
        };
        let remark = if row.remark.is_empty() { "" } else { "  " };
        let text = cell(&format!("{mark} {}{remark}{}", row.text, row.remark));
        let _ = write!(out, "<tr><td port=\"r{at}\" align=\"{align}\">{text}</td></tr>");
    }
    out.push_str("</table>");
    out
}

/// The text of a cell; Graphviz refuses empty bold text.
fn cell(text: &str) -> String {
    if text.is_empty() { " ".to_owned() } else { xml(text) }
}

fn end(end: End) -> String {
    match end.anchor {
        Anchor::Row(row) => format!("n{}:r{row}", end.item),
        Anchor::Free | Anchor::Shared(_) => format!("n{}", end.item),
    }
}
