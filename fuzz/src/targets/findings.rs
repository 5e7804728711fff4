//! What must hold of every finding: it has words, and places that can be shown.

use windlass::diagnostic::Diagnostic;
use windlass::source::{Sources, Span};

/// Findings point into the text and can be shown there.
pub(super) fn check(sources: &Sources, findings: &[Diagnostic]) {
    for finding in findings {
        check_span(sources, finding.primary);
        for label in &finding.labels {
            check_span(sources, label.span);
        }
        assert!(!finding.message.is_empty(), "a finding without a message");
    }
}

pub(super) fn check_span(sources: &Sources, span: Span) {
    let text = &sources.get(span.source).text;
    assert!(span.start <= span.end, "a span that ends before it starts: {span:?}");
    assert!(span.end as usize <= text.len(), "a span beyond the text: {span:?}");
    let slice = text.get(span.start as usize..span.end as usize);
    assert!(slice.is_some(), "a span inside a character: {span:?}");
    let _ = sources.positions(span);
}
