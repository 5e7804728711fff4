//! The logs of commands that the dispatcher starts itself. Most commands say nothing, and making a
//! file costs more than starting a small program: a log that stayed empty is renamed for the next.
//!
//! A log is locked while it is open. The lock belongs to the opening and not to a process, so that
//! whoever can get it later knows: nobody who could still write has the file open.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Logs that nobody has written to.
#[derive(Debug, Default)]
pub(super) struct Logs {
    empty: Vec<(PathBuf, File)>,
}

impl Logs {
    /// An open log with this name.
    pub(super) fn open(&mut self, path: &Path) -> io::Result<File> {
        if let Some((old, file)) = self.empty.pop()
            && fs::rename(old, path).is_ok()
        {
            return Ok(file);
        }
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        // Without a lock it is never taken for one that nobody has open.
        let _ = file.try_lock();
        Ok(file)
    }

    /// A command is over: its log may serve another one.
    pub(super) fn over(&mut self, path: PathBuf) {
        let Ok(file) = OpenOptions::new().append(true).open(&path) else { return };
        let is_free = file.try_lock().is_ok();
        if is_free && file.metadata().is_ok_and(|about| about.len() == 0) {
            self.empty.push((path, file));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_log_is_used_again_when_it_is_empty_and_nobody_has_it_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut logs = Logs::default();
        let first = logs.open(&path("1")).unwrap();
        // Somebody whom the first command left behind.
        let left = first.try_clone().unwrap();
        drop(first);
        logs.over(path("1"));
        let second = logs.open(&path("2")).unwrap();
        assert!(path("1").exists() && path("2").exists());
        drop((left, second));
        logs.over(path("2"));
        let mut third = logs.open(&path("3")).unwrap();
        assert!(!path("2").exists() && path("3").exists());
        third.write_all(b"a word").unwrap();
        drop(third);
        logs.over(path("3"));
        logs.open(&path("4")).unwrap();
        assert_eq!(fs::read(path("3")).unwrap(), b"a word");
        assert!(path("4").exists());
    }
}
