//! Where entries are kept: append-only, in the order in which they were decided.
//!
//! Behind a small trait, so that the same dispatcher writes to SQLite, to memory (tests) and to
//! nowhere (benchmarks).

pub mod sqlite;
mod tail;

use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::entry::{Entry, Record};

/// Why the journal could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JournalError {
    /// SQLite refused.
    Sqlite {
        /// In its words.
        message: String,
        /// Whether it had no room to write.
        is_full: bool,
    },
    /// A file could not be read or written.
    File {
        /// In the words of the system.
        message: String,
        /// Whether its disk, or the share of its owner, is full.
        is_full: bool,
    },
    /// An entry is not what this program can read, in the words of the reader.
    Unreadable(String),
    /// An entry cannot be written, in the words of the writer.
    Unwritable(String),
    /// It is of a version that this program does not know.
    UnknownVersion {
        /// The version of the journal.
        found: i64,
        /// The latest version that is known.
        known: i64,
    },
    /// The tables are empty, and the file beside them follows entries.
    WithoutTables,
    /// The tables lack entries that the file beside them follows.
    TablesDamaged,
    /// The file beside the tables is missing.
    TailMissing(PathBuf),
    /// The file beside the tables lacks something that was written there.
    TailDamaged(PathBuf),
    /// The engine died, in a world that only plays.
    EngineDied,
}

impl JournalError {
    /// Why, without saying that it is about the journal.
    pub(crate) fn reason(&self) -> String {
        match self {
            JournalError::Sqlite { message, .. } | JournalError::File { message, .. } => {
                message.clone()
            }
            JournalError::Unwritable(why) => why.clone(),
            JournalError::Unreadable(why) => format!("an entry cannot be read: {why}"),
            JournalError::UnknownVersion { found, known } => {
                format!("it has version {found}, and this program knows {known}")
            }
            JournalError::WithoutTables => {
                "it is empty, and the file beside it goes on with what was in it".to_owned()
            }
            JournalError::TablesDamaged => {
                "it is damaged: something that was written to its tables is missing".to_owned()
            }
            JournalError::TailMissing(path) => format!("`{}` is missing", path.display()),
            JournalError::TailDamaged(path) => {
                let path = path.display();
                format!("`{path}` is damaged: something that was written there is missing")
            }
            JournalError::EngineDied => "the engine died".to_owned(),
        }
    }
}

impl JournalError {
    /// Whether there was no room to write.
    pub(crate) fn is_full(&self) -> bool {
        matches!(
            self,
            JournalError::Sqlite { is_full: true, .. } | JournalError::File { is_full: true, .. }
        )
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the journal: {}", self.reason())
    }
}

impl std::error::Error for JournalError {}

/// What a commit has to survive when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Safety {
    /// The end of the engine. After a loss of power the last such commits may be missing, all from
    /// some point on: what they were about can be done again.
    Crash,
    /// The end of the machine, too.
    PowerLoss,
}

/// Where the entries of one run go.
pub trait Journal {
    /// Keeps all of `entries` or none of them: one commit. When it returns they are safe.
    fn append(
        &mut self,
        at: Duration,
        entries: &[Entry],
        safety: Safety,
    ) -> Result<(), JournalError>;
}

/// A journal in memory. Clones share it, so that it survives the engine that wrote it.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    records: Rc<RefCell<Vec<Record>>>,
    run: u64,
}

impl Memory {
    /// Everything that was kept.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.records.borrow().clone()
    }

    /// The entries alone.
    pub fn entries(&self) -> Vec<Entry> {
        self.records.borrow().iter().map(|record| record.entry.clone()).collect()
    }
}

impl Journal for Memory {
    fn append(&mut self, at: Duration, entries: &[Entry], _: Safety) -> Result<(), JournalError> {
        let mut records = self.records.borrow_mut();
        for entry in entries {
            let seq = records.len() as u64 + 1;
            let at = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
            records.push(Record { run: self.run, seq, at, entry: entry.clone() });
        }
        Ok(())
    }
}

/// No journal: nothing survives.
#[derive(Debug, Clone, Copy, Default)]
pub struct Off;

impl Journal for Off {
    fn append(&mut self, _: Duration, _: &[Entry], _: Safety) -> Result<(), JournalError> {
        Ok(())
    }
}
