//! Texts, spans, lines and columns, and how further files are read ([`files`]).
//!
//! Every text that a reader has seen stays in one [`Sources`] collection; a [`Span`] is a range
//! of bytes in one of them and is as small as two words, so that every node of a tree and every
//! part of an application can carry one.

pub mod files;
mod log;

pub use log::ReadLog;

/// One text in a [`Sources`] collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// A range of bytes in one source: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the start of `self` to the end of `other`, in the source of `self`.
    #[must_use]
    pub(crate) fn to(self, other: Span) -> Span {
        Span { source: self.source, start: self.start, end: self.end.max(other.end) }
    }

    /// Whether all of `other` lies within.
    #[must_use]
    pub(crate) fn contains(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }
}

/// Where a part of a description was written, for messages only.
///
/// Two descriptions are equal when they say the same thing, wherever they say it; so two origins
/// are always equal, and a type that carries one may still derive `PartialEq`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin(pub Option<Span>);

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

impl From<Span> for Origin {
    fn from(span: Span) -> Self {
        Origin(Some(span))
    }
}

/// A place in a text as people count it: from one, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in Unicode scalar values, from 1.
    pub column: u32,
}

/// One text with its name.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path as the user would write it, or `-` for standard input.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// The place that imported this text, if another text did.
    pub included_from: Option<Span>,
    line_starts: Vec<u32>,
    /// How many characters stand before every [`STRIDE`]th byte, so that a column far to the right
    /// on a line of many megabytes costs as little as any other.
    characters_before: Vec<u32>,
}

/// Distance of two entries of `characters_before`, in bytes.
const STRIDE: usize = 512;

impl Source {
    fn new(name: String, text: String, included_from: Option<Span>) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at as u32 + 1),
        );
        let mut characters_before = vec![0];
        let mut characters = 0;
        for block in text.as_bytes().chunks(STRIDE) {
            characters += count_characters(block);
            characters_before.push(characters);
        }
        Source { name, text, included_from, line_starts, characters_before }
    }

    /// How many characters start before this byte.
    fn characters_until(&self, byte: usize) -> u32 {
        let block = byte / STRIDE;
        let within = &self.text.as_bytes()[block * STRIDE..byte];
        self.characters_before[block] + count_characters(within)
    }

    /// The place of a byte; a byte past the end is the place just behind the last character.
    pub fn position(&self, byte: u32) -> Position {
        let mut byte = (byte as usize).min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.line_starts.partition_point(|start| *start as usize <= byte);
        let start = self.line_starts[line - 1] as usize;
        let before = if byte - start < STRIDE {
            count_characters(&self.text.as_bytes()[start..byte])
        } else {
            self.characters_until(byte) - self.characters_until(start)
        };
        Position { line: line as u32, column: before + 1 }
    }

    /// The first byte of a line, from 1; the end of the text when there is no such line.
    pub fn line_start(&self, line: u32) -> u32 {
        let index = (line as usize).saturating_sub(1);
        self.line_starts.get(index).copied().unwrap_or(self.text.len() as u32)
    }

    /// The text of a line, from 1, without its line break.
    pub fn line(&self, line: u32) -> &str {
        let index = (line as usize).saturating_sub(1);
        let Some(start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |next| *next as usize);
        self.text[*start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// The bytes that start a character: all but UTF-8 continuation bytes.
fn count_characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32
}

/// All texts of one run, in the order in which they were read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    all: Vec<Source>,
    log: ReadLog,
}

impl Sources {
    /// An empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty collection whose parses are counted in this log.
    pub fn with_log(log: ReadLog) -> Self {
        Sources { all: Vec::new(), log }
    }

    /// Counts a parse of a text.
    pub(crate) fn note_parse(&self, id: SourceId) {
        self.log.note_parse(&self.get(id).name);
    }

    /// Takes back a text that was added last, because it turned out to be of no use.
    pub fn take_back(&mut self, id: SourceId) {
        if id.0 as usize + 1 == self.all.len() {
            self.all.pop();
        }
    }

    /// Adds a text and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.add_included(name, text, None)
    }

    /// Adds a text that another text imported.
    pub(crate) fn add_included(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        included_from: Option<Span>,
    ) -> SourceId {
        self.all.push(Source::new(name.into(), text.into(), included_from));
        SourceId(self.all.len() as u32 - 1)
    }

    /// The text with this id.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.all[id.0 as usize]
    }

    /// Every text with its id, in the order of reading.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.all.iter().enumerate().map(|(at, source)| (SourceId(at as u32), source))
    }

    /// The bytes of a span as text; empty when the span does not lie on character boundaries.
    pub(crate) fn slice(&self, span: Span) -> &str {
        self.get(span.source).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// First and last place of a span.
    pub fn positions(&self, span: Span) -> (Position, Position) {
        let source = self.get(span.source);
        (source.position(span.start), source.position(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut sources = Sources::new();
        let id = sources.add("a.yaml", "a: é\nbc: d\n");
        let source = sources.get(id);
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(5), Position { line: 1, column: 5 });
        assert_eq!(source.position(6), Position { line: 2, column: 1 });
        assert_eq!(source.position(4), Position { line: 1, column: 4 }, "inside a character");
        assert_eq!(source.position(999), Position { line: 3, column: 1 });
        assert_eq!(source.line(2), "bc: d");
        assert_eq!(source.line(9), "");
    }

    #[test]
    fn columns_of_a_long_line_agree_with_counting() {
        let mut sources = Sources::new();
        let line = "é".repeat(5000);
        let id = sources.add("a.yaml", format!("x\n{line}"));
        for characters in [0, 1, 2047, 2048, 2049, 4095, 4096, 5000] {
            let position = sources.get(id).position(2 + 2 * characters);
            assert_eq!(position, Position { line: 2, column: characters + 1 });
        }
    }
}
