//! A drawing in words, for those that are too wide for a terminal: one line per box, indented by
//! the boxes around it, with its roles and what its edges say.

use std::collections::BTreeSet;

use super::super::drawing::{Drawing, RowKind, Shape};

/// Boxes in deeper boxes are not indented further.
const DEEPEST: usize = 20;

/// The lines of the outline.
pub(super) fn lines(drawing: &Drawing) -> Vec<String> {
    let children = drawing.children();
    let mut said: BTreeSet<&str> = BTreeSet::new();
    let mut leaving = vec![Vec::new(); drawing.items.len()];
    for edge in &drawing.edges {
        // The two halves of the way through an action say the same.
        if said.insert(&edge.meaning) {
            leaving[edge.from.item].push(&edge.meaning);
        }
    }
    let mut lines = Vec::new();
    let outermost = &children[drawing.items.len()];
    let mut pending: Vec<(usize, usize)> = outermost.iter().rev().map(|&item| (item, 0)).collect();
    while let Some((at, depth)) = pending.pop() {
        let item = &drawing.items[at];
        let indent = "  ".repeat(depth.min(DEEPEST));
        let says_nothing = item.rows.is_empty() && leaving[at].is_empty();
        if item.shape == Shape::Action && says_nothing {
            continue;
        }
        if item.subtitle.is_empty() {
            lines.push(format!("{indent}{}", item.title));
        } else {
            lines.push(format!("{indent}{} ({})", item.title, item.subtitle));
        }
        for row in &item.rows {
            let word = match row.kind {
                RowKind::Provided => "provides",
                RowKind::Required => "requires",
                RowKind::Hosted => "requires around it",
                RowKind::Unbound => "requires, bound to nothing,",
            };
            let remark =
                if row.remark.is_empty() { String::new() } else { format!(" ({})", row.remark) };
            lines.push(format!("{indent}  {word} {}{remark}", row.text));
        }
        for meaning in &leaving[at] {
            lines.push(format!("{indent}  → {meaning}"));
        }
        pending.extend(children[at].iter().rev().map(|&child| (child, depth + 1)));
    }
    lines
}
