//! Pictures for the terminal, made of box-drawing characters.
//!
//! A drawing that is wider than a page is given in words instead: a broken picture is useless,
//! and an outline can be searched.

mod canvas;
mod outline;

use super::drawing::{Direction, Drawing, Item, Row, RowKind, Shape};
use super::layout::{self, Layout, Point, Rect};
use super::measure::{self, CELLS, Font};
use canvas::Canvas;

/// The widest picture, in columns.
pub(crate) const MOST_COLUMNS: i32 = 120;

/// The drawings, one below the other.
pub(crate) fn write(drawings: &[Drawing]) -> String {
    let parts: Vec<String> = drawings.iter().map(part).collect();
    parts.join("\n")
}

fn part(full: &Drawing) -> String {
    let drawing = full.shown();
    let layout = layout::lay_out(&drawing, &CELLS);
    let mut lines = vec![drawing.title.clone(), String::new()];
    if layout.without_lines || layout.width > MOST_COLUMNS {
        lines.extend(outline::lines(&drawing));
    } else {
        lines.extend(picture(&drawing, &layout));
        if !drawing.notes.is_empty() {
            lines.push(String::new());
        }
        lines.extend(drawing.notes.iter().cloned());
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The lines of a picture.
fn picture(drawing: &Drawing, layout: &Layout) -> Vec<String> {
    let mut canvas = Canvas::new(layout.width, layout.height);
    for at in 0..drawing.edges.len() {
        draw_edge(&mut canvas, drawing, layout, at);
    }
    let children = drawing.children();
    for (at, item) in drawing.items.iter().enumerate() {
        let rect = layout.boxes[at];
        border(&mut canvas, item.shape, rect);
        texts(&mut canvas, drawing.direction, item, rect, children[at].is_empty());
    }
    canvas.lines()
}

/// The border of a box; lines that begin or cross here join it.
fn border(canvas: &mut Canvas, shape: Shape, rect: Rect) {
    let [level, upright, corners @ ..] = match shape {
        Shape::State | Shape::Place => ['─', '│', '╭', '╮', '╰', '╯'],
        Shape::InitialState | Shape::InitialPlace => ['━', '┃', '┏', '┓', '┗', '┛'],
        Shape::FinalPlace => ['═', '║', '╔', '╗', '╚', '╝'],
        Shape::Group => ['╌', '╎', '┌', '┐', '└', '┘'],
        Shape::Component | Shape::Action | Shape::Port => ['─', '│', '┌', '┐', '└', '┘'],
    };
    let (right, bottom) = (rect.x + rect.width - 1, rect.y + rect.height - 1);
    for x in rect.x + 1..right {
        canvas.put_border(x, rect.y, level, true);
        canvas.put_border(x, bottom, level, true);
    }
    for y in rect.y + 1..bottom {
        canvas.put_border(rect.x, y, upright, false);
        canvas.put_border(right, y, upright, false);
    }
    let places = [(rect.x, rect.y), (right, rect.y), (rect.x, bottom), (right, bottom)];
    for ((x, y), corner) in places.into_iter().zip(corners) {
        canvas.put(x, y, corner);
    }
}

fn texts(canvas: &mut Canvas, direction: Direction, item: &Item, rect: Rect, is_leaf: bool) {
    let centered = is_leaf && item.rows.is_empty();
    let left = |text: &str| {
        if centered {
            rect.x + (rect.width - measure::cell_width(text, Font::Title)) / 2
        } else {
            rect.x + CELLS.padding.0
        }
    };
    let y = rect.y + CELLS.padding.1;
    canvas.write(left(&item.title), y, &item.title);
    canvas.write(left(&item.subtitle), y + CELLS.title_height, &item.subtitle);
    for (at, row) in item.rows.iter().enumerate() {
        let y = rect.y + measure::row_middle(item, at, &CELLS);
        let text = row_text(row);
        let right = direction == Direction::Right && row.kind != RowKind::Provided;
        let x = if right {
            rect.x + rect.width - CELLS.padding.0 - measure::cell_width(&text, Font::Small)
        } else {
            rect.x + CELLS.padding.0
        };
        canvas.write(x, y, &text);
    }
}

fn row_text(row: &Row) -> String {
    let mark = match row.kind {
        RowKind::Provided => '●',
        RowKind::Required => '○',
        RowKind::Hosted => '□',
        RowKind::Unbound => '◌',
    };
    if row.remark.is_empty() {
        format!("{mark} {}", row.text)
    } else {
        format!("{mark} {}  {}", row.text, row.remark)
    }
}

/// Draws an edge from border to border, with its arrow in the last cell before the border.
fn draw_edge(canvas: &mut Canvas, drawing: &Drawing, layout: &Layout, at: usize) {
    let edge = &drawing.edges[at];
    let mut corners = layout.lines[at].clone();
    let [first, second, ..] = corners[..] else { return };
    let [.., before, last] = corners[..] else { return };
    // Lines run between cells, borders take cells: a line that leaves a box to the right or
    // downward begins one cell earlier, and one that enters it from there ends one earlier.
    let inside = |item: usize, of: usize| is_inside(drawing, item, of);
    let leaves_outward = !inside(edge.to.item, edge.from.item);
    let enters_inward = !inside(edge.from.item, edge.to.item);
    let start = moved(first, second, leaves_outward);
    let end = moved(last, before, enters_inward);
    let count = corners.len();
    corners[0] = start;
    corners[count - 1] = end;
    let (dx, dy) =
        ((end.x - corners[count - 2].x).signum(), (end.y - corners[count - 2].y).signum());
    if edge.arrow {
        let head = Point { x: end.x - dx, y: end.y - dy };
        corners[count - 1] = head;
        canvas.line(&corners, edge.stroke);
        canvas.put(head.x, head.y, arrow(dx, dy));
    } else {
        canvas.line(&corners, edge.stroke);
    }
}

/// The border cell at an end of a line, given the next corner of the line.
fn moved(end: Point, next: Point, from_outside: bool) -> Point {
    let (dx, dy) = ((next.x - end.x).signum(), (next.y - end.y).signum());
    let ahead = dx + dy > 0;
    if ahead == from_outside { Point { x: end.x - dx.abs(), y: end.y - dy.abs() } } else { end }
}

fn arrow(dx: i32, dy: i32) -> char {
    match (dx, dy) {
        (1, _) => '▶',
        (-1, _) => '◀',
        (_, 1) => '▼',
        _ => '▲',
    }
}

/// Whether a box is inside another, at any depth.
fn is_inside(drawing: &Drawing, item: usize, of: usize) -> bool {
    let mut around = drawing.items[item].inside;
    while let Some(at) = around {
        if at == of {
            return true;
        }
        around = drawing.items[at].inside;
    }
    false
}
