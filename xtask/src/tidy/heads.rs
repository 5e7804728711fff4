//! Every Rust file starts by saying what it is: a `//!` head of at least one sentence.

use super::Tree;
use crate::repository::Finding;

/// Names the files without a head.
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|file| !has_head(&file.text))
        .map(|file| Finding::new(&file.path, 1, "the file does not start with a `//!` head"))
        .collect()
}

fn has_head(text: &str) -> bool {
    text.strip_prefix("//! ").is_some_and(|rest| {
        rest.chars().next().is_some_and(char::is_alphanumeric) || rest.starts_with('`')
    })
}

#[cfg(test)]
mod tests {
    use super::has_head;

    #[test]
    fn a_head_is_the_first_line_and_says_something() {
        assert!(has_head("//! Texts and places.\n"));
        assert!(has_head("//! `windlass check`.\n"));
        assert!(!has_head("use std::fmt;\n//! Texts.\n"));
        assert!(!has_head("//!\n//! Texts.\n"));
        assert!(!has_head(""));
    }
}
