//! Compose files found in a folder that are parts of others: a file that another one includes or
//! extends, and one that is only put over its neighbour, are no projects of their own.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use windlass::diagnostic::Diagnostic;
use windlass::rule::compose::no_image;
use windlass::rule::{self, Tag};

use crate::paths;

/// A Compose file that was found and read.
pub(super) struct Found {
    path: PathBuf,
    /// Every file that was read with it.
    files: BTreeSet<PathBuf>,
    /// Which findings are its own.
    findings: Range<usize>,
}

impl Found {
    pub(super) fn new(path: &Path, files: &[PathBuf], findings: Range<usize>) -> Self {
        let files = files.iter().map(|file| paths::real(file)).collect();
        Found { path: paths::real(path), files, findings }
    }

    /// Whether this one is a part of `other`. Of two that read each other the upper one is whole.
    fn is_part_of(&self, other: &Found) -> bool {
        let height = |path: &Path| (path.components().count(), path.to_owned());
        self.path != other.path
            && other.files.contains(&self.path)
            && (!self.files.contains(&other.path) || height(&other.path) < height(&self.path))
    }
}

/// Leaves out what was found in files as if they were projects of their own; how many those were.
pub(super) fn leave_out(all: &[Found], findings: &mut Vec<Diagnostic>) -> usize {
    let is_part = |found: &&Found| all.iter().any(|other| found.is_part_of(other));
    let parts: Vec<&Found> = all.iter().filter(is_part).collect();
    for found in parts.iter().rev() {
        findings.drain(found.findings.clone());
    }
    parts.len()
}

/// Whether a file is put over the Compose file beside it, by its name: `compose.prod.yaml`.
pub(super) fn is_beside_base(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml"));
    let base = stem.and_then(|stem| stem.split_once('.')).map(|(base, _)| base);
    let Some(base @ ("compose" | "docker-compose")) = base else { return false };
    ["yaml", "yml"].iter().any(|end| path.with_file_name(format!("{base}.{end}")).is_file())
}

/// Leaves out of a file that is put over another, and lacks an image, what only the whole tells.
pub(super) fn judge_partly(findings: &mut Vec<Diagnostic>, since: usize) {
    if findings[since..].iter().any(|finding| finding.code == no_image::RULE.code) {
        let own = findings.split_off(since);
        let is_about_whole =
            |finding: &Diagnostic| rule::has_tag(finding.code, Tag::NeedsWholeProject);
        findings.extend(own.into_iter().filter(|finding| !is_about_whole(finding)));
    }
}
