//! The XML of TOSCA 1.0: texts as spanned trees, definitions, and what they import.
//!
//! `parse` never fails: it returns what could be read and a list of findings. Document types are
//! refused, so no entity is ever expanded and nothing outside of the text is looked at; `limits.rs`
//! bounds what the parser behind it would spend on a hostile text. Reading and walking needs no
//! recursion.
//!
//! Reading order: `tree.rs` (elements with places), `definitions.rs` (what TOSCA calls them),
//! `load.rs` and `imports.rs` (imports), `edit.rs` (changes that keep every other byte).

pub(crate) mod definitions;
mod edit;
mod imports;
mod limits;
mod load;
mod tree;

pub(crate) use edit::{Edits, escape};
pub(crate) use limits::Limits;
pub use load::{Document, Library, load};
pub(crate) use tree::{Attribute, Element, Name, Tree};

use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// The text is not well-formed XML.
pub(crate) const SYNTAX: &str = "XML001";
/// The text has a document type.
pub(crate) const DOCUMENT_TYPE: &str = "XML002";
/// Elements are nested too deep.
pub(crate) const TOO_DEEP: &str = "XML003";
/// The text has too many bytes, elements, attributes or namespaces.
pub(crate) const TOO_LARGE: &str = "XML004";

/// Reads a text; without a tree when it is not well-formed.
pub(crate) fn parse(
    source: SourceId,
    text: &str,
    limits: &Limits,
    findings: &mut Vec<Diagnostic>,
) -> Option<Tree> {
    if let Err(finding) = limits::check(source, text, limits) {
        findings.push(*finding);
        return None;
    }
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        nodes_limit: limits.nodes,
        entity_resolver: None,
    };
    match roxmltree::Document::parse_with_options(text, options) {
        Ok(document) => Some(tree::build(source, &document)),
        Err(error) => {
            findings.push(syntax_error(source, text, &error));
            None
        }
    }
}

fn syntax_error(source: SourceId, text: &str, error: &roxmltree::Error) -> Diagnostic {
    use roxmltree::Error;
    let end = text.len() as u32;
    let at = match error {
        Error::UnexpectedEndOfStream | Error::UnclosedRootNode | Error::NoRootNode => end,
        other => byte_of(text, other.pos()),
    };
    let width = text[at as usize..].chars().next().map_or(0, |c| c.len_utf8() as u32);
    let span = Span { source, start: at, end: at + width };
    match error {
        Error::DtdDetected => document_type(span),
        Error::NodesLimitReached => {
            Diagnostic::error(TOO_LARGE, span, "the text has too many elements")
        }
        Error::NoRootNode => Diagnostic::error(SYNTAX, span, "there is no element"),
        Error::UnexpectedEndOfStream | Error::UnclosedRootNode => {
            Diagnostic::error(SYNTAX, span, "the text ends before its elements are closed")
        }
        other => {
            // The parser puts the place behind its message; the finding carries it already.
            let message = other.to_string();
            let message = message.rsplit_once(" at ").map_or(&*message, |(message, _)| message);
            Diagnostic::error(SYNTAX, span, message)
        }
    }
}

fn document_type(span: Span) -> Diagnostic {
    Diagnostic::error(DOCUMENT_TYPE, span, "a document type is not read")
        .help("remove `<!DOCTYPE ...>`: entities are never expanded, nothing is fetched")
}

/// The byte at a line and a column in characters, both from 1.
fn byte_of(text: &str, position: roxmltree::TextPos) -> u32 {
    let row = (position.row as usize).saturating_sub(1);
    let column = (position.col as usize).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(row).map(str::len).sum();
    let line = &text[start..];
    let within = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    (start + within) as u32
}

#[cfg(test)]
mod tests;
