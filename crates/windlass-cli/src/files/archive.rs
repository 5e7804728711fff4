//! What all forms of archives share: names, and what may stand under them.

use windlass::source::files::{FileError, UnreadableReason, resolve};

/// The name of an entry within its archive, or why the archive is not trusted.
///
/// Archives made on Windows may have `\` between folders; that is read as `/`.
pub(super) fn entry_name(archive: &str, raw: &[u8]) -> Result<String, FileError> {
    let unsafe_name = |entry: &str| FileError::UnsafeName {
        name: archive.to_owned(),
        entry: entry.escape_debug().to_string(),
    };
    let Ok(text) = std::str::from_utf8(raw) else {
        return Err(unsafe_name(&String::from_utf8_lossy(raw)));
    };
    let name = text.replace('\\', "/");
    let has_drive = name.as_bytes().get(1) == Some(&b':');
    let has_parent = name.split('/').any(|part| part == "..");
    if has_drive || has_parent {
        return Err(unsafe_name(text));
    }
    resolve(None, name.trim_end_matches('/')).map_err(|_| unsafe_name(text))
}

/// Whether an entry is only the archive's own folder, which has no name.
pub(super) fn is_root(raw: &[u8]) -> bool {
    matches!(raw, b"." | b"./" | b"")
}

/// The name that people see for an entry, and the way back.
#[derive(Debug, Clone)]
pub(super) struct Names {
    prefix: String,
}

impl Names {
    pub(super) fn new(archive: &str) -> Self {
        Names { prefix: format!("{archive}/") }
    }

    /// The entry that `path` means in the entry `from`, which is a name for people.
    pub(super) fn resolve(&self, from: Option<&str>, path: &str) -> Result<String, FileError> {
        resolve(from.map(|from| from.strip_prefix(&self.prefix).unwrap_or(from)), path)
    }

    /// The name for people: `app.csar/types/db.yaml`.
    pub(super) fn shown(&self, entry: &str) -> String {
        format!("{}{entry}", self.prefix)
    }
}

/// There are two entries with one name.
pub(super) fn twice(archive: &str, entry: &str) -> FileError {
    FileError::BrokenArchive {
        name: archive.to_owned(),
        reason: format!("it has two entries with the name `{}`", entry.escape_debug()),
    }
}

/// There are too many entries.
pub(super) fn too_many_entries(archive: &str, limit: usize) -> FileError {
    FileError::ArchiveBomb {
        name: archive.to_owned(),
        reason: format!("more than {limit} entries"),
    }
}

/// An entry that is no file: why it cannot be read.
pub(super) fn not_a_file(shown: String, is_link: bool) -> FileError {
    let reason = if is_link { UnreadableReason::LinkInArchive } else { UnreadableReason::NoFile };
    FileError::Unreadable { name: shown, reason }
}
