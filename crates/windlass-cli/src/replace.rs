//! Replacing a file as a whole or not at all.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// Writes `content` to `path` in one step, through a new file in the same folder.
///
/// A reader meanwhile sees the old text or the new one. The permissions of a file
/// that is there stay, and a link stays a link: what it points to is replaced.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> std::io::Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Made by hand, because a temporary file is private and an ordinary new file is not.
    let mut new = tempfile::Builder::new().make_in(folder, |path| File::create_new(path))?;
    if let Ok(old) = std::fs::metadata(&target) {
        // Before anything is written, so that nothing is ever readable that was not before.
        new.as_file().set_permissions(old.permissions())?;
    }
    new.write_all(content.as_ref())?;
    new.as_file().sync_all()?;
    new.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
