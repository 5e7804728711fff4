//! What a keeper knows about its commands. Two threads write in it: while one starts a command,
//! which takes until that has become its program, the other one goes on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use super::ipc::Notice;
use super::records::{self, Fact};
use crate::entry::OrderId;
use crate::world::process::claim::Identity;
use crate::world::process::logs::Log;

/// The commands of a keeper.
#[derive(Debug)]
pub(super) struct CommandTable {
    /// The file for what has to be known later. Facts about one command are written in their
    /// order, because a writer holds the pages.
    records: File,
    pages: Mutex<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    /// By the number of the process.
    running: BTreeMap<u32, TableEntry>,
    /// The orders that are being started.
    starting: BTreeSet<u64>,
    /// Those of them whose processes the engine has asked for.
    wanted: BTreeSet<u64>,
    /// Those that ended before it was known which order was theirs, and how.
    early: BTreeMap<u32, i32>,
    /// Whether something runs of which it is not written down which process it is.
    has_new: bool,
    /// What the engine has not been told yet.
    outbox: VecDeque<Notice>,
    is_alone: bool,
    /// Whether something could not be written.
    has_failed: bool,
}

/// A command that runs.
#[derive(Debug)]
struct TableEntry {
    order: u64,
    log: Log,
    /// Whether it is written down which process it is.
    is_identified: bool,
}

/// How things stand with a keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// Whether its engine is gone.
    pub(super) is_alone: bool,
    /// Whether there is something to look after without a wake-up.
    pub(super) needs_polling: bool,
    /// Whether the engine has not been told everything.
    pub(super) has_news: bool,
}

impl CommandTable {
    pub(super) fn new(records: File) -> Self {
        CommandTable { records, pages: Mutex::default() }
    }

    fn pages(&self) -> io::Result<MutexGuard<'_, Pages>> {
        let pages = self.pages.lock().ok().filter(|pages| !pages.has_failed);
        pages.ok_or_else(|| io::Error::other("the other thread has failed"))
    }

    /// No thread can go on.
    pub(super) fn fail(&self) {
        // Who panicked with them has said so by that.
        if let Ok(mut pages) = self.pages.lock() {
            pages.has_failed = true;
        }
    }

    pub(super) fn standing(&self) -> io::Result<Standing> {
        let pages = self.pages()?;
        Ok(Standing {
            is_alone: pages.is_alone,
            needs_polling: !pages.starting.is_empty() || pages.has_new,
            has_news: !pages.outbox.is_empty(),
        })
    }

    /// Whether nothing is left to be done.
    pub(super) fn is_over(&self) -> io::Result<bool> {
        let pages = self.pages()?;
        Ok(pages.is_alone && pages.starting.is_empty() && pages.running.is_empty())
    }

    /// A command is about to begin, and will write to this file; beside how many others.
    pub(super) fn begins(&self, order: u64, spare: &Path) -> io::Result<usize> {
        let mut pages = self.pages()?;
        let others = pages.starting.len() + pages.running.len();
        pages.starting.insert(order);
        let spare = spare.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        records::write_begun(&self.records, OrderId(order), spare)?;
        Ok(others)
    }

    /// A command could not begin.
    pub(super) fn did_not_begin(&self, order: u64) -> io::Result<()> {
        let mut pages = self.pages()?;
        pages.started(order);
        pages.outbox.push_back(Notice::NotBegun { order });
        records::write(&self.records, OrderId(order), Fact::NotBegun)?;
        self.release(&mut pages)
    }

    /// A command runs as this process, if it has not ended already.
    pub(super) fn runs(&self, order: u64, process: u32, log: Log) -> io::Result<()> {
        let mut pages = self.pages()?;
        let kept = TableEntry { order, log, is_identified: false };
        match pages.early.remove(&process) {
            Some(status) => self.ended(&mut pages, kept, status)?,
            None => {
                pages.running.insert(process, kept);
                pages.has_new = true;
                let is_wanted = pages.wanted.contains(&order);
                pages.outbox.extend(is_wanted.then_some(Notice::Runs { order, process }));
            }
        }
        pages.started(order);
        self.release(&mut pages)
    }

    /// As long as this is held, no thread waits for children: the library wants to wait itself for
    /// one that does not become its program.
    pub(super) fn hold(&self) -> io::Result<impl Sized> {
        self.pages()
    }

    /// The engine asks for the process of an order, which may still be started.
    pub(super) fn asked(&self, order: u64) -> io::Result<()> {
        let mut pages = self.pages()?;
        if pages.starting.contains(&order) {
            pages.wanted.insert(order);
        }
        let found = pages.running.iter().find(|(_, kept)| kept.order == order);
        let told = found.map(|(process, _)| Notice::Runs { order, process: *process });
        pages.outbox.extend(told);
        Ok(())
    }

    /// Writes down which processes the commands are. They can also be found by their environment,
    /// but a command may hide that.
    pub(super) fn identify(&self) -> io::Result<()> {
        let mut pages = self.pages()?;
        self.identify_all(&mut pages)
    }

    fn identify_all(&self, pages: &mut Pages) -> io::Result<()> {
        pages.has_new = false;
        for (process, kept) in pages.running.iter_mut().filter(|(_, kept)| !kept.is_identified) {
            // It has not been waited for, so the number is its own.
            if let Some(identity) = Identity::of(*process) {
                records::write(&self.records, OrderId(kept.order), Fact::Runs(identity))?;
            }
            kept.is_identified = true;
        }
        Ok(())
    }

    /// Looks who has ended: `wait` waits for a child that has, if there is one, and says how.
    pub(super) fn look(
        &self,
        mut wait: impl FnMut() -> io::Result<Option<(u32, i32)>>,
    ) -> io::Result<()> {
        // Before anybody is waited for: who was cannot be identified any more.
        let mut pages = self.pages()?;
        while let Some((process, status)) = wait()? {
            match pages.running.remove(&process) {
                Some(kept) => self.ended(&mut pages, kept, status)?,
                // The thread that is just starting it will find this.
                None => {
                    pages.early.insert(process, status);
                }
            }
        }
        Ok(())
    }

    fn ended(&self, pages: &mut Pages, kept: TableEntry, status: i32) -> io::Result<()> {
        let TableEntry { order, mut log, .. } = kept;
        records::write(&self.records, OrderId(order), Fact::Ended(status))?;
        log.name_unless_empty();
        let is_named = log.has_name();
        // The engine may want the file for another command as soon as it is told.
        drop(log);
        pages.outbox.push_back(Notice::Ended { order, status, is_named });
        Ok(())
    }

    /// Tells the engine what is new, as long as `tell` can.
    pub(super) fn tell(&self, tell: impl Fn(&Notice) -> bool) -> io::Result<()> {
        let mut pages = self.pages()?;
        while pages.outbox.front().is_some_and(&tell) {
            pages.outbox.pop_front();
        }
        Ok(())
    }

    /// The engine is gone. Nothing more will begin.
    pub(super) fn alone(&self) -> io::Result<()> {
        let mut pages = self.pages()?;
        pages.is_alone = true;
        pages.outbox.clear();
        self.release(&mut pages)
    }

    /// Without an engine, and when nothing is being started: does for what runs what the engine
    /// would have done later, and lets the next engine read.
    fn release(&self, pages: &mut Pages) -> io::Result<()> {
        if !pages.is_alone || !pages.starting.is_empty() {
            return Ok(());
        }
        self.identify_all(pages)?;
        for kept in pages.running.values_mut() {
            kept.log.name();
        }
        // As long as there are commands that run, it can be seen that there is a keeper.
        self.records.lock_shared()
    }
}

impl Pages {
    /// Something that was being started is so no more.
    fn started(&mut self, order: u64) {
        self.starting.remove(&order);
        self.wanted.remove(&order);
        if self.starting.is_empty() {
            // Of those that did not become their programs.
            self.early.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::records::Records;
    use super::*;
    use std::cell::RefCell;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Child, Command};

    fn log(folder: &Path, order: u64) -> Log {
        let (spare, path) = (folder.join(format!(".{order}")), folder.join(format!("{order}.log")));
        Log::open_already(File::create(&spare).unwrap(), spare, path)
    }

    fn news(book: &CommandTable) -> Vec<Notice> {
        let all = RefCell::new(Vec::new());
        book.tell(|told| {
            all.borrow_mut().push(*told);
            true
        })
        .unwrap();
        all.into_inner()
    }

    /// Looks when this child has ended.
    fn look(book: &CommandTable, child: &mut Child) {
        let status = child.wait().unwrap().into_raw();
        let mut ended = Some((child.id(), status));
        book.look(|| Ok(ended.take())).unwrap();
    }

    #[test]
    fn what_is_written_last_about_a_command_is_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let (records, file) = Records::create(folder.path()).unwrap();
        let book = CommandTable::new(file);
        let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
        assert_eq!(book.begins(1, Path::new(".0")).unwrap(), 0);
        assert_eq!(records.fact(OrderId(1)), Some(Fact::Begun));
        book.asked(1).unwrap();
        assert_eq!(news(&book), []);
        book.runs(1, sleeper.id(), log(folder.path(), 1)).unwrap();
        let runs = Notice::Runs { order: 1, process: sleeper.id() };
        assert_eq!(news(&book), [runs]);
        book.asked(1).unwrap();
        assert_eq!(news(&book), [runs]);
        assert!(book.standing().unwrap().needs_polling);
        book.identify().unwrap();
        assert!(!book.standing().unwrap().needs_polling);
        let identity = Identity::of(sleeper.id()).unwrap();
        assert_eq!(records.fact(OrderId(1)), Some(Fact::Runs(identity)));
        sleeper.kill().unwrap();
        look(&book, &mut sleeper);
        assert_eq!(news(&book), [Notice::Ended { order: 1, status: 9, is_named: false }]);
        book.identify().unwrap();
        assert_eq!(records.fact(OrderId(1)), Some(Fact::Ended(9)));

        // One that has ended before its starter knows its number.
        let mut quick = Command::new("true").spawn().unwrap();
        book.begins(2, Path::new(".0")).unwrap();
        look(&book, &mut quick);
        assert_eq!(news(&book), []);
        book.runs(2, quick.id(), log(folder.path(), 2)).unwrap();
        assert_eq!(news(&book), [Notice::Ended { order: 2, status: 0, is_named: false }]);
        assert_eq!(records.fact(OrderId(2)), Some(Fact::Ended(0)));

        // One that is being started when the engine goes.
        let mut late = Command::new("sleep").arg("60").spawn().unwrap();
        book.begins(3, Path::new(".0")).unwrap();
        book.alone().unwrap();
        assert!(!book.is_over().unwrap());
        let reader = File::open(folder.path().join("keeper-0")).unwrap();
        assert!(reader.try_lock_shared().is_err(), "it is not known which process it is");
        book.runs(3, late.id(), log(folder.path(), 3)).unwrap();
        assert!(reader.try_lock_shared().is_ok());
        assert!(matches!(records.fact(OrderId(3)), Some(Fact::Runs(_))));
        assert!(folder.path().join("3.log").exists());
        late.kill().unwrap();
        look(&book, &mut late);
        assert_eq!(news(&book), [Notice::Ended { order: 3, status: 9, is_named: true }]);
        book.begins(4, Path::new(".0")).unwrap();
        book.did_not_begin(4).unwrap();
        assert_eq!(records.fact(OrderId(4)), Some(Fact::NotBegun));
        assert!(book.is_over().unwrap());
    }
}
