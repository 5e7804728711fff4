//! Which files to check: what was named, and what is found in folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use windlass::lang::tosca::csar;

use crate::failure::Failure;
use crate::input;

/// One description to read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Input {
    /// Standard input.
    Stdin,
    /// A file that the user named: it must be in a known language.
    Named(PathBuf),
    /// A file found in a folder: it is skipped when it is in no known language.
    Found(PathBuf),
    /// The metadata of an archive that was unpacked into a folder.
    Unpacked(PathBuf),
}

/// Endings of texts in a folder that may hold a description. A plan of TosKer as `.csv` must be
/// named, because any table of three columns looks like one.
const TEXTS: &[&str] = &["yaml", "yml", "json", "template", "tosca", "plan"];

/// Endings of archives.
const ARCHIVES: &[&str] = &["csar", "zip", "tar", "tar.gz", "tgz"];

/// The inputs in the order of the command line, folders in the order of names, each file once.
pub(crate) fn collect(paths: &[PathBuf]) -> (Vec<Input>, Vec<Failure>) {
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
                        let is_metadata = is_metadata(&found);
                        let kind = if is_metadata { Input::Unpacked } else { Input::Found };
                        inputs.push(kind(found));
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
                if is_file && (may_hold_description(entry.path()) || is_metadata(entry.path())) {
                    files.push(tidy(entry.path()));
                }
            }
            Err(error) => {
                let failure = Failure::usage(format!("cannot read a folder: {error}"));
                let failure = failure.help("give yourself the right to read it");
                failures.push(failure.about("FILE010", folder.display().to_string()));
            }
        }
    }
    files
}

/// Whether a file says with which file an archive begins.
fn is_metadata(path: &Path) -> bool {
    [csar::META_FILE, csar::META_FILE_2].iter().any(|name| path.ends_with(name))
}

/// Whether a file in a folder is worth opening.
pub(super) fn may_hold_description(path: &Path) -> bool {
    may_be_text(path) || ends_with(path, ARCHIVES)
}

/// Whether a file should be a text, by its name.
pub(super) fn may_be_text(path: &Path) -> bool {
    ends_with(path, TEXTS)
}

fn ends_with(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    endings.iter().any(|ending| name.strip_suffix(ending).is_some_and(|stem| stem.ends_with('.')))
}

/// Nothing that was named holds a description: what was looked for.
pub(super) fn nothing_found(paths: &[PathBuf]) -> Failure {
    let shown: Vec<_> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    let endings: Vec<_> = TEXTS.iter().chain(ARCHIVES).map(|e| format!(".{e}")).collect();
    let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    Failure::usage(format!("nothing to check in {}", shown.join(", ")))
        .help(format!(
            "looked for descriptions in {} in files that end in {}",
            input::known_languages(),
            endings.join(", ")
        ))
        .about("LANG002", first)
}

/// Without the `./` that walking the current folder puts in front.
fn tidy(path: &Path) -> PathBuf {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}
