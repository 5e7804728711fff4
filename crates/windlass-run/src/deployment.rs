//! The folder in which a deployment is kept: journal, logs, claims, and a lock so that two engines
//! never drive one deployment.
//!
//! ```text
//! .windlass/NAME/           mode 0700
//!     journal.db            every run, mode 0600, and journal.db-tail what is not in it yet
//!     lock                  held by the engine that drives
//!     supervisor            who the engine in the background is, and supervisor.log what it says
//!     logs/RUN/ORDER.log    what the commands and processes wrote
//!     claims/BOOT/ORDER.*   what the process world knows about orders of this boot
//!     claims/BOOT/keeper-N  what a keeper knows about the commands that it started
//! ```

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::journal::sqlite;

/// The name of the folder beside a description.
pub const FOLDER: &str = ".windlass";

const LOCK_TRIES: u32 = 40;
const LOCK_WAIT: Duration = Duration::from_millis(25);

/// A deployment on disk.
#[derive(Debug, Clone)]
pub struct Deployment {
    folder: PathBuf,
}

/// As long as it lives, no other engine drives the deployment. The system lets go of it when the
/// process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Why the lock was not had.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Another engine drives the deployment.
    Taken,
    /// The file cannot be made.
    Io(io::Error),
}

impl Deployment {
    /// The deployment with this name in a state folder.
    pub fn new(state: &Path, name: &str) -> Self {
        Deployment { folder: state.join(name) }
    }

    /// Makes the folder, for its owner only.
    pub(crate) fn create(&self) -> io::Result<()> {
        private_folder(&self.folder)?;
        if let Some(parent) = self.folder.parent() {
            fs::set_permissions(parent, fs::Permissions::from_mode(0o700))?;
        }
        fs::set_permissions(&self.folder, fs::Permissions::from_mode(0o700))
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the journal is.
    pub fn journal(&self) -> PathBuf {
        self.folder.join("journal.db")
    }

    /// Whether there ever was a run. Its journal may be lost; then it cannot be read.
    pub(crate) fn exists(&self) -> bool {
        self.journal().exists() || sqlite::is_lost(&self.journal())
    }

    /// Where the logs of a run are.
    pub fn logs(&self, run: u64) -> PathBuf {
        self.folder.join("logs").join(run.to_string())
    }

    /// Takes the lock, or says soon that another engine has it.
    ///
    /// A command that a killed engine was about to start keeps the lock until it has become the
    /// command: that moment is waited for.
    pub(crate) fn lock(&self) -> Result<Lock, LockError> {
        let path = self.folder.join("lock");
        let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        let file = opened.map_err(LockError::Io)?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_WAIT),
                Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
            }
        }
        Err(LockError::Taken)
    }

    /// Whether an engine drives it at this moment.
    pub fn is_driven(&self) -> bool {
        let file = OpenOptions::new().append(true).open(self.folder.join("lock"));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// The deployments in a state folder, by name.
    pub fn names(state: &Path) -> Vec<String> {
        let entries = fs::read_dir(state).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter(|name| Deployment::new(state, name).exists()).collect();
        names.sort();
        names
    }
}

/// With less room than this a disk is full, whatever the system calls it.
const ROOM: u64 = 64 * 1024;

/// Whether the disk of a folder is full, as far as anybody but its owner may use it.
pub(crate) fn has_no_room(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM)
}

/// Makes a folder that only its owner can look into, and those above it.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_engine_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let deployment = Deployment::new(folder.path(), "shop");
        deployment.create().unwrap();
        let lock = deployment.lock().unwrap();
        assert!(matches!(deployment.lock(), Err(LockError::Taken)));
        assert!(deployment.is_driven());
        drop(lock);
        assert!(!deployment.is_driven());
        assert!(deployment.lock().is_ok());
        let mode = fs::metadata(deployment.folder()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
