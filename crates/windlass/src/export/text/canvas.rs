//! A grid of cells in which lines join where they meet.

use super::super::drawing::Stroke;
use super::super::layout::Point;
use super::super::measure::{Font, cell_width};

/// Ways out of a cell.
const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// One cell.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// The ways out that a line takes.
    ways: u8,
    /// The looks of the line that came last.
    stroke: Option<Stroke>,
    /// A character that hides the lines.
    over: Option<char>,
    /// Whether the character to the left takes this cell as well.
    covered: bool,
}

/// A grid of cells.
pub(super) struct Canvas {
    width: usize,
    cells: Vec<Cell>,
}

impl Canvas {
    /// An empty canvas.
    pub(super) fn new(width: i32, height: i32) -> Self {
        let size = |side: i32| usize::try_from(side).unwrap_or(0);
        Canvas { width: size(width), cells: vec![Cell::default(); size(width) * size(height)] }
    }

    fn cell(&mut self, x: i32, y: i32) -> Option<&mut Cell> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        if x >= self.width {
            return None;
        }
        self.cells.get_mut(y * self.width + x)
    }

    /// Draws a line through the given corners.
    pub(super) fn line(&mut self, corners: &[Point], stroke: Stroke) {
        for pair in corners.windows(2) {
            let (dx, dy) = ((pair[1].x - pair[0].x).signum(), (pair[1].y - pair[0].y).signum());
            let (out, into) = match (dx, dy) {
                (1, _) => (RIGHT, LEFT),
                (-1, _) => (LEFT, RIGHT),
                (_, 1) => (DOWN, UP),
                _ => (UP, DOWN),
            };
            let mut at = pair[0];
            while at != pair[1] {
                self.open(at, out, stroke);
                at = Point { x: at.x + dx, y: at.y + dy };
                self.open(at, into, stroke);
            }
        }
    }

    fn open(&mut self, at: Point, way: u8, stroke: Stroke) {
        if let Some(cell) = self.cell(at.x, at.y) {
            cell.ways |= way;
            cell.stroke = Some(stroke);
        }
    }

    /// Puts a character over whatever lines are there.
    pub(super) fn put(&mut self, x: i32, y: i32, c: char) {
        if let Some(cell) = self.cell(x, y) {
            cell.over = Some(c);
        }
    }

    /// Puts a part of a border, which joins the lines that are there.
    pub(super) fn put_border(&mut self, x: i32, y: i32, c: char, level: bool) {
        if let Some(cell) = self.cell(x, y) {
            if cell.ways == 0 {
                cell.over = Some(c);
            } else {
                cell.ways |= if level { LEFT | RIGHT } else { UP | DOWN };
            }
        }
    }

    /// Writes a text.
    pub(super) fn write(&mut self, x: i32, y: i32, text: &str) {
        let mut at = x;
        for c in text.chars() {
            self.put(at, y, c);
            let width = cell_width(c.encode_utf8(&mut [0; 4]), Font::Small);
            for covered in at + 1..at + width {
                if let Some(cell) = self.cell(covered, y) {
                    cell.covered = true;
                }
            }
            at += width;
        }
    }

    /// The lines of the canvas, without blanks at their ends.
    pub(super) fn lines(&self) -> Vec<String> {
        let rows = self.cells.chunks(self.width.max(1));
        let line = |row: &[Cell]| {
            let shown: String =
                row.iter().filter(|cell| !cell.covered).map(|cell| cell.shown()).collect();
            shown.trim_end().to_owned()
        };
        rows.map(line).collect()
    }
}

impl Cell {
    fn shown(self) -> char {
        if let Some(c) = self.over {
            return c;
        }
        let level = match self.stroke {
            Some(Stroke::Dashed) => '╌',
            Some(Stroke::Dotted) => '┈',
            _ => '─',
        };
        let upright = match self.stroke {
            Some(Stroke::Dashed) => '╎',
            Some(Stroke::Dotted) => '┊',
            _ => '│',
        };
        const ALL: u8 = UP | DOWN | LEFT | RIGHT;
        match self.ways {
            0 => ' ',
            way if way & (UP | DOWN) == 0 => level,
            way if way & (LEFT | RIGHT) == 0 => upright,
            way if way == DOWN | RIGHT => '┌',
            way if way == DOWN | LEFT => '┐',
            way if way == UP | RIGHT => '└',
            way if way == UP | LEFT => '┘',
            way if way == ALL & !LEFT => '├',
            way if way == ALL & !RIGHT => '┤',
            way if way == ALL & !UP => '┬',
            way if way == ALL & !DOWN => '┴',
            _ => '┼',
        }
    }
}
