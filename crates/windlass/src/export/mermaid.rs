//! Mermaid flowcharts, for Markdown files and wikis.
//!
//! Mermaid has no rows: what a box provides and requires is written into it, and edges end at
//! boxes. A file holds one chart, so that several drawings become frames side by side.

use std::fmt::Write as _;

use super::drawing::{Direction, Drawing, Item, RowKind, Shape, Stroke};
use super::escape::mermaid;

/// One chart with all drawings.
pub(crate) fn write(drawings: &[Drawing]) -> String {
    match drawings {
        [only] => {
            let mut out = format!("%% {}\nflowchart {}\n", mermaid(&only.title), direction(only));
            write_drawing(&mut out, only, "n", 1);
            out
        }
        several => {
            let titles: Vec<String> = several.iter().map(|d| mermaid(&d.title)).collect();
            let mut out = format!("%% {}\nflowchart TB\n", titles.join("; "));
            for (at, drawing) in several.iter().enumerate() {
                let title = mermaid(&drawing.title);
                let _ = writeln!(out, "  subgraph part{at} [\"{title}\"]");
                let _ = writeln!(out, "    direction {}", direction(drawing));
                write_drawing(&mut out, drawing, &format!("p{at}n"), 2);
                out.push_str("  end\n");
            }
            out
        }
    }
}

fn direction(drawing: &Drawing) -> &'static str {
    match drawing.direction {
        Direction::Right => "LR",
        Direction::Down => "TB",
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth.min(20))
}

/// Boxes, containers around what they contain, then edges.
fn write_drawing(out: &mut String, drawing: &Drawing, prefix: &str, depth: usize) {
    enum Task {
        Open(usize),
        Close,
    }
    let children = drawing.children();
    let mut level = depth;
    let outermost = &children[drawing.items.len()];
    let mut tasks: Vec<Task> = outermost.iter().rev().map(|&item| Task::Open(item)).collect();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Close => {
                level -= 1;
                let _ = writeln!(out, "{}end", indent(level));
            }
            Task::Open(at) if children[at].is_empty() => {
                let _ = writeln!(out, "{}{prefix}{at}{}", indent(level), node(&drawing.items[at]));
            }
            Task::Open(at) => {
                let text = text(&drawing.items[at]);
                let _ = writeln!(out, "{}subgraph {prefix}{at} [\"{text}\"]", indent(level));
                level += 1;
                tasks.push(Task::Close);
                tasks.extend(children[at].iter().rev().map(|&child| Task::Open(child)));
            }
        }
    }
    for edge in &drawing.edges {
        let arrow = match (edge.stroke, edge.arrow) {
            (Stroke::Solid, true) => "-->",
            (Stroke::Solid, false) => "---",
            (_, true) => "-.->",
            (_, false) => "-.-",
        };
        let (from, to) = (edge.from.item, edge.to.item);
        let label = match (edge_label(drawing, edge), arrow) {
            (Some(label), _) => format!("|\"{label}\"|"),
            (None, _) => String::new(),
        };
        let _ = writeln!(out, "{}{prefix}{from} {arrow}{label} {prefix}{to}", indent(depth));
    }
}

/// The roles that an edge between rows connects.
fn edge_label(drawing: &Drawing, edge: &super::drawing::Edge) -> Option<String> {
    use super::drawing::Anchor;
    let (Anchor::Row(from), Anchor::Row(to)) = (edge.from.anchor, edge.to.anchor) else {
        return None;
    };
    let row = |item: usize, row: usize| drawing.items[item].rows.get(row);
    let (from, to) = (row(edge.from.item, from)?, row(edge.to.item, to)?);
    Some(mermaid(&format!("{} → {}", from.text, to.text)))
}

/// The shape of a box around its text.
fn node(item: &Item) -> String {
    let text = text(item);
    match item.shape {
        Shape::Component | Shape::Group => format!("[\"{text}\"]"),
        Shape::State | Shape::InitialState => format!("(\"{text}\")"),
        Shape::Place | Shape::InitialPlace => format!("([\"{text}\"])"),
        Shape::FinalPlace => format!("(((\"{text}\")))"),
        Shape::Action => format!("[/\"{text}\"/]"),
        Shape::Port => format!("{{{{\"{text}\"}}}}"),
    }
}

/// Title, subtitle and rows.
fn text(item: &Item) -> String {
    let mut lines = vec![format!("<b>{}</b>", mermaid(&item.title))];
    if !item.subtitle.is_empty() {
        lines.push(mermaid(&item.subtitle));
    }
    for row in &item.rows {
        let mark = match row.kind {
            RowKind::Provided => "●",
            RowKind::Required => "○",
            RowKind::Hosted => "□",
            RowKind::Unbound => "◌",
        };
        let remark = if row.remark.is_empty() { "" } else { " " };
        let text = mermaid(&format!("{}{remark}{}", row.text, row.remark));
        lines.push(format!("{mark} {text}"));
    }
    lines.join("<br/>")
}
