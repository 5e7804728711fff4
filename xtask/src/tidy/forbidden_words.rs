//! Words that stand for unfinished work or for names that say nothing.

use super::Tree;
use crate::lexer::{Kind, Token, code};
use crate::repository::{File, Finding};

/// Macros that stand for unfinished work.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];
/// Attributes of tests that do not test.
const ATTRIBUTES: &[&str] = &["ignore", "should_panic"];
/// Ends of names that say nothing about the thing named.
const ENDINGS: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Impl"];
/// Names of files that say nothing about their content.
const FILE_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc", "imp"];
/// A mark for unfinished work in comments; in two halves, for this file is checked as well.
const MARK: &str = concat!("FIX", "ME");

/// Names every forbidden word.
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(words_of).collect()
}

fn words_of(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |line: usize, message: String| {
        findings.push(Finding::new(&file.path, line, message));
    };
    let stem = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    if FILE_NAMES.contains(&stem) {
        find(1, format!("the file name `{stem}` says nothing; name what is in it"));
    }
    for (at, line) in file.text.lines().enumerate() {
        if line.contains(MARK) {
            find(at + 1, format!("`{MARK}`: finish it, or say it in words"));
        }
    }
    let tokens = code(&file.text);
    for (at, token) in tokens.iter().enumerate() {
        if let Some(message) = forbidden(&tokens, at) {
            find(token.line, message);
        }
    }
    findings
}

fn forbidden(tokens: &[Token], at: usize) -> Option<String> {
    let token = &tokens[at];
    let next_is = |text: &str| tokens.get(at + 1).is_some_and(|next| next.is(text));
    let before_is = |text: &str| at > 0 && tokens[at - 1].is(text);
    if token.kind != Kind::Word {
        return None;
    }
    if MACROS.contains(&token.text) && next_is("!") {
        return Some(format!("`{}!` stands for unfinished work", token.text));
    }
    if ATTRIBUTES.contains(&token.text) && before_is("[") && at > 1 && tokens[at - 2].is("#") {
        return Some(format!("`#[{}]`: a test that does not test", token.text));
    }
    if token.text == "unsafe" {
        return Some("`unsafe` is forbidden everywhere".to_owned());
    }
    let defines = ["struct", "enum", "trait", "type", "mod"].iter().any(|word| before_is(word));
    if defines && ENDINGS.iter().any(|ending| token.text.ends_with(ending)) {
        return Some(format!("the name `{}` says nothing; name the thing", token.text));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        words_of(&File { path: path.to_owned(), text: text.to_owned() }).len()
    }

    #[test]
    fn each_kind_of_word_is_found() {
        for text in [
            "fn f() { todo!() }",
            "#[ignore] fn f() {}",
            "#[should_panic] fn f() {}",
            "unsafe { f() }",
            "struct PlanManager;",
        ] {
            assert_eq!(count("a.rs", text), 1, "{text}");
        }
        assert_eq!(count("a.rs", &format!("// {MARK}: later")), 1);
        assert_eq!(count("x/utils.rs", ""), 1);
    }

    #[test]
    fn words_in_strings_and_longer_words_are_fine() {
        let text = "#![forbid(unsafe_code)] const X: &str = \"todo!()\"; use ignore::Walk;";
        assert_eq!(count("common_case.rs", text), 0);
    }
}
