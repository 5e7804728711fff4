//! SVG: one self-contained picture, without scripts, without fonts from elsewhere.
//!
//! Every name is shortened to fit and stands in full in the tooltip. Colors follow the reader's
//! light or dark scheme; the picture brings its own background.

use std::fmt::Write as _;

use super::drawing::{Direction, Drawing, Item, Row, RowKind, Shape, Stroke};
use super::escape::xml;
use super::layout::{self, Layout, Point, Rect};
use super::measure::{self, Font, PIXELS, units};

/// Around the picture and between its parts.
const MARGIN: i32 = 20;
/// The height of a heading.
const HEADING: i32 = 34;
/// The height of a line of notes.
const NOTE: i32 = 18;
/// The radius of corners of lines.
const BEND: i32 = 6;

const STYLE: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;\
font-size:11px;fill:#1f2328}
.heading{font-size:16px;font-weight:600}
.title{font-size:13px;font-weight:600}
.muted,.note{fill:#59636e}
.paper{fill:#ffffff}
.box{fill:#ffffff;stroke:#57606a;stroke-width:1.2}
.around0{fill:#f4f7fb;stroke:#8a99ab;stroke-width:1.2}
.around1{fill:#e8eef6;stroke:#8a99ab;stroke-width:1.2}
.group{fill:#7a4fb0;fill-opacity:.07;stroke:#7a4fb0;stroke-width:1.2;stroke-dasharray:5 3}
.state{fill:#eef5ff;stroke:#2f6f9f;stroke-width:1.2}
.initial{stroke-width:2.6}
.final{stroke-width:1.2}
.action{fill:#fffbea;stroke:#b58a1b;stroke-width:1}
.port{fill:#f6f0ff;stroke:#7a4fb0;stroke-width:1.2}
.halo{paint-order:stroke;stroke:#ffffff;stroke-opacity:.85;stroke-width:4px;stroke-linejoin:round}
.line{fill:none;stroke:#4a5568;stroke-width:1.3}
.head{fill:#4a5568}
.dashed{stroke:#b4341f;stroke-dasharray:6 4}
.dashed-head{fill:#b4341f}
.dotted{stroke:#7a4fb0;stroke-dasharray:2 3}
.dotted-head{fill:#7a4fb0}
.provided{fill:#2f6f9f;stroke:#2f6f9f;stroke-width:1.4}
.required{fill:none;stroke:#2f6f9f;stroke-width:1.4}
.unbound{fill:none;stroke:#c2410c;stroke-width:1.4;stroke-dasharray:2 1.5}
.hosted{fill:none;stroke:#6e7781;stroke-width:1.4}
.warn{fill:#c2410c}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.muted,.note{fill:#9aa5b1}
.paper{fill:#0d1117}
.box{fill:#161b22;stroke:#8b949e}
.around0{fill:#131a24;stroke:#566274}
.around1{fill:#1b2532;stroke:#566274}
.group{fill:#b996e8;stroke:#b996e8}
.state{fill:#12233a;stroke:#6cb0e0}
.action{fill:#2b2512;stroke:#d2a93a}
.port{fill:#241a35;stroke:#b996e8}
.halo{stroke:#0d1117}
.line{stroke:#a8b3c1}
.head{fill:#a8b3c1}
.dashed{stroke:#f0806c}
.dashed-head{fill:#f0806c}
.dotted{stroke:#b996e8}
.dotted-head{fill:#b996e8}
.provided{fill:#6cb0e0;stroke:#6cb0e0}
.required{stroke:#6cb0e0}
.unbound{stroke:#f59e5b}
.hosted{stroke:#9aa5b1}
.warn{fill:#f59e5b}
}
";

/// The drawings, one below the other, as one SVG picture.
pub(crate) fn write(drawings: &[Drawing]) -> String {
    let parts: Vec<Part> = drawings.iter().map(Part::new).collect();
    let width = parts.iter().map(Part::width).max().unwrap_or(0) + 2 * MARGIN;
    let height = parts.iter().map(Part::height).sum::<i32>()
        + 2 * MARGIN
        + MARGIN * (units(parts.len()) - 1).max(0);
    let titles: Vec<&str> = drawings.iter().map(|drawing| drawing.title.as_str()).collect();
    let label = xml(&titles.join("; "));
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">\n\
         <title>{label}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n"
    );
    let mut top = MARGIN;
    for part in &parts {
        let _ = writeln!(out, "<g transform=\"translate({MARGIN} {top})\">");
        part.write(&mut out);
        out.push_str("</g>\n");
        top += part.height() + MARGIN;
    }
    out.push_str("</svg>\n");
    out
}

/// A drawing with the places of everything in it.
struct Part<'a> {
    full: &'a Drawing,
    shown: Drawing,
    layout: Layout,
    notes: Vec<String>,
}

impl<'a> Part<'a> {
    fn new(full: &'a Drawing) -> Self {
        let shown = full.shown();
        let layout = layout::lay_out(&shown, &PIXELS);
        let notes = shown.all_notes(layout.without_lines);
        Part { full, shown, layout, notes }
    }

    fn width(&self) -> i32 {
        let heading = (PIXELS.text_width)(&self.shown.title, Font::Title) * 5 / 4;
        let notes = self.notes.iter().map(|note| (PIXELS.text_width)(note, Font::Small));
        notes.chain([heading, self.layout.width]).max().unwrap_or(0)
    }

    fn height(&self) -> i32 {
        HEADING
            + self.layout.height
            + NOTE * units(self.notes.len())
            + if self.notes.is_empty() { 0 } else { NOTE / 2 }
    }

    fn write(&self, out: &mut String) {
        let _ = writeln!(out, "<text class=\"heading\" y=\"16\">{}</text>", xml(&self.shown.title));
        let _ = writeln!(out, "<g transform=\"translate(0 {HEADING})\">");
        let children = self.shown.children();
        let mut depths = vec![0usize; self.shown.items.len()];
        let mut order = self.shown.innermost_first();
        order.reverse();
        for &item in &order {
            depths[item] = self.shown.items[item].inside.map_or(0, |around| depths[around] + 1);
            if !children[item].is_empty() {
                self.write_frame(out, item, depths[item]);
            }
        }
        for edge in 0..self.shown.edges.len() {
            self.write_edge(out, edge);
        }
        for (item, inside) in children.iter().enumerate().take(self.shown.items.len()) {
            self.write_box(out, item, inside.is_empty());
        }
        out.push_str("</g>\n");
        let mut y = HEADING + self.layout.height + NOTE + NOTE / 4;
        for note in &self.notes {
            let _ = writeln!(out, "<text class=\"note\" y=\"{y}\">{}</text>", xml(note));
            y += NOTE;
        }
    }

    /// The frame of a box that has others inside; lines are drawn over it.
    fn write_frame(&self, out: &mut String, item: usize, depth: usize) {
        let class = match self.shown.items[item].shape {
            Shape::Group => "group".to_owned(),
            _ => format!("around{}", depth % 2),
        };
        rectangle(out, &class, self.layout.boxes[item], 8);
    }

    fn write_box(&self, out: &mut String, at: usize, is_leaf: bool) {
        let (item, rect) = (&self.shown.items[at], self.layout.boxes[at]);
        let _ = write!(out, "<g><title>{}</title>", xml(&tooltip(&self.full.items[at])));
        if is_leaf {
            let (class, radius) = looks(item.shape, rect);
            rectangle(out, class, rect, radius);
            if item.shape == Shape::FinalPlace {
                let inner = Rect {
                    x: rect.x + 3,
                    y: rect.y + 3,
                    width: rect.width - 6,
                    height: rect.height - 6,
                };
                rectangle(out, "state final", inner, radius - 3);
            }
        }
        self.write_texts(out, item, rect, is_leaf);
        out.push_str("</g>\n");
    }

    fn write_texts(&self, out: &mut String, item: &Item, rect: Rect, is_leaf: bool) {
        // Names stand in the middle of small boxes, and on the left where rows follow.
        let centered = is_leaf && item.rows.is_empty();
        // Lines pass the titles of frames of groups.
        let halo = if item.shape == Shape::Group && !is_leaf { " halo" } else { "" };
        let (x, anchor) = if centered {
            (rect.x + rect.width / 2, " text-anchor=\"middle\"")
        } else {
            (rect.x + PIXELS.padding.0, "")
        };
        let text_height = measure::text_size(item, &PIXELS).1;
        let slack = if is_leaf { (rect.height - text_height) / 2 } else { 0 };
        let lines = measure::row_top(item, item.rows.len(), &PIXELS) + PIXELS.padding.1;
        let top = rect.y + slack + (text_height - lines) / 2 * i32::from(centered);
        let y = top + PIXELS.padding.1 + 13;
        let _ = write!(
            out,
            "<text class=\"title{halo}\" x=\"{x}\" y=\"{y}\"{anchor}>{}</text>",
            xml(&item.title)
        );
        if !item.subtitle.is_empty() {
            let y = y + PIXELS.row_height;
            let _ = write!(
                out,
                "<text class=\"muted{halo}\" x=\"{x}\" y=\"{y}\"{anchor}>{}</text>",
                xml(&item.subtitle)
            );
        }
        for (at, row) in item.rows.iter().enumerate() {
            let middle = rect.y + measure::row_middle(item, at, &PIXELS);
            self.write_row(out, row, rect, middle, halo);
        }
    }

    /// A row: its mark and its name. In topologies, what is required stands on the right, where
    /// its line leaves.
    fn write_row(&self, out: &mut String, row: &Row, rect: Rect, middle: i32, halo: &str) {
        let right = self.shown.direction == Direction::Right && row.kind != RowKind::Provided;
        let (side, anchor) = if right {
            (rect.x + rect.width - PIXELS.padding.0, " text-anchor=\"end\"")
        } else {
            (rect.x + PIXELS.padding.0, "")
        };
        let inward = if right { -1 } else { 1 };
        let center = side + 4 * inward;
        let _ = match row.kind {
            RowKind::Hosted => write!(
                out,
                "<rect class=\"hosted\" x=\"{}\" y=\"{}\" width=\"7\" height=\"7\"/>",
                center - 3,
                middle - 3
            ),
            kind => write!(
                out,
                "<circle class=\"{}\" cx=\"{center}\" cy=\"{middle}\" r=\"3.5\"/>",
                match kind {
                    RowKind::Provided => "provided",
                    RowKind::Unbound => "unbound",
                    _ => "required",
                }
            ),
        };
        let warn = if row.kind == RowKind::Unbound { " class=\"warn\"" } else { "" };
        let remark = if row.remark.is_empty() {
            String::new()
        } else {
            format!("<tspan class=\"muted\">  {}</tspan>", xml(&row.remark))
        };
        let (x, y) = (side + PIXELS.mark * inward, middle + 4);
        let class =
            if halo.is_empty() { warn.to_owned() } else { format!(" class=\"{}\"", halo.trim()) };
        let _ = write!(
            out,
            "<text{class} x=\"{x}\" y=\"{y}\"{anchor}>{}{remark}</text>",
            xml(&row.text)
        );
    }

    fn write_edge(&self, out: &mut String, at: usize) {
        let (edge, line) = (&self.shown.edges[at], &self.layout.lines[at]);
        let [.., before, tip] = line[..] else { return };
        let (class, head) = match edge.stroke {
            Stroke::Solid => ("line", "head"),
            Stroke::Dashed => ("line dashed", "dashed-head"),
            Stroke::Dotted => ("line dotted", "dotted-head"),
        };
        let mut corners = line.clone();
        if let Some(last) = corners.last_mut() {
            // The line ends below the arrow, not at its tip.
            if edge.arrow {
                last.x -= 6 * (tip.x - before.x).signum();
                last.y -= 6 * (tip.y - before.y).signum();
            }
        }
        // Drawn from its end, so that the dashes of lines that flow together lie on each other.
        corners.reverse();
        let meaning = xml(&self.full.edges[at].meaning);
        let _ = write!(out, "<g><title>{meaning}</title><path class=\"{class}\" d=\"");
        path(out, &corners);
        out.push_str("\"/>");
        if edge.arrow {
            let (dx, dy) = ((tip.x - before.x).signum(), (tip.y - before.y).signum());
            let (ax, ay) = (tip.x - 9 * dx - 4 * dy, tip.y - 9 * dy - 4 * dx);
            let (bx, by) = (tip.x - 9 * dx + 4 * dy, tip.y - 9 * dy + 4 * dx);
            let (x, y) = (tip.x, tip.y);
            let _ = write!(out, "<path class=\"{head}\" d=\"M{x} {y}L{ax} {ay}L{bx} {by}Z\"/>");
        }
        out.push_str("</g>\n");
    }
}

/// What the tooltip of a box says.
fn tooltip(item: &Item) -> String {
    if item.subtitle.is_empty() {
        item.title.clone()
    } else {
        format!("{} ({})", item.title, item.subtitle)
    }
}

/// The class of a box and the radius of its corners.
fn looks(shape: Shape, rect: Rect) -> (&'static str, i32) {
    let round = rect.height.min(28) / 2;
    match shape {
        Shape::Component | Shape::Group => ("box", 5),
        Shape::State => ("state", 8),
        Shape::InitialState => ("state initial", 8),
        Shape::Place | Shape::FinalPlace => ("state", round),
        Shape::InitialPlace => ("state initial", round),
        Shape::Action => ("action", 4),
        Shape::Port => ("port", 2),
    }
}

fn rectangle(out: &mut String, class: &str, rect: Rect, radius: i32) {
    let Rect { x, y, width, height } = rect;
    let _ = write!(
        out,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
         rx=\"{radius}\"/>"
    );
}

/// A line with rounded corners.
fn path(out: &mut String, corners: &[Point]) {
    for (at, point) in corners.iter().enumerate() {
        let Point { x, y } = *point;
        if at == 0 {
            let _ = write!(out, "M{x} {y}");
        } else if let Some(next) = corners.get(at + 1) {
            let (before, after) = (toward(*point, corners[at - 1]), toward(*point, *next));
            let _ = write!(out, "L{} {}Q{x} {y} {} {}", before.x, before.y, after.x, after.y);
        } else {
            let _ = write!(out, "L{x} {y}");
        }
    }
}

/// The point where the rounding of a corner begins, on the way to another corner.
fn toward(corner: Point, other: Point) -> Point {
    let (dx, dy) = (other.x - corner.x, other.y - corner.y);
    let radius = BEND.min(i32::midpoint(dx.abs(), dy.abs()));
    Point { x: corner.x + radius * dx.signum(), y: corner.y + radius * dy.signum() }
}
