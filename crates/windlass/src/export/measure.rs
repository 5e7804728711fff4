//! How large things are, in whole units: pixels for SVG, cells for text.
//!
//! Fonts differ from machine to machine, so that widths of letters are estimates on the generous
//! side; in a terminal they are exact.

use super::drawing::{Direction, Item};

/// Which of the fonts a text is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Font {
    /// Titles of boxes.
    Title,
    /// Everything else.
    Small,
}

/// The sizes of a medium.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Metrics {
    /// How wide a text is.
    pub(crate) text_width: fn(&str, Font) -> i32,
    /// The height of a title line.
    pub(crate) title_height: i32,
    /// The height of a subtitle or a row.
    pub(crate) row_height: i32,
    /// Room for the mark before the text of a row.
    pub(crate) mark: i32,
    /// Between the border of a box and its text: to the sides, above and below.
    pub(crate) padding: (i32, i32),
    /// Around what is inside a container: to the sides, above and below.
    pub(crate) inset: (i32, i32),
    /// The least size of a box.
    pub(crate) least: (i32, i32),
    /// Between lines that run side by side: upright ones, level ones.
    pub(crate) line: (i32, i32),
    /// Between boxes: side by side, one above the other.
    pub(crate) boxes: (i32, i32),
    /// Before the first, and after the last turn between two layers: to the right, downward.
    pub(crate) lead: (i32, i32),
    /// See `lead`.
    pub(crate) tail: (i32, i32),
    /// Between two layers when all lines run straight: to the right, downward.
    pub(crate) straight: (i32, i32),
    /// What is shorter than this is never folded: to the right, downward.
    pub(crate) page: (i32, i32),
    /// The wanted width of a picture for one unit of height.
    pub(crate) aspect: f64,
}

/// Pixels.
pub(crate) const PIXELS: Metrics = Metrics {
    text_width: pixel_width,
    title_height: 18,
    row_height: 17,
    mark: 14,
    padding: (12, 8),
    inset: (18, 16),
    least: (80, 28),
    line: (12, 12),
    boxes: (32, 24),
    lead: (16, 14),
    tail: (22, 20),
    straight: (38, 32),
    page: (1800, 4000),
    aspect: 1.6,
};

/// Cells of a terminal, which are about twice as high as wide.
pub(crate) const CELLS: Metrics = Metrics {
    text_width: cell_width,
    title_height: 1,
    row_height: 1,
    mark: 2,
    padding: (2, 1),
    inset: (3, 1),
    least: (7, 3),
    line: (2, 1),
    boxes: (4, 1),
    lead: (2, 1),
    tail: (3, 2),
    straight: (5, 2),
    page: (110, 400),
    aspect: 3.0,
};

/// The size of the text of a box: all of a box that has nothing inside.
pub(super) fn text_size(item: &Item, metrics: &Metrics) -> (i32, i32) {
    let title = (metrics.text_width)(&item.title, Font::Title);
    let subtitle = (metrics.text_width)(&item.subtitle, Font::Small);
    let rows = item.rows.iter().map(|row| row_width(row, metrics));
    let width = rows.chain([title, subtitle]).max().unwrap_or(0) + 2 * metrics.padding.0;
    let height = row_top(item, item.rows.len(), metrics) + metrics.padding.1;
    (width.max(metrics.least.0), height.max(metrics.least.1))
}

fn row_width(row: &super::drawing::Row, metrics: &Metrics) -> i32 {
    let text = (metrics.text_width)(&row.text, Font::Small);
    let remark = if row.remark.is_empty() {
        0
    } else {
        (metrics.text_width)(&format!("  {}", row.remark), Font::Small)
    };
    metrics.mark + text + remark
}

/// Where a row begins, counted from the upper edge of its box.
pub(super) fn row_top(item: &Item, row: usize, metrics: &Metrics) -> i32 {
    let subtitle = if item.subtitle.is_empty() { 0 } else { metrics.row_height };
    metrics.padding.1 + metrics.title_height + subtitle + metrics.row_height * units(row)
}

/// The middle of a row, counted from the upper edge of its box.
pub(super) fn row_middle(item: &Item, row: usize, metrics: &Metrics) -> i32 {
    row_top(item, row, metrics) + metrics.row_height / 2
}

impl Metrics {
    /// The spacing of a layout that runs in a direction.
    pub(super) fn spacing(&self, direction: Direction) -> super::layout::Spacing {
        let right = direction == Direction::Right;
        let across = |pair: (i32, i32)| if right { pair.1 } else { pair.0 };
        let along = |pair: (i32, i32)| if right { pair.0 } else { pair.1 };
        super::layout::Spacing {
            line: across(self.line),
            boxes: across(self.boxes),
            beside: across(self.boxes).min(across(self.line) * 3 / 2),
            track: along(self.line),
            lead: along(self.lead),
            tail: along(self.tail),
            straight: along(self.straight),
            apart: along(self.boxes),
            page: along(self.page),
            centered: i32::from(!right),
            proportion: if right { self.aspect } else { 1.0 / self.aspect },
        }
    }
}

/// How many cells of a terminal a text takes.
pub(super) fn cell_width(text: &str, _: Font) -> i32 {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// An estimate of how many pixels a text takes in a common sans-serif font.
fn pixel_width(text: &str, font: Font) -> i32 {
    let thousandths: i32 = text.chars().map(em_thousandths).sum();
    // Titles are 13 pixels and semibold, the rest is 11 pixels.
    let size = match font {
        Font::Title => 14,
        Font::Small => 11,
    };
    (thousandths * size + 999) / 1000
}

/// The width of a letter in thousandths of the font size, on the generous side.
fn em_thousandths(c: char) -> i32 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' | '['
        | ']' | '{' | '}' | ' ' | 'f' | 't' | 'r' | '/' | '\\' => 420,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 960,
        'A'..='Z' | '&' | '—' | '→' | '×' => 740,
        _ if is_wide(c) => 1050,
        _ => 620,
    }
}

/// Whether a character takes two cells: the blocks of East Asian letters and of pictures.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F300..=0x1FAFF
        | 0x20000..=0x3FFFD)
}

/// A number of things as a number of units; more than fit are as many as fit.
pub(super) fn units(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
