//! Paths as the user writes them, and as they are on the disk.

use std::path::{Path, PathBuf};

/// The path without links or `..` in its folders, absolute; the file itself need not be there, and
/// may be a link.
pub(crate) fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (absolute.parent().map(std::fs::canonicalize), absolute.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => std::fs::canonicalize(&absolute).unwrap_or(absolute),
    }
}

/// The folder of a file, absolute, without links or `..`.
pub(crate) fn real_folder(file: &Path) -> PathBuf {
    real(file).parent().map(Path::to_owned).unwrap_or_default()
}

/// A path as the user would write it: relative to the current folder when it is below that.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}
