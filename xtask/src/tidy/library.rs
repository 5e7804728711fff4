//! The files of the library that are compiled for use, not for tests only.

use super::Tree;
use crate::lexer::{Token, code, without_test_code};
use crate::repository::File;

/// The folder of the library.
pub const LIBRARY: &str = "crates/windlass/src/";

/// Every file of the library but those declared as `#[cfg(test)] mod name;`.
pub fn files(tree: &Tree) -> Vec<&File> {
    let all: Vec<&File> = tree.rust().filter(|file| file.path.starts_with(LIBRARY)).collect();
    let tests = test_files(&all);
    let is_test = |file: &File| tests.iter().any(|test| is_module_file(&file.path, test));
    all.into_iter().filter(|file| !is_test(file)).collect()
}

/// Paths without extension of modules declared as `#[cfg(test)] mod name;`.
fn test_files(library: &[&File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in library {
        let folder = file.path.trim_end_matches(".rs").trim_end_matches("/lib");
        let all = code(&file.text);
        let kept = without_test_code(&all);
        let declared = |tokens: &[Token]| -> Vec<String> {
            tokens
                .windows(3)
                .filter(|window| window[0].is("mod") && window[2].is(";"))
                .map(|window| window[1].text.to_owned())
                .collect()
        };
        let ordinary = declared(&kept);
        let only_tests = declared(&all).into_iter().filter(|name| !ordinary.contains(name));
        found.extend(only_tests.map(|name| format!("{folder}/{name}")));
    }
    found
}

fn is_module_file(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_declared_for_tests_are_free() {
        let parent = File {
            path: format!("{LIBRARY}semantics/net.rs"),
            text: "#[cfg(test)] mod small; mod large;".to_owned(),
        };
        let found = test_files(&[&parent]);
        assert_eq!(found, [format!("{LIBRARY}semantics/net/small")]);
        assert!(is_module_file(&format!("{LIBRARY}semantics/net/small.rs"), &found[0]));
        assert!(!is_module_file(&format!("{LIBRARY}semantics/net/smaller.rs"), &found[0]));
    }
}
