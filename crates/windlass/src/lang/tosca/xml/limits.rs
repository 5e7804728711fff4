//! What a text may cost, checked on its bytes before it is parsed.
//!
//! The parser needs memory for every namespace in scope of every element that declares one, and
//! time quadratic in the attributes of one element; both are bounded here, and so is the depth.
//! The scan only has to find tags; whatever is not well-formed is left to the parser.

use super::{TOO_DEEP, TOO_LARGE, document_type};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// How much of a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Elements in each other.
    pub(crate) depth: usize,
    /// Elements, texts and comments.
    pub(crate) nodes: u32,
    /// Attributes of one element.
    pub(crate) attributes: usize,
    /// Namespaces that are declared on an element and those around it.
    pub(crate) namespaces: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 16 << 20, depth: 200, nodes: 1_000_000, attributes: 256, namespaces: 64 }
    }
}

/// Refuses a text that would cost too much, at the place where it does.
pub(super) fn check(source: SourceId, text: &str, limits: &Limits) -> Result<(), Box<Diagnostic>> {
    let span = |start: usize, end: usize| Span { source, start: start as u32, end: end as u32 };
    let too_large = |start, end, message: String| {
        Err(Box::new(Diagnostic::error(TOO_LARGE, span(start, end), message)))
    };
    if text.len() > limits.bytes {
        return too_large(0, 0, format!("the text has more than {} bytes", limits.bytes));
    }
    // The namespaces declared on each open element.
    let mut open: Vec<usize> = Vec::new();
    let mut namespaces = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        at = start + skip(rest);
        if rest.starts_with("<!DOCTYPE") {
            return Err(Box::new(document_type(span(start, start + "<!DOCTYPE".len()))));
        }
        if rest.starts_with("</") {
            namespaces -= open.pop().unwrap_or_default();
            continue;
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            continue;
        }
        let tag = Tag::of(&text[start..at]);
        if tag.attributes > limits.attributes {
            let message = format!("an element has more than {} attributes", limits.attributes);
            return too_large(start, start + 1, message);
        }
        if namespaces + tag.namespaces > limits.namespaces {
            let message = format!("more than {} namespaces are in scope", limits.namespaces);
            return too_large(start, start + 1, message);
        }
        if open.len() >= limits.depth {
            let message = format!("elements are nested deeper than {} levels", limits.depth);
            return Err(Box::new(Diagnostic::error(TOO_DEEP, span(start, start + 1), message)));
        }
        if !tag.is_closed {
            open.push(tag.namespaces);
            namespaces += tag.namespaces;
        }
    }
    Ok(())
}

/// The length of what starts with `<`: a comment, a section, an instruction or a tag.
fn skip(rest: &str) -> usize {
    let until = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    if rest.starts_with("<!--") {
        until("-->")
    } else if rest.starts_with("<![CDATA[") {
        until("]]>")
    } else if rest.starts_with("<?") {
        until("?>")
    } else {
        tag_length(rest)
    }
}

/// The length of a tag; a `>` in quotes does not end it.
fn tag_length(rest: &str) -> usize {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    rest.len()
}

/// What a start tag holds.
struct Tag {
    attributes: usize,
    namespaces: usize,
    is_closed: bool,
}

impl Tag {
    fn of(tag: &str) -> Tag {
        let mut attributes = 0;
        let mut namespaces = 0;
        let mut rest = tag;
        while let Some(equals) = rest.find('=') {
            attributes += 1;
            let name = rest[..equals]
                .trim_end()
                .rsplit(|c: char| c.is_whitespace() || c == '"' || c == '\'');
            if name.into_iter().next().is_some_and(|name| name.starts_with("xmlns")) {
                namespaces += 1;
            }
            let value = rest[equals + 1..].trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let end = quote.and_then(|quote| value[1..].find(quote)).map(|end| end + 2);
            rest = &value[end.unwrap_or(usize::from(quote.is_some()))..];
        }
        Tag { attributes, namespaces, is_closed: tag.ends_with("/>") }
    }
}
