//! A command in one text, split into words as Compose 2.40.3 does.
//!
//! Quotes of both kinds, backslashes, `$(...)` and backquotes hold words together. An operator of a
//! shell outside of them ends the command: what follows is dropped without a word.

/// A command in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The words.
    pub words: Vec<String>,
    /// Where the operator stands behind which nothing counts any more.
    pub(crate) cut: Option<usize>,
}

/// What holds words together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    Single,
    Double,
    /// A backquote, which stays.
    Back,
    /// `$(`, or a `)` that closes nothing, up to the next `)`.
    Round,
}

/// The words of a command; none when a quote is not closed, a parenthesis stands alone or a
/// backslash is the end.
pub fn split(text: &str) -> Option<Line> {
    let mut line = Line::default();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        let held = word.get_or_insert_default();
        match (c, quote) {
            ('\\', None | Some(Quote::Double | Quote::Back | Quote::Round)) => {
                held.push(rest.next()?.1);
            }
            ('\'', Some(Quote::Single)) | ('"', Some(Quote::Double)) => quote = None,
            ('\'', None) => quote = Some(Quote::Single),
            ('"', None) => quote = Some(Quote::Double),
            ('`', None | Some(Quote::Back)) => {
                quote = if quote.is_none() { Some(Quote::Back) } else { None };
                held.push(c);
            }
            ('(', None) if held.ends_with('$') => {
                quote = Some(Quote::Round);
                held.push(c);
            }
            ('(', None | Some(Quote::Round)) => return None,
            (')', None | Some(Quote::Round)) => {
                quote = if quote.is_none() { Some(Quote::Round) } else { None };
                held.push(c);
            }
            (';' | '&' | '|' | '<' | '>', None) => {
                // `2>` is one operator.
                let is_number = c == '>' && held.starts_with(|c: char| c.is_ascii_digit());
                if held.is_empty() || is_number {
                    word = None;
                }
                line.cut = Some(at);
                break;
            }
            (' ' | '\t' | '\n' | '\r', None) => {
                let is_begun = text[..at].ends_with(['"', '\'']);
                line.words.extend(word.take().filter(|word| is_begun || !word.is_empty()));
            }
            _ => held.push(c),
        }
    }
    if line.cut.is_none() && quote.is_some() {
        return None;
    }
    let is_begun = text.ends_with(['"', '\'']);
    line.words.extend(word.filter(|word| is_begun || !word.is_empty()));
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<Vec<String>> {
        split(text).map(|line| line.words)
    }

    /// What Compose 2.40.3 said about each of these.
    #[test]
    fn words_of_compose() {
        let all: &[(&str, &[&str])] = &[
            ("echo a; echo b", &["echo", "a"]),
            ("echo a 2> b", &["echo", "a"]),
            ("echo a 12> b", &["echo", "a"]),
            ("echo 'a; b' && c", &["echo", "a; b"]),
            ("echo a|b", &["echo", "a"]),
            ("; a", &[]),
            ("echo `date` x", &["echo", "`date`", "x"]),
            ("echo $(date; x) y", &["echo", "$(date; x)", "y"]),
            ("echo \"$(date)\"", &["echo", "$(date)"]),
            ("echo \"a\\nb\" 'c\\d' e\\ f", &["echo", "anb", "c\\d", "e f"]),
            ("echo a\"b\"c''d", &["echo", "abcd"]),
            ("echo \"\" ''", &["echo", "", ""]),
            ("echo a  \tb", &["echo", "a", "b"]),
            ("echo \"a'b\" 'c\"d'", &["echo", "a'b", "c\"d"]),
            ("echo \\\"a\\\"", &["echo", "\"a\""]),
            ("echo a) b)", &["echo", "a) b)"]),
            ("echo #no comment", &["echo", "#no", "comment"]),
            ("  ", &[]),
            ("", &[]),
        ];
        for (text, expected) in all {
            let expected: Vec<String> = expected.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(words(text), Some(expected), "{text}");
        }
        for text in
            ["echo \\", "echo \"a", "echo 'a", "echo (a b) c", "echo $(date", "echo `a", "a)"]
        {
            assert_eq!(words(text), None, "{text}");
        }
        assert_eq!(split("a && b").and_then(|line| line.cut), Some(2));
    }
}
