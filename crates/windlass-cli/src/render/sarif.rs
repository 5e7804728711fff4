//! Findings as SARIF 2.1.0, for code scanning.
//!
//! What is used of the format: one run, the rules that were broken with their pages, results with
//! regions, related places, fixes and fingerprints. Columns count Unicode scalar values, as in
//! every other output. A test validates against a schema of exactly these facts.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass::diagnostic::{Diagnostic, Edit, Severity};
use windlass::rule;
use windlass::source::{SourceId, Sources, Span};

use crate::escape::{self, visible};
use crate::failure::Failure;
use crate::report::{Finding, Report};

/// The report as one SARIF log.
pub(super) fn report(report: &Report, stream: bool) -> Result<String, Failure> {
    let mut codes: Vec<&str> = report.findings.iter().map(|f| f.diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let index: BTreeMap<&str, usize> = codes.iter().copied().zip(0..).collect();
    let results: Vec<Value> =
        report.findings.iter().map(|finding| result(&report.sources, finding, &index)).collect();
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "windlass",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().copied().map(descriptor).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    Ok(if stream { escape::json_line(&log)? } else { escape::json(&log)? })
}

/// What a viewer shows about a code.
fn descriptor(code: &str) -> Value {
    let Some(rule) = rule::find(code) else { return json!({ "id": code }) };
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.doc, "markdown": rule.doc },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn result(sources: &Sources, finding: &Finding, index: &BTreeMap<&str, usize>) -> Value {
    let diagnostic = &finding.diagnostic;
    let mut result = json!({
        "ruleId": diagnostic.code,
        "ruleIndex": index.get(diagnostic.code),
        "level": level(diagnostic.severity),
        "message": { "text": message(diagnostic) },
        "locations": [{ "physicalLocation": physical(sources, diagnostic.primary) }],
        "partialFingerprints": { "windlass/v1": format!("{:016x}", finding.fingerprint) },
    });
    let related = related(sources, diagnostic);
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    if let Some(fix) = &diagnostic.fix {
        result["fixes"] = json!([{
            "description": { "text": text(&fix.message) },
            "artifactChanges": changes(sources, &fix.edits),
        }]);
    }
    result
}

/// The message, the notes and the help in one text, a line each.
fn message(diagnostic: &Diagnostic) -> String {
    let notes = diagnostic.notes.iter().map(|note| text(note));
    let help = diagnostic.help.iter().map(|help| format!("help: {}", text(help)));
    std::iter::once(text(&diagnostic.message))
        .chain(notes)
        .chain(help)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Labels, and the chain of imports that led to the file.
fn related(sources: &Sources, diagnostic: &Diagnostic) -> Vec<Value> {
    let labels = diagnostic.labels.iter().map(|label| (label.span, text(&label.message)));
    let imports = imports(sources, diagnostic.primary.source);
    labels
        .chain(imports.into_iter().map(|span| (span, "imported here".to_owned())))
        .zip(1..)
        .map(|((span, message), id)| {
            json!({
                "id": id,
                "message": { "text": message },
                "physicalLocation": physical(sources, span),
            })
        })
        .collect()
}

/// The places that imported a text, innermost first.
pub(super) fn imports(sources: &Sources, source: SourceId) -> Vec<Span> {
    // A text is added after the one that imports it, so the ids fall and the walk ends.
    let mut chain = Vec::new();
    let mut inner = source;
    while let Some(span) = sources.get(inner).included_from {
        if span.source >= inner {
            break;
        }
        chain.push(span);
        inner = span.source;
    }
    chain
}

/// Edits grouped by file.
fn changes(sources: &Sources, edits: &[Edit]) -> Vec<Value> {
    let mut by_source: BTreeMap<SourceId, Vec<Value>> = BTreeMap::new();
    for edit in edits {
        by_source.entry(edit.span.source).or_default().push(json!({
            "deletedRegion": region(sources, edit.span),
            "insertedContent": { "text": edit.replacement },
        }));
    }
    by_source
        .into_iter()
        .map(|(source, replacements)| {
            json!({ "artifactLocation": artifact(sources, source), "replacements": replacements })
        })
        .collect()
}

fn physical(sources: &Sources, span: Span) -> Value {
    json!({
        "artifactLocation": artifact(sources, span.source),
        "region": region(sources, span),
    })
}

fn artifact(sources: &Sources, source: SourceId) -> Value {
    let path = escape::uri(&sources.get(source).name);
    json!({ "uri": if path.starts_with('/') { format!("file://{path}") } else { path } })
}

fn region(sources: &Sources, span: Span) -> Value {
    let (start, end) = sources.positions(span);
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// A plain text message: hidden characters visible, and nothing that reads as an embedded link.
fn text(raw: &str) -> String {
    visible(raw).replace("](", "\\](")
}

fn level(severity: Severity) -> &'static str {
    // The words are those of SARIF by chance, and stay so by this match.
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}
