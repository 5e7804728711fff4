//! Which files to check: what was named, and what is found in folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::failure::Failure;

/// One description to read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Input {
    /// Standard input.
    Stdin,
    /// A file that the user named: it must be in a known language.
    Named(PathBuf),
    /// A file found in a folder: it is skipped when it is in no known language.
    Found(PathBuf),
}

/// Endings of files in a folder that may hold a description.
const ENDINGS: &[&str] = &["yaml", "yml", "json", "csar", "zip", "tar", "tgz", "template", "tosca"];

/// The inputs in the order of the command line, folders in the order of names, each file once.
pub(super) fn collect(paths: &[PathBuf]) -> (Vec<Input>, Vec<Failure>) {
    let mut inputs = Vec::new();
    let mut failures = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        if path.as_os_str() == "-" {
            if seen.insert(PathBuf::from("-")) {
                inputs.push(Input::Stdin);
            }
            continue;
        }
        match std::fs::metadata(path) {
            Err(error) => failures.push(Failure::file("read", path, &error)),
            Ok(metadata) if metadata.is_dir() => {
                for found in walk(path, &mut failures) {
                    if seen.insert(found.clone()) {
                        inputs.push(Input::Found(found));
                    }
                }
            }
            Ok(_) => {
                if seen.insert(tidy(path)) {
                    inputs.push(Input::Named(path.clone()));
                }
            }
        }
    }
    (inputs, failures)
}

/// Every file below a folder that may hold a description, in the order of names.
fn walk(folder: &Path, failures: &mut Vec<Failure>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let walk = WalkBuilder::new(folder)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(Ord::cmp)
        .build();
    for entry in walk {
        match entry {
            Ok(entry) => {
                let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                if is_file && may_hold_description(entry.path()) {
                    files.push(tidy(entry.path()));
                }
            }
            Err(error) => failures.push(Failure::usage(format!("cannot read a folder: {error}"))),
        }
    }
    files
}

/// Whether a file in a folder is worth opening.
pub(super) fn may_hold_description(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    ENDINGS.iter().any(|ending| name.strip_suffix(ending).is_some_and(|stem| stem.ends_with('.')))
        || name.ends_with(".tar.gz")
}

/// Without the `./` that walking the current folder puts in front.
fn tidy(path: &Path) -> PathBuf {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}
