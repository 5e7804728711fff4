//! `.env` files: `KEY=value` lines, with quotes, comments and variables.

use std::collections::BTreeSet;

use super::interpolate::{Environment, substitute};

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The byte at which it starts.
    pub at: usize,
    /// What is wrong.
    pub message: &'static str,
    /// What to do about it.
    pub(crate) help: &'static str,
}

/// What is wrong, and what to do about it.
type Complaint = (&'static str, &'static str);

const LINE: &str = "write `NAME=value`, one on each line; behind `#` is a comment";

/// The variables of a text. Values may use variables of the text above them and of `outer`, which
/// wins; a name without a value takes that of `outer`.
pub fn parse(text: &str, outer: &Environment) -> Result<Environment, BadLine> {
    let mut read = Environment::new();
    let mut known = outer.clone();
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(read);
        }
        if rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, behind)| behind);
            continue;
        }
        let at = text.len() - rest.len();
        let bad = |(message, help): Complaint| BadLine { at, message, help };
        rest = rest.strip_prefix("export ").map_or(rest, str::trim_start);
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '[' | ']')))
            .unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let blank = behind.trim_start_matches([' ', '\t']);
        if name.is_empty() {
            // Compose takes a value without a name, which nothing can refer to.
            let unnamed = blank.strip_prefix(['=', ':']);
            let unnamed = unnamed.ok_or_else(|| bad(("a name of a variable is expected", LINE)))?;
            rest = value(unnamed, &known).map_err(bad)?.1;
            continue;
        }
        match blank.chars().next() {
            Some('=' | ':') => {
                let (value, after) = value(&blank[1..], &known).map_err(bad)?;
                if !outer.contains_key(name) {
                    known.insert(name.to_owned(), value.clone());
                }
                read.insert(name.to_owned(), value);
                rest = after;
            }
            None | Some('\n' | '\r' | '#') => {
                if let Some(value) = outer.get(name) {
                    read.insert(name.to_owned(), value.clone());
                }
                rest = blank;
            }
            Some(_) => return Err(bad(("`=` is expected behind the name of a variable", LINE))),
        }
    }
}

/// A value and what stands behind it.
fn value<'t>(text: &'t str, known: &Environment) -> Result<(String, &'t str), Complaint> {
    let text = text.trim_start_matches([' ', '\t']);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
        let comment = line.find(" #").or_else(|| line.find("\t#"));
        let line = if line.starts_with('#') { "" } else { &line[..comment.unwrap_or(line.len())] };
        return Ok((with_variables(line.trim(), known)?, rest));
    };
    let mut escaped = false;
    let body = &text[1..];
    for (at, c) in body.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            c if c == quote && !escaped => {
                let inside = &body[..at];
                let rest = &body[at + 1..];
                let rest = rest.split_once('\n').map_or("", |(_, behind)| behind);
                let value = match quote {
                    '"' => with_variables(&unescape(inside), known)?,
                    _ => inside.to_owned(),
                };
                return Ok((value, rest));
            }
            _ => escaped = false,
        }
    }
    Err(("a quote is not closed", "add the missing quote"))
}

fn with_variables(text: &str, known: &Environment) -> Result<String, Complaint> {
    let help = "write `${NAME}`, or put the value in single quotes";
    let wrong = |_| ("a variable cannot be read", help);
    substitute(text, known, &mut BTreeSet::new()).map_err(wrong)
}

/// `\n`, `\t`, `\"` and the like in double quotes.
fn unescape(text: &str) -> String {
    let mut result = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => result.push('\n'),
            Some('r') => result.push('\r'),
            Some('t') => result.push('\t'),
            Some('$') => result.push_str("$$"),
            Some(other @ ('"' | '\\' | '\'')) => result.push(other),
            Some(other) => {
                result.push('\\');
                result.push(other);
            }
            None => result.push('\\'),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_quotes_comments_and_variables() {
        let outer: Environment = [("HOME".to_owned(), "/h".to_owned())].into();
        let text =
            "# head\nexport A=1 # one\nB='$A'\nC=\"x\\n${A}\"\nD: $HOME/d\nE=\nHOME\nF=a#b\n";
        let read = parse(text, &outer).unwrap_or_default();
        let got: Vec<_> = read.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let expected = [
            ("A", "1"),
            ("B", "$A"),
            ("C", "x\n1"),
            ("D", "/h/d"),
            ("E", ""),
            ("F", "a#b"),
            ("HOME", "/h"),
        ];
        assert_eq!(got, expected);
    }

    #[test]
    fn what_is_no_line_is_an_error() {
        assert_eq!(parse("A=1\n!=2\n", &Environment::new()).map_err(|bad| bad.at), Err(4));
        let unnamed = parse("=2\nA=1\n", &Environment::new()).unwrap_or_default();
        assert_eq!(unnamed.keys().collect::<Vec<_>>(), ["A"]);
        assert!(parse("A=\"open\n", &Environment::new()).is_err());
        assert!(parse("A B\n", &Environment::new()).is_err());
    }
}
