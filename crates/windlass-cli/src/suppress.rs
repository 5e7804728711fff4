//! Comments that suppress findings: `# windlass: ignore[CODE, CODE] reason`.
//!
//! A comment behind something is about its own line. A comment that stands alone is about the next
//! line that is neither a comment nor empty. A reason is asked for, and a comment that suppresses
//! nothing is reported: otherwise old ones would never be removed.

use std::collections::BTreeSet;

use windlass::diagnostic::{Diagnostic, Severity};
use windlass::rule;
use windlass::source::{SourceId, Sources, Span};
use windlass::spelling;

const MARKER: &str = "windlass: ignore[";

/// One code in one comment.
struct Suppression {
    /// The line whose findings it suppresses, from 1.
    line: u32,
    code: String,
    /// Where the code is written.
    span: Span,
    used: bool,
}

/// Takes away what comments suppress, and adds what is wrong with the comments.
pub(crate) fn apply(sources: &Sources, findings: &mut Vec<Diagnostic>) {
    let mut about_comments = Vec::new();
    let mut all: Vec<Suppression> = Vec::new();
    for (id, _) in sources.iter() {
        all.extend(in_source(sources, id, &mut about_comments));
    }
    if all.is_empty() && about_comments.is_empty() {
        return;
    }
    findings.retain(|finding| {
        let source = finding.primary.source;
        let line = sources.get(source).position(finding.primary.start).line;
        // Suppressions are in the order of sources and lines.
        let key = (source, line);
        let from = all.partition_point(|s| (s.span.source, s.line) < key);
        let here = all[from..].iter_mut().take_while(|s| (s.span.source, s.line) == key);
        let mut kept = true;
        for suppression in here.filter(|s| s.code == finding.code) {
            suppression.used = true;
            kept = false;
        }
        kept
    });
    // A file that several descriptions import was read for each; one use of a comment is enough.
    let place = |s: &Suppression| (sources.get(s.span.source).name.as_str(), s.span.start);
    let used: BTreeSet<_> = all.iter().filter(|s| s.used).map(place).collect();
    let unused = all.iter().filter(|suppression| !used.contains(&place(suppression)));
    findings.extend(unused.map(useless).chain(about_comments));
}

/// The suppressions in a text, in the order of the lines that they are about.
fn in_source(
    sources: &Sources,
    id: SourceId,
    about_comments: &mut Vec<Diagnostic>,
) -> Vec<Suppression> {
    let source = sources.get(id);
    let mut found = Vec::new();
    // Lines known to be comments, and the line behind them: a block is walked once.
    let mut block = (0, 0);
    // The search starts from the marker, so that a text without one costs a single scan.
    for (at, _) in source.text.match_indices(MARKER) {
        let line = source.position(at as u32).line;
        let start = source.line_start(line);
        let content = source.line(line);
        let Some(hash) = comment_start(content, at - start as usize) else { continue };
        let after = &content[at - start as usize + MARKER.len()..];
        let inside = after.find(']').map_or(after, |end| &after[..end]);
        let reason = after.get(inside.len() + 1..).unwrap_or_default();
        let comment =
            Span { source: id, start: start + hash as u32, end: start + content.len() as u32 };
        if reason.trim().is_empty() {
            about_comments.push(without_reason(comment));
        }
        let alone = content[..hash].trim().is_empty();
        if alone && !(block.0..block.1).contains(&line) {
            block = (line, next_line(sources, id, line));
        }
        let about = if alone { block.1 } else { line };
        let mut code_start = at + MARKER.len();
        for part in inside.split(',') {
            let code = part.trim();
            let from = code_start + (part.len() - part.trim_start().len());
            let span = Span { source: id, start: from as u32, end: (from + code.len()) as u32 };
            code_start += part.len() + 1;
            if rule::find(code).is_some() {
                found.push(Suppression { line: about, code: code.to_owned(), span, used: false });
            } else {
                about_comments.push(unknown_code(code, span));
            }
        }
    }
    found.sort_by_key(|suppression| suppression.line);
    found
}

/// Where the comment starts that has the marker at byte `at`: only a `#` that starts a comment
/// counts, and only when nothing but white space stands between it and the marker.
fn comment_start(line: &str, at: usize) -> Option<usize> {
    let before = line[..at].trim_end();
    let hash = before.strip_suffix('#')?.len();
    let is_comment = hash == 0 || line[..hash].ends_with([' ', '\t']);
    is_comment.then_some(hash)
}

/// The next line with something on it that is no comment.
fn next_line(sources: &Sources, id: SourceId, line: u32) -> u32 {
    let source = sources.get(id);
    let rest = source.text[source.line_start(line + 1) as usize..].lines();
    let skipped = rest
        .take_while(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'))
        .count();
    line + 1 + skipped as u32
}

fn without_reason(comment: Span) -> Diagnostic {
    Diagnostic::warning("CFG005", comment, "this suppression does not say why")
        .help("write the reason behind the bracket")
}

/// What to say about a code that does not exist, in a comment or in the settings.
pub(crate) fn unknown_code(code: &str, span: Span) -> Diagnostic {
    let all = rule::all();
    let diagnostic = Diagnostic::new(
        "CFG004",
        Severity::Warning,
        span,
        format!("no finding has the code `{code}`"),
    );
    match spelling::nearest(code, all.iter().map(|rule| rule.code)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help("`windlass explain --list` shows all codes"),
    }
}

fn useless(suppression: &Suppression) -> Diagnostic {
    let message = format!("`{}` is suppressed but not found here", suppression.code);
    Diagnostic::warning("CFG006", suppression.span, message).help("remove the comment")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings on the lines that contain `bad`, after suppression: `line:column code`.
    fn check(text: &str) -> Vec<String> {
        let mut sources = Sources::new();
        let source = sources.add("a.yaml", text);
        let mut findings: Vec<_> = text
            .match_indices("bad")
            .map(|(at, _)| Span { source, start: at as u32, end: at as u32 + 3 })
            .map(|span| Diagnostic::error("CFG003", span, "bad"))
            .collect();
        apply(&sources, &mut findings);
        windlass::diagnostic::sort(&mut findings);
        let place = |finding: &Diagnostic| {
            let position = sources.get(source).position(finding.primary.start);
            format!("{}:{} {}", position.line, position.column, finding.code)
        };
        findings.iter().map(place).collect()
    }

    #[test]
    fn a_comment_suppresses_on_its_line_or_the_next() {
        assert!(check("a: bad # windlass: ignore[CFG003] because\n").is_empty());
        assert!(check("# windlass: ignore[CFG003] because\n# more\n\n  a: bad\n").is_empty());
        assert!(check("a: [bad, bad] # windlass: ignore[CFG003] both").is_empty());
    }

    #[test]
    fn a_comment_elsewhere_suppresses_nothing_and_is_reported() {
        assert_eq!(
            check("a: 1 # windlass: ignore[CFG003] because\nb: bad\n"),
            ["1:25 CFG006", "2:4 CFG003"]
        );
    }

    #[test]
    fn codes_are_counted_one_by_one() {
        assert_eq!(
            check("a: bad # windlass: ignore[CFG003, CFG001,CFG999] because\n"),
            ["1:35 CFG006", "1:42 CFG004"]
        );
    }

    #[test]
    fn a_reason_is_asked_for_and_the_finding_is_still_suppressed() {
        assert_eq!(check("a: bad  # windlass: ignore[CFG003]\n"), ["1:9 CFG005"]);
        assert_eq!(check("a: bad  # windlass: ignore[CFG003"), ["1:9 CFG005"]);
    }

    #[test]
    fn what_is_no_comment_has_no_effect() {
        assert_eq!(check("a: bad#windlass: ignore[CFG003] x"), ["1:4 CFG003"]);
        assert_eq!(check("a: bad windlass: ignore[CFG003] x"), ["1:4 CFG003"]);
    }
}
