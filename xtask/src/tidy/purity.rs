//! The library does no I/O, asks no clock, throws no dice; only the search starts threads.

use super::{Tree, library};
use crate::lexer::{code, path_uses, without_test_code};
use crate::repository::{File, Finding};

/// Paths that no file of the library may name.
const IMPURE: &[&[&str]] = &[
    &["std", "fs"],
    &["std", "net"],
    &["std", "env"],
    &["std", "process"],
    &["std", "time", "Instant"],
    &["std", "time", "SystemTime"],
    &["std", "os"],
    &["rand"],
    &["tokio"],
];

/// The search may use two threads; its result does not depend on how many.
const THREADS: &[&str] = &["std", "thread"];
const MAY_START_THREADS: &str = "crates/windlass/src/explore";

/// Names every impure path.
pub fn check(tree: &Tree) -> Vec<Finding> {
    library::files(tree).into_iter().flat_map(impure_paths).collect()
}

fn impure_paths(file: &File) -> Vec<Finding> {
    let tokens = without_test_code(&code(&file.text));
    let mut findings = Vec::new();
    for path in path_uses(&tokens) {
        let starts_with = |prefix: &[&str]| {
            path.words.len() >= prefix.len()
                && prefix.iter().zip(&path.words).all(|(wanted, word)| wanted == word)
        };
        let thread = starts_with(THREADS) && !file.path.starts_with(MAY_START_THREADS);
        if thread || IMPURE.iter().any(|prefix| starts_with(prefix)) {
            let message =
                format!("the library is pure and may not use `{}`", path.words.join("::"));
            findings.push(Finding::new(&file.path, path.line, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::library::LIBRARY;

    fn count(path: &str, text: &str) -> usize {
        impure_paths(&File { path: format!("{LIBRARY}{path}"), text: text.to_owned() }).len()
    }

    #[test]
    fn impure_paths_are_found() {
        assert_eq!(count("tree.rs", "use std::{fmt, fs::File};"), 1);
        assert_eq!(count("tree.rs", "let now = std::time::Instant::now();"), 1);
        assert_eq!(count("tree.rs", "use std::thread;"), 1);
    }

    #[test]
    fn pure_paths_tests_and_threads_of_the_search_are_fine() {
        assert_eq!(count("tree.rs", "use std::time::Duration;"), 0);
        assert_eq!(count("tree.rs", "#[cfg(test)] mod tests { use std::fs; }"), 0);
        assert_eq!(count("explore/parallel.rs", "use std::thread;"), 0);
    }
}
