//! The paths `a::b::c` that a file names, with groups `a::{b, c::d}` written out.

use super::{Kind, Token};

/// One path and the line it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathUse {
    /// The words of the path, from the left.
    pub words: Vec<String>,
    /// Line from 1.
    pub line: usize,
    /// Names of the modules in braces around it, from the outside.
    pub inside: Vec<String>,
}

/// Every path of two or more words in tokens without comments.
pub fn path_uses(tokens: &[Token]) -> Vec<PathUse> {
    let mut found = Vec::new();
    let mut modules: Vec<(String, usize)> = Vec::new();
    let mut depth = 0usize;
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        if token.is("mod") && tokens.get(at + 2).is_some_and(|after| after.is("{")) {
            modules.push((tokens[at + 1].text.to_owned(), depth));
            depth += 1;
            at += 3;
        } else if token.kind == Kind::Word && is_path_separator(&tokens[at + 1..]) {
            let inside: Vec<String> = modules.iter().map(|(name, _)| name.clone()).collect();
            at = read_path(tokens, at, &mut Vec::new(), &inside, &mut found);
        } else {
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth = depth.saturating_sub(1);
                modules.retain(|(_, opened)| *opened < depth);
            }
            at += 1;
        }
    }
    found
}

fn is_path_separator(tokens: &[Token]) -> bool {
    tokens.len() > 1 && tokens[0].is(":") && tokens[1].is(":")
}

/// Reads the path or use tree at `at`; returns the index after it. The depth of the recursion is
/// the depth of groups in our own source.
fn read_path(
    tokens: &[Token],
    mut at: usize,
    words: &mut Vec<String>,
    inside: &[String],
    found: &mut Vec<PathUse>,
) -> usize {
    let before = words.len();
    let line = tokens[at].line;
    let is_word =
        |at: usize| tokens.get(at).is_some_and(|token| token.kind == Kind::Word || token.is("*"));
    while is_word(at) {
        words.push(tokens[at].text.to_owned());
        at += 1;
        if !is_path_separator(&tokens[at..]) {
            break;
        }
        at += 2;
    }
    let grouped = at >= 2 && is_path_separator(&tokens[at - 2..]);
    if grouped && tokens.get(at).is_some_and(|token| token.is("{")) {
        at += 1;
        while tokens.get(at).is_some_and(|token| !token.is("}")) {
            at = if is_word(at) { read_path(tokens, at, words, inside, found) } else { at + 1 };
        }
        at += 1;
    } else {
        found.push(PathUse { words: words.clone(), line, inside: inside.to_vec() });
        // A new name for what the path names is no path.
        let renamed = tokens.get(at).is_some_and(|token| token.is("as"));
        at += if renamed { 2 } else { 0 };
    }
    words.truncate(before);
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::code;

    fn paths(text: &str) -> Vec<String> {
        path_uses(&code(text)).iter().map(|path| path.words.join("::")).collect()
    }

    #[test]
    fn groups_are_written_out() {
        assert_eq!(
            paths(
                "use crate::{source::{Span, Origin}, tree as t, self}; let x = std::fs::read(y);"
            ),
            [
                "crate::source::Span",
                "crate::source::Origin",
                "crate::tree",
                "crate::self",
                "std::fs::read"
            ]
        );
    }

    #[test]
    fn turbofish_and_globs_end_a_path() {
        assert_eq!(paths("Vec::<u8>::new(); use super::*;"), ["Vec", "super::*"]);
    }

    #[test]
    fn inline_modules_are_known() {
        let tokens = code("mod a { mod b { use super::x; } } use self::y;");
        let found = path_uses(&tokens);
        assert_eq!(found[0].inside, ["a", "b"]);
        assert!(found[1].inside.is_empty());
    }
}
