//! What every language says about a name that nothing declares and a key that nothing reads.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling;
use crate::tree::Node;

/// Reports it under the language's own code, with the nearest name that is declared.
pub(super) fn unknown<'a>(
    code: &'static str,
    what: &str,
    node: Node<'_>,
    known: impl Iterator<Item = &'a str> + Clone,
    findings: &mut Vec<Diagnostic>,
) {
    let text = node.as_str().unwrap_or_default();
    let finding = Diagnostic::error(code, node.span(), format!("unknown {what} `{text}`"));
    findings.push(match spelling::advice(what, text, known, findings.len()) {
        Some(advice) => finding.help(advice),
        None => finding,
    });
}

/// Reports a name that refers to nothing, with the nearest that is declared.
pub(super) fn missing<'a>(
    code: &'static str,
    what: &str,
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'a str> + Clone,
    findings: &mut Vec<Diagnostic>,
) {
    let mut finding = Diagnostic::error(code, span, format!("there is no {what} `{name}`"));
    finding.help = spelling::advice(what, name, known, findings.len());
    findings.push(finding);
}

/// Warns, under the language's own code, of the keys of a mapping that are none of these.
pub(super) fn unread_keys(
    code: &'static str,
    node: Node<'_>,
    what: &str,
    known: &[&str],
    findings: &mut Vec<Diagnostic>,
) {
    for entry in node.entries().filter(|entry| !known.contains(&entry.name())) {
        let name = entry.name();
        let message = format!("{what} has no key `{name}`; it is ignored");
        let finding = Diagnostic::warning(code, entry.key.span(), message);
        let advised = findings.len() < spelling::MOST_ADVISED;
        let near = advised.then(|| spelling::nearest(name, known.iter().copied())).flatten();
        findings.push(match near {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        });
    }
}
