//! The files of the library that are compiled for use, not for tests only.

use super::Tree;
use super::syntax::{Syntax, is_test_code};
use crate::repository::File;
use syn::Item;

/// The folder of the library.
pub const LIBRARY: &str = "crates/windlass/src/";

/// Every file of the library but those declared as `#[cfg(test)] mod name;`.
pub fn files(tree: &Tree) -> Vec<&File> {
    let all = tree.syntax.iter().filter(|file| file.path.starts_with(LIBRARY));
    let tests: Vec<String> = all.flat_map(test_files).collect();
    let is_test = |file: &File| tests.iter().any(|test| is_module_file(&file.path, test));
    tree.rust().filter(|file| file.path.starts_with(LIBRARY) && !is_test(file)).collect()
}

/// Paths without extension of modules declared as `#[cfg(test)] mod name;`.
fn test_files(file: &Syntax) -> Vec<String> {
    let folder = file.path.trim_end_matches(".rs").trim_end_matches("/lib");
    let modules = file.tree.items.iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() && is_test_code(&module.attrs) => Some(module),
        _ => None,
    });
    modules.map(|module| format!("{folder}/{}", module.ident)).collect()
}

fn is_module_file(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_declared_for_tests_are_free() {
        let path = format!("{LIBRARY}semantics/net.rs");
        let found = test_files(&Syntax::of(&path, "#[cfg(test)] mod small; mod large;"));
        assert_eq!(found, [format!("{LIBRARY}semantics/net/small")]);
        assert!(is_module_file(&format!("{LIBRARY}semantics/net/small.rs"), &found[0]));
        assert!(!is_module_file(&format!("{LIBRARY}semantics/net/smaller.rs"), &found[0]));
    }
}
