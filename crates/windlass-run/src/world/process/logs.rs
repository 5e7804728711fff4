//! The logs of commands that the dispatcher starts itself. Most commands are short and say nothing,
//! and making a file costs more than starting a small program. So a log has no name until there is
//! something in it, or its command has run for a while, and one that stayed empty serves again.
//!
//! A log is locked while it is open. The lock belongs to the opening and not to a process, so that
//! whoever can get it later knows: nobody who could still write has the file open.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat};

/// The log of a command.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
    path: PathBuf,
    has_name: bool,
}

/// Logs that nobody has written to.
#[derive(Debug, Default)]
pub(super) struct Logs {
    empty: Vec<File>,
    /// Those of commands that are over. The next command, which starts at the same time, has them
    /// open for an instant too, so that nothing can be said about them yet.
    over: Vec<Log>,
}

impl Logs {
    /// An open log that will have this name.
    pub(super) fn open(&mut self, path: PathBuf) -> io::Result<Log> {
        let empty = self.empty.pop().map(Ok);
        if let Ok(file) = empty.unwrap_or_else(|| nameless(&path)) {
            return Ok(Log { file, path, has_name: false });
        }
        // Not every file system has files without names.
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
        Ok(Log { file, path, has_name: true })
    }

    /// A command is over: its log may serve another one.
    pub(super) fn over(&mut self, log: Log) {
        self.settle();
        if log.has_name {
            return;
        }
        let Ok(file) = OpenOptions::new().append(true).open(own(&log.file)) else { return };
        let again = Log { file, path: log.path.clone(), has_name: false };
        drop(log);
        self.over.push(again);
    }

    /// Looks at what was over some time ago.
    pub(super) fn settle(&mut self) {
        for mut log in self.over.drain(..) {
            if log.file.try_lock().is_ok() && is_empty(&log.file) {
                self.empty.push(log.file);
            } else {
                // Somebody whom the command left behind may write, or has.
                log.name();
            }
        }
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        self.settle();
    }
}

impl Log {
    /// For whoever writes.
    pub(super) fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Gives it its name; it may have it already.
    pub(super) fn name(&mut self) {
        if !self.has_name {
            // A log that an engine before this one left stays; this one is lost then.
            let _ = linkat(CWD, own(&self.file), CWD, &self.path, AtFlags::SYMLINK_FOLLOW);
            self.has_name = true;
        }
    }

    /// Gives it its name when there is something in it.
    pub(super) fn name_unless_empty(&mut self) {
        if !self.has_name && !is_empty(&self.file) {
            self.name();
        }
    }

    pub(super) fn has_name(&self) -> bool {
        self.has_name
    }
}

/// A file without a name, in the folder in which its name would be.
fn nameless(path: &Path) -> io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR)?);
    // Without a lock it is never taken for one that nobody has open.
    let _ = file.try_lock();
    Ok(file)
}

/// The name by which a process finds a file that it has open.
fn own(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

fn is_empty(file: &File) -> bool {
    file.metadata().is_ok_and(|about| about.len() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write as _;

    #[test]
    fn a_log_has_a_name_when_there_is_something_in_it_and_else_serves_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut logs = Logs::default();
        let mut first = logs.open(path("1")).unwrap();
        // Somebody whom the first command left behind.
        let mut left = first.writer().unwrap();
        first.name_unless_empty();
        logs.over(first);
        logs.settle();
        assert!(logs.empty.is_empty() && path("1").exists(), "somebody may still write");
        let second = logs.open(path("2")).unwrap();
        left.write_all(b"late").unwrap();
        drop(left);
        logs.over(second);
        logs.settle();
        assert_eq!(logs.empty.len(), 1);
        let mut third = logs.open(path("3")).unwrap();
        assert!(logs.empty.is_empty());
        third.writer().unwrap().write_all(b"a word").unwrap();
        third.name_unless_empty();
        logs.over(third);
        let mut fourth = logs.open(path("4")).unwrap();
        fourth.name();
        fourth.writer().unwrap().write_all(b"and more").unwrap();
        logs.over(fourth);
        assert!(!path("2").exists());
        assert_eq!(fs::read(path("1")).unwrap(), b"late");
        assert_eq!(fs::read(path("3")).unwrap(), b"a word");
        assert_eq!(fs::read(path("4")).unwrap(), b"and more");
    }
}
