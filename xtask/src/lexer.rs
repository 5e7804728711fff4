//! The tokens of a Rust file as `proc_macro2` reads them, with the comments between them.
//!
//! Checks that need more than tokens use [`syn`]; those that look into macros and comments, which
//! `syn` leaves as they are, use these. Invariant: text that is not Rust has no tokens.

mod paths;
mod test_code;

pub use paths::path_uses;
pub use test_code::without_test_code;

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword.
    Word,
    /// One character of punctuation.
    Punctuation,
    /// A string, raw string, byte string or character; the text is without quotes.
    Text,
    /// A number or lifetime.
    Other,
    /// A comment with its slashes.
    Comment,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// The text; of a string only the inside.
    pub text: &'a str,
    /// Line of its first character, from 1.
    pub line: usize,
}

impl Token<'_> {
    /// Whether this is the given word or punctuation, and not text in quotes.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Punctuation) && self.text == text
    }
}

/// All tokens of a text, comments included.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let Ok(stream) = text.parse::<TokenStream>() else { return Vec::new() };
    let mut pieces = Vec::new();
    flatten(stream, &mut pieces);
    let mut reader = Reader { text, at: 0, line: 1, found: Vec::new() };
    for (kind, range) in pieces {
        reader.comments_until(range.start);
        reader.push(kind, range);
    }
    reader.comments_until(text.len());
    reader.found
}

/// All tokens but comments.
pub fn code(text: &str) -> Vec<Token<'_>> {
    tokens(text).into_iter().filter(|token| token.kind != Kind::Comment).collect()
}

/// The tokens of a stream in their order, groups with their brackets.
fn flatten(stream: TokenStream, pieces: &mut Vec<(Kind, Range<usize>)>) {
    for tree in stream {
        let range = tree.span().byte_range();
        // A comment for documentation comes as an attribute; each of its tokens spans the comment.
        if pieces.last() == Some(&(Kind::Comment, range.clone())) {
            continue;
        }
        match tree {
            TokenTree::Group(group) => {
                pieces.push((Kind::Punctuation, group.span_open().byte_range()));
                flatten(group.stream(), pieces);
                pieces.push((Kind::Punctuation, group.span_close().byte_range()));
            }
            TokenTree::Ident(_) => match pieces.last_mut() {
                // The quote of a lifetime and its name are one token.
                Some((Kind::Other, quote)) if quote.len() == 1 && quote.end == range.start => {
                    quote.end = range.end;
                }
                _ => pieces.push((Kind::Word, range)),
            },
            TokenTree::Punct(_) if range.len() > 1 => pieces.push((Kind::Comment, range)),
            TokenTree::Punct(mark) if mark.as_char() == '\'' => pieces.push((Kind::Other, range)),
            TokenTree::Punct(_) => pieces.push((Kind::Punctuation, range)),
            TokenTree::Literal(literal) => {
                let is_text = literal.to_string().ends_with(['"', '\'', '#']);
                pieces.push((if is_text { Kind::Text } else { Kind::Other }, range));
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    found: Vec<Token<'a>>,
}

impl Reader<'_> {
    /// Between two tokens there is space, and there are comments.
    fn comments_until(&mut self, end: usize) {
        while let Some(start) = self.text[self.at..end].find('/').map(|start| self.at + start) {
            let rest = &self.text[start..end];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                rest.rfind("*/").map_or(rest.len(), |close| close + 2)
            };
            self.push(Kind::Comment, start..start + length);
        }
    }

    fn push(&mut self, kind: Kind, range: Range<usize>) {
        let lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        self.line += lines(&self.text[self.at..range.start]);
        let whole = &self.text[range.clone()];
        let text = if kind == Kind::Text { inside(whole) } else { whole };
        self.found.push(Token { kind, text, line: self.line });
        self.line += lines(whole);
        self.at = range.end;
    }
}

/// A string or character without what encloses it.
fn inside(text: &str) -> &str {
    let quote = if text.ends_with('\'') { '\'' } else { '"' };
    let inside = text.find(quote).zip(text.rfind(quote));
    inside.and_then(|(open, close)| text.get(open + 1..close)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn braces_in_strings_characters_and_comments_are_no_braces() {
        let text = r##"a("{", '}', '\'', "\"}", r#"}"{"#, b'{') /* { /* } */ */ // {"##;
        let braces = code(text).iter().filter(|token| token.is("{") || token.is("}")).count();
        assert_eq!(braces, 0);
        assert_eq!(code(text).iter().filter(|token| token.kind == Kind::Text).count(), 6);
    }

    #[test]
    fn lifetimes_are_not_characters() {
        assert_eq!(texts("&'a str, 'x', '\\n'"), ["&", "'a", "str", ",", "x", ",", "\\n"]);
    }

    #[test]
    fn lines_are_counted_through_strings_and_comments() {
        let found = tokens("a\n\"x\ny\" /* \n */ b\n\nc");
        let lines: Vec<_> = found.iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 6]);
    }

    #[test]
    fn comments_of_documentation_are_comments() {
        let found = tokens("//! a\n/// b\nfn f() {} // c\n/* d */");
        let of = |kind: Kind| -> Vec<&str> {
            found.iter().filter(|token| token.kind == kind).map(|token| token.text).collect()
        };
        assert_eq!(of(Kind::Comment), ["//! a", "/// b", "// c", "/* d */"]);
        assert_eq!(of(Kind::Word), ["fn", "f"]);
        assert_eq!(found.last().map(|token| token.line), Some(4));
    }

    #[test]
    fn broken_text_has_no_tokens() {
        for text in ["\"open", "r#\"open", "/* open", "{", "'\\"] {
            assert!(tokens(text).is_empty(), "{text}");
        }
    }
}
