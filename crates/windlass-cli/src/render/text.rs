//! Findings for people: the message, the lines of the file, and what to do.
//!
//! annotate-snippets draws; this file decides what it gets to see. A line may have megabytes and
//! any character, so every line is cut to a window around the place that is shown, and hidden
//! characters are made visible, before it is handed over.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstream::adapter::strip_str;
use windlass::diagnostic::{Diagnostic, Severity};
use windlass::rule::{self, Tag};
use windlass::source::{Source, Sources, Span};

use super::sarif::imports;
use crate::escape::{push_visible, visible};
use crate::report::{Finding, Report};

/// Lines that are longer, in characters, are cut.
const LONG_LINE: usize = 120;

/// How many characters of a cut line stay before the place that is shown.
const BEFORE: usize = 40;

/// Places that are further apart, in lines, are shown as separate excerpts.
const FAR: u32 = 50;

/// Every finding, and the summary.
pub(super) fn report(report: &Report) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        out.push_str(&one(&report.sources, finding));
        out.push_str("\n\n");
    }
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}", report.summary());
    out
}

/// A place to underline, in an excerpt that is already cut and cleaned.
struct Mark {
    span: Span,
    line: u32,
    primary: bool,
    label: Option<String>,
}

fn one(sources: &Sources, finding: &Finding) -> String {
    let diagnostic = &finding.diagnostic;
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(visible(&diagnostic.message)).id(diagnostic.code);
    let mut group = Group::with_title(title);
    for marks in excerpts(sources, marks(sources, diagnostic)) {
        let is_archive = rule::has_tag(diagnostic.code, Tag::Archive);
        group = excerpt(group, sources, &marks, is_archive);
    }
    for span in imports(sources, diagnostic.primary.source) {
        let at = sources.get(span.source);
        let place = at.position(span.start);
        let from = format!("imported by {}:{}:{}", visible(&at.name), place.line, place.column);
        group = group.element(Level::NOTE.message(from));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(visible(note)));
    }
    if let Some(help) = help(diagnostic) {
        group = group.element(Level::HELP.message(help));
    }
    without_empty_places(&Renderer::styled().render(&[group]))
}

/// What to do: the advice, else what the fix does; and that it can be done by itself.
fn help(diagnostic: &Diagnostic) -> Option<String> {
    let fix = diagnostic.fix.as_ref().map(|fix| &fix.message);
    let help = visible(diagnostic.help.as_ref().or(fix)?);
    Some(if fix.is_some() { format!("{help} (`--fix` does this)") } else { help.into_owned() })
}

/// Without the lines that announce an excerpt of an unnamed file.
///
/// Each excerpt is drawn without a name, behind a line with its place, because the place that the
/// library would compute from a cut and cleaned line is not the one in the file. No other line is
/// just `:::`: lines of the file start with their number, and texts of ours with a word.
fn without_empty_places(drawing: &str) -> String {
    let is_empty_place = |line: &&str| strip_str(line).to_string().trim() == ":::";
    drawing.lines().filter(|line| !is_empty_place(line)).collect::<Vec<_>>().join("\n")
}

/// The finding itself first, then its labels.
fn marks(sources: &Sources, diagnostic: &Diagnostic) -> Vec<Mark> {
    let line = |span: Span| sources.get(span.source).position(span.start).line;
    let span = diagnostic.primary;
    let primary = Mark { span, line: line(span), primary: true, label: None };
    let labels = diagnostic.labels.iter().map(|label| Mark {
        span: label.span,
        line: line(label.span),
        primary: false,
        label: Some(visible(&label.message).into_owned()),
    });
    std::iter::once(primary).chain(labels).collect()
}

/// Puts marks that can be shown in one excerpt together: same file, near, no line that is cut.
fn excerpts(sources: &Sources, marks: Vec<Mark>) -> Vec<Vec<Mark>> {
    let mut excerpts: Vec<Vec<Mark>> = Vec::new();
    for mark in marks {
        let fits = |other: &Mark| {
            let source = sources.get(mark.span.source);
            other.span.source == mark.span.source
                && other.line.abs_diff(mark.line) <= FAR
                && !is_long(source.line(other.line))
                && !is_long(source.line(mark.line))
        };
        match excerpts.iter_mut().find(|excerpt| excerpt.iter().all(fits)) {
            Some(excerpt) => excerpt.push(mark),
            None => excerpts.push(vec![mark]),
        }
    }
    excerpts
}

/// Adds one excerpt with its place to the drawing.
fn excerpt<'a>(group: Group<'a>, sources: &Sources, marks: &[Mark], is_archive: bool) -> Group<'a> {
    let source = sources.get(marks[0].span.source);
    if source.text.is_empty() {
        // An archive, or a file without anything in it: there is no line to show.
        let origin = Origin::path(visible(&source.name).into_owned());
        return group.element(if is_archive { origin } else { origin.line(1).char_column(1) });
    }
    let place = source.position(marks[0].span.start);
    let origin = Origin::path(visible(&source.name).into_owned())
        .line(place.line as usize)
        .char_column(place.column as usize);
    let first = marks.iter().map(|mark| mark.line).min().unwrap_or(place.line);
    let last = marks.iter().map(|mark| mark.line).max().unwrap_or(place.line);
    let mut text = String::new();
    let mut annotations = Vec::new();
    for line in first..=last {
        let here: Vec<&Mark> = marks.iter().filter(|mark| mark.line == line).collect();
        let start = text.len();
        let ranges = push_line(&mut text, source, line, &here);
        for (mark, (from, to)) in here.iter().zip(ranges) {
            let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(from.max(start)..to.max(start));
            annotations.push(annotation.label(mark.label.clone()));
        }
        text.push('\n');
    }
    let snippet = Snippet::source(text).line_start(first as usize).annotations(annotations);
    group.element(origin).element(snippet)
}

/// Appends a line as it may be shown, and says where in `text` each of its marks came to lie.
///
/// A span that goes on over several lines is shown up to the end of its first.
fn push_line(
    text: &mut String,
    source: &Source,
    line: u32,
    marks: &[&Mark],
) -> Vec<(usize, usize)> {
    let content = source.line(line);
    let offset = source.line_start(line);
    let bytes: Vec<(usize, usize)> = marks
        .iter()
        .map(|mark| {
            let from = (mark.span.start.saturating_sub(offset) as usize).min(content.len());
            let to = (mark.span.end.saturating_sub(offset) as usize).clamp(from, content.len());
            (from, to)
        })
        .collect();
    let focus = bytes.first().map_or(0, |(from, _)| *from);
    let (window_start, window_end) = window(content, focus);
    let mut ranges = vec![(usize::MAX, usize::MAX); bytes.len()];
    if window_start > 0 {
        text.push_str("...");
    }
    for (at, character) in content[window_start..window_end].char_indices() {
        settle(&mut ranges, &bytes, window_start + at, text.len());
        if character == '\t' {
            // A tab is as wide as the terminal likes; a mark below must still be below.
            text.push_str("    ");
        } else {
            push_visible(text, character);
        }
    }
    settle(&mut ranges, &bytes, usize::MAX - 1, text.len());
    if window_end < content.len() {
        text.push_str("...");
    }
    ranges
}

/// Notes where marks begin and end that have been reached at byte `at` of the line.
fn settle(ranges: &mut [(usize, usize)], bytes: &[(usize, usize)], at: usize, here: usize) {
    for (range, (from, to)) in ranges.iter_mut().zip(bytes) {
        if range.0 == usize::MAX && *from <= at {
            range.0 = here;
        }
        if range.1 == usize::MAX && *to <= at {
            range.1 = here;
        }
    }
}

/// The part of a line that is shown: all of it, or what is around byte `focus`.
fn window(line: &str, focus: usize) -> (usize, usize) {
    if !is_long(line) {
        return (0, line.len());
    }
    let mut focus = focus;
    while !line.is_char_boundary(focus) {
        focus -= 1;
    }
    let start = line[..focus].char_indices().rev().take(BEFORE).last().map_or(focus, |(at, _)| at);
    let end = line[start..].char_indices().nth(LONG_LINE).map_or(line.len(), |(at, _)| start + at);
    (start, end)
}

fn is_long(line: &str) -> bool {
    line.len() > LONG_LINE && line.chars().nth(LONG_LINE).is_some()
}
