//! A journal that cannot be read or written: why, and whether the disk is full.
//!
//! Nothing is done that is not written down, so that whatever was decided before goes on, and the
//! run can be resumed.

use std::path::{Path, PathBuf};

use super::error::{Error, plain};
use crate::deployment::{Deployment, has_no_room};
use crate::journal::JournalError;

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
    pub(crate) path: PathBuf,
    /// Why.
    pub(crate) reason: String,
    /// Whether its disk is full.
    pub is_full: bool,
}

/// The failure to write the journal of a deployment.
pub(crate) fn unwritten(deployment: &Deployment, stage: Stage, why: &JournalError) -> Error {
    let reason = plain(&why.reason());
    let is_full = has_no_room(deployment.folder()) || why.is_full();
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

#[cfg(test)]
mod tests {
    use std::io::Error;

    use rusqlite::ffi;
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_full_disk_is_known_by_the_code_of_the_system_and_of_sqlite() {
        // A quota leaves the disk itself some room.
        let of_system =
            |code: Errno| JournalError::from(Error::from_raw_os_error(code.raw_os_error()));
        assert!(of_system(Errno::NOSPC).is_full() && of_system(Errno::DQUOT).is_full());
        assert!(!of_system(Errno::IO).is_full());
        let of_sqlite = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            JournalError::from(error)
        };
        assert!(of_sqlite(ffi::SQLITE_FULL).is_full());
        assert!(!of_sqlite(ffi::SQLITE_IOERR).is_full());
    }
}
