//! A lexer of Rust that is as small as the checks need: it knows where comments, strings and
//! characters begin and end, so that no check trips over a brace in a string.
//!
//! Invariant: the lexer never fails; text that is not Rust gives some tokens.

mod paths;
mod test_code;

pub use paths::path_uses;
pub use test_code::without_test_code;

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
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut found = Vec::new();
    while let Some(token) = lexer.next_token() {
        found.push(token);
    }
    found
}

/// All tokens but comments.
pub fn code(text: &str) -> Vec<Token<'_>> {
    tokens(text).into_iter().filter(|token| token.kind != Kind::Comment).collect()
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes `length` bytes as one token whose visible text is `inside` of them.
    fn take(&mut self, kind: Kind, length: usize, inside: std::ops::Range<usize>) -> Token<'a> {
        let whole = &self.rest()[..length];
        let token = Token { kind, text: &whole[inside], line: self.line };
        self.line += whole.bytes().filter(|byte| *byte == b'\n').count();
        self.at += length;
        token
    }

    fn next_token(&mut self) -> Option<Token<'a>> {
        let space = self.rest().len() - self.rest().trim_start().len();
        self.line += self.rest()[..space].bytes().filter(|byte| *byte == b'\n').count();
        self.at += space;
        let rest = self.rest();
        let first = rest.chars().next()?;
        if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            return Some(self.take(Kind::Comment, length, 0..length));
        }
        if rest.starts_with("/*") {
            let length = block_comment_length(rest);
            return Some(self.take(Kind::Comment, length, 0..length));
        }
        if let Some((length, inside)) = raw_string(rest).or_else(|| quoted(rest)) {
            return Some(self.take(Kind::Text, length, inside));
        }
        if first == '\'' {
            let (kind, length) = character_or_lifetime(rest);
            let inside = if kind == Kind::Text { 1..length - 1 } else { 0..length };
            return Some(self.take(kind, length, inside));
        }
        if first.is_alphabetic() || first == '_' {
            let length = word_length(rest);
            return Some(self.take(Kind::Word, length, 0..length));
        }
        if first.is_ascii_digit() {
            let length = word_length(rest);
            return Some(self.take(Kind::Other, length, 0..length));
        }
        let length = first.len_utf8();
        Some(self.take(Kind::Punctuation, length, 0..length))
    }
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

fn block_comment_length(text: &str) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// `r"..."`, `r#"..."#` and the same after `b` or `c`: its length and its inside.
fn raw_string(text: &str) -> Option<(usize, std::ops::Range<usize>)> {
    let prefix = if text.starts_with("br") || text.starts_with("cr") { 2 } else { 1 };
    if prefix == 1 && !text.starts_with('r') {
        return None;
    }
    let hashes = text[prefix..].bytes().take_while(|byte| *byte == b'#').count();
    let start = prefix + hashes + 1;
    if text.as_bytes().get(start - 1) != Some(&b'"') {
        return None;
    }
    let closing = format!("\"{}", "#".repeat(hashes));
    let length = text[start..].find(&closing);
    let end = length.map_or(text.len(), |length| start + length);
    Some(((end + closing.len()).min(text.len()), start..end))
}

/// `"..."`, `b"..."` and `c"..."`: its length and its inside.
fn quoted(text: &str) -> Option<(usize, std::ops::Range<usize>)> {
    let prefix = usize::from(text.starts_with("b\"") || text.starts_with("c\""));
    if text.as_bytes().get(prefix) != Some(&b'"') {
        return None;
    }
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(prefix + 1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some((at + 1, prefix + 1..at)),
            _ => {}
        }
    }
    Some((text.len(), prefix + 1..text.len()))
}

/// Tells `'a'` and `'\n'` from `'static`.
fn character_or_lifetime(text: &str) -> (Kind, usize) {
    let mut characters = text.char_indices().skip(1);
    let Some((_, first)) = characters.next() else { return (Kind::Other, text.len()) };
    if first == '\\' {
        characters.next();
        let end = characters.find(|(_, c)| *c == '\'' || *c == '\n');
        return (Kind::Text, end.map_or(text.len(), |(at, _)| at + 1).max(2));
    }
    match characters.next() {
        Some((at, '\'')) => (Kind::Text, at + 1),
        _ => (Kind::Other, 1 + word_length(&text[1..])),
    }
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
    fn broken_text_ends() {
        for text in ["\"open", "r#\"open", "/* open", "'", "'\\", "r#", "é'é", "b'"] {
            assert!(tokens(text).len() < 4, "{text}");
        }
    }
}
