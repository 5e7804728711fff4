//! Leaves out what is compiled for tests only: `#[cfg(test)]` and the item after it.

use super::Token;

/// The tokens outside of items marked `#[cfg(test)]` or `#[test]`.
pub fn without_test_code<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_test_mark(&tokens[at..]) {
            at += item_length(&tokens[at..]);
        } else {
            kept.push(tokens[at]);
            at += 1;
        }
    }
    kept
}

/// `#[cfg(test)]`, `#[cfg(any(test, ...))]` or `#[test]`; `cfg(not(test))` is no test code.
fn is_test_mark(tokens: &[Token]) -> bool {
    let starts = tokens.len() > 3 && tokens[0].is("#") && tokens[1].is("[");
    if !starts {
        return false;
    }
    let attribute = &tokens[2..attribute_end(tokens).min(tokens.len())];
    let named = |word: &str| attribute.iter().any(|token| token.is(word));
    attribute[0].is("test") || (attribute[0].is("cfg") && named("test") && !named("not"))
}

/// Index one past the `]` of an attribute that starts at 0.
fn attribute_end(tokens: &[Token]) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        if token.is("[") {
            depth += 1;
        } else if token.is("]") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    tokens.len()
}

/// How many tokens the attributes at 0 and the item they belong to take.
fn item_length(tokens: &[Token]) -> usize {
    let mut at = 0;
    while at + 1 < tokens.len() && tokens[at].is("#") && tokens[at + 1].is("[") {
        at += attribute_end(&tokens[at..]);
    }
    let mut depth = 0usize;
    while at < tokens.len() {
        let token = &tokens[at];
        at += 1;
        if token.is("{") || token.is("(") || token.is("[") {
            depth += 1;
        } else if token.is("}") || token.is(")") || token.is("]") {
            depth = depth.saturating_sub(1);
            if depth == 0 && token.is("}") {
                break;
            }
        } else if token.is(";") && depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::lexer::code;

    fn kept(text: &str) -> Vec<&str> {
        let tokens = code(text);
        super::without_test_code(&tokens).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn test_modules_functions_and_declarations_are_left_out() {
        let text = "a; #[cfg(test)] mod t { fn x() { y } } b; #[test] fn f() -> [u8; 2] { z } \
                    #[cfg(test)] mod other; c";
        assert_eq!(kept(text), ["a", ";", "b", ";", "c"]);
    }

    #[test]
    fn other_configurations_stay() {
        assert!(kept("#[cfg(not(test))] fn f() {}").contains(&"f"));
        assert!(kept("#[cfg(feature = \"test\")] fn f() {}").contains(&"f"));
    }
}
