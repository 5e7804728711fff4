//! A journal that cannot be read or written: why, and whether the disk is full.
//!
//! Nothing is done that is not written down, so that whatever was decided before goes on, and the
//! run can be resumed.

use std::path::{Path, PathBuf};

use super::error::{Error, plain};
use crate::deployment::{Deployment, has_no_room};
use crate::journal::JournalError;

/// How the system, and SQLite, say that there is no room: a quota leaves the disk itself some.
const FULL: [&str; 3] = ["no space left", "disk is full", "quota exceeded"];

/// Whether anything of a run is in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nothing: nothing was done.
    New,
    /// Something: what runs goes on.
    Begun,
}

/// A journal that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalAccess {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
    /// Whether its disk is full.
    pub is_full: bool,
}

/// The failure to write the journal of a deployment.
pub(crate) fn unwritten(deployment: &Deployment, stage: Stage, why: &JournalError) -> Error {
    let reason = plain(&why.reason());
    let is_full = has_no_room(deployment.folder()) || says_full(&reason);
    Error::JournalWrite {
        access: JournalAccess { path: deployment.journal(), reason, is_full },
        stage,
    }
}

/// The failure to read a journal.
pub(crate) fn unread(path: &Path, why: &JournalError) -> Error {
    let is_full = is_on_full_disk(path);
    Error::JournalRead(JournalAccess { path: path.to_owned(), reason: why.reason(), is_full })
}

/// Whether the disk of a file is full.
pub(crate) fn is_on_full_disk(path: &Path) -> bool {
    path.parent().is_some_and(has_no_room)
}

fn says_full(reason: &str) -> bool {
    FULL.iter().any(|words| reason.contains(words))
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_full_disk_is_known_by_the_words_of_the_system() {
        let says = |code| says_full(&plain(&Error::from_raw_os_error(code).to_string()));
        let [full, quota, broken] = [Errno::NOSPC, Errno::DQUOT, Errno::IO];
        assert!(says(full.raw_os_error()) && says(quota.raw_os_error()));
        assert!(!says(broken.raw_os_error()));
        assert!(says_full("database or disk is full"));
    }
}
