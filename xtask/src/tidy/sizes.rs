//! Files of at most 800 lines, tests included; functions of at most 70.

use super::Tree;
use super::syntax::Syntax;
use crate::repository::Finding;

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
    }
    findings.extend(tree.syntax.iter().flat_map(long_functions));
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

fn long_functions(file: &Syntax) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in file.functions() {
        let Some(body) = function.body else { continue };
        let first = function.signature.fn_token.span.start().line;
        let lines = body.brace_token.span.close().end().line + 1 - first;
        if lines > FUNCTION_LIMIT {
            let name = &function.signature.ident;
            let message = format!("function `{name}` has {lines} lines; at most {FUNCTION_LIMIT}");
            findings.push(Finding::new(&file.path, first, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        long_functions(&Syntax::of("a.rs", text)).into_iter().map(|finding| finding.message).collect()
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
