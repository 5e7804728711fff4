//! What every picture is made from: boxes inside boxes, rows in boxes, edges between them.
//!
//! A drawing says what is to be seen and nothing of where. `super::layout` finds places for it;
//! the writers turn it into text. Names are kept as the author wrote them, each writer escapes
//! them for its own format.
//!
//! Invariant: indices are valid, and the `inside` relation is a forest (`Drawing::put` keeps it).

use super::escape::{short, visible};

/// Which way the edges run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From left to right: topologies, whose rows want room to the sides.
    Right,
    /// From top to bottom: life cycles.
    Down,
}

/// What a box stands for; decides its looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Shape {
    /// A node of a topology; a container when others are inside.
    Component,
    /// A state of a protocol.
    State,
    /// The initial state of a protocol.
    InitialState,
    /// A place of a net.
    Place,
    /// An initial place of a net.
    InitialPlace,
    /// A final place of a net.
    FinalPlace,
    /// An operation of a protocol or a transition of a net: a label on the way between two
    /// states or places.
    Action,
    /// A port of a net.
    Port,
    /// A group of a net: a frame around places.
    Group,
}

/// What a row of a box says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RowKind {
    /// A role that the box provides.
    Provided,
    /// A role that the box requires, bound to a provider.
    Required,
    /// A role that the box requires and that nothing provides.
    Unbound,
    /// A role that is bound to the box around.
    Hosted,
}

/// A row of a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// What it says.
    pub(crate) kind: RowKind,
    /// The name of the role.
    pub(crate) text: String,
    /// Something short about it, e.g. "all"; empty for nothing.
    pub(crate) remark: String,
}

/// A box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// What it stands for.
    pub(crate) shape: Shape,
    /// The first line.
    pub(crate) title: String,
    /// The second line; empty for none.
    pub(crate) subtitle: String,
    /// Further lines; edges can attach to them.
    pub(crate) rows: Vec<Row>,
    /// The box around it.
    pub(crate) inside: Option<usize>,
}

/// Where at a box an edge ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Anchor {
    /// Anywhere on the side that suits.
    Free,
    /// At a row.
    Row(usize),
    /// Anywhere, but together with the other edges of the same number, as at a dock.
    Shared(usize),
}

/// One end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct End {
    /// The box.
    pub(crate) item: usize,
    /// Where at the box.
    pub(crate) anchor: Anchor,
}

impl End {
    /// An end anywhere at a box.
    pub(crate) fn at(item: usize) -> Self {
        End { item, anchor: Anchor::Free }
    }

    /// An end at a row of a box.
    pub(crate) fn row(item: usize, row: usize) -> Self {
        End { item, anchor: Anchor::Row(row) }
    }
}

/// How an edge is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Stroke {
    /// Operations, bindings, the flow of a net.
    Solid,
    /// Fault handlers.
    Dashed,
    /// Ports of a net.
    Dotted,
}

/// An edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Where it starts.
    pub(crate) from: End,
    /// Where it ends.
    pub(crate) to: End,
    /// How it is drawn.
    pub(crate) stroke: Stroke,
    /// Whether it has an arrow at its end; the first half of a way through an action has none.
    pub(crate) arrow: bool,
    /// Whether it leads back, against the direction of the drawing.
    pub(crate) back: bool,
    /// What it says in words, for tooltips and outlines.
    pub(crate) meaning: String,
}

/// A picture before it is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// Its heading.
    pub(crate) title: String,
    /// Which way the edges run.
    pub(crate) direction: Direction,
    /// The boxes.
    pub(crate) items: Vec<Item>,
    /// The edges.
    pub(crate) edges: Vec<Edge>,
    /// Sentences below the picture.
    pub(crate) notes: Vec<String>,
}

impl Drawing {
    /// A picture with nothing in it.
    pub(crate) fn new(title: impl Into<String>, direction: Direction) -> Self {
        let (items, edges, notes) = (Vec::new(), Vec::new(), Vec::new());
        Drawing { title: title.into(), direction, items, edges, notes }
    }

    /// Adds a box and says its index.
    pub(crate) fn add(&mut self, shape: Shape, title: impl Into<String>) -> usize {
        let (subtitle, rows) = (String::new(), Vec::new());
        self.items.push(Item { shape, title: title.into(), subtitle, rows, inside: None });
        self.items.len() - 1
    }

    /// Adds a row to a box and says its index.
    pub(crate) fn add_row(
        &mut self,
        item: usize,
        kind: RowKind,
        text: &str,
        remark: String,
    ) -> usize {
        let rows = &mut self.items[item].rows;
        rows.push(Row { kind, text: text.to_owned(), remark });
        rows.len() - 1
    }

    /// Adds a solid arrow; the caller may change its looks.
    pub(crate) fn connect(&mut self, from: End, to: End, meaning: impl Into<String>) -> &mut Edge {
        let (stroke, arrow, back, meaning) = (Stroke::Solid, true, false, meaning.into());
        self.edges.push(Edge { from, to, stroke, arrow, back, meaning });
        let last = self.edges.len() - 1;
        &mut self.edges[last]
    }

    /// Puts a box inside another, unless that would close a cycle; says whether it did.
    pub(crate) fn put(&mut self, item: usize, around: usize) -> bool {
        let mut ancestor = Some(around);
        while let Some(at) = ancestor {
            if at == item {
                return false;
            }
            ancestor = self.items[at].inside;
        }
        self.items[item].inside = Some(around);
        true
    }

    /// The boxes directly inside each box, and last those that are in no box.
    pub(crate) fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.items.len() + 1];
        for (at, item) in self.items.iter().enumerate() {
            children[item.inside.unwrap_or(self.items.len())].push(at);
        }
        children
    }

    /// Every box after the boxes that are inside it.
    pub(crate) fn innermost_first(&self) -> Vec<usize> {
        let children = self.children();
        let mut order = Vec::with_capacity(self.items.len());
        let mut pending = children[self.items.len()].clone();
        while let Some(at) = pending.pop() {
            order.push(at);
            pending.extend(&children[at]);
        }
        order.reverse();
        order
    }

    /// The same picture with names that can be shown: visible, and not too long.
    pub(super) fn shown(&self) -> Drawing {
        let show = |text: &str| short(&visible(text), MOST_CHARACTERS);
        let mut shown = self.clone();
        shown.title = short(&visible(&shown.title), 2 * MOST_CHARACTERS);
        for item in &mut shown.items {
            item.title = show(&item.title);
            item.subtitle = show(&item.subtitle);
            for row in &mut item.rows {
                row.text = show(&row.text);
                row.remark = show(&row.remark);
            }
        }
        for edge in &mut shown.edges {
            edge.meaning = visible(&edge.meaning);
        }
        for note in &mut shown.notes {
            *note = visible(note);
        }
        shown
    }

    /// The notes, and one more when the picture was too large for lines.
    pub(super) fn all_notes(&self, without_lines: bool) -> Vec<String> {
        let mut notes = self.notes.clone();
        if without_lines {
            notes.push(format!(
                "{} boxes and {} edges are too many to draw lines; dot and mermaid have them all",
                self.items.len(),
                self.edges.len()
            ));
        }
        notes
    }
}

/// Longer names are cut in pictures; tooltips and interchange formats have them in full.
const MOST_CHARACTERS: usize = 40;
