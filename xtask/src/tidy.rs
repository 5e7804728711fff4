//! `cargo xtask tidy`: what no compiler checks and every reader relies on. One file per check.
//!
//! The same checks run as a test of this package, so that `cargo test` alone finds them.

mod architecture;
mod dependencies;
mod forbidden_words;
mod heads;
mod layering;
mod library;
mod line_length;
mod links;
mod machine_paths;
mod message_matching;
mod old_names;
mod purity;
mod ratchet;
mod rule_docs;
mod sizes;
mod string_errors;
mod syntax;
mod tuple_parameters;

use crate::Outcome;
use crate::repository::{File, Finding, Repository};
use syntax::Syntax;

/// What the checks look at: the repository and the text of every file in it.
pub struct Tree {
    /// For questions about files that are not texts.
    pub repository: Repository,
    /// Every text file, sorted by path.
    pub files: Vec<File>,
    /// The Rust files as trees, sorted by path.
    pub syntax: Vec<Syntax>,
}

impl Tree {
    /// Reads the repository.
    pub fn read(repository: &Repository) -> Result<Self, String> {
        let files = repository.files("")?;
        let rust = files.iter().filter(|file| file.has_extension("rs"));
        let syntax = rust.map(Syntax::read).collect::<Result<Vec<_>, String>>()?;
        Ok(Tree { files, syntax, repository: repository.clone() })
    }

    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.has_extension("rs"))
    }

    /// The Markdown files.
    pub fn markdown(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.has_extension("md"))
    }

    /// The file with this path from the root.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

type Check = fn(&Tree) -> Vec<Finding>;

const CHECKS: &[(&str, Check)] = &[
    ("layering", layering::check),
    ("architecture", architecture::check),
    ("purity", purity::check),
    ("heads", heads::check),
    ("sizes", sizes::check),
    ("line length", line_length::check),
    ("forbidden words", forbidden_words::check),
    ("machine paths", machine_paths::check),
    ("rule docs", rule_docs::check),
    ("links", links::check),
    ("dependencies", dependencies::check),
    ("old names", old_names::check),
    ("string errors", string_errors::check),
    ("message matching", message_matching::check),
    ("tuple parameters", tuple_parameters::check),
];

/// Prints every finding; all is well when there is none.
pub fn run(repository: &Repository) -> Outcome {
    let tree = Tree::read(repository)?;
    let mut total = 0;
    for (name, check) in CHECKS {
        let mut findings = check(&tree);
        findings.sort();
        for finding in &findings {
            println!("{finding} [{name}]");
        }
        total += findings.len();
    }
    for note in sizes::long_files(&tree).into_iter().chain(ratchet::slack(&tree)) {
        println!("note: {note}");
    }
    println!("tidy: {} files, {total} findings", tree.files.len());
    Ok(total == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let repository = Repository::find().unwrap();
        let tree = Tree::read(&repository).unwrap();
        assert!(tree.rust().count() > 10, "the walk finds the sources");
        let findings: Vec<String> = CHECKS
            .iter()
            .flat_map(|(_, check)| check(&tree))
            .map(|finding| finding.to_string())
            .collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}
