//! What every language says about a name that nothing declares.

use crate::diagnostic::Diagnostic;
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
