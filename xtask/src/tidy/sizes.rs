//! Files of at most 800 lines, tests included; functions of at most 70.

use super::Tree;
use crate::lexer::{Kind, Token, code};
use crate::repository::{File, Finding};

const FILE_LIMIT: usize = 800;
const FILE_WARNING: usize = 400;
const FUNCTION_LIMIT: usize = 70;

/// Names files and functions over their limits.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let lines = file.text.lines().count();
        if lines > FILE_LIMIT {
            let message = format!("{lines} lines; at most {FILE_LIMIT}");
            findings.push(Finding::new(&file.path, 1, message));
        }
        findings.extend(long_functions(file));
    }
    findings
}

/// Files that are worth a thought, though not over the limit.
pub fn long_files(tree: &Tree) -> Vec<String> {
    tree.rust()
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| (FILE_WARNING + 1..=FILE_LIMIT).contains(lines))
        .map(|(file, lines)| format!("{} has {lines} lines", file.path))
        .collect()
}

fn long_functions(file: &File) -> Vec<Finding> {
    let tokens = code(&file.text);
    let mut findings = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        // `fn(u8)` is a type, not a function.
        let named = tokens.get(at + 1).is_some_and(|name| name.kind == Kind::Word);
        if !token.is("fn") || !named {
            continue;
        }
        let Some(end) = function_end(&tokens[at..]) else { continue };
        let lines = tokens[at + end].line + 1 - token.line;
        if lines > FUNCTION_LIMIT {
            let name = tokens[at + 1].text;
            let message = format!("function `{name}` has {lines} lines; at most {FUNCTION_LIMIT}");
            findings.push(Finding::new(&file.path, token.line, message));
        }
    }
    findings
}

/// Index of the closing brace of the function that starts at 0; none for a declaration.
fn function_end(tokens: &[Token]) -> Option<usize> {
    let mut braces = 0usize;
    let mut brackets = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        if token.is("(") || token.is("[") {
            brackets += 1;
        } else if token.is(")") || token.is("]") {
            brackets = brackets.saturating_sub(1);
        } else if token.is("{") {
            braces += 1;
        } else if token.is("}") {
            braces = braces.saturating_sub(1);
            // A brace in brackets belongs to the type of a parameter: `[u8; { N }]`.
            if braces == 0 && brackets == 0 {
                return Some(at);
            }
        } else if token.is(";") && braces == 0 && brackets == 0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let file = File { path: "a.rs".to_owned(), text: text.to_owned() };
        long_functions(&file).into_iter().map(|finding| finding.message).collect()
    }

    fn function(body_lines: usize) -> String {
        format!("fn f(a: [u8; 2]) {{\n{}}}\n", "    g(\"{\", '}');\n".repeat(body_lines))
    }

    #[test]
    fn a_function_of_seventy_lines_is_fine_and_one_of_seventy_one_is_not() {
        assert!(messages(&function(68)).is_empty());
        assert_eq!(messages(&function(69)), ["function `f` has 71 lines; at most 70"]);
    }

    #[test]
    fn declarations_and_function_types_are_not_functions() {
        let text = format!("trait T {{ fn d(&self); }}\ntype F = fn(u8);\n{}", "\n".repeat(90));
        assert!(messages(&format!("{text}fn g() {{}}")).is_empty());
    }
}
