//! Where entries are kept: append-only, in the order in which they were decided.
//!
//! Behind a small trait, so that the same dispatcher writes to SQLite, to memory (tests) and to
//! nowhere (benchmarks).

pub mod sqlite;
mod tail;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use crate::entry::{Entry, Record};

/// The journal could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalError(pub String);

impl fmt::Display for JournalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the journal: {}", self.0)
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
    pub fn records(&self) -> Vec<Record> {
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
