//! The repository names no folder of the machine it was written on, and nothing beside itself.

use super::Tree;
use crate::repository::{File, Finding};

/// Folders of machines; in two halves, for this file is checked as well.
const MACHINE: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
/// The folder with the test data of others, beside the repository.
const BESIDE: &str = concat!("../sha", "red");
/// Only these may look beside the repository.
const MAY_LOOK_BESIDE: &[&str] = &[".ci/run", "xtask/src/corpus", "xtask/src/ci"];
/// Addresses from which packages are fetched; the lock file and `deny.toml` name the default one.
const REGISTRIES: &[&str] = &[concat!("static.cra", "tes.io"), concat!("index.cra", "tes.io")];

/// Names every such path.
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(paths_in).collect()
}

fn paths_in(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let mut find = |message: String| findings.push(Finding::new(&file.path, at + 1, message));
        for folder in MACHINE {
            if names_folder(line, folder) {
                find(format!("names a folder of one machine, `{folder}`"));
            }
        }
        let allowed = MAY_LOOK_BESIDE.iter().any(|path| file.path.starts_with(path));
        if line.contains(BESIDE) && !allowed {
            find(format!("looks beside the repository, `{BESIDE}`"));
        }
        for registry in REGISTRIES {
            if line.contains(registry) {
                find(format!("names a package registry, `{registry}`"));
            }
        }
    }
    findings
}

/// Whether the folder stands in the line as the start of an absolute path.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '-' | '~' | '/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        paths_in(&File { path: path.to_owned(), text: text.to_owned() }).len()
    }

    #[test]
    fn machine_paths_are_found_and_relative_ones_are_not() {
        assert_eq!(count("a.md", &format!("see {}x", MACHINE[0])), 1);
        assert_eq!(count("a.md", &format!("see docs{}x", MACHINE[0])), 0);
        assert_eq!(count("a.md", &format!("see {BESIDE}/x")), 1);
        assert_eq!(count(".ci/run", &format!("see {BESIDE}/x")), 0);
    }
}
