//! The logs of commands that the dispatcher starts itself. Most commands are short and say nothing,
//! and making a file costs more than starting a small program. So a log is a *spare* file, without
//! the name that people look for, until there is something in it, or its command has run for a
//! while; one that stayed empty serves again.
//!
//! A log is locked while it is open. The lock belongs to the opening and not to a process, so that
//! a process that gets it later knows that no other can still write to the file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, SeekFrom, renameat_with, seek};

/// How often a log is looked at while commands start before it has to have a name.
const PATIENCE: u8 = 8;

/// A file without content.
#[derive(Debug)]
struct Spare {
    file: File,
    path: PathBuf,
}

/// The log of a command.
#[derive(Debug)]
pub(super) struct Log {
    spare: Spare,
    /// What it will be called.
    path: PathBuf,
    has_name: bool,
}

/// Logs without content.
#[derive(Debug, Default)]
pub(super) struct Logs {
    empty: Vec<Spare>,
    /// Those of commands that are over, and how often they were looked at. The commands that start
    /// at the same time have them open for an instant too, so that nothing can be said about them
    /// yet.
    over: Vec<(Log, u8)>,
    /// The number of the next spare.
    next: u32,
    /// Where they are, once there is one.
    folder: Option<PathBuf>,
}

impl Logs {
    /// An open log that will have this name.
    pub(super) fn open(&mut self, path: PathBuf) -> io::Result<Log> {
        let spare = match self.empty.pop() {
            Some(spare) => spare,
            None => self.another(path.parent().unwrap_or(Path::new(".")))?,
        };
        Ok(Log { spare, path, has_name: false })
    }

    /// One more spare. What an engine that was killed left serves again if nothing is in it.
    fn another(&mut self, folder: &Path) -> io::Result<Spare> {
        self.folder.get_or_insert_with(|| folder.to_owned());
        loop {
            let path = folder.join(format!(".{}", self.next));
            self.next += 1;
            let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
            if is_unused(&file) {
                return Ok(Spare { file, path });
            }
        }
    }

    /// A command is over: its log may serve another one.
    pub(super) fn over(&mut self, log: Log) {
        self.look(PATIENCE);
        if log.has_name {
            return;
        }
        let Ok(file) = OpenOptions::new().append(true).open(&log.spare.path) else { return };
        let Log { spare, path, has_name } = log;
        self.over.push((Log { spare: Spare { file, path: spare.path }, path, has_name }, 0));
    }

    /// Looks for the last time at what was over some time ago.
    pub(super) fn settle(&mut self) {
        self.look(0);
    }

    /// Looks at what was over some time ago. What a process has open is left for later when it was
    /// not looked at that often.
    fn look(&mut self, patience: u8) {
        for (mut log, looked) in mem::take(&mut self.over) {
            match log.spare.file.try_lock() {
                Ok(()) if is_empty(&log.spare.file) => self.empty.push(log.spare),
                Err(_) if looked < patience => self.over.push((log, looked + 1)),
                // A process that the command left behind may write, or has.
                _ => log.name(),
            }
        }
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        self.settle();
        // What is empty and not locked is of no use; also what killed engines left.
        self.empty.clear();
        let files = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok());
        for path in files.into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_spare = name.strip_prefix('.').is_some_and(|rest| rest.parse::<u32>().is_ok());
            let file = OpenOptions::new().append(true).open(&path);
            if is_spare && file.is_ok_and(|file| is_unused(&file)) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// Whether a file is empty and has no writer.
fn is_unused(file: &File) -> bool {
    file.try_lock().is_ok() && is_empty(file)
}

/// Gives a spare the name of a log. A log that an engine before this one left stays; this one is
/// lost then.
fn rename(spare: &Path, path: &Path) {
    let renamed = renameat_with(CWD, spare, CWD, path, RenameFlags::NOREPLACE);
    if renamed.is_err() && !path.exists() {
        // Not every file system can refuse to replace.
        let _ = fs::rename(spare, path);
    }
}

/// Gives a log its name that an engine and its keeper left without: both were killed.
pub(super) fn name_left(path: &Path, spare: &str) {
    rename(&path.with_file_name(spare), path);
}

impl Log {
    /// One that another process opened.
    pub(super) fn open_already(file: File, spare: PathBuf, path: PathBuf) -> Self {
        Log { spare: Spare { file, path: spare }, path, has_name: false }
    }

    /// Where it is, and what it will be called.
    pub(super) fn paths(&self) -> (&Path, &Path) {
        (&self.spare.path, &self.path)
    }

    /// Another process has given it its name.
    pub(super) fn is_named(&mut self) {
        self.has_name = true;
    }

    /// For the writer.
    pub(super) fn writer(&self) -> io::Result<File> {
        self.spare.file.try_clone()
    }

    /// Gives it its name; it may have it already.
    pub(super) fn name(&mut self) {
        if !self.has_name {
            rename(&self.spare.path, &self.path);
            self.has_name = true;
        }
    }

    /// Gives it its name when there is something in it.
    pub(super) fn name_unless_empty(&mut self) {
        if !self.has_name && !is_empty(&self.spare.file) {
            self.name();
        }
    }

    pub(super) fn has_name(&self) -> bool {
        self.has_name
    }
}

impl AsFd for Log {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.spare.file.as_fd()
    }
}

fn is_empty(file: &File) -> bool {
    // Writers append, wherever this place is; asking for it is the shortest question.
    seek(file, SeekFrom::End(0)) == Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_log_has_a_name_when_there_is_something_in_it_and_else_serves_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut logs = Logs::default();
        let mut first = logs.open(path("1")).unwrap();
        // A process that the first command left behind.
        let mut left = first.writer().unwrap();
        first.name_unless_empty();
        logs.over(first);
        logs.settle();
        assert!(logs.empty.is_empty() && path("1").exists(), "a process may still write");
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
        logs.open(path("5")).map(|log| logs.over(log)).unwrap();
        drop(logs);
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 3, "no spare stays");
    }

    #[test]
    fn a_spare_of_a_killed_engine_serves_again_unless_something_is_in_it_or_may_come() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".0"), "words").unwrap();
        fs::write(folder.path().join(".1"), "").unwrap();
        let busy = File::open(folder.path().join(".1")).unwrap();
        busy.try_lock().unwrap();
        fs::write(folder.path().join(".2"), "").unwrap();
        let mut logs = Logs::default();
        fs::write(folder.path().join(".5"), "").unwrap();
        let log = logs.open(folder.path().join("7.log")).unwrap();
        assert!(log.spare.path.ends_with(".2"));
        drop((log, logs));
        let left = |name: &str| folder.path().join(name).exists();
        assert_eq!([".0", ".1", ".2", ".5"].map(left), [true, true, false, false]);
    }
}
